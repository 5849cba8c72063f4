"""What a run said, put in order: trainings with what was measured of them, errors, stand-ins."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tflint_hf.dynamic.runner import RunRecord
    from tflint_hf.findings import Location


@dataclass(frozen=True, slots=True)
class Frame:
    """A place of the program that was being executed. `path` is absolute; columns are known since Python 3.11."""

    path: str
    cell: int | None
    line: int
    end_line: int
    column: int | None = None
    end_column: int | None = None

    @property
    def words(self) -> str:
        """As "line 12", or "cell 3, line 2" in a notebook."""
        return f"line {self.line}" if self.cell is None else f"cell {self.cell}, line {self.line}"

    def touches(self, location: Location) -> bool:
        """Whether this is inside, around, or across a place that the reader of the program named."""
        same_text = self.cell == location.cell and os.path.realpath(location.path) == self.path
        return same_text and self.line <= location.end_line and location.line <= self.end_line


_TELLING = re.compile(r"(?:[A-Z]\w*(?:Error|Exception): )|Received a label value")

_WRAPPED = "Exception encountered when calling"
"""What Keras writes above the reason why a layer failed."""
_NODE = "[[{{node"
"""What TensorFlow writes below the reason why a graph failed."""

Frames = tuple[Frame, ...]
"""The frames of the program at one moment, the innermost first."""


@dataclass(frozen=True, eq=False, slots=True)
class Facts:
    """Numbers and words that a probe or a hook said, by dotted name. What was not said is None."""

    said: Mapping[str, Any]

    def get(self, name: str) -> Any:
        value: Any = self.said
        for part in name.split("."):
            if not isinstance(value, dict):
                return None
            value = value.get(part)
        return value

    def number(self, name: str) -> float | None:
        value = self.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: str) -> str:
        value = self.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool | None:
        value = self.get(name)
        return value if isinstance(value, bool) else None

    def items(self, name: str) -> list[Any]:
        value = self.get(name)
        return list(value) if isinstance(value, list) else []

    def mapping(self, name: str) -> dict[str, Any]:
        value = self.get(name)
        return dict(value) if isinstance(value, dict) else {}


@dataclass(frozen=True, eq=False, slots=True)
class ObservedTraining:
    """A fit(), or a training loop of the program. `said` is what is known of its model, optimizer, loss and data;
    `measured` what each probe found, by the probe's name; `failed` why a probe found nothing; `log` the History.
    `fed_by` and `validated_by` are where the program made its feeds, chain by chain; `optimizer_at` where it made the
    optimizer."""

    number: int
    at: Frames
    compiled_at: Frames
    said: Facts
    measured: Mapping[str, Facts] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    log: Mapping[str, Sequence[float]] = field(default_factory=dict)
    fed_by: tuple[Frames, ...] = ()
    validated_by: tuple[Frames, ...] = ()
    optimizer_at: Frames = ()
    is_loop: bool = False

    def facts(self, probe: str) -> Facts:
        """What a probe found, nothing if it found nothing."""
        return self.measured.get(probe, Facts({}))

    @property
    def stand_in(self) -> bool:
        """Whether the model's weights are those of a stand-in."""
        return bool(self.said.flag("model.stand_in"))


NO_TRAINING = ObservedTraining(0, (), (), Facts({}))
"""Stands where a finding belongs to something that the program trained nothing with."""


@dataclass(frozen=True, eq=False, slots=True)
class Moment:
    """Something else that happened at a place of the program: a model or feed was made, a tokenizer was called.

    `fed_by` are the places that the data of it come from.
    """

    kind: str
    at: Frames
    said: Facts
    fed_by: tuple[Frames, ...] = ()


@dataclass(frozen=True, slots=True)
class RunError:
    """An exception that ended the program or a cell of it, or would have: `went_on` is how the run went on.

    `refused`: the run itself forbade what the program did, to keep its files or the network out of reach.
    `raised_in` are the last lines of its traceback, those of the library.
    """

    type: str
    text: str
    at: Frames
    missing_file: str = ""
    went_on: str = ""
    refused: bool = False
    raised_in: str = ""

    @property
    def log(self) -> str:
        """What the program would have printed of it."""
        return f"{self.raised_in}{self.type}: {self.text}"


@dataclass(frozen=True, eq=False, slots=True)
class Observation:
    """A whole run. `stand_ins` are said as "checkpoint bert-base-uncased"; `troubles` are failures of the agent.

    `status` is the agent's word for how the program ended, empty if it had no time to say one; `left_with` is what the
    program gave to sys.exit().
    """

    trainings: tuple[ObservedTraining, ...]
    moments: tuple[Moment, ...]
    errors: tuple[RunError, ...]
    stand_ins: tuple[str, ...]
    missing: tuple[str, ...]
    kept_back: tuple[str, ...]
    troubles: tuple[str, ...]
    versions: Mapping[str, str]
    devices: tuple[str, ...]
    record: RunRecord
    python: str = ""
    status: str = ""
    left_with: str = ""


