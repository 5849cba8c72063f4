"""The table of the configuration's keys, from its schema and the rules' options, for docs/configuration.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tflint_hf
from tflint_hf.rule_files import load_rules

SCHEMA = Path(tflint_hf.__file__).parent / "tflint-hf.schema.json"


def keys() -> str:
    return "".join(_lines(json.loads(SCHEMA.read_text(encoding="utf-8"))))


def _lines(schema: dict[str, Any]) -> Iterator[str]:
    yield "| key | meaning |\n| --- | --- |\n"
    for key, said in schema["properties"].items():
        default = f"; default: `{json.dumps(said['default'])}`" if "default" in said else ""
        yield f"| `{key}` | {said['description']} {_kind(said)}{default}. |\n"
    yield "\nThese rules have options, under `rules.CODE` or `rules.name`:\n\n"
    yield "| rule | option | default |\n| --- | --- | --- |\n"
    for rule in load_rules():
        source = f"../rules/{rule.family}/{rule.name}.yaml"
        for option, about in rule.options.items():
            yield f"| [{rule.code}]({source}) | `{option}` | `{json.dumps(about['default'])}` |\n"


def _kind(said: dict[str, Any]) -> str:
    if "enum" in said:
        return f"One of {', '.join(f'`{json.dumps(value)}`' for value in said['enum'])}"
    return {"array": "A list", "boolean": "`true` or `false`", "object": "A table"}.get(said["type"], "A string")
