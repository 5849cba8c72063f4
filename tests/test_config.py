"""What users write into their configuration, and what they are told when it is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from tflint_hf.config import LIBRARIES, OUTPUT_FORMATS, VERSION_PATTERN, Config, ConfigError, find_config, load_config

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = json.loads((Path(__file__).parents[1] / "tflint_hf" / "tflint-hf.schema.json").read_text("utf-8"))


def load(tmp_path: Path, text: str, name: str = "tflint-hf.toml") -> Config:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_config(path)


def test_all_options_of_a_project_are_read(tmp_path: Path) -> None:
    text = """
[project]
name = "x"

[tool.tflint-hf]
select = ["TFL", "string-optimizer"]
ignore = ["TFL001"]
extend-select = ["TFX"]
exclude = ["old"]
extend-exclude = ["vendored/*.py"]
force-exclude = true
respect-gitignore = false
fail-on = "error"
output-format = "github"

[tool.tflint-hf.target-versions]
transformers = "4.38.2"
tensorflow = ">=2.12,<2.16"

[tool.tflint-hf.per-file-ignores]
"tests/*" = ["TFO"]

[tool.tflint-hf.rules.TFO002]
threshold = 5e-4
"""
    assert load(tmp_path, text, "pyproject.toml") == Config(
        path=tmp_path / "pyproject.toml",
        select=("TFL", "string-optimizer"),
        ignore=("TFL001",),
        extend_select=("TFX",),
        exclude=("old",),
        extend_exclude=("vendored/*.py",),
        force_exclude=True,
        respect_gitignore=False,
        fail_on="error",
        output_format="github",
        target_versions={"transformers": "4.38.2", "tensorflow": ">=2.12,<2.16"},
        per_file_ignores={"tests/*": ("TFO",)},
        rule_options={"TFO002": {"threshold": 5e-4}},
    )


def test_an_empty_file_and_a_project_without_our_table_change_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Config(path=tmp_path / "tflint-hf.toml")
    assert load(tmp_path, "[tool.ruff]\nselect = 3", "pyproject.toml") == Config(path=tmp_path / "pyproject.toml")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\nselekt = []", 2, "unknown option `selekt`: did you mean `select`?"),
        ("fail-on = 'error'\nextend_select = []", 2, "did you mean `extend-select`?"),
        ("colour = true", 1, "use one of select, ignore"),
        ("select = 'TFL001'", 1, "`select` must be a list of strings, not a string"),
        ("# rules\nselect = [\n  'TFL001',\n  5,\n]", 2, "not 5"),
        ("select = ['']", 1, "not empty"),
        ("force-exclude = 'yes'", 1, "`force-exclude` must be true or false, not 'yes'"),
        ("fail-on = 'warn'", 1, "one of error, warning, info, never, not 'warn' (did you mean warning?)"),
        ("output-format = 1979-05-27", 1, "not a date or time"),
        ("[target-versions]\ntransformers = '4.38'\ntensorflw = '2.15'", 3, "did you mean `tensorflow`?"),
        ("[target-versions]\n\ntransformers = 4.38", 3, "not 4.38"),
        ("target-versions = { transformers = 'newest' }", 1, "`target-versions.transformers` must be a version"),
        ("target-versions.keras = '>='", 1, "must be a version"),
        ("[per-file-ignores]\n'a.py' = ['TFL']\n'b.py' = 'TFL'", 3, "`per-file-ignores.b.py` must be a list"),
        ("ignore = []\n[rules]\nTFO002 = 5", 3, "must be a table of options"),
        ("[rules.TFO001]\na = 1\n[rules.TFO002]\nthreshold = { x = 1 }", 4, "must be a boolean, a number"),
        ("rules.TFO002.a = 1\nrules.TFO002.b = [[1]]", 2, "`rules.TFO002.b`"),
        ("rules = 3", 1, "`rules` must be a table, not a number"),
        ("select = [\n'TFL001'\nignore = []", 3, "not valid TOML"),
        ("a = 1\na = 2", 2, "not valid TOML"),
        ("select = ['", 1, "not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, text)
    assert raised.value.line == line
    assert words in raised.value.message
    assert str(raised.value) == f"{(tmp_path / 'tflint-hf.toml').as_posix()}:{line}: {raised.value.message}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tool.ruff]\nselekt = 1\n\n[tool.tflint-hf]\n# x\nselekt = 1", 6),
        ("[tool]\ntflint-hf.selekt = 1", 2),
        ("[project]\nname = 'x'\n[tool.tflint-hf.nothing]\na = 1", 3),
        ("[tool]\nruff = 1\ntflint-hf = 3", 3),
    ],
)
def test_the_line_is_that_of_our_table_in_a_project_file(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, text, "pyproject.toml")
    assert raised.value.line == line


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "gone.toml")
    path = tmp_path / "tflint-hf.toml"
    path.write_bytes(b"# a\n# \xff")
    with pytest.raises(ConfigError, match=r":2: is not valid UTF-8"):
        load_config(path)
    path.write_bytes(b"\xef\xbb\xbfforce-exclude = true\r\n")
    assert load_config(path).force_exclude


def test_the_nearest_file_wins_and_ours_goes_before_the_projects(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.tflint-hf]")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.ruff]  # not tflint-hf")
    assert find_config(inner / "not-there.py") == tmp_path / "pyproject.toml"
    assert find_config(inner) == tmp_path / "pyproject.toml"
    (tmp_path / "tflint-hf.toml").write_text("")
    assert find_config(inner) == tmp_path / "tflint-hf.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.tflint-hf.rules]")
    assert find_config(inner) == tmp_path / "a" / "pyproject.toml"


def test_a_broken_project_file_counts_only_if_it_speaks_of_us(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.ruff\n")
    assert find_config(tmp_path) != project
    project.write_text("[tool.tflint-hf]\nselect = [\n")
    assert find_config(tmp_path) == project


GOOD = [
    "",
    "select = []\nignore = ['TFL001']\nextend-select = ['ALL']",
    "exclude = ['a']\nextend-exclude = ['b']\nforce-exclude = false\nrespect-gitignore = true",
    "fail-on = 'info'\noutput-format = 'sarif'",
    "fail-on = 'never'",
    "[target-versions]\ntransformers = '4.38.2'\nkeras = '~=2.15'\ntf-keras = '2.16.0rc1'",
    "[target-versions]\ndatasets = ' >= 2.0 , != 2.5.* '",
    "[per-file-ignores]\n'*.md' = ['TFL', 'a-name']\n'x' = []",
    "[rules.TFO002]\na = 1\nb = 1.5\nc = 'x'\nd = true\ne = [1, 'x']\nf = []\n[rules.string-optimizer]",
]
BAD = [
    "x = 1",
    "select = 'a'",
    "ignore = [1]",
    "exclude = ['']",
    "extend-select = {}",
    "force-exclude = 0",
    "respect-gitignore = 'true'",
    "fail-on = 'nothing'",
    "fail-on = 'ERROR'",
    "fail-on = ['error']",
    "output-format = 'xml'",
    "target-versions = []",
    "target-versions.torch = '2'",
    "target-versions.keras = 3",
    "target-versions.keras = ''",
    "target-versions.keras = 'x'",
    "target-versions.keras = '>=2,3'",
    "per-file-ignores = 1",
    "per-file-ignores.x = 'y'",
    "per-file-ignores.x = [[]]",
    "rules = []",
    "rules.x = 1",
    "rules.x.y = {}",
    "rules.x.y = [[]]",
]


@pytest.mark.parametrize("text", GOOD + BAD)
def test_the_schema_accepts_exactly_what_the_loader_accepts(tmp_path: Path, text: str) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(tomllib.loads(text)) == (text in GOOD)
    if text in GOOD:
        load(tmp_path, text)
    else:
        with pytest.raises(ConfigError):
            load(tmp_path, text)


def test_the_schema_and_the_loader_name_the_same_words() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    versions = SCHEMA["properties"]["target-versions"]["properties"]
    assert {library: entry["pattern"] for library, entry in versions.items()} == dict.fromkeys(
        LIBRARIES, VERSION_PATTERN
    )
    assert SCHEMA["properties"]["output-format"]["enum"] == list(OUTPUT_FORMATS)
