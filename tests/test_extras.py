"""What is said where an extra is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tflint_hf import extras

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("extra", extras.EXTRAS)
def test_the_requirements_are_those_of_the_package(extra: str) -> None:
    lines = (ROOT / "extras" / f"{extra}.txt").read_text(encoding="utf-8").splitlines()
    assert list(extras.EXTRAS[extra]) == [line for line in lines if not line.startswith("#")]
    assert all(Requirement(one).specifier for one in extras.EXTRAS[extra])


def test_what_is_missing_is_said_with_what_to_type() -> None:
    said = extras.missing("jinja2", "html", "/usr/bin/python3")
    assert said == (
        '/usr/bin/python3 has no jinja2, of the extra "html". Install it with\n'
        '    /usr/bin/python3 -m pip install "jinja2>=3.1"'
    )


@pytest.mark.parametrize(("platform", "begin"), [("linux", '"/my py/python" -m'), ("win32", '& "/my py/python" -m')])
def test_an_interpreter_with_spaces_is_quoted(monkeypatch: pytest.MonkeyPatch, platform: str, begin: str) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert extras.install_command("lsp", "/my py/python").startswith(begin)
