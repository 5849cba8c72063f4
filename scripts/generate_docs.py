"""Write the generated parts of README.md (rules, example) and of docs/ (commands, keys, the page on what rules see).

With --check only say whether they are true.

Run it in a checkout with tflint-hf installed: python scripts/generate_docs.py [--check]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from command_options import commands
from configuration_keys import keys
from rules_reference import reference

from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
COMMAND_LINE = ROOT / "docs" / "command-line.md"
CONFIGURATION = ROOT / "docs" / "configuration.md"
REFERENCE = ROOT / "docs" / "own-rules-reference.md"
EXAMPLE = ("scan", "fixtures/course/train.py")
EXAMPLE_BLOCKS = 3  # two findings and the summary


def updated(path: Path, **parts: str) -> str:
    """The text of a page with what is new between the markers of each part."""
    text = path.read_text(encoding="utf-8")
    for marker, content in parts.items():
        head, start, rest = text.partition(f"<!-- {marker} -->\n")
        _, end, tail = rest.partition(f"<!-- /{marker} -->\n")
        if not (start and end):
            raise SystemExit(f"{path} lacks the markers <!-- {marker} --> and <!-- /{marker} -->")
        text = head + start + content + end + tail
    return text


def rule_table() -> str:
    rows = [_row(rule) for rule in load_rules()]
    return (
        "\n".join(["| code | name | severity | fix | what it does |", "| --- | --- | --- | --- | --- |", *rows]) + "\n"
    )


def _row(rule: Rule) -> str:
    summary = rule.summary.replace("|", "\\|")
    fix = "" if rule.fix == "none" else rule.fix
    source = f"rules/{rule.family}/{rule.name}.yaml"
    return f"| {rule.code} | [{rule.name}]({source}) | {rule.severity.label} | {fix} | {summary} |"


def example() -> str:
    """The end of what the example command prints into a pipe: all of it would fill the page."""
    command = [sys.executable, "-m", "tflint_hf", *EXAMPLE]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    if run.returncode != 1 or run.stderr:
        raise SystemExit(f"the example ended with exit code {run.returncode}, not 1: {run.stderr}")
    blocks = run.stdout.split("\n\n")
    shown = blocks[-EXAMPLE_BLOCKS:]
    return "```text\n" + ("[...]\n\n" if len(shown) < len(blocks) else "") + "\n\n".join(shown) + "```\n"


if __name__ == "__main__":
    wanted = {
        README: updated(README, example=example(), rules=rule_table()),
        COMMAND_LINE: updated(COMMAND_LINE, commands=f"{commands()}\n"),
        CONFIGURATION: updated(CONFIGURATION, keys=f"\n{keys()}\n"),
        REFERENCE: reference(),
    }
    for path, text in wanted.items():
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path.name} is out of date: run python scripts/generate_docs.py")
