"""What the server knows while an editor is connected: the open documents, their scans, and runs of their programs."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tflint_hf.baseline import BaselineError
from tflint_hf.config import ConfigError
from tflint_hf.engine import ScanOptions, scan
from tflint_hf.findings import RuleSources
from tflint_hf.lsp.confirming import Run, judged
from tflint_hf.lsp.diagnostics import diagnostic
from tflint_hf.lsp.documents import Documents
from tflint_hf.lsp.places import Places
from tflint_hf.lsp.scanning import Scanned, scan_subject
from tflint_hf.rule_set import load_rule_set
from tflint_hf.rules import UnknownRule
from tflint_hf.static.parsing import keep_trees
from tflint_hf.target import VersionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeVar

    from lsprotocol.types import Diagnostic

    from tflint_hf.findings import Finding
    from tflint_hf.lsp.documents import Subject
    from tflint_hf.rules import RuleTable

    Given = TypeVar("Given")

DEBOUNCE_SECONDS = 0.1
STACK_BYTES = 64 * 1024 * 1024
"""A thread has less room for recursion than a process; the reader is made for that of a process."""
TREES_KEPT = 512
WITHHELD = "the rules of rule-paths are left out here: the setting rulePaths allows to run their code"
LOG = logging.getLogger("tflint_hf.lsp")


class Editor(Protocol):
    """What a session needs of the connection."""

    def publish(self, uri: str, version: int | None, diagnostics: list[Diagnostic]) -> None: ...

    def ask_to_pull(self) -> None: ...

    def complain(self, message: str) -> None: ...

    def tell(self, message: str) -> str: ...


@dataclass(slots=True)
class _State:
    """A document's scans. `stamp` grows with each reason for another one; `scanned` is that of the stamp `done`, and
    `begun` is the stamp of the scan that waits for nothing any more."""

    stamp: int = 0
    begun: int = -1
    done: int = -1
    scanned: Scanned | None = None
    task: asyncio.Task[None] | None = None
    published: set[str] = field(default_factory=set)


def _warm_up() -> None:
    """Load what a scan needs before the first document comes."""
    scan((), ScanOptions(isolated=True, jobs=1, stdin=("import tensorflow\n", "warm_up.py")))


class Session:
    """Scans documents when they change, off the event loop, and says what was found."""

    def __init__(self, editor: Editor) -> None:
        self.documents = Documents()
        self.pulls = False
        self.shows_related = True
        self.rule_paths = False
        self.debounce = DEBOUNCE_SECONDS
        self.runs: list[Run] = []
        self.round = 0
        self._editor = editor
        self._states: dict[str, _State] = {}
        self._said: set[str] = set()
        self._closing = threading.Event()
        keep_trees(TREES_KEPT)
        usual = threading.stack_size(STACK_BYTES)
        self._scanner = ThreadPoolExecutor(1, "scan")
        self._scanner.submit(_warm_up)
        threading.stack_size(usual)

    # Events --------------------------------------------------------------------------------------------------------

    def opened(self, uri: str) -> None:
        """A document was opened: it is scanned at once. What a run said may be of another text."""
        self._forget_runs(uri)
        self._outdated(uri, delay=0)

    def changed(self, uri: str) -> None:
        """A document was changed: it is scanned when nothing more happens for a moment, as is what belongs to it."""
        subject = self.documents.subject(uri)
        if subject is None:
            return
        self._forget_runs(uri)
        self._outdated(uri, delay=self.debounce)
        for other in self.documents.subjects():
            state = self._states.get(other.uri)
            if other.uri != subject.uri and state and state.scanned and subject.path in state.scanned.files:
                self._outdated(other.uri, delay=2 * self.debounce)

    def closed(self, uri: str, texts: list[str]) -> None:
        """A document was closed, and with it these texts: nothing is said of them any more."""
        state = self._states.pop(uri, None)
        if state is not None:
            if state.task is not None:
                state.task.cancel()
            for gone in state.published - set(texts):
                self._editor.publish(gone, None, [])
        for text in texts:
            self._editor.publish(text, None, [])

    def all_outdated(self) -> None:
        """Something that counts for all documents has changed on disk: settings, requirements, a module."""
        self._said.clear()
        self.runs.clear()
        for subject in self.documents.subjects():
            self._outdated(subject.uri, delay=self.debounce)
        self.round += 1
        if self.pulls:
            self._editor.ask_to_pull()

    def close(self) -> None:
        """The connection ends."""
        self._closing.set()
        for state in self._states.values():
            if state.task is not None:
                state.task.cancel()
        self._scanner.shutdown(wait=False, cancel_futures=True)

    @property
    def closing(self) -> bool:
        return self._closing.is_set()

    # Answers -------------------------------------------------------------------------------------------------------

    async def scanned(self, uri: str) -> tuple[Subject, Scanned] | None:
        """What a scan says of a document as it is now; None if it is none to scan, or cannot be scanned."""
        while not self.closing and (subject := self.documents.subject(uri)) is not None:
            state = self._states.setdefault(subject.uri, _State())
            if state.done == state.stamp:
                return None if state.scanned is None else (subject, state.scanned)
            if state.begun != state.stamp or state.task is None or state.task.done():
                self._start(subject.uri, state, delay=0)
            assert state.task is not None
            await asyncio.wait({state.task})
        return None

    def findings(self, scanned: Scanned) -> tuple[Finding, ...]:
        """The findings of a document, with the verdicts of runs."""
        return judged(scanned.findings, scanned.name, self.runs)

    async def diagnostics(self, uri: str) -> tuple[str, list[Diagnostic]]:
        """The diagnostics of one text as it is now, and a name for this state of them."""
        known = await self.scanned(uri)
        if known is None:
            return "none", []
        subject, scanned = known
        state = self._states.get(subject.uri)
        return f"{state.done if state else 0}.{self.round}", self._by_text(subject, scanned).get(uri, [])

    def rules(self) -> RuleTable:
        """All rules that the open documents are checked by."""
        scans = [state.scanned.result.rule_sources for state in self._states.values() if state.scanned is not None]
        folders = dict.fromkeys(folder for sources in scans for folder in sources.folders)
        return load_rule_set(RuleSources(tuple(sorted(folders)))).table

    def unsaved(self) -> dict[Path, bytes]:
        """The contents of all that is open."""
        return {subject.path: subject.content for subject in self.documents.subjects()}

    async def off_the_loop(self, function: Callable[[], Given]) -> Given:
        """Do what takes its time where scans are done."""
        return await asyncio.get_running_loop().run_in_executor(self._scanner, function)

    def add_run(self, run: Run) -> None:
        """Show what a run said."""
        self.runs = [*(one for one in self.runs if not one.files & run.files), run]
        self.round += 1
        for subject in self.documents.subjects():
            state = self._states.get(subject.uri)
            if state is not None and state.scanned is not None and state.done == state.stamp:
                self._publish(subject, state, state.scanned)
        if self.pulls:
            self._editor.ask_to_pull()

    def complain(self, message: str) -> None:
        """Tell the user of something that went wrong, once."""
        LOG.error(message)
        if message not in self._said:
            self._said.add(message)
            self._editor.complain(message)

    # Scans ---------------------------------------------------------------------------------------------------------

    def _forget_runs(self, uri: str) -> None:
        subject = self.documents.subject(uri)
        if subject is not None:
            self.runs = [run for run in self.runs if subject.path not in run.files]
            self.round += 1

    def _outdated(self, uri: str, delay: float) -> None:
        subject = self.documents.subject(uri)
        if subject is None:
            return
        state = self._states.setdefault(subject.uri, _State())
        state.stamp += 1
        if not self.pulls or subject.is_notebook:
            self._start(subject.uri, state, delay)

    def _start(self, uri: str, state: _State, delay: float) -> None:
        if state.task is not None:
            state.task.cancel()
        state.begun = -1 if delay else state.stamp
        state.task = asyncio.get_running_loop().create_task(self._scan(uri, state, delay))

    async def _scan(self, uri: str, state: _State, delay: float) -> None:
        if delay:
            await asyncio.sleep(delay)
        subject = self.documents.subject(uri)
        if subject is None or self.closing:
            return
        state.begun = state.stamp
        stamp, unsaved, loads = state.stamp, self.unsaved(), self.rule_paths
        scanned: Scanned | None = None
        try:
            scanned = await self.off_the_loop(lambda: scan_subject(subject, unsaved, rule_paths=loads))
        except (ConfigError, UnknownRule, VersionError, BaselineError) as error:
            self.complain(str(error))
        except Exception as error:
            LOG.exception("a scan failed")
            self.complain(f"{subject.path.name} could not be scanned: {type(error).__name__}: {error}")
        if stamp != state.stamp:
            return  # by now there is another text, and another scan under way or to be asked for
        state.done, state.scanned = stamp, scanned
        for trouble in scanned.result.errors if scanned is not None else ():
            self.complain(f"{trouble.path}: {trouble.message}")
        if scanned is not None and scanned.result.rule_sources.withheld and WITHHELD not in self._said:
            self._said.add(WITHHELD)
            self._editor.tell(WITHHELD)
        self._publish(subject, state, scanned)

    def _publish(self, subject: Subject, state: _State, scanned: Scanned | None) -> None:
        by_text = {} if scanned is None else self._by_text(subject, scanned)
        shown: dict[str, tuple[int | None, list[Diagnostic]]] = {}
        if not self.pulls or subject.is_notebook:
            shown = {text.uri: (text.version, by_text.get(text.uri, [])) for text in subject.texts.values()}
        if scanned is not None:
            shown |= self._elsewhere(subject, scanned)
        for uri in state.published - shown.keys():
            self._editor.publish(uri, None, [])
        for uri, (version, diagnostics) in shown.items():
            self._editor.publish(uri, version, diagnostics)
        state.published = set(shown)

    def _by_text(self, subject: Subject, scanned: Scanned) -> dict[str, list[Diagnostic]]:
        places = Places(self.documents, scanned)
        found: dict[str, list[Diagnostic]] = {}
        for finding in self.findings(scanned):
            text = subject.texts.get(finding.location.cell)
            made = diagnostic(finding, places, related=self.shows_related)
            if text is not None and made is not None:
                found.setdefault(text.uri, []).append(made)
        return found

    def _elsewhere(self, subject: Subject, scanned: Scanned) -> Mapping[str, tuple[None, list[Diagnostic]]]:
        """What this and the other documents' scans say of files that are not open."""
        states = (state.scanned for uri, state in self._states.items() if uri != subject.uri)
        known = [one for one in states if one is not None]
        found: dict[str, tuple[None, list[Diagnostic]]] = {}
        for path, findings in scanned.elsewhere.items():
            both = dict.fromkeys([*findings, *(f for one in known for f in one.elsewhere.get(path, ()))])
            places = Places(self.documents, scanned)
            for finding in both:
                link = places.link(finding.location)
                made = diagnostic(finding, places, related=self.shows_related)
                if link is not None and made is not None:
                    found.setdefault(link.uri, (None, []))[1].append(made)
        return found
