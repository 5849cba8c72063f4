"""Python in Markdown documents."""

from __future__ import annotations

import pytest
from source_samples import markdown, place_of


@pytest.mark.parametrize(
    "info",
    [
        "python",
        "py",
        "Python3",
        "ipython",
        "pycon",
        "{python}",
        "{.python}",
        " python title=a.py",
        "py linenums",
        "PY,x",
    ],
)
def test_python_fences_are_read(info: str) -> None:
    assert place_of(markdown(f"# Text\n\n```{info}\nfit()\n```\n"), "fit") == (None, 4, 1)


@pytest.mark.parametrize("info", ["", "bash", "pyi", "python-repl-output", "text python", "diff", "pytb"])
def test_other_fences_are_not(info: str) -> None:
    assert markdown(f"```{info}\nfit()\n```").fragments == ()


def test_fences_in_lists_and_quotes_are_read_at_their_place() -> None:
    text = "1. step\n\n   ~~~py\n   if x:\n       first()\n   ~~~\n"
    text += "> > ```python\n> > second()\n> > ```\n- ```py\n  third()\n"
    source = markdown(text)
    assert place_of(source, "first") == (None, 5, 8)
    assert place_of(source, "second") == (None, 8, 5)
    assert place_of(source, "third") == (None, 11, 3)
    assert source.fragments[0].text == "if x:\n    first()"


def test_a_fence_inside_a_longer_fence_is_text() -> None:
    assert markdown("````markdown\n```python\nfit()\n```\n````\n").fragments == ()


def test_a_fence_ends_with_its_quote_or_with_the_file() -> None:
    source = markdown("> ```py\n> a = 1\ntext\n\n```py\nfit()")
    assert [fragment.text for fragment in source.fragments] == ["a = 1", "fit()"]


def test_a_session_is_read_without_its_prompts_and_output() -> None:
    source = markdown("```py\n>>> with scope():\n...     model.fit(x)\n{'loss': 1}\n>>>\n>>> a = 1\n```")
    assert source.fragments[0].text == "with scope():\n    model.fit(x)\n\n\na = 1"
    assert place_of(source, "model.fit") == (None, 3, 9)


def test_an_ipython_session_is_read() -> None:
    source = markdown("```ipython\nIn [1]: for x in y:\n   ...:     fit()\nOut[1]: 3\n```")
    assert source.fragments[0].text == "for x in y:\n    fit()\n"
    assert place_of(source, "fit") == (None, 3, 13)


def test_commands_in_a_fence_are_replaced() -> None:
    source = markdown("```py\n!pip install evaluate\nfit()\n```")
    assert source.fragments[0].text == "pass\nfit()"
    assert source.requirements == ("evaluate",)
