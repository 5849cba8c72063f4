"""Confirming by running, in an editor: where it is offered, the run itself, and its verdicts as long as they hold."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tflint_hf import extras
from tflint_hf.dynamic.confirm import confirm, missing_library
from tflint_hf.dynamic.job import RunOptions
from tflint_hf.editing.document import BOM, NotEditableError, open_document
from tflint_hf.engine import ScanOptions, wanted
from tflint_hf.findings import Outcome
from tflint_hf.rule_set import load_rule_set
from tflint_hf.source import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tflint_hf.findings import Finding, Verdict
    from tflint_hf.lsp.documents import Subject
    from tflint_hf.lsp.scanning import Scanned

CONFIRM = "tflint-hf.confirm"
TITLE = "Confirm by running"
_TRAINS = frozenset({"fit", "fit_generator", "train_on_batch", "train_step", "apply_gradients", "minimize"})


class NoRunError(Exception):
    """The program was not run, or not to an end that says anything. The message is for people."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run said of the findings there were, and what it alone has shown, until one of the files is changed."""

    files: frozenset[Path]
    verdicts: Mapping[Finding, Verdict]
    shown: tuple[Finding, ...]


def program_to_run(scanned: Scanned) -> str | None:
    """The script or notebook to run for a document, by its name in findings, if a run can say anything about it."""
    rules = load_rule_set(scanned.result.rule_sources).table.by_code
    if not any(rules[finding.code].probe for finding in scanned.findings if finding.code in rules):
        return None
    started_by = scanned.result.started_by.get(scanned.name, ())
    return scanned.name if scanned.name in started_by else next(iter(started_by), None)


def first_training(subject: Subject) -> tuple[int | None, int]:
    """Cell and line, from 1, of the first call that trains a model; else of the first code."""
    source = subject.source()
    if source is None:
        return None, 1
    for fragment in source.fragments:
        try:
            tree = ast.parse(fragment.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = [
            node.func.end_lineno or node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TRAINS
        ]
        if lines:
            return fragment.cell, fragment.first_line + min(lines) - 1
    first = next(iter(source.fragments), None)
    return (None, 1) if first is None else (first.cell, first.first_line)


def is_saved(subject: Subject) -> bool:
    """Whether the file holds what the editor shows, line ends aside."""
    try:
        raw = subject.path.read_bytes()
        texts = open_document(raw.removeprefix(BOM), subject.path).texts
    except (OSError, NotEditableError):
        return False
    stored = [lines for text in texts.values() if (lines := text.split())]
    mine = open_document(subject.content, subject.path).texts
    return stored == [lines for text in mine.values() if (lines := text.split())]


def run(
    program: str,
    scanned: Scanned,
    options: RunOptions,
    listen: Callable[[Mapping[str, Any]], None],
    unwanted: Callable[[], bool],
) -> Run:
    """Run a program and take down what it says of the findings. Raises NoRunError, and CancelledError of the runner."""
    from tflint_hf.dynamic.runner import NotStartedError

    result = scanned.result
    mine = tuple(f for f in result.findings if program in result.started_by.get(f.location.path, ()))
    try:
        done = confirm(Path(program), mine, load_rule_set(result.rule_sources), options, listen, unwanted)
    except OSError as error:
        raise NoRunError(f"{options.python} cannot be started: {error.strerror or error}") from None
    except (NotStartedError, SourceError) as error:
        raise NoRunError(str(error)) from None
    library = missing_library(done.observation)
    if library is not None:
        said = extras.missing(library, "confirm", options.python)
        raise NoRunError(f'{said}\nor name the interpreter of the project with the setting "python".')
    bare = {replace(finding, verdict=None): finding for finding in done.findings}
    verdicts = {one: verdict for one in mine if (verdict := bare[one].verdict) is not None and one in bare}
    asked = ScanOptions(config_rule_paths=not result.rule_sources.withheld)
    shown = wanted([finding for one, finding in bare.items() if one not in verdicts], asked)
    return Run(scanned.files | {Path(program).absolute()}, verdicts, tuple(shown))


def in_words(run: Run) -> str:
    """How many findings were confirmed, refuted and so on."""
    verdicts = [*run.verdicts.values(), *(one.verdict for one in run.shown if one.verdict is not None)]
    counts = {outcome: sum(v.outcome is outcome for v in verdicts) for outcome in Outcome}
    said = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items() if count)
    return said or "the run says nothing about the findings"


def judged(findings: Sequence[Finding], name: str, runs: Sequence[Run]) -> tuple[Finding, ...]:
    """The findings of a document with their verdicts, and those that only a run has shown."""
    found = list(findings)
    for one in runs:
        found = [replace(f, verdict=one.verdicts[f]) if f in one.verdicts else f for f in found]
        found += [f for f in one.shown if f.location.path == name and f not in found]
    return tuple(found)


def run_options(settings: Mapping[str, object]) -> RunOptions:
    """How to run, by the editor's settings `python` and `budgetSeconds`."""
    python, budget = settings.get("python"), settings.get("budgetSeconds")
    number = budget if isinstance(budget, int | float) and not isinstance(budget, bool) and budget >= 1 else 120
    return RunOptions(python=python if isinstance(python, str) and python else sys.executable, budget_seconds=number)
