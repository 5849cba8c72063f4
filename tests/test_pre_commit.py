"""The hook as a user has it: the real pre-commit, a scratch repository, a commit that is stopped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "fixtures" / "course" / "train.py"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("git") or not (ROOT / ".git").exists(), reason="needs git and a git checkout"),
]


def run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command as someone with no git configuration and an empty pre-commit cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {f"GIT_{who}_{what}": "nobody@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    settings = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
    }
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=kept | people | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def succeed(folder: Path, *command: str | Path) -> str:
    done = run(folder, *command)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def hook_repository(tmp_path: Path) -> Path:
    """This checkout as it is now, uncommitted changes included, as a repository of its own."""
    copy = tmp_path / "tflint-hf"
    listed = succeed(ROOT, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():  # not deleted in the working tree
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    succeed(copy, "git", "init", "--quiet")
    succeed(copy, "git", "add", "--all")
    succeed(copy, "git", "commit", "--quiet", "--message", "snapshot")
    return copy


def test_the_hook_stops_a_bad_script_and_lets_a_clean_one_pass(hook_repository: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    revision = succeed(hook_repository, "git", "rev-parse", "HEAD").strip()
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: '{hook_repository.as_posix()}'\n  rev: {revision}\n  hooks:\n  - id: tflint-hf\n"
    )
    (project / "tflint-hf.toml").write_text('extend-exclude = ["legacy"]\n')
    (project / "legacy").mkdir()
    shutil.copyfile(SCRIPT, project / "legacy" / "train.py")
    shutil.copyfile(SCRIPT, project / "train.py")
    succeed(project, "git", "init", "--quiet")
    succeed(project, "git", "add", "--all")
    succeed(project, "pre-commit", "install")

    stopped = run(project, "git", "commit", "--message", "Train")
    assert stopped.returncode == 1, stopped.stdout
    assert "train.py:36:" in stopped.stdout
    assert "error TFL001 crossentropy-on-logits" in stopped.stdout
    assert "legacy/train.py" not in stopped.stdout

    (project / "train.py").write_text("print('to be written')\n")
    succeed(project, "git", "add", "--all")
    assert "Passed" in succeed(project, "git", "commit", "--message", "Train later")


def test_the_fixing_hook_mends_what_it_can_and_stops_the_commit(hook_repository: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    revision = succeed(hook_repository, "git", "rev-parse", "HEAD").strip()
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: '{hook_repository.as_posix()}'\n  rev: {revision}\n  hooks:\n  - id: tflint-hf-fix\n"
    )
    (project / "train.py").write_text("import tensorflow as tf\n\nadam = tf.keras.optimizers.Adam(2e-5, decay=0)\n")
    succeed(project, "git", "init", "--quiet")
    succeed(project, "git", "add", "--all")
    succeed(project, "pre-commit", "install")

    stopped = run(project, "git", "commit", "--message", "Train")
    assert stopped.returncode == 1, stopped.stdout
    assert "files were modified by this hook" in stopped.stdout
    assert "Adam(2e-5)" in (project / "train.py").read_text()

    succeed(project, "git", "add", "--all")
    assert "Passed" in succeed(project, "git", "commit", "--message", "Train, fixed")
