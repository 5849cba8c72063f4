"""What a scan says: findings, their places and their edits. Plain frozen data that every report reads."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Severity(enum.IntEnum):
    """How bad it is: an error crashes or cannot learn, a warning is likely harmful, info is worth knowing."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, text: str) -> Severity:
        """The severity called `text` (any case). Raises ValueError for any other word."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"no severity is called {text!r}: use error, warning or info") from None


NEVER = "never"
FAIL_ON = (*(severity.label for severity in sorted(Severity, reverse=True)), NEVER)
"""The words for the least severity that makes a scan fail."""


class Safety(enum.Enum):
    """Whether a fix changes the training of a program that runs as it stands (unsafe), for better or worse.

    A safe one mends what stops the program, or what it says and saves of a training.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, order=True, slots=True)
class Location:
    """A range of a file. Lines and columns count from 1, columns in characters, the end is exclusive.

    `path` is what a report prints (relative to the working directory where possible, forward slashes). `cell` is
    the position of a notebook's cell among all its cells, from 1; lines then count from the start of the cell.
    """

    path: str
    cell: int | None
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        where = f"{self.path} cell {self.cell}" if self.cell is not None else self.path
        return f"{where}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True, slots=True)
class Edit:
    """Replace the text of `location` by `text`; an empty range inserts, an empty text deletes."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together, with a title in the imperative."""

    safety: Safety
    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, order=True, slots=True)
class Related:
    """Another place that explains the finding, with a sentence for a person."""

    location: Location
    message: str


class Outcome(enum.Enum):
    """What a run of the program says of a finding."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a run for one finding, with a sentence of evidence and the numbers it rests on."""

    outcome: Outcome
    evidence: str
    probe: str = ""
    numbers: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault at one place.

    `message` says what, `why` says in one sentence why it hurts, `advice` what to write instead. `depends_on` names
    the library versions that the finding rests on where the project does not pin them, as `tensorflow>=2.16`.
    `events` are the calls of the program that it was seen at; `verdict` is there after a run.
    """

    code: str
    name: str
    severity: Severity
    confidence: str
    message: str
    why: str
    advice: str
    location: Location
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    depends_on: str | None = None
    url: str = ""
    events: tuple[Location, ...] = ()
    verdict: Verdict | None = None

    @property
    def stands(self) -> bool:
        """Whether the finding counts: no run of the program refutes it."""
        return self.verdict is None or self.verdict.outcome is not Outcome.REFUTED

    @property
    def sort_key(self) -> tuple[Location, str, str]:
        return (self.location, self.code, self.message)


@dataclass(frozen=True, order=True, slots=True)
class ScanError:
    """Something that could not be scanned at all: a missing path, an unreadable file, a failure of the tool itself."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class RuleSources:
    """Where the rules of a scan come from, beside those of the tool.

    `folders` are absolute paths of folders of rules, `packages` says whether those of installed packages count.
    `withheld`: there are folders whose rules shall not be loaded.
    """

    folders: tuple[Path, ...] = ()
    packages: bool = True
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class ScanResult:
    """All that a report needs. `sources` maps a location's (path, cell) to the lines of that text, for excerpts,
    `file_lines` that of a notebook's cell to the line of the file that each of its lines stands on.

    `targets` maps a project's folder, as displayed, to library -> version that the scan took for granted there.
    `started_by` maps a file with findings to the scanned scripts and notebooks that execute it, itself among them.
    `known` are the findings that a baseline hides. `checked` maps each file that was read to the rules that looked at
    it. `rule_sources` are where the rules of the findings come from.
    """

    findings: tuple[Finding, ...]
    errors: tuple[ScanError, ...]
    sources: dict[tuple[str, int | None], tuple[str, ...]]
    targets: dict[str, dict[str, str]]
    files_scanned: int
    started_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    known: tuple[Finding, ...] = ()
    checked: dict[str, frozenset[str]] = field(default_factory=dict)
    rule_sources: RuleSources = RuleSources()
    file_lines: dict[tuple[str, int | None], tuple[int, ...]] = field(default_factory=dict)
