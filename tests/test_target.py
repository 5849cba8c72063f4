"""Which versions a scan takes for granted, told by the projects that people have."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.version import Version

from tflint_hf.target import Target, find_target, project_root


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def target_of(root: Path, folder: str = "", **arguments: object) -> Target:
    return find_target(root / folder, stop=root, **arguments)  # type: ignore[arg-type]


def of_files(root: Path, files: dict[str, str], folder: str = "") -> Target:
    for name, text in files.items():
        write(root, name, text)
    return target_of(root, folder)


def test_nothing_pinned_means_the_newest_stack_with_tf_classes(tmp_path: Path) -> None:
    target = target_of(tmp_path)
    assert (str(target.transformers), str(target.tensorflow), str(target.datasets)) == ("4.57.6", "2.21.0", "4.8.5")
    assert target.allows_transformers_5
    assert not target.pinned
    assert not target.complete
    assert target.legacy_keras_env is None


SPELLINGS = {
    "requirements.txt": "# training\ntransformers==4.30.2  # stays\ntorch\n",
    "requirements/base.txt": "transformers == 4.30.2",
    "requirements-gpu.txt": "transformers[torch]==4.30.2; python_version >= '3.8'",
    "dev-requirements.txt": "transformers==4.30.2 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n",
    "requirements.in": "git+https://github.com/huggingface/transformers.git@v4.30.2",
    "requirements_tf.txt": "transformers @ git+https://github.com/huggingface/transformers@v4.30.2",
    "requirements.wheel.txt": "https://example.org/w/transformers-4.30.2-py3-none-any.whl",
    "requirements.zip.txt": "https://github.com/huggingface/transformers/archive/refs/tags/v4.30.2.zip",
    "pyproject.toml": '[project]\nname = "x"\ndependencies = [\n  "transformers==4.30.2",\n]\n',
    "setup.cfg": "[options]\ninstall_requires =\n    numpy\n    transformers==4.30.2\n",
    "setup.py": "import setuptools\nNEEDS = ['transformers==4.30.2']\nsetuptools.setup(install_requires=NEEDS)",
    "environment.yml": "dependencies:\n  - python=3.9\n  - pip:\n      - transformers==4.30.2\n",
    "environment.yaml": "dependencies: ['conda-forge::transformers=4.30.2=pyhd8ed1ab_0']",
    "Pipfile": '[packages]\ntransformers = "==4.30.2"\n',
    "Pipfile.lock": '{"default": {"transformers": {"version": "==4.30.2"}}}',
    "uv.lock": 'version = 1\n[[package]]\nname = "transformers"\nversion = "4.30.2"\n',
    "poetry.lock": '[[package]]\nname = "transformers"\nversion = "4.30.2"\ndescription = ""\n',
    "Dockerfile": 'FROM python\nRUN apt update && \\\n pip install --no-cache-dir -U "transformers==4.30.2" && ls\n',
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_pin_is_read_wherever_people_write_it(tmp_path: Path, name: str) -> None:
    target = of_files(tmp_path, {name: SPELLINGS[name]})
    assert target.transformers == Version("4.30.2")
    assert "transformers" in target.pinned
    assert "transformers" in target.listed
    assert not target.allows_transformers_5
    assert [(pin.library, Path(pin.path).name) for pin in target.pins] == [("transformers", Path(name).name)]


@pytest.mark.parametrize(
    ("table", "version"),
    [
        ('[tool.poetry.dependencies]\ntransformers = "^4.30"', "4.57.6"),
        ('[tool.poetry.dependencies]\ntransformers = "~4.30"', "4.30.2"),
        ('[tool.poetry.dependencies]\ntransformers = "4.30.1"', "4.30.1"),
        ('[tool.poetry.dependencies]\ntransformers = ">=4.20, <4.31"', "4.30.2"),
        ('[tool.poetry.dependencies]\ntransformers = { version = "4.30.*", extras = ["torch"] }', "4.30.2"),
        ('[tool.poetry.group.train.dependencies]\ntransformers = "4.30.2"', "4.30.2"),
        ('[tool.poetry.dependencies]\ntransformers = { git = "https://x/t.git", tag = "v4.30.2" }', "4.30.2"),
        (
            "[[tool.poetry.dependencies.transformers]]\nversion = '4.11.0'\npython = '<3.8'\n"
            "[[tool.poetry.dependencies.transformers]]\nversion = '4.30.2'\npython = '>=3.8'",
            "4.30.2",
        ),
        ('[project.optional-dependencies]\ntf = ["transformers==4.30.2"]', "4.30.2"),
        ('[dependency-groups]\ntrain = ["transformers==4.30.2", {include-group = "x"}]', "4.30.2"),
    ],
)
def test_pyproject_notations(tmp_path: Path, table: str, version: str) -> None:
    assert str(of_files(tmp_path, {"pyproject.toml": table}).transformers) == version


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("- tensorflow-gpu=2.4", "2.4.4"),
        ("- tensorflow=2.10.0", "2.10.0"),
        ("- tensorflow==2.4.1=gpu_py39h", "2.4.1"),
        ("- tensorflow >=2.6,<2.9", "2.8.4"),
        ("- tensorflow 2.9.*", "2.9.3"),
        ("- conda-forge::tensorflow-cpu=2.11.0=cpu_py39", "2.11.0"),
    ],
)
def test_conda_notations(tmp_path: Path, line: str, version: str) -> None:
    assert str(of_files(tmp_path, {"environment.yml": f"name: x\ndependencies:\n  {line}\n"}).tensorflow) == version


@pytest.mark.parametrize(
    ("specifier", "version", "allows_5"),
    [
        (">=4.20", "4.57.6", True),
        ("", "4.57.6", True),
        (">=4.20,<5", "4.57.6", False),
        ("<4.31", "4.30.2", False),
        ("~=4.30.0", "4.30.2", False),
        (">=4.30,!=4.57.6", "4.57.5", True),
        (">=5.0,<5.2", "5.1.0", True),
        ("==4.58.0.dev0", "4.58.0.dev0", False),
        (">=99.1", "99.1", False),
        ("==4.28.*", "4.28.1", False),
    ],
)
def test_a_range_stands_for_its_newest_release_with_tf_classes(
    tmp_path: Path, specifier: str, version: str, allows_5: bool
) -> None:
    target = of_files(tmp_path, {"requirements.txt": f"transformers{specifier}"})
    assert str(target.transformers) == version
    assert target.allows_transformers_5 is allows_5


@pytest.mark.parametrize(
    "name", ["tensorflow-cpu", "tensorflow-gpu", "tensorflow_intel", "tensorflow-macos", "TensorFlow[and-cuda]"]
)
def test_every_build_of_tensorflow_is_tensorflow(tmp_path: Path, name: str) -> None:
    target = of_files(tmp_path, {"requirements.txt": f"{name}==2.12.0\n"})
    assert target.tensorflow == Version("2.12.0")
    assert "tensorflow" in target.listed


def test_markers_choose_the_line_for_a_current_python_on_linux(tmp_path: Path) -> None:
    lines = [
        "transformers==4.18.0; python_version < '3.7'",
        "transformers==4.30.2; python_version >= '3.7'",
        "tensorflow-macos==2.9.0; sys_platform == 'darwin'",
        "tensorflow==2.12.0; sys_platform != 'darwin'",
        "datasets==2.3.2; python_version < '3.7'",
    ]
    target = of_files(tmp_path, {"requirements.txt": "\n".join(lines)})
    assert (str(target.transformers), str(target.tensorflow)) == ("4.30.2", "2.12.0")
    assert str(target.datasets) == "2.3.2", "the only line about a library counts whatever its marker"


def test_references_and_constraints_are_followed_without_loops(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-r deps/more.txt\n-c constraints.txt\ntransformers\ntf-keras\n",
        "deps/more.txt": "-r ../requirements.txt\n--requirement=missing.txt\ndatasets==2.14.0\n",
        "constraints.txt": "transformers==4.40.1\ntensorflow==2.15.0\n",
    }
    target = of_files(tmp_path, files)
    assert (str(target.transformers), str(target.tensorflow), str(target.datasets)) == ("4.40.1", "2.15.0", "2.14.0")
    assert {"transformers", "tf-keras", "datasets"} <= target.listed
    assert "tensorflow" not in target.listed, "a constraint installs nothing"


def test_the_nearest_file_speaks_and_a_bare_name_says_no_version(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "transformers==4.30.2\ntensorflow==2.12.0\n",
        "examples/new/requirements.txt": "transformers[torch]>=4.40,<4.42\ntensorflow\n",
    }
    near = of_files(tmp_path, files, "examples/new")
    assert (str(near.transformers), str(near.tensorflow)) == ("4.41.2", "2.12.0")
    assert str(target_of(tmp_path, "examples").transformers) == "4.30.2"


def test_a_lock_file_decides_where_it_agrees_with_the_nearer_range(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "x"\ndependencies = ["transformers>=4.20"]\n',
        "uv.lock": '[[package]]\nname = "transformers"\nversion = "4.38.2"\n',
        "agrees/requirements.txt": "transformers>=4.30\n",
        "contradicts/requirements.txt": "transformers>=4.40,<4.42\n",
    }
    assert str(of_files(tmp_path, files).transformers) == "4.38.2"
    assert str(target_of(tmp_path, "agrees").transformers) == "4.38.2"
    assert str(target_of(tmp_path, "contradicts").transformers) == "4.41.2"
    assert not target_of(tmp_path).allows_transformers_5


def test_several_files_of_one_folder_are_taken_together(tmp_path: Path) -> None:
    files = {"requirements.txt": "transformers<4.40\n", "setup.py": "setup(install_requires=['transformers>=4.20'])"}
    assert str(of_files(tmp_path, files).transformers) == "4.39.3"
    target = of_files(tmp_path, {"requirements-old.txt": "transformers==4.5.0"})
    assert str(target.transformers) == "4.39.3", "requirements.txt comes before its variants where they disagree"


def test_a_notebooks_own_install_line_is_nearest(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "transformers==4.40.0\ndatasets==2.18.0\n")
    lines = ["pip install -q --upgrade transformers==4.28.1 datasets tf-keras", "tensorflow-cpu>=2.9,<2.13"]
    target = target_of(tmp_path, notebook_requirements=lines)
    assert (str(target.transformers), str(target.tensorflow), str(target.datasets)) == ("4.28.1", "2.12.1", "2.18.0")
    assert "tf-keras" in target.listed
    alone = find_target(tmp_path / "none", stop=tmp_path / "none", notebook_requirements=["transformers"])
    assert not alone.complete
    assert alone.allows_transformers_5


def test_the_command_line_beats_everything(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "transformers==4.40.0\n")
    target = target_of(tmp_path, overrides={"transformers": "4.20.1", "tensorflow-gpu": ">=2.8,<2.10"})
    assert (str(target.transformers), str(target.tensorflow)) == ("4.20.1", "2.9.3")
    with pytest.raises(ValueError, match=r"'newest' is no version of datasets"):
        target_of(tmp_path, overrides={"datasets": "newest"})


def test_an_image_counts_after_the_files(tmp_path: Path) -> None:
    dockerfile = (
        "FROM docker.io/tensorflow/tensorflow:2.11.0-gpu AS base\nRUN pip3 install transformers==4.26.0 'datasets<2.10'"
    )
    target = of_files(tmp_path, {"Dockerfile": dockerfile})
    assert (str(target.transformers), str(target.tensorflow), str(target.datasets)) == ("4.26.0", "2.11.0", "2.9.0")
    assert not target.complete
    target = of_files(tmp_path, {"requirements.txt": "transformers==4.30.2"})
    assert (str(target.transformers), str(target.tensorflow)) == ("4.30.2", "2.11.0")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Dockerfile", "FROM python\nENV TF_USE_LEGACY_KERAS=1\n", True),
        ("Dockerfile", "FROM python\nENV TF_USE_LEGACY_KERAS 1\n", True),
        ("docker-compose.yml", "services:\n  a:\n    environment:\n      TF_USE_LEGACY_KERAS: '1'\n", True),
        (".env", 'TF_USE_LEGACY_KERAS="True"\n', True),
        ("run.sh", "export TF_USE_LEGACY_KERAS=0\npython train.py\n", False),
        (".github/workflows/test.yml", "env:\n  TF_USE_LEGACY_KERAS: 1\n", True),
        ("environment.yml", "dependencies: [pip]\nvariables:\n  TF_USE_LEGACY_KERAS: 1\n", True),
    ],
)
def test_the_environment_variable_is_seen_where_projects_set_it(
    tmp_path: Path, name: str, text: str, expected: bool
) -> None:
    assert of_files(tmp_path, {name: text}).legacy_keras_env is expected
    assert target_of(tmp_path, "src/deep").legacy_keras_env is expected


@pytest.mark.parametrize("name", sorted({*SPELLINGS, "pdm.lock", "pylock.toml"}))
@pytest.mark.parametrize(
    "text", ["{", '[project\n"', "- a: [\n\tdependencies:", "\x00\x01\xff", "transformers===\n-r\n-c\n@"]
)
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, name: str, text: str) -> None:
    assert str(of_files(tmp_path, {name: text}).transformers) == "4.57.6"


BEGINNINGS = {
    "requirements.txt": ("", "transformers", "transformers==", "-r ", "git+https://"),
    "pyproject.toml": ('[project]\ndependencies = ["', '[tool.poetry.dependencies]\ntransformers = "'),
    "setup.cfg": ("[options]\ninstall_requires =\n  ",),
    "setup.py": ("setup(install_requires=['",),
    "environment.yml": ("dependencies:\n  - ",),
    "Pipfile": ('[packages]\ntransformers = "',),
    "Pipfile.lock": ('{"default": {"transformers": {"version": "',),
    "Dockerfile": ("RUN pip install ",),
}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    beginning=st.sampled_from([(name, text) for name, texts in BEGINNINGS.items() for text in texts]),
    middle=st.text(alphabet="transfom=<>~!^*.,0159[]{}\"'\\ \n-@;:#/|()+", max_size=40),
    end=st.sampled_from(["", '"]', "'])", '"\n', '"}}}']),
)
def test_no_text_of_any_file_fails_a_scan(tmp_path: Path, beginning: tuple[str, str], middle: str, end: str) -> None:
    name, start = beginning
    for other in BEGINNINGS:
        (tmp_path / other).unlink(missing_ok=True)
    target = of_files(tmp_path, {name: start + middle + end})
    target.satisfies({"transformers": ">=4.20,<5"})
    target.depends_on({"transformers": ">=4.20,<5"})


def test_a_frozen_list_from_powershell_is_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes("transformers==4.30.2\r\n-e .\r\nnonsense here\r\n".encode("utf-16"))
    assert str(target_of(tmp_path).transformers) == "4.30.2"


def test_the_tf_extra_limits_tensorflow_unless_it_is_pinned_itself(tmp_path: Path) -> None:
    assert str(of_files(tmp_path, {"requirements.txt": "transformers[tf]==4.40.0"}).tensorflow) == "2.15.1"
    both = of_files(tmp_path, {"requirements.txt": "transformers[tf]==4.40.0\ntensorflow==2.17.0"})
    assert str(both.tensorflow) == "2.17.0"


def test_rules_ask_whether_versions_apply_and_what_that_rests_on(tmp_path: Path) -> None:
    target = of_files(tmp_path, {"requirements.txt": "transformers>=4.40,<5\ndatasets\n"})
    assert target.satisfies({"transformers": ">=4.20,<5", "tensorflow": ">=2.16"})
    assert not target.satisfies({"datasets": "<3"})
    assert not target.satisfies({"tf-keras": ">=2.16"}), "a library nobody names has no version"
    assert target.depends_on({"transformers": ">=4.20,<5"}) is None, "all that the range allows lies within"
    assert (
        target.depends_on({"transformers": ">=4.55", "tensorflow": ">=2.16"}) == "transformers>=4.55, tensorflow>=2.16"
    )
    assert target.depends_on({}) is None


def test_project_root(tmp_path: Path) -> None:
    write(tmp_path, "work/pyproject.toml", "")
    write(tmp_path, "work/examples/ner/requirements.txt", "")
    write(tmp_path, "work/src/pkg/train.py", "")
    assert project_root(tmp_path / "work/src/pkg") == tmp_path / "work"
    assert project_root(tmp_path / "work/examples/ner") == tmp_path / "work/examples/ner"


def test_a_folder_is_read_once_and_large_locks_are_cheap(tmp_path: Path) -> None:
    packages = "".join(f'[[package]]\nname = "p{i}"\nversion = "1.{i}"\n{"# filler" * 100}\n' for i in range(500))
    write(tmp_path, "uv.lock", packages + '[[package]]\nname = "transformers"\nversion = "4.30.2"\n')
    cache: dict[Path, object] = {}
    first = target_of(tmp_path, "a", cache=cache)
    write(tmp_path, "uv.lock", "")
    start = time.perf_counter()
    assert target_of(tmp_path, "a", cache=cache) == first
    assert time.perf_counter() - start < 0.1
    assert target_of(tmp_path, "b", cache=cache).transformers == Version("4.30.2")
    assert set(cache) == {tmp_path, tmp_path / "a", tmp_path / "b"}