def observation_of(record: RunRecord) -> Observation:
    """The messages of a run, sorted by what they speak of."""
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for message in record.messages:
        by_kind.setdefault(message["kind"], []).append(message)
    environment = (by_kind.get("environment") or [{}])[-1]
    errors = tuple(
        RunError(
            m["type"],
            m["text"],
            _frames(m.get("at")),
            m.get("missing_file") or "",
            m.get("went_on") or "",
            m.get("refused") is True,
            m.get("raised_in") or "",
        )
        for m in by_kind.get("error", ())
    )
    errors += tuple(
        RunError("SystemExit", _words_of_exit(m["code"], record), _frames(m.get("at")))
        for m in by_kind.get("exited", ())
    )
    moments = tuple(
        Moment(m["kind"], _frames(m.get("at")), Facts(dict(m)), tuple(_frames(one) for one in m.get("fed_by") or ()))
        for m in record.messages
        if m["kind"] in _MOMENTS
    )
    return Observation(
        trainings=tuple(_trainings(record.messages)),
        moments=moments,
        errors=errors,
        stand_ins=tuple(dict.fromkeys(f"{m['what']} {m['name']}" for m in by_kind.get("stand_in", ()))),
        missing=tuple(dict.fromkeys(f"{m['what']} {m['name']}" for m in by_kind.get("missing", ()))),
        kept_back=tuple(
            dict.fromkeys(f"{m['what']} {m.get('path') or ''}".strip() for m in by_kind.get("kept_back", ()))
        ),
        troubles=tuple(m["error"] for m in by_kind.get("trouble", ())),
        versions=dict(environment.get("versions") or {}),
        devices=tuple(environment.get("devices") or ()),
        record=record,
        python=_last(by_kind, "started", "python"),
        status=_last(by_kind, "finished", "status"),
        left_with=_last(by_kind, "exited", "code"),
    )


def _last(by_kind: Mapping[str, list[Mapping[str, Any]]], kind: str, name: str) -> str:
    messages = by_kind.get(kind)
    return str(messages[-1].get(name, "")) if messages else ""


def _words_of_exit(code: object, record: RunRecord) -> str:
    """What is known of an exit with a failure: parsers of arguments say the reason on standard error."""
    if isinstance(code, str):
        return code
    last = next((line.strip() for line in reversed(record.errors.splitlines()) if line.strip()), "")
    return f"exit code {code}" + (f" ({last})" if last and len(last) <= LONGEST_REASON else "")


LONGEST_REASON = 200

_MOMENTS = frozenset(
    {
        "compiled",
        "model_made",
        "feed_made",
        "tokenizer_made",
        "tokenized",
        "collator_made",
        "evaluated",
        "predicted",
        "loaded",
        "dropouts",
    }
)


def _trainings(messages: Iterable[Mapping[str, Any]]) -> Iterable[ObservedTraining]:
    begun: dict[int, Mapping[str, Any]] = {}
    measured: dict[int, dict[str, Facts]] = {}
    failed: dict[int, dict[str, str]] = {}
    skipped: dict[int, set[str]] = {}
    logs: dict[int, Mapping[str, Sequence[float]]] = {}
    for message in messages:
        number, kind = message.get("training"), message["kind"]
        if not isinstance(number, int):
            continue
        if kind in {"training", "loop"}:
            begun[number] = message
        elif kind == "measured" and "failed" in message:
            failed.setdefault(number, {})[message["probe"]] = message["failed"]
        elif kind == "measured":
            measured.setdefault(number, {})[message["probe"]] = Facts(message["facts"])
        elif kind == "skipped":
            skipped.setdefault(number, set()).add(message["probe"])
        elif kind == "fitted":
            logs[number] = message["log"]
    for number, message in sorted(begun.items()):
        yield ObservedTraining(
            number=number,
            at=_frames(message.get("at")),
            compiled_at=_frames((message.get("compiled") or {}).get("at")),
            said=Facts(dict(message)),
            measured=measured.get(number, {}),
            failed=failed.get(number, {}),
            skipped=frozenset(skipped.get(number, ())),
            log=logs.get(number, {}),
            fed_by=tuple(_frames(one) for one in message.get("fed_by") or ()),
            validated_by=tuple(_frames(one) for one in message.get("validated_by") or ()),
            optimizer_at=_frames((message.get("compiled") or {}).get("optimizer_at")),
            is_loop=message["kind"] == "loop",
        )


def essence(text: str) -> str:
    """The line of an exception's text that says what is wrong: TensorFlow puts whole tracebacks around it."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    telling = []
    for line, after in pairwise([*lines, ""]):
        if _WRAPPED in line:
            if after != "in user code:":
                telling.append(after)
        elif _TELLING.match(line) or after.startswith(_NODE):
            telling.append(line)
    return (telling[-1] if telling else next(iter(lines), ""))[:240]


def _frames(raw: object) -> Frames:
    if not isinstance(raw, list):
        return ()
    return tuple(
        Frame(
            one["path"],
            one.get("cell"),
            one["line"],
            one.get("end_line") or one["line"],
            one.get("column"),
            one.get("end_column"),
        )
        for one in raw
    )
