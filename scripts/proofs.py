"""Write docs/proofs.md: what a run measured of each rule, as one proof of tests/tensorflow/proofs says it.

    python scripts/proofs.py                          write all rows that have a proof anew
    python scripts/proofs.py --rule missing-num-labels
                                                      write the row of one rule, and keep the others

Needs an interpreter with TensorFlow, tf_keras, transformers and datasets: this one, or the one that the environment
variable TFLINT_HF_TENSORFLOW_PYTHON names. Where TFLINT_HF_TRANSFORMERS_5_PYTHON names none with transformers 5, rows
that need it stay as they are.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "tensorflow"))

from proving import CONFIRMED, PYTHON, ROOT, Proof, attempt, proofs
from warm import WarmRunner, warm_runner

from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule

PAGE = ROOT / "docs" / "proofs.md"
HEAD = """# What a run shows of each rule

`tflint-hf confirm` runs a program for a few batches and measures. Below is, for each rule, what that says of one of its
bad fixtures, with the name of the measurement and the program, as `scripts/proofs.py` wrote it;
`tests/tensorflow/test_proofs.py` runs all of them, with good ones beside them of which nothing may be said, and those
for transformers 5 where an interpreter has that release. Checkpoints and data sets are stand-ins: numbers are those of
tiny random models.

"""
ROW = re.compile(r"- \*\*(\w+) ")
OF_ONE_MACHINE = re.compile(r" ?\(?/\S*/(?:fixtures|site-packages)/[^\s)]*\)?| at 0x[0-9a-f]+")


def evidence(rule: Rule, candidates: list[Proof], runner: WarmRunner) -> tuple[Proof, str] | None:
    """The first program that the run proves wrong, and how the run says so."""
    for proof in candidates:
        for finding in attempt(proof, runner).confirmed:
            if finding.code == rule.code and finding.verdict is not None:
                return proof, OF_ONE_MACHINE.sub("", finding.verdict.evidence)
    return None


def row(rule: Rule, shown: tuple[Proof, str] | None) -> str:
    """One line of the list."""
    means = rule.probe or "its error"
    if shown is None:
        reason = rule.probe_reason or "no proof yet"
        return f"- **{rule.code} {rule.name}** {reason}{f' ({rule.probe})' if rule.probe else ''}"
    proof, text = shown
    text = text.replace("<", "&lt;").replace("\\", "")
    link = f"[{proof.program}](../{proof.path.as_posix()})"
    return f"- **{rule.code} {rule.name}** {text} ({means}, {link})"


def known_rows() -> dict[str, str]:
    """The rows that the page has, by code."""
    if not PAGE.exists():
        return {}
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {match[1]: line for line in lines if (match := ROW.match(line)) and match[1].startswith("TF")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", action="append", help="name or code of a rule whose row is to be written")
    chosen = parser.parse_args().rule
    os.chdir(ROOT)
    rows, of_rule = known_rows(), dict[str, list[Proof]]()
    for proof in proofs():
        if proof.outcome == CONFIRMED:
            of_rule.setdefault(proof.rule, []).append(proof)
    lines = []
    with warm_runner(PYTHON) as runner:
        for rule in load_rules():
            candidates = [proof for proof in of_rule.get(rule.name, []) if proof.possible]
            wanted = not chosen or rule.name in chosen or rule.code in chosen
            impossible = not candidates and rule.name in of_rule
            if (wanted and not impossible) or rule.code not in rows:
                rows[rule.code] = row(rule, evidence(rule, candidates, runner))
            lines.append(rows[rule.code])
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
