"""The pages of rules, as files that an editor shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf.rule_files import user_cache_folder

if TYPE_CHECKING:
    from tflint_hf.rules import Rule


def write_page(rule: Rule, page: str) -> Path:
    """The file of a rule's page. Raises OSError."""
    path = _folder() / f"{rule.code}-{rule.name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def is_page(path: Path) -> bool:
    """Whether a file is such a page: the faults in its examples are meant to be there."""
    return path.parent == _folder()


def _folder() -> Path:
    return (user_cache_folder() / "pages").absolute()
