"""The files of a project that speak about versions: found by name in a folder, read without ever failing.

A broken file is as good as none: a linter for training code has nothing to say about a project's packaging.
"""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tflint_hf.target.statements import (
    Statement,
    holding,
    parse_conda,
    parse_pip_arguments,
    parse_poetry,
    parse_requirement,
    statement,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

_MAX_SIZE = 2_000_000
_MAX_LOCK_SIZE = 32_000_000
_REQUIREMENTS = re.compile(r"(?:[\w.-]*[-_.])?requirements?(?:[-_.][\w.-]*)?\.(?:txt|in)\Z", re.IGNORECASE)
_DOCKERFILE = re.compile(r"(?:dockerfile(?:\.[\w.-]+)?|[\w.-]+\.dockerfile|containerfile)\Z", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"(?:environment|conda|env)[\w.-]*\.ya?ml\Z", re.IGNORECASE)
_SETS_ENVIRONMENT = re.compile(
    r"(?:\.env(?:rc|\.[\w.-]+)?|(?:docker-)?compose[\w.-]*\.ya?ml|\.gitlab-ci\.yml|[\w.-]+\.sh|makefile)\Z",
    re.IGNORECASE,
)
_LEGACY_KERAS = re.compile(r"TF_USE_LEGACY_KERAS[\"']?[ \t]*[:= ][ \t]*[\"']?(\w+)")


@dataclass(frozen=True, slots=True)
class FileStatement:
    """A statement and the file in which it stands."""

    path: Path
    said: Statement


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """What the files of one folder, without those above and below, say.

    Locks hold what a resolver chose, `listed` what people wrote down, `installed` what an image installs. In each the
    more telling files come first.
    """

    locked: tuple[FileStatement, ...] = ()
    listed: tuple[FileStatement, ...] = ()
    installed: tuple[FileStatement, ...] = ()
    legacy_keras: bool | None = None
    has_dependency_list: bool = False


def read_folder(folder: Path) -> FolderFacts:
    """Everything that the files of `folder` say about libraries."""
    names = _names(folder)
    locked = [
        FileStatement(folder / name, said) for name in names if name in _LOCKS for said in _LOCKS[name](folder / name)
    ]
    listed: list[FileStatement] = []
    found_list = bool(locked)
    for path, reader in _lists(folder, names):
        said = list(reader(path))
        found_list = found_list or bool(said)
        listed += said
    images = [folder / name for name in names if _DOCKERFILE.match(name)]
    installed = [FileStatement(path, said) for path in images for said in _dockerfile(path)]
    return FolderFacts(tuple(locked), tuple(listed), tuple(installed), _legacy_keras(folder, names, images), found_list)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names alone: a folder of data can hold 100,000 files
    except OSError:
        return []


def _lists(folder: Path, names: list[str]) -> Iterator[tuple[Path, Callable[[Path], Iterable[FileStatement]]]]:
    # A range and a pin are taken together; where files disagree the first one counts, so the usual ones come first.
    requirements = [name for name in names if _REQUIREMENTS.match(name)]
    usual = [name for name in requirements if name.lower() == "requirements.txt"]
    for name in usual:
        yield folder / name, _requirements_with_references
    for name, reader in _LISTS.items():
        if name in names:
            yield folder / name, _in_one_file(reader)
    for name in names:
        if _ENVIRONMENT.match(name):
            yield folder / name, _in_one_file(_conda)
    for name in sorted(set(requirements) - set(usual), key=lambda name: (name.endswith(".in"), name)):
        yield folder / name, _requirements_with_references
    if "requirements" in names:
        inner = folder / "requirements"
        for name in _names(inner):
            if name.endswith((".txt", ".in")):
                yield inner / name, _requirements_with_references


def _in_one_file(reader: Callable[[Path], Iterable[Statement]]) -> Callable[[Path], Iterable[FileStatement]]:
    return lambda path: [FileStatement(path, said) for said in holding(reader(path))]


def _text(path: Path, limit: int = _MAX_SIZE) -> str:
    try:
        if path.stat().st_size > limit:
            return ""
        data = path.read_bytes()
    except OSError:
        return ""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # `pip freeze > requirements.txt` in PowerShell
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")


# Lists of requirements


def _requirements_with_references(path: Path) -> Iterable[FileStatement]:
    found = list(_requirements(path, seen=set(), constraint=False))
    kept = {id(said) for said in holding(each.said for each in found)}
    return [each for each in found if id(each.said) in kept]


def _requirements(path: Path, seen: set[str], constraint: bool) -> Iterator[FileStatement]:
    resolved = os.path.normpath(path)
    if resolved in seen:
        return
    seen.add(resolved)
    for line, text in _joined_lines(_text(path)):
        text = re.sub(r"(?:^|\s)#.*", "", text).strip()
        reference = re.match(r"(?:-r|--requirement|-c|--constraint)(?:\s+|=|(?=\S))(\S+)", text)
        if reference:
            inner = path.parent / reference.group(1)
            yield from _requirements(inner, seen, constraint or text.startswith(("-c", "--constraint")))
        elif text and not text.startswith("-"):
            for said in parse_requirement(re.sub(r"\s+--(?:hash|config-settings?|global-option).*", "", text), line):
                yield FileStatement(path, replace(said, constraint=constraint))


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those that end in a backslash joined to the next one; the number is that of the first."""
    start, pending = 0, ""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        start = start or number
        if line.rstrip().endswith("\\"):
            pending += line.rstrip()[:-1] + " "
            continue
        yield start, pending + line
        start, pending = 0, ""
    if pending:
        yield start, pending


# Lock files. They are large and regular: an expression finds what a TOML parser would take a second for.

_LOCKED_PACKAGE = re.compile(r'^name = "([^"\n]+)"\r?\nversion = "([^"\n]+)"', re.MULTILINE)


def _toml_lock(path: Path) -> Iterator[Statement]:
    text = _text(path, _MAX_LOCK_SIZE)
    line, position = 1, 0
    for match in _LOCKED_PACKAGE.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        said = statement(match.group(1), f"=={match.group(2)}", line)
        if said is not None:
            yield said


def _pipfile_lock(path: Path) -> Iterator[Statement]:
    text = _text(path, _MAX_LOCK_SIZE)
    try:
        lock = json.loads(text)
    except ValueError:
        return
    for section in ("default", "develop"):
        for name, entry in _table(_table(lock).get(section)).items():
            said = parse_poetry(name, entry, _line_of(text, f'"{name}"'))
            if said is not None:
                yield said


_LOCKS: dict[str, Callable[[Path], Iterator[Statement]]] = {
    "uv.lock": _toml_lock,
    "poetry.lock": _toml_lock,
    "pdm.lock": _toml_lock,
    "pylock.toml": _toml_lock,
    "Pipfile.lock": _pipfile_lock,
}


# Other lists


def _pyproject(path: Path) -> Iterator[Statement]:
    text = _text(path)
    document = _toml(text)
    project, tool = _table(document.get("project")), _table(document.get("tool"))
    groups: list[object] = [project.get("dependencies")]
    groups += _table(project.get("optional-dependencies")).values()
    groups += _table(document.get("dependency-groups")).values()
    groups.append(_table(tool.get("uv")).get("dev-dependencies"))
    groups += _table(_table(tool.get("pdm")).get("dev-dependencies")).values()
    for group in groups:
        yield from _requirement_list(group, text)
    poetry = _table(tool.get("poetry"))
    tables = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    tables += [_table(group).get("dependencies") for group in _table(poetry.get("group")).values()]
    for table in tables:
        yield from _poetry_table(table, text)


def _pipfile(path: Path) -> Iterator[Statement]:
    text = _text(path)
    document = _toml(text)
    for section in ("packages", "dev-packages"):
        yield from _poetry_table(document.get(section), text)


def _poetry_table(table: object, text: str) -> Iterator[Statement]:
    for name, value in _table(table).items():
        if name.lower() == "python":
            continue
        key = re.search(rf"^\s*[\"']?{re.escape(name)}[\"']?\s*=", text, re.MULTILINE)
        said = parse_poetry(name, value, text.count("\n", 0, key.start(0)) + 1 if key else 1)
        if said is not None:
            yield said


def _requirement_list(group: object, text: str) -> Iterator[Statement]:
    for entry in group if isinstance(group, list) else ():
        if isinstance(entry, str):
            yield from parse_requirement(entry, _line_of(text, entry))


def _setup_cfg(path: Path) -> Iterator[Statement]:
    text = _text(path)
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    blocks = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        blocks += [value for _, value in parser.items("options.extras_require")]
    for block in blocks:
        for entry in block.splitlines():
            yield from parse_requirement(entry, _line_of(text, entry.strip()))


def _setup_py(path: Path) -> Iterator[Statement]:
    """The literal requirements of a setup.py; in a checkout of a library itself, that library's own version too."""
    text = _text(path)
    if "install_requires" not in text and "name=" not in text:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            yield from _own_version(call)
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg in ("install_requires", "extras_require"):
                value = keyword.value
                if isinstance(value, ast.Name):
                    value = constants.get(value.id, value)
                lists = value.values if isinstance(value, ast.Dict) else [value]
                for each in lists:
                    yield from _literal_requirements(each)


def _own_version(call: ast.Call) -> Iterator[Statement]:
    given = {k.arg: k.value.value for k in call.keywords if k.arg and isinstance(k.value, ast.Constant)}
    name, version = given.get("name"), given.get("version")
    if isinstance(name, str) and isinstance(version, str) and name in ("transformers", "datasets", "tensorflow"):
        yield from parse_requirement(f"{name}=={version}", call.lineno)


def _literal_requirements(node: ast.expr) -> Iterator[Statement]:
    for entry in node.elts if isinstance(node, (ast.List, ast.Tuple)) else ():
        if isinstance(entry, ast.Constant) and isinstance(entry.value, str):
            yield from parse_requirement(entry.value, entry.lineno)


_LISTS: dict[str, Callable[[Path], Iterator[Statement]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
    "Pipfile": _pipfile,
}


def _conda(path: Path) -> Iterator[Statement]:
    text = _text(path)
    if "dependencies" not in text:
        return
    import yaml

    try:
        document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    entries = _table(document).get("dependencies")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, str):
            said = parse_conda(entry, _line_of(text, entry))
            if said is not None:
                yield said
        else:
            yield from _requirement_list(_table(entry).get("pip"), text)


def _dockerfile(path: Path) -> Iterator[Statement]:
    for line, text in _joined_lines(_text(path)):
        image = re.match(r"\s*FROM\s+(?:--\S+\s+)?(?:[\w.-]+/)*tensorflow/tensorflow:(\d+\.\d+(?:\.\d+)?)", text)
        if image:
            said = statement("tensorflow", f"=={image.group(1)}", line)
            if said is not None:
                yield said
        for command in re.split(r"&&|\|\||[;|]", text) if "pip" in text else ():
            if re.search(r"\bpip[\d.]*\s+(?:[\w=./-]+\s+)*?install\s", command):
                yield from parse_pip_arguments(command, line)


def _legacy_keras(folder: Path, names: list[str], images: list[Path]) -> bool | None:
    paths = [*images, *(folder / name for name in names if _SETS_ENVIRONMENT.match(name) or _ENVIRONMENT.match(name))]
    if ".github" in names:
        workflows = folder / ".github" / "workflows"
        paths += [workflows / name for name in _names(workflows) if name.endswith((".yml", ".yaml"))]
    values = [
        match.group(1).lower() in ("1", "true") for path in paths for match in _LEGACY_KERAS.finditer(_text(path))
    ]
    return any(values) if values else None


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _line_of(text: str, part: str) -> int:
    position = text.find(part) if part else -1
    return text.count("\n", 0, position) + 1 if position >= 0 else 1
