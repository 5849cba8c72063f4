"""The pages of the documentation that are made from the rules and from the schema of the configuration.

`mkdocs build` runs it (see mkdocs.yml); it writes into the built site only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import mkdocs_gen_files

import tflint_hf
from tflint_hf.report.page import render_page
from tflint_hf.rule_files import load_rules
from tflint_hf.rules import Rule

SCHEMA = Path(tflint_hf.__file__).parent / "tflint-hf.schema.json"
FAMILIES = {
    "labels": "Labels and losses",
    "optimizer": "Optimizers, schedules, Keras, precision",
    "data": "Data and tokenization",
    "evaluation": "Evaluation, metrics, callbacks",
    "model": "Models and saving",
    "versions": "Versions and removed names",
    "tool": "The tool's own",
}
KEYS = "<!-- keys -->\n"


def write(path: str, text: str) -> None:
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def overview(families: dict[str, list[Rule]]) -> Iterator[str]:
    yield f"# Rules\n\nThe {sum(map(len, families.values()))} rules, by what they are about.\n"
    for family, rules in families.items():
        yield f"\n## {FAMILIES[family]}\n\n"
        yield "| code | name | severity | fix | what it does |\n| --- | --- | --- | --- | --- |\n"
        for rule in rules:
            summary = rule.summary.replace("|", "\\|")
            fix = "" if rule.fix == "none" else rule.fix
            yield f"| {rule.code} | [{rule.name}]({rule.name}.md) | {rule.severity.label} | {fix} | {summary} |\n"


def navigation(families: dict[str, list[Rule]]) -> Iterator[str]:
    yield "- [All rules](index.md)\n"
    for family, rules in families.items():
        yield f"- {FAMILIES[family]}\n"
        yield from (f"    - [{rule.code} {rule.name}]({rule.name}.md)\n" for rule in rules)


def keys(schema: dict[str, Any]) -> Iterator[str]:
    yield "| key | value | default | meaning |\n| --- | --- | --- | --- |\n"
    for key, said in schema["properties"].items():
        default = f"`{json.dumps(said['default'])}`" if "default" in said else ""
        yield f"| `{key}` | {kind(said)} | {default} | {said['description']} |\n"
    yield "\nThese rules have options, under `rules.CODE` or `rules.name`:\n\n"
    yield "| rule | option | default |\n| --- | --- | --- |\n"
    for rule in load_rules():
        for option, about in rule.options.items():
            yield f"| [{rule.code}](rules/{rule.name}.md) | `{option}` | `{json.dumps(about['default'])}` |\n"


def kind(said: dict[str, Any]) -> str:
    if "enum" in said:
        return ", ".join(f"`{json.dumps(value)}`" for value in said["enum"])
    return {"array": "list", "boolean": "`true` or `false`", "object": "table"}.get(said["type"], said["type"])


def without_links_to_the_repository(text: str) -> str:
    """Links to the YAML of rules lead to their pages, those to other files of the repository become text."""
    text = re.sub(r"\]\(\.\./rules/\w+/([\w-]+)\.yaml\)", r"](rules/\1.md)", text)
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]+\)", r"\1", text)


def main() -> None:
    ordered = sorted(load_rules(), key=lambda rule: (list(FAMILIES).index(rule.family), rule.code))
    families = {family: list(rules) for family, rules in groupby(ordered, key=lambda rule: rule.family)}
    write("rules/index.md", "".join(overview(families)))
    write("rules/navigation.md", "".join(navigation(families)))
    for rule in ordered:
        write(f"rules/{rule.name}.md", render_page(rule))
    write("proofs.md", without_links_to_the_repository(Path("docs/proofs.md").read_text(encoding="utf-8")))
    filled("configuration.md", KEYS, "".join(keys(json.loads(SCHEMA.read_text(encoding="utf-8")))))


def filled(page: str, mark: str, text: str) -> None:
    head, found, tail = Path("docs", page).read_text(encoding="utf-8").partition(mark)
    assert found, f"docs/{page} has no place for what is to be filled in"
    write(page, head + text + tail)


main()
