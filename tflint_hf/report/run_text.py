"""What a run saw, for people at a terminal: each training as a person would look through it, and how the run went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.findings import Outcome
from tflint_hf.report.run_words import (
    LOOK,
    circumstances,
    ended_early,
    ending,
    happenings,
    last_words,
    steps_of_debugging,
    title,
)
from tflint_hf.report.style import BOLD, DIM, NARROW, OUTCOME_COLORS, RED, YELLOW, printable, wrapped
from tflint_hf.report.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tflint_hf.dynamic.confirm import Confirmation
    from tflint_hf.report.style import Style

INDENTATION = "  "
LABEL_WIDTH = 11


def render_run(confirmation: Confirmation, style: Style) -> str:
    """The part of the report that follows the findings."""
    blocks = [
        [*_heading(title(training), style), *_remarks(steps_of_debugging(training), style)]
        for training in confirmation.observation.trainings
    ]
    blocks.append(list(_run(confirmation, style)))
    blocks.append(list(_outcomes(confirmation, style)))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _heading(text: str, style: Style, *codes: str) -> Iterator[str]:
    return (style.paint(line, BOLD, *codes) for line in wrapped(printable(text), style.width))


def _run(confirmation: Confirmation, style: Style) -> Iterator[str]:
    observation = confirmation.observation
    early = (RED,) if ended_early(observation) else ()
    yield from _heading(f"the run {ending(confirmation)}", style, *early)
    said = (("said last", line) for line in last_words(observation))
    yield from _remarks([*said, *happenings(observation), *circumstances(confirmation)], style)


def _remarks(remarks: Iterable[tuple[str, str]], style: Style) -> Iterator[str]:
    """A label and its text, which goes on below itself; on a narrow terminal below the label."""
    for label, text in remarks:
        if style.width < NARROW:
            yield from (f"{INDENTATION}{line}" for line in wrapped(printable(f"{label}: {text}"), style.width - 2))
            continue
        room = style.width - len(INDENTATION) - LABEL_WIDTH
        for index, line in enumerate(wrapped(printable(text), room)):
            codes = (BOLD, YELLOW) if label == LOOK else (DIM,)
            shown = style.paint(label.ljust(LABEL_WIDTH), *codes) if index == 0 else " " * LABEL_WIDTH
            yield f"{INDENTATION}{shown}{line}"


def _outcomes(confirmation: Confirmation, style: Style) -> Iterator[str]:
    findings = confirmation.findings
    if not findings:
        so_far = ", as far as it came" if ended_early(confirmation.observation) else ""
        yield from _heading(f"No findings, in the program or in its run{so_far}", style)
        return
    counts = dict.fromkeys(Outcome, 0)
    for finding in findings:
        if finding.verdict is not None:
            counts[finding.verdict.outcome] += 1
    shown = {f"{count} {outcome.value}": outcome for outcome, count in counts.items() if count}
    head = f"The run says of {counted(len(findings), 'finding')}:"
    plain = f"{head} {', '.join(shown)}"
    if len(plain) > style.width:
        yield from _heading(plain, style)
        return
    parts = [style.paint(text, BOLD, OUTCOME_COLORS[outcome]) for text, outcome in shown.items()]
    yield f"{style.paint(head, BOLD)} {', '.join(parts) or 'nothing'}"
