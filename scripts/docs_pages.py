"""The pages of the rules, and those of `docs/` as the site shows them.

`mkdocs build` runs it (see mkdocs.yml); it writes into the built site only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import mkdocs_gen_files

from tflint_hf.report.page import render_page
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule

FAMILIES = {
    "labels": "Labels and losses",
    "optimizer": "Optimizers, schedules, Keras, precision",
    "data": "Data and tokenization",
    "evaluation": "Evaluation, metrics, callbacks",
    "model": "Models and saving",
    "versions": "Versions and removed names",
    "tool": "The tool's own",
}


def write(path: str, text: str) -> None:
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def overview(families: dict[str, list[Rule]]) -> Iterator[str]:
    yield f"# Rules\n\nThe {sum(map(len, families.values()))} rules, by what they are about.\n"
    for family, rules in families.items():
        yield f"\n## {FAMILIES[family]}\n\n"
        for rule in rules:
            fix = "" if rule.fix == "none" else f", {rule.fix} fix"
            yield f"- [{rule.code} {rule.name}]({rule.name}.md) ({rule.severity.label}{fix})  \n  {rule.summary}\n"


def navigation(families: dict[str, list[Rule]]) -> Iterator[str]:
    yield "- [All rules](index.md)\n"
    for family, rules in families.items():
        yield f"- {FAMILIES[family]}\n"
        yield from (f"    - [{rule.code} {rule.name}]({rule.name}.md)\n" for rule in rules)


def for_the_site(page: str) -> str:
    """A page as the site has it, with links that lead to its own pages.

    Links to the YAML of rules lead to their pages, those to other files of the repository become text.
    """
    text = re.sub(r"\]\(\.\./rules/\w+/([\w-]+)\.yaml\)", r"](rules/\1.md)", page)
    text = text.replace("](../README.md#rules)", "](rules/index.md)")
    return re.sub(r"\[([^\[\]\n]+)\]\(\.\./[^)]+\)", r"\1", text)


def with_lists(page: str) -> str:
    """A page with an empty line before each list: for MkDocs, unlike others, a list cannot begin inside a paragraph."""
    parts = re.split(r"(^```.*?^```$)", page, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"^([^\s#-].*\n)(?=- )", r"\1\n", part, flags=re.MULTILINE) for part in parts[::2]]
    return "".join(parts)


def main() -> None:
    ordered = sorted(load_rules(), key=lambda rule: (list(FAMILIES).index(rule.family), rule.code))
    families = {family: list(rules) for family, rules in groupby(ordered, key=lambda rule: rule.family)}
    write("rules/index.md", "".join(overview(families)))
    write("rules/navigation.md", "".join(navigation(families)))
    for rule in ordered:
        write(f"rules/{rule.name}.md", with_lists(render_page(rule)))
    for path in sorted(Path("docs").glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if (shown := for_the_site(page)) != page:
            write(path.name, shown)


main()
