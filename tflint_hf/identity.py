"""What makes a finding the same one after the file around it has changed."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tflint_hf.findings import Finding

    Texts = Mapping[tuple[str, int | None], Sequence[str]]

_SPACE = re.compile(r"\s+")
_LOOSE_SPACE = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
_LAST_COMMA = re.compile(r",+(?=[)\]}])")


@dataclass(frozen=True, order=True, slots=True)
class Identity:
    """A finding by its file, its rule and the lines that it stands on, which are `snippet` for people and `key` to
    compare; `position` counts the findings that are equal in all of this, from 0, through the file's cells."""

    path: str
    rule: str
    key: str
    position: int
    snippet: str

    @property
    def fingerprint(self) -> str:
        text = "\0".join((self.path, self.rule, self.key, str(self.position)))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def identities(findings: Sequence[Finding], texts: Texts) -> list[Identity]:
    """One for each finding, in their order. Lines, cells and white space do not count."""
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for finding in findings:
        snippet = _snippet(finding, texts)
        equal = (finding.location.path, finding.code, snippet_key(snippet))
        found.append(Identity(*equal, position=seen[equal], snippet=snippet))
        seen[equal] += 1
    return found


def snippet_key(snippet: str) -> str:
    """The snippet as it is compared: what a formatter changes when it breaks a line does not count."""
    return _LAST_COMMA.sub("", _LOOSE_SPACE.sub("", snippet))


def _snippet(finding: Finding, texts: Texts) -> str:
    """The lines of the finding: the place alone is often one word, as `from_pretrained`."""
    place = finding.location
    last = place.end_line - (place.end_line > place.line and place.end_column <= 1)
    lines = texts.get((place.path, place.cell), ())[place.line - 1 : last]
    return _SPACE.sub(" ", " ".join(lines)).strip() or finding.message
