"""Notebooks run without their kernel: commands do nothing, and the cells see what they would see in Jupyter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tflint_hf.dynamic.job import RunOptions
from tflint_hf.dynamic.record import Observation, observation_of
from tflint_hf.dynamic.runner import run_program

if TYPE_CHECKING:
    from pathlib import Path


def observe(folder: Path, *cells: str) -> Observation:
    notebook = folder / "my notebook.ipynb"
    listed = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    notebook.write_text(json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return observation_of(run_program(notebook, RunOptions(budget_seconds=30.0)))


@pytest.mark.parametrize(
    ("cells", "output"),
    [
        (["%matplotlib inline\n!pip install -q datasets\nx = 1", "print?\nprint(x)"], "1\n"),
        (["files = !ls\nprint(list(files))"], "[]\n"),
        (["%env EPOCHS=3", "import os\nprint(os.environ['EPOCHS'])"], "3\n"),
        (["%%time\nprint(2)", "%%bash\nexit 1", "print(3)"], "2\n3\n"),
        (["%%writefile helper.py\nNAME = 'written'", "import helper\nprint(helper.NAME)"], "written\n"),
        (["%%writefile -a notes.txt\none", "print(open('notes.txt').read(), end='')"], "one\n"),
        (["display(1)\nprint(get_ipython() is None, In, Out)"], "False [] {}\n"),
        (["from IPython.display import HTML, display, clear_output\ndisplay(HTML('a'))\nprint(1)"], "1\n"),
        (["async def four():\n    return 4", "print(await four())"], "4\n"),
        (["async with __import__('asyncio').Lock():\n    print('held')"], "held\n"),
        (["print('__file__' in globals(), __name__)"], "False __main__\n"),
        (
            ["import inspect\ndef double(n):\n    return n * 2\nprint(inspect.getsource(double), end='')"],
            "def double(n):\n    return n * 2\n",
        ),
        (["import pickle\nclass A:\n    pass\nprint(type(pickle.loads(pickle.dumps(A()))).__name__)"], "A\n"),
    ],
)
def test_a_notebook_runs(cells: list[str], output: str, tmp_path: Path) -> None:
    observation = observe(tmp_path, *cells)
    assert observation.errors == ()
    assert observation.record.output == output
    assert [path.name for path in tmp_path.iterdir()] == ["my notebook.ipynb"]


def test_cells_after_one_that_fails_go_on(tmp_path: Path) -> None:
    cells = ["from google.colab import drive", "x = (", "print(y)", "def f():\n    return z\nf()", "print('the end')"]
    observation = observe(tmp_path, *cells)
    assert observation.record.output == "the end\n"
    assert [error.type for error in observation.errors] == [
        "ModuleNotFoundError",
        "SyntaxError",
        "NameError",
        "NameError",
    ]
    assert [(frame.cell, frame.line) for frame in observation.errors[3].at] == [(4, 2), (4, 3)]


def test_a_notebook_that_fails_everywhere_is_given_up(tmp_path: Path) -> None:
    observation = observe(tmp_path, *["print(gone)"] * 40, "print('the end')")
    assert observation.record.output == ""
    assert 5 < len(observation.errors) < 20
