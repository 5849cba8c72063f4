"""What one line says about one library, and the notations in which projects say it.

Every reader here takes text and gives a Statement or None: a line that makes no sense is a line that says nothing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from packaging.markers import Marker, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

# Builds of one library under several names. Their version numbers are those of the library.
_SAME_LIBRARY = {
    "tensorflow-cpu": "tensorflow",
    "tensorflow-gpu": "tensorflow",
    "tensorflow-intel": "tensorflow",
    "tensorflow-macos": "tensorflow",
    "tensorflow-rocm": "tensorflow",
    "tensorflow-cpu-aws": "tensorflow",
    "intel-tensorflow": "tensorflow",
    "tf-nightly": "tensorflow",
    "tf-nightly-cpu": "tensorflow",
    "tf-nightly-gpu": "tensorflow",
}
# Markers are read for the Python and the platform that most training code runs on.
_ENVIRONMENT = {
    "python_version": "3.11",
    "python_full_version": "3.11.9",
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "sys_platform": "linux",
    "extra": "",
}
_PYTHON = "3.11"
_TF_EXTRAS = frozenset({"tf", "tf-cpu", "all", "dev", "dev-tensorflow"})
# Every release of transformers from 4.35 on asks for this with its extra "tf".
_TENSORFLOW_OF_EXTRA = "<2.16"


@dataclass(frozen=True, slots=True)
class Statement:
    """A library and the versions that are allowed, as a PEP 440 specifier; an empty one only says that it is used."""

    library: str
    specifier: str = ""
    line: int = 1
    written_as: str = ""
    constraint: bool = False
    implied: bool = False
    holds: bool = True

    @property
    def names(self) -> frozenset[str]:
        return frozenset({self.library, self.written_as or self.library})


def library_name(name: str) -> str:
    """The normalised name, with all builds of TensorFlow under one."""
    normalised = str(canonicalize_name(name))
    return _SAME_LIBRARY.get(normalised, normalised)


def statement(name: str, specifier: str, line: int = 1) -> Statement | None:
    try:
        valid = str(SpecifierSet(specifier))
    except InvalidSpecifier:
        return None
    return Statement(library_name(name), valid, line, str(canonicalize_name(name)))


def parse_requirement(text: str, line: int = 1) -> tuple[Statement, ...]:
    """A PEP 508 requirement, or a URL of a wheel or of a tag in a repository. Anything else is ()."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    if text.startswith(("git+", "http://", "https://")):
        named = _of_url(text, line)
        return (named,) if named is not None else ()
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ()
    if requirement.url is not None:
        found = _of_url(requirement.url, line, name=requirement.name)
    else:
        found = statement(requirement.name, str(requirement.specifier), line)
    if found is None:
        return ()
    found = replace(found, holds=_holds(requirement.marker))
    if found.library == "transformers" and {extra.lower() for extra in requirement.extras} & _TF_EXTRAS:
        extra = Statement("tensorflow", _TENSORFLOW_OF_EXTRA, line, "tensorflow", implied=True, holds=found.holds)
        return (found, extra)
    return (found,)


def _holds(marker: Marker | None) -> bool:
    if marker is None:
        return True
    try:
        return bool(marker.evaluate({**_ENVIRONMENT}))
    except (UndefinedEnvironmentName, InvalidVersion, InvalidSpecifier):
        return True


def _of_url(url: str, line: int, name: str | None = None) -> Statement | None:
    egg = re.search(r"#.*?\begg=([\w.-]+)", url)
    address = url.partition("#")[0]
    if name is None and egg:
        name = egg.group(1)
    wheel = re.search(r"/([\w.]+)-(\d[\w.]*)-[^/]+\.whl$", address)
    if wheel:
        return statement(name or wheel.group(1), f"=={wheel.group(2)}", line)
    repository = re.search(r"[/:][\w.-]+/([\w.-]+?)(?:\.git)?(?=[@/]|$)", address.partition("://")[2])
    tag = re.search(r"(?:@|/(?:archive|tags)/(?:refs/tags/)?)v?(\d+\.\d+[\w.]*?)(?:\.zip|\.tar\.gz)?$", address)
    name = name or (repository.group(1) if repository else None)
    if name is None:
        return None
    return statement(name, f"=={tag.group(1)}" if tag else "", line)


def parse_pip_arguments(text: str, line: int = 1) -> tuple[Statement, ...]:
    """What `pip install ...` names, from the text of the command or only from its arguments."""
    text = re.sub(r"^.*?\binstall\s+", "", text, count=1, flags=re.DOTALL)
    whole = parse_requirement(text, line)
    if whole:
        return whole
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        words = text.split()
    found: list[Statement] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _OPTIONS_WITH_VALUE
        else:
            found += parse_requirement(word, line)
    return tuple(found)


