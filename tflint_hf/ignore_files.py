"""What .gitignore files say, as git reads them.

pathspec answers for a file together with all folders above it. A walk must ask for each folder alone: git never takes
back what lies in an ignored folder, and a folder that the user names is scanned even if git ignores it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Set
    from pathlib import Path

_WILDCARD = re.compile(
    r"""
      (?P<any_folders> (?:(?<=/)|\A) \*{2,}/ )
    | (?P<everything> (?:(?<=/)|\A) \*{2,}\Z )
    | (?P<stars> \*+ )
    | (?P<one> \? )
    | \[ (?P<negation>[!^]?) (?P<members> \]? (?:\[:\w+:\]|\\.|[^\]\\])* ) \]
    | \\(?P<escaped>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLASS_MEMBER = re.compile(r"\[:(?P<name>\w+):\]|\\(?P<escaped>.)|(?P<special>[\[\]^&~|])", re.DOTALL)
_NAMED_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True, slots=True)
class _Pattern:
    expression: re.Pattern[str]
    ignores: bool
    folders_only: bool
    name_only: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of one file, relative to `folder`."""

    folder: str
    patterns: tuple[_Pattern, ...]

    @classmethod
    def parse(cls, folder: Path, lines: Iterable[str]) -> IgnoreRules:
        """The rules of these lines. A line that is no pattern is passed over, as git does."""
        patterns = tuple(pattern for line in lines if (pattern := _parse_pattern(line)) is not None)
        return cls(_with_slash(folder), patterns)

    def verdict(self, path: Path, *, is_folder: bool) -> bool | None:
        """Whether `path` itself is ignored, None if no pattern speaks about it. What holds it is not looked at."""
        text = path.as_posix()
        # For what lies elsewhere, the patterns that are no more than a name still count.
        relative = text.removeprefix(self.folder)
        name = text.rpartition("/")[2]
        for pattern in reversed(self.patterns):
            if pattern.folders_only and not is_folder:
                continue
            if pattern.expression.fullmatch(name if pattern.name_only else relative):
                return pattern.ignores
        return None

    def ignores_with_parents(self, path: Path, *, is_folder: bool) -> bool:
        """Whether `path` or a folder that holds it is ignored."""
        if self.verdict(path, is_folder=is_folder):
            return True
        inside = (parent for parent in path.parents if _with_slash(parent).startswith(self.folder))
        return any(self.verdict(parent, is_folder=True) for parent in inside if _with_slash(parent) != self.folder)


def _parse_pattern(line: str) -> _Pattern | None:
    line = re.sub(r"(?<!\\)[ ]+\Z", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    text = line[1:] if negated else line
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    name_only = "/" not in text
    text = text.removeprefix("/")
    try:
        expression = re.compile(_translate(text), re.DOTALL)
    except re.error:
        return None
    return _Pattern(expression, not negated, folders_only, name_only) if text else None


def _translate(pattern: str) -> str:
    """The regular expression of a wildcard pattern. A bracket or backslash left open matches nothing."""
    parts: list[str] = []
    position = 0
    for wildcard in _WILDCARD.finditer(pattern):
        literal = pattern[position : wildcard.start()]
        position = wildcard.end()
        parts.append(re.escape(literal))
        if "[" in literal:
            return r"(?!)"
        if wildcard["any_folders"]:
            parts.append("(?:.*/)?")
        elif wildcard["everything"]:
            parts.append(".+")
        elif wildcard["stars"]:
            parts.append("[^/]*")
        elif wildcard["one"]:
            parts.append("[^/]")
        elif wildcard["escaped"] is not None:
            parts.append(re.escape(wildcard["escaped"]))
        else:
            members = _CLASS_MEMBER.sub(_class_member, wildcard["members"])
            parts.append(f"(?!/)[{'^' if wildcard['negation'] else ''}{members}]")
    rest = pattern[position:]
    if "[" in rest or rest.endswith("\\"):
        return r"(?!)"
    return "".join(parts) + re.escape(rest)


def _class_member(member: re.Match[str]) -> str:
    if member["name"]:
        return _NAMED_CLASSES.get(member["name"], "")
    return re.escape(member["escaped"] or member["special"])


def _with_slash(folder: Path) -> str:
    return folder.as_posix().rstrip("/") + "/"


def _read(path: Path, folder: Path) -> IgnoreRules | None:
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return None
    rules = IgnoreRules.parse(folder, (line.removesuffix("\r") for line in text.split("\n")))
    return rules if rules.patterns else None


def directory_rules(folder: Path, names: Set[str], above: tuple[IgnoreRules, ...]) -> tuple[IgnoreRules, ...]:
    """The rules for what lies in `folder`, weakest first. A repository's top starts anew, as in git."""
    rules = above
    if ".git" in names:
        exclude = _read(_git_folder(folder / ".git") / "info" / "exclude", folder)
        rules = (exclude,) if exclude else ()
    if ".gitignore" in names:
        own = _read(folder / ".gitignore", folder)
        rules = (*rules, own) if own else rules
    return rules


def rules_above(folder: Path) -> tuple[IgnoreRules, ...]:
    """The rules that the folders above `folder` have for it, up to the top of its repository; none without one."""
    if (folder / ".git").exists():
        return ()
    parents = list(folder.parents)
    top = next((number for number, parent in enumerate(parents) if (parent / ".git").exists()), None)
    if top is None:
        return ()
    rules: tuple[IgnoreRules, ...] = ()
    for parent in reversed(parents[: top + 1]):
        names = {name for name in (".git", ".gitignore") if (parent / name).exists()}
        rules = directory_rules(parent, names, rules)
    return rules


def _git_folder(dot_git: Path) -> Path:
    """The folder with the repository's data: in a worktree or submodule, `.git` is a file that names it."""
    try:
        if not dot_git.is_file():
            return dot_git
        folder = dot_git.parent / dot_git.read_text("utf-8").removeprefix("gitdir:").strip()
        common = folder / "commondir"
        return folder / common.read_text("utf-8").strip() if common.is_file() else folder
    except (OSError, ValueError):
        return dot_git
