"""Code that is nested too deeply for the parser."""

from __future__ import annotations

import subprocess
import sys

import pytest
from source_samples import script

from tflint_hf.source import too_deep


@pytest.mark.parametrize(
    "text",
    [
        "(" * 2000 + ")" * 2000,
        "[" * 2000 + "]" * 2000,
        "{" * 2000 + "}" * 2000,
        "(" * 2000,
        "x = " + '(")" +\n' * 2000 + "1" + ")" * 2000,
        "not " * 2000 + "x",
        "-" * 2000 + "x",
        "lambda a, b: " * 2000 + "x",
        "a if b else " * 2000 + "c",
        "a" + ".b" * 2000,
        "f" + "()" * 2000,
        "a" + "[0]" * 2000,
        "1" + "+1" * 2000,
        "a" + " and a" * 2000,
        "x = (" + '"a"\n' * 2000 + ")",
        "".join(" " * level + "if a:\n" for level in range(2000)) + " " * 2000 + "pass",
        "".join(" " * level + "def f():\n" for level in range(100)) + " " * 100 + "x" + ".y" * 200,
        "if a: pass\n" + "elif a: pass\n" * 2000,
        'f"{' + "(" * 2000 + ")" * 2000 + '}"',
        'f"{' + "not " * 2000 + 'x}"',
    ],
)
def test_code_that_would_crash_the_parser_is_refused(text: str) -> None:
    assert too_deep(text)
    (problem,) = script(text.encode()).problems
    assert problem.whole_file


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "1.5, -2,\n" * 5000 + "]",
        "x = {" + '"a": b.c + f(1),\n' * 5000 + "}",
        "a.b.c(d).e\n" * 5000,
        "if a: pass\nelif b: pass\nelse: pass\n" * 1000,
        "a" + " < a" * 2000,
        'x = """' + "(((" * 5000 + '"""',
        "# " + "(" * 5000,
        'f"""{{ ' + "((( a b " * 500 + '}} {x}"""',
        "".join(f"{' ' * level}if a:\n" for level in range(50)) + " " * 50 + "pass\n",
    ],
)
def test_long_code_that_is_not_deep_is_read(text: str) -> None:
    assert not too_deep(text)
    assert not script(text.encode()).problems


def test_a_forgotten_bracket_is_called_a_syntax_error() -> None:
    (problem,) = script(b"x = 1\nmodel.fit(x\n" + b"a.b.c\n" * 500).problems
    assert (problem.line, problem.column) == (2, 10)
    assert "never closed" in problem.message


def test_the_deepest_code_that_is_let_through_can_be_parsed_and_written() -> None:
    shapes = ["(" * 190 + ")" * 190, "f" + "()" * 120, "a" + ".b" * 245, "a" + " and a" * 245, "not " * 245 + "x"]
    assert not any(too_deep(shape) for shape in shapes)
    program = "import sys, libcst\nfor line in sys.stdin: assert libcst.parse_module(line).code == line"
    subprocess.run([sys.executable, "-c", program], input="\n".join(shapes) + "\n", text=True, check=True)