_OPTIONS_WITH_VALUE = frozenset(
    {"-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-i", "--index-url", "--extra-index-url"}
    | {"-f", "--find-links", "-t", "--target", "--trusted-host", "--python", "--platform", "--prefix", "--root"}
    | {"--timeout", "--retries", "--proxy", "--cache-dir"}
)


def parse_poetry(name: str, value: object, line: int = 1) -> Statement | None:
    """Poetry's and Pipenv's notation: `^4.30`, `~4.30`, `4.30`, `*`, a table with `version`, a list of tables."""
    if isinstance(value, list):
        tables = [entry for entry in value if isinstance(entry, dict)]
        chosen = next((entry for entry in tables if _for_this_python(entry)), tables[0] if tables else None)
        return parse_poetry(name, chosen, line) if chosen is not None else None
    if isinstance(value, Mapping):
        for key in ("tag", "rev", "ref"):
            tag = re.fullmatch(r"v?(\d+\.\d+[\w.]*)", str(value.get(key, "")))
            if "git" in value and tag:
                return statement(name, f"=={tag.group(1)}", line)
        return parse_poetry(name, value.get("version", "*"), line)
    if not isinstance(value, str):
        return None
    return statement(name, poetry_specifier(value), line)


def _for_this_python(entry: Mapping[str, object]) -> bool:
    python = entry.get("python")
    if not isinstance(python, str):
        return True
    try:
        return SpecifierSet(poetry_specifier(python)).contains(_PYTHON)
    except InvalidSpecifier:
        return True


def poetry_specifier(text: str) -> str:
    """Poetry's version constraint as a PEP 440 specifier. Of alternatives (`||`) the last, newest one counts."""
    parts = re.sub(r"([<>=!~^]+)\s+", r"\1", text.rpartition("||")[2].strip())
    return ",".join(filter(None, (_poetry_part(part) for part in re.split(r"[,\s]+", parts))))


def _poetry_part(part: str) -> str:
    if part in ("", "*"):
        return ""
    caret_or_tilde = re.fullmatch(r"(\^|~(?!=))(\d+(?:\.\d+)*)(\S*)", part)
    if caret_or_tilde:
        sign, number, rest = caret_or_tilde.groups()
        numbers = [int(each) for each in number.split(".")]
        # A caret lets everything right of the first number that is not 0 grow, a tilde the last one of two.
        keep = next((i for i, each in enumerate(numbers) if each), len(numbers) - 1) if sign == "^" else 1
        keep = min(keep, len(numbers) - 1)
        upper = [*numbers[:keep], numbers[keep] + 1]
        return f">={number}{rest},<{'.'.join(map(str, upper))}"
    if re.match(r"\d", part):
        return f"=={part}"
    return part


def parse_conda(text: str, line: int = 1) -> Statement | None:
    """A conda match specification: `transformers=4.30.2`, `conda-forge::tensorflow-gpu=2.4=build`, `datasets >=2`."""
    spec = re.fullmatch(r"(?:[\w./-]+::)?([\w.-]+?)\s*(?:([=<>!~].*)|\s(\d.*))?", text.strip())
    if spec is None:
        return None
    name, operators, version = spec.groups()
    rest = (operators or version or "").strip()
    pinned = re.fullmatch(r"(={0,2})\s*([\w.*]+)(?:(?:=|\s+)\S*)?", rest)
    if not rest:
        return statement(name, "", line)
    if pinned is None:
        return statement(name, rest.replace(" ", ""), line)
    exact, number = pinned.groups()
    number = number.removesuffix(".*").removesuffix("*")
    # One "=" matches a prefix: =2.4 is any 2.4.x.
    prefix = exact != "==" and number.count(".") < 2 and re.fullmatch(r"[\d.]+", number) is not None
    return statement(name, f"=={number}.*" if prefix else f"=={number}", line)


def holding(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Without those whose marker is false here, unless a library has no others."""
    kept = list(statements)
    served = {each.library for each in kept if each.holds}
    return (each for each in kept if each.holds or each.library not in served)


def exact_version(specifier: str) -> Version | None:
    """The one version that a specifier allows, if it is such a one."""
    for part in SpecifierSet(specifier):
        if part.operator in ("==", "===") and not part.version.endswith(".*"):
            try:
                return Version(part.version)
            except InvalidVersion:
                continue
    return None
