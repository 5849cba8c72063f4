"""Lines of notebooks that are not Python, and the requirements that they install."""

from __future__ import annotations

import pytest
from source_samples import notebook, place_of, python_of


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("!nvidia-smi", "pass"),
        ("!!ls", "pass"),
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("?model", "pass"),
        ("model?", "pass"),
        ("model.fit??", "pass"),
        ("tf.keras.losses.*Cross*?", "pass"),
        ("pip install transformers", "pass"),
        ("cd /content", "pass"),
        ("if gpu:\n    !nvidia-smi\nelse:\n\t%time\n", "if gpu:\n    pass\nelse:\n\tpass\n"),
        ("!echo ( \" '\nx = 1", "pass\nx = 1"),
        ("!pip install a \\\n  b \\\n  c\nx = 1", "pass\n\n\nx = 1"),
        ("files = !ls *.txt", "files = __shell__()"),
        ("a.b, c = %env HOME", "a.b, c = __shell__()"),
        ("out = !find . \\\n  -name x\ny = 1", "out = __shell__()\n\ny = 1"),
    ],
)
def test_commands_become_python_on_the_same_lines(cell: str, python: str) -> None:
    assert python_of(cell) == python


@pytest.mark.parametrize(
    "cell",
    [
        "x = (a\n  % b)",
        "x = a \\\n  % b",
        's = """\n!ls\n%time\nwhat?\n"""',
        "s = '''it\\'''s\n!ls\n'''",
        "s = 'a\\\n%s'",
        "print('100 %'\n % x)  # really?",
        "x = 1  # (\ny %= 2",
        "s = 'is it = !so'\nassert x != y",
        "d = {\n  'a': 1,  # it's\n  'b': x\n  % 2}",
        "cd = 3",
        "pip = 3",
        "f(x=a\n%b)",
        "r'\\''; s = '''\n!x\n'''",
        "# !pip install x\n# what?",
    ],
)
def test_python_that_looks_like_a_command_stays(cell: str) -> None:
    assert python_of(cell) == cell


def test_a_timed_statement_is_read_at_its_place() -> None:
    source = notebook("if True:\n    %time history = model.fit(x)\n%time")
    compile(source.fragments[0].text, "cell", "exec")
    assert place_of(source, "model.fit") == (2, 2, 21)


def test_an_indented_cell_is_read_at_its_place() -> None:
    source = notebook("    a = 1\n    fit()")
    compile(source.fragments[0].text, "cell", "exec")
    assert place_of(source, "fit") == (2, 2, 5)


def test_a_string_that_is_never_closed_does_not_hide_the_commands_below() -> None:
    assert python_of("s = 'it\n!ls") == "s = 'it\npass"


@pytest.mark.parametrize(
    ("command", "requirements"),
    [
        ("!pip install -q transformers==4.38.2 datasets", ("transformers==4.38.2", "datasets")),
        ("%pip install 'transformers[tf]>=4.30,<5' --quiet", ("transformers[tf]>=4.30,<5",)),
        ("! python -m pip install tensorflow==2.15", ("tensorflow==2.15",)),
        ("!{sys.executable} -m pip install tf-keras", ("tf-keras",)),
        ("!uv pip install --system tf-keras", ("tf-keras",)),
        ("pip3 install --upgrade pip && pip install evaluate | tail -1", ("pip", "evaluate")),
        ("!pip install transformers > /dev/null 2>&1", ("transformers",)),
        ("!pip install transformers==4.30 &> log.txt", ("transformers==4.30",)),
        ("!pip install -r requirements.txt -U accelerate  # fast", ("accelerate",)),
        ("!pip install git+https://github.com/huggingface/transformers@v4.30.2", None),
        ("!pip --quiet install \\\n  datasets", ("datasets",)),
        ("!pip install 'broken", ("'broken",)),
        ("!conda install -c huggingface -y transformers=4.14.1 conda-forge::datasets", None),
        ("%%bash\napt-get install x\npip install seqeval", ("seqeval",)),
        ("!apt-get install graphviz", ()),
        ("!echo pip install x", ()),
        ("!pip list", ()),
        ("out = !pip install evaluate", ("evaluate",)),
    ],
)
def test_install_commands_tell_the_requirements(command: str, requirements: tuple[str, ...] | None) -> None:
    found = notebook(command).requirements
    if requirements is None:
        requirements = {
            "g": ("git+https://github.com/huggingface/transformers@v4.30.2",),
            "c": ("transformers==4.14.1.*", "datasets"),
        }["g" if "git+" in command else "c"]
    assert found == requirements
