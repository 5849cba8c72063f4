"""Which files of a project are scanned."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tflint_hf.discovery import Candidate, discover, imported_stems, may_hold_training_code
from tflint_hf.findings import ScanError


def find(
    *paths: Path | str,
    exclude: tuple[str, ...] | None = None,
    extend_exclude: tuple[str, ...] = (),
    force_exclude: bool = False,
    respect_gitignore: bool = True,
    root: Path | None = None,
) -> tuple[list[Candidate], list[ScanError]]:
    return discover(
        [Path(path) for path in paths],
        exclude=exclude,
        extend_exclude=extend_exclude,
        force_exclude=force_exclude,
        respect_gitignore=respect_gitignore,
        root=root or Path.cwd(),
    )


def names(result: tuple[list[Candidate], list[ScanError]]) -> list[str]:
    files, errors = result
    assert errors == []
    return [candidate.display for candidate in files]


def write(*files: str) -> None:
    for file in files:
        name, _, content = file.partition(": ")
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_scripts_notebooks_and_markdown_of_a_folder_are_found_in_order() -> None:
    write("b.py", "a.py", "sub/c.ipynb", "README.md", "docs/x.mdx", "y.Markdown", "data.csv", "a.pyi", "z.txt")
    assert names(find(".")) == ["README.md", "a.py", "b.py", "docs/x.mdx", "sub/c.ipynb", "y.Markdown"]


def test_a_named_file_is_scanned_whatever_its_suffix_and_once() -> None:
    write("train", "a.py")
    files, _ = find("train", ".", "a.py", "./a.py", Path.cwd() / "a.py")
    assert [(candidate.display, candidate.explicit) for candidate in files] == [("a.py", True), ("train", True)]


def test_a_file_outside_of_the_working_directory_shows_its_whole_path(tmp_path: Path) -> None:
    (tmp_path / "other.py").touch()
    assert names(find("../other.py")) == [(tmp_path / "other.py").as_posix()]


def test_virtual_environments_and_caches_are_left_out() -> None:
    write("a.py", ".venv/x.py", "venv/x.py", "sub/node_modules/x.py", "build/x.py", ".ipynb_checkpoints/a.ipynb")
    write("lib/site-packages/x.py", "src/__pycache__/x.py", ".github/x.md")
    assert names(find(".")) == [".github/x.md", "a.py"]


def test_the_defaults_also_count_outside_of_the_configured_project(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "venv").mkdir(parents=True)
    (other / "venv" / "x.py").touch()
    assert names(find(other)) == []


def test_exclude_replaces_the_defaults_and_extend_exclude_adds() -> None:
    write("a.py", "build/b.py", "sub/c_test.py", "sub/d.py", "e/f.py")
    assert names(find(".", exclude=("*_test.py",))) == ["a.py", "build/b.py", "e/f.py", "sub/d.py"]
    assert names(find(".", extend_exclude=("sub/d.py", "./e"))) == ["a.py", "sub/c_test.py"]
    assert names(find(".", exclude=(str(Path.cwd() / "sub"),))) == ["a.py", "build/b.py", "e/f.py"]


def test_named_paths_are_scanned_even_if_excluded_unless_forced() -> None:
    write("build/a.py", "build/b.py", "c.py")
    assert names(find("build/a.py", "c.py")) == ["build/a.py", "c.py"]
    assert names(find("build")) == ["build/a.py", "build/b.py"]
    assert names(find("build/a.py", "c.py", force_exclude=True)) == ["c.py"]
    assert names(find("build", force_exclude=True)) == []


def test_gitignore_files_of_every_level_count(project: Path) -> None:
    write(".git/info/exclude: secret.py", ".gitignore: *.ipynb\n/out\n", "out/a.py", "sub/out/b.py", "c.ipynb")
    write("sub/.gitignore: !keep.ipynb\nlocal.py", "sub/keep.ipynb", "sub/local.py", "local.py", "sub/secret.py")
    assert names(find(".")) == ["local.py", "sub/keep.ipynb", "sub/out/b.py"]
    assert names(find(project / "sub")) == ["sub/keep.ipynb", "sub/out/b.py"]
    assert "c.ipynb" in names(find(".", respect_gitignore=False))
    assert names(find("c.ipynb", "out")) == ["c.ipynb", "out/a.py"]


def test_gitignore_files_above_the_repository_do_not_count(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.py")
    write("a.py")
    assert names(find(".")) == ["a.py"]
    write(".git/HEAD")
    assert names(find(".")) == ["a.py"]


def test_a_worktree_has_the_exclusions_of_its_repository() -> None:
    write("main/.git/info/exclude: a.py", "main/.git/worktrees/w/commondir: ../..")
    write("w/.git: gitdir: ../main/.git/worktrees/w\n", "w/a.py", "w/b.py")
    assert names(find("w")) == ["w/b.py"]


def test_what_is_missing_is_told_and_the_rest_goes_on() -> None:
    write("a.py")
    Path("link.py").symlink_to("nowhere")
    files, errors = find(".", "gone.py", "link.py")
    assert [candidate.display for candidate in files] == ["a.py"]
    assert errors == [
        ScanError("gone.py", "no such file or folder"),
        ScanError("link.py", "is a link to a file that does not exist"),
    ]


@pytest.mark.parametrize("name", ["link.py", "link.ipynb", "link.csv", ".#a.py", "sub/link.md"])
@pytest.mark.parametrize("target", ["nowhere", "/nowhere/at/all.py", "link.py", "../sub/gone/a.py"])
def test_a_link_that_leads_nowhere_is_nothing_to_scan_in_a_folder(name: str, target: str) -> None:
    write("a.py", "sub/b.py")
    Path(name).symlink_to(target)
    expected = ["a.py", "sub/b.py"]
    assert names(find(".")) == expected
    if name == "link.py":
        files, errors = find(".", name)
        assert [candidate.display for candidate in files] == expected
        assert errors == [ScanError(name, "is a link to a file that does not exist")]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the super-user may read everything")
def test_a_folder_without_permission_is_told() -> None:
    write("a.py", "closed/b.py")
    Path("closed").chmod(0)
    try:
        files, errors = find(".")
    finally:
        Path("closed").chmod(0o700)
    assert [candidate.display for candidate in files] == ["a.py"]
    assert errors == [ScanError("closed", "the folder cannot be read: Permission denied")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("pipe.py")
    assert names(find(".")) == []
    assert find("pipe.py")[1] == [ScanError("pipe.py", "is neither a regular file nor a folder")]


def test_links_make_no_loops_and_no_second_copy() -> None:
    write("src/a.py")
    Path("src/loop").symlink_to("..", target_is_directory=True)
    Path("src/self.py").symlink_to("self.py")
    Path("b.py").symlink_to("src/a.py")
    files, errors = find(".", "src")
    assert [candidate.path.resolve().name for candidate in files] == ["a.py"]
    assert errors == []


def test_a_file_is_called_by_the_name_that_the_user_gave_and_not_by_a_link_that_was_found() -> None:
    write("src/real.py")
    Path("a_link.py").symlink_to("src/real.py")
    assert names(find(".")) == ["src/real.py"]
    assert names(find(".", "a_link.py")) == ["a_link.py"]
    assert names(find("a_link.py", "src")) == ["a_link.py"]


@pytest.mark.skipif(os.name == "nt", reason="names are UTF-16 there")
def test_a_name_that_is_not_utf8_can_be_printed() -> None:
    name = os.fsdecode(b"caf\xe9.py")
    try:
        Path(name).touch()
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert names(find(".")) == ["caf\ufffd.py"]


SEGMENTS = st.sampled_from(
    ["a", "b", "x.py", "*", "*.py", "**", "a*", "?.py", "[ab]", "[!b-z]*", "[[:alpha:]]", "\\\\a", "[a", "***"]
)
PATTERNS = st.builds(
    lambda negated, anchored, segments, folder: negated + anchored + "/".join(segments) + folder,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(SEGMENTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)
TREE = [f"{folder}{name}" for folder in ("", "a/", "b/", "a/b/", "b/a/", "a/a/") for name in ("x.py", "y.py", "a.py")]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(PATTERNS, max_size=5), st.lists(PATTERNS, max_size=3))
def test_git_agrees_on_what_is_ignored(top: list[str], nested: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name in TREE:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
        subprocess.run(["git", "init", "-q", "--template=", folder], check=True)
        (root / ".gitignore").write_text("\n".join(top))
        (root / "a" / ".gitignore").write_text("\n".join(nested))
        git = ["git", "-c", "core.excludesFile=", "-C", folder, "ls-files", "-o", "--exclude-standard", "*.py"]
        expected = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split()
        files, _ = find(root, exclude=())
        assert sorted(candidate.path.relative_to(root).as_posix() for candidate in files) == sorted(expected)


# The look at a file's bytes


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf",
        "from keras.layers import Dense",
        "m = TFBertModel()",
        "from datasets import load_metric",
        "from transformers import create_optimizer",
        "d.to_tf_dataset()",
        '{"source": ["import tf_keras\\n"]}',
    ],
)
def test_training_code_is_let_in(text: str) -> None:
    assert may_hold_training_code(text.encode())


@pytest.mark.parametrize("text", ["import torch", "vectorizer = TfidfVectorizer()", "TF = 3", "", "xTFBert"])
def test_other_code_is_not(text: str) -> None:
    assert not may_hold_training_code(text.encode())


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("import model", {"model"}),
        ("import a.b as c, d", {"a", "b", "d"}),
        ("from .models.bert import build", {"models", "bert", "build"}),
        ("from . import data", {"data"}),
        ("from pkg import (\n    one,\n    two,\n)\nx = 1", {"pkg", "one", "two"}),
        ('{"source": ["from helpers import make\\n", "x"]}', {"helpers", "make"}),
        ('{"source": "import os\\nfrom helpers import make\\n"}', {"os", "helpers", "make"}),
        ("    from utils import *", {"utils"}),
        ("important = 1", set()),
    ],
)
def test_imported_modules_are_named(text: str, stems: set[str]) -> None:
    assert stems <= imported_stems(text.encode())
    assert bool(stems) == bool(imported_stems(text.encode()))
