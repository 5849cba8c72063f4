"""Commands in the log of a CI service: a line each, with properties, and a text whose line ends are escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tflint_hf.findings import Finding, ScanError, ScanResult

Properties = dict[str, str | int]


def render_lines(
    result: ScanResult, of_finding: Callable[[Finding, ScanResult], str], of_error: Callable[[ScanError], str]
) -> str:
    lines = [*(of_finding(finding, result) for finding in result.findings), *map(of_error, result.errors)]
    return "".join(f"{line}\n" for line in lines)


def escaped(text: object, codes: Mapping[str, str]) -> str:
    """The text with a code in the place of each character that has one."""
    return "".join(codes.get(character, character) for character in str(text))
