"""Figures of docs/evidence/judged-findings.tsv: how many findings in public code were read, and how many were true.

    python scripts/judged_figures.py              print the figures
    python scripts/judged_figures.py --findings FILE --repository OWNER/NAME
                                                  print the findings of a JSON report that are not in the list yet

A line of the list is one finding of severity warning or error in one public file, read by a person: repository,
commit, path, cell, line, code, verdict (true, false or doubtful) and why.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from pathlib import Path

LIST = Path(__file__).parent.parent / "docs" / "evidence" / "judged-findings.tsv"
VERDICTS = ("true", "false", "doubtful")


def read_list() -> list[dict[str, str]]:
    with LIST.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def figures(rows: list[dict[str, str]]) -> str:
    """A line for each rule and one for all: true, false, doubtful, and the share of true ones."""
    counts = {
        code: Counter(row["verdict"] for row in rows if row["code"] == code) for code in {r["code"] for r in rows}
    }
    total = Counter(row["verdict"] for row in rows)
    repositories = {row["repository"] for row in rows}
    lines = [f"{'code':8} {'true':>5} {'false':>6} {'doubtful':>9}  precision"]
    for code, count in [*sorted(counts.items()), ("all", total)]:
        judged = sum(count.values())
        lines.append(
            f"{code:8} {count['true']:5} {count['false']:6} {count['doubtful']:9}  {count['true'] / judged:9.3f}"
        )
    lines.append(f"{len(rows)} findings in {len(repositories)} repositories; a doubtful one counts as not true")
    return "\n".join(lines)


def unjudged(report: Path, repository: str) -> list[str]:
    known = {(r["repository"], r["path"], r["cell"], r["line"], r["code"]) for r in read_list()}
    lines = []
    for finding in json.loads(report.read_text(encoding="utf-8"))["findings"]:
        place = (finding["path"], str(finding["cell"] or ""), str(finding["line"]), finding["code"])
        if finding["severity"] != "info" and (repository, *place) not in known:
            lines.append("\t".join((repository, *place, finding["message"])))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--findings", type=Path, help="a report made with --format json")
    parser.add_argument("--repository", help="the repository that the report is about")
    options = parser.parse_args()
    if options.findings is not None:
        print("\n".join(unjudged(options.findings, options.repository or "")))
        return 0
    rows = read_list()
    wrong = [row for row in rows if row["verdict"] not in VERDICTS]
    if wrong:
        print(f"{LIST}: {wrong[0]} has no verdict of {', '.join(VERDICTS)}", file=sys.stderr)
        return 2
    print(figures(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
