"""What a run saw, in words: sentences that the text report and the page have in common.

What was not measured is left out.
"""

from __future__ import annotations

import math
import re
import signal
from typing import TYPE_CHECKING, Any

from tflint_hf.dynamic.job import STEPS_OF_A_LOOP_PER_STEP
from tflint_hf.dynamic.memory import LARGEST_SAID, largest_batch
from tflint_hf.dynamic.record import Facts, essence
from tflint_hf.dynamic.remarks import remarks
from tflint_hf.dynamic.runner import Ended
from tflint_hf.report.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tflint_hf.dynamic.confirm import Confirmation
    from tflint_hf.dynamic.job import RunOptions
    from tflint_hf.dynamic.memory import LargestBatch
    from tflint_hf.dynamic.record import Observation, ObservedTraining, RunError
    from tflint_hf.dynamic.runner import RunRecord

COUNTS_SHOWN = 8
STOPS_SHOWN = 8
NAMES_SHOWN = 3
STOP_LENGTH = 120
LAST_WORDS = 3

Remark = tuple[str, str]
"""What it is, and a sentence."""


def ending(confirmation: Confirmation) -> str:
    """How the run came to its end, as a clause after "the run"."""
    observation, options = confirmation.observation, confirmation.options
    record = observation.record
    after = f"after {record.seconds:.0f} s"
    on = f" on the {device(observation)}" if observation.devices else ""
    if record.ended is Ended.OUT_OF_TIME:
        return f"was out of time {after}{on}: what comes later in the program was not run (--budget gives it more)"
    if record.ended is Ended.KILLED:
        return f"was killed {after}{on}, {_signal(record)}: what comes later in the program was not run"
    if record.ended is Ended.STOPPED:
        code = f" with exit status {record.exit_code}" if record.exit_code is not None else ""
        return f"broke off {after}{on}: the process was left{code} without a word"
    return f"{_finished(observation, options)} {after}{on}"


def ended_early(observation: Observation) -> bool:
    """Whether the end of the program was not reached, by no will of its own."""
    return observation.record.ended is not Ended.FINISHED or observation.status in {"failed", "interrupted"}


def failure(confirmation: Confirmation) -> str:
    """Why the program cannot be said to work, as a clause after its name; empty if it can."""
    observation = confirmation.observation
    if observation.record.ended in {Ended.KILLED, Ended.STOPPED}:
        return f"cannot be judged by this run, which {ending(confirmation)}"
    ends = [error for error in observation.errors if not error.went_on]
    if ends:
        return f"did not run to its end: {stop(ends[0])}"
    if observation.errors:
        return f"fails as it is written: {stop(observation.errors[0])}"
    return ""


def _finished(observation: Observation, options: RunOptions) -> str:
    match observation.status:
        case "failed":
            return "ended with an error of the program"
        case "interrupted":
            return "was interrupted"
        case "exited" if observation.left_with:
            return f"ended by sys.exit({observation.left_with})"
        case "enough":
            steps = counted(options.steps * STEPS_OF_A_LOOP_PER_STEP, "step")
            return f"was ended in a training loop, of which {steps} are enough,"
    return "finished"


def _signal(record: RunRecord) -> str:
    number = record.signal or 0
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"by signal {number}"
    meaning = {"SIGKILL": ", as when memory runs out", "SIGSEGV": ", a crash inside a library"}.get(name, "")
    return f"by {name}{meaning}"


def last_words(observation: Observation) -> list[str]:
    """The last lines on standard error of a run that could not say how it ended."""
    if observation.record.ended not in {Ended.KILLED, Ended.STOPPED}:
        return []
    lines = [line for line in observation.record.errors.splitlines() if line.strip()]
    return [shortened(line, 2 * STOP_LENGTH) for line in lines[-LAST_WORDS:]]


def device(observation: Observation) -> str:
    return "GPU" if any("GPU" in name for name in observation.devices) else "CPU"


def circumstances(confirmation: Confirmation) -> Iterator[Remark]:
    """What the run ran with."""
    observation, options = confirmation.observation, confirmation.options
    versions = dict(observation.versions)
    if observation.python:
        versions["python"] = observation.python
    if versions:
        yield "versions", ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    fits, rows = counted(options.steps, "step"), counted(options.rows, "row")
    yield "limits", f"{fits} of each fit, {rows} of each split from the hub, {options.budget_seconds:g} s"
    yield "seed", str(options.seed)


def happenings(observation: Observation) -> Iterator[Remark]:
    """What was in the way of the run, what was put in a place, what was kept back."""
    for error in observation.errors[:STOPS_SHOWN]:
        yield "stopped", stop(error)
    if len(observation.errors) > STOPS_SHOWN:
        yield "stopped", f"{len(observation.errors) - STOPS_SHOWN} more times"
    for label, names in (
        ("stand-in", observation.stand_ins),
        ("missing", observation.missing),
        ("kept back", observation.kept_back),
        ("trouble", observation.troubles),
    ):
        for name in names[:STOPS_SHOWN]:
            yield label, shortened(name, 2 * STOP_LENGTH)
        if len(names) > STOPS_SHOWN:
            yield label, f"and {len(names) - STOPS_SHOWN} more"


def stop(error: RunError) -> str:
    where = f"{error.at[0].words}: " if error.at else ""
    said = shortened(essence(error.text), STOP_LENGTH)
    went_on = f"; the run went on {error.went_on}" if error.went_on else ""
    return f"{where}{error.type}{': ' if said else ''}{said}{went_on}"


def shortened(text: str, length: int) -> str:
    """A text of at most `length` characters, cut between two words."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    head = text[: length - 3]
    return f"{head[: head.rfind(' ')] if ' ' in head[length // 2 :] else head}..."


def title(training: ObservedTraining) -> str:
    """As "training 1, line 12: TFBertForSequenceClassification, a stand-in"."""
    kind = "training loop" if training.is_loop else "training"
    where = f", {training.at[0].words}" if training.at else ""
    name = training.said.text("model.class")
    with_stand_in = ", a stand-in" if training.stand_in else ""
    return f"{kind} {training.number}{where}{': ' if name else ''}{name}{with_stand_in}"


_REPEATED = re.compile(r"(?P<token>[\[<][^\s\[\]<>]{1,20}[\]>])(?: ?(?P=token)){3,}(?: ?[\[<][^\s\[\]<>]{0,19}$)?")


def decoded(text: object) -> str:
    """A row of tokens as text on one line; a special token that is repeated, mostly padding, is said once."""
    return _REPEATED.sub(r"\g<token> ...", str(text)).replace("\n", "\\n").replace("\t", "\\t")


def data_rows(training: ObservedTraining) -> list[tuple[str, str]]:
    """The first rows as the model gets them: text and label, empty where there is none."""
    rows = training.facts("batch").items("rows")
    return [(decoded(row.get("text", "")), _text(row.get("label"))) for row in rows if isinstance(row, dict)]


def _text(value: object) -> str:
    return "" if value is None else str(value)


LOOK = "look at"
"""The label of what a person should look at first."""


def steps_of_debugging(training: ObservedTraining) -> Iterator[Remark]:
    """What was measured of a training, in the order in which a person would look through it, what is odd first."""
    for sentence in remarks(training):
        yield LOOK, sentence
    yield from _data(training)
    for text, label in data_rows(training):
        yield "row", f'"{text}"' + (f" -> {label}" if label else "")
    yield from measurements(training)


def measurements(training: ObservedTraining) -> Iterator[Remark]:
    """The same without the data that comes in."""
    yield from _labels(training)
    yield from _forward(training)
    yield from _gradients(training)
    yield from _optimizer(training)
    yield from _one_batch(training)
    yield from _log(training)
    yield from _memory(training)
    yield from _left_undone(training)


def _data(training: ObservedTraining) -> Iterator[Remark]:
    batch, said = training.facts("batch"), training.said
    rows, batches = said.number("feed.rows"), said.number("feed.batches")
    sizes = [f"{rows:g} rows"] if rows is not None else []
    if batches is not None:
        sizes.append("1 batch" if batches == 1 else f"{batches:g} batches")
    if sizes:
        yield "data", " in ".join(sizes)
    if batch.flag("empty"):
        yield "batch", "none: the data is empty"
    elif batch.said:
        labels = batch.mapping("labels")
        beside = f"; beside them {_arrays(labels)}" if labels else "; no labels beside them"
        yield "batch", _arrays(batch.mapping("inputs")) + beside
    tokens, pads = batch.number("tokens.tokens"), batch.number("tokens.pads")
    if tokens and pads is not None:
        mask = batch.flag("tokens.mask")
        masked = "" if mask is None else " and a mask" if mask else " and no mask"
        longest = batch.number("tokens.longest")
        up_to = f", up to {longest:g} in a row" if longest else ""
        yield "tokens", f"{_share(pads / tokens)} padding{masked}{up_to}"


def _arrays(arrays: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {_shape(one.get('shape'))} {one.get('dtype') or one.get('type') or ''}".strip()
        for name, one in arrays.items()
        if isinstance(one, dict)
    )


def _shape(sides: object) -> str:
    return f"({', '.join(map(str, sides))}{',' if len(sides) == 1 else ''})" if isinstance(sides, list) else ""


def _labels(training: ObservedTraining) -> Iterator[Remark]:
    labels = training.facts("labels")
    if labels.flag("missing"):
        yield "labels", "none"
        return
    counts = labels.mapping("counts")
    lowest, highest = labels.number("min"), labels.number("max")
    if counts:
        shown = ", ".join(f"{value}: {count}" for value, count in list(counts.items())[:COUNTS_SHOWN])
        more = f" and {counted(len(counts) - COUNTS_SHOWN, 'value')} more" if len(counts) > COUNTS_SHOWN else ""
        yield "labels", f"{shown}{more}{_guessing(labels)}"
    elif lowest is not None and highest is not None:
        mean = labels.number("mean")
        yield "labels", f"from {lowest:.4g} to {highest:.4g}" + (f", {mean:.4g} on average" if mean is not None else "")
    elif labels.items("examples"):
        yield "labels", f"no numbers: {', '.join(map(repr, labels.items('examples')[:NAMES_SHOWN]))}"
    not_finite = labels.number("not_finite")
    if not_finite:
        yield "labels", f"{counted(int(not_finite), 'label')} NaN or infinite"


def _guessing(labels: Facts) -> str:
    majority, loss = labels.number("majority"), labels.number("guess_loss")
    if majority is None or loss is None:
        return ""
    return f"; always the same one is right for {_share(majority)}, guessing by these counts loses {loss:.3f}"


def _forward(training: ObservedTraining) -> Iterator[Remark]:
    forward = training.facts("forward")
    loss, chance = forward.number("loss"), forward.number("formulas.ln_classes")
    if loss is not None:
        classes = round(math.exp(chance)) if chance else 0
        against = f"; guessing among {classes} classes loses ln({classes}) = {chance:.3f}" if classes else ""
        yield "loss", f"{number(loss)} on the first batch{against}"
    left_out = training.facts("labels").number("rows_left_out")
    if left_out:
        yield "", f"without {counted(int(left_out), 'row')} whose label is no class of the head"
    shape = forward.items("outputs.shape")
    if shape:
        lowest, highest = forward.number("outputs.min"), forward.number("outputs.max")
        span = f", from {lowest:.3g} to {highest:.3g}" if lowest is not None and highest is not None else ""
        yield "outputs", f"{_shape(shape)} {forward.text('outputs.dtype')}".strip() + span


def number(value: float) -> str:
    """A loss in four decimals, or as a power of ten where these would not fit or say nothing."""
    return f"{value:.4f}" if not math.isfinite(value) or 1e-3 <= abs(value) < 1e5 or value == 0 else f"{value:.3g}"


def _share(value: float) -> str:
    """A share in percent; never 100 % or 0 % where it is not quite so."""
    percent = 100 * value
    if 99 <= percent < 100 or 0 < percent < 1:
        return f"{percent:.1f}%" if 0.1 <= percent <= 99.9 else "over 99.9%" if percent > 50 else "under 0.1%"
    return f"{percent:.0f}%"


def _gradients(training: ObservedTraining) -> Iterator[Remark]:
    gradients = gradients_of(training)
    norm, ratio = gradients.number("norm"), gradients.number("update_ratio")
    if norm is not None:
        yield "gradients", f"norm {norm:.3g}{_without(gradients)}"
    if ratio is not None:
        yield "update", f"the first step changes a weight matrix by {percent_of_weight(ratio)} at the median"


def gradients_of(training: ObservedTraining) -> Facts:
    """What is known of the gradients: measured at a fit(), or seen in a loop of the program's own."""
    return Facts(training.said.mapping("gradients")) if training.is_loop else training.facts("gradients")


def percent_of_weight(ratio: float) -> str:
    return f"{100 * ratio:.2g}%"


def _without(gradients: Facts) -> str:
    count = gradients.number("count")
    parts = [
        f"{words} {int(many)}"
        for name, words in (("missing_count", "none for"), ("zero_count", "only zeros for"))
        if (many := gradients.number(name))
    ]
    bad = len(gradients.items("not_finite"))
    if bad:
        parts.append(f"NaN or infinity for {bad}")
    return f"; {', '.join(parts)} of {counted(int(count), 'weight')}" if parts and count else ""


def _optimizer(training: ObservedTraining) -> Iterator[Remark]:
    said = training.said
    rate, name = said.number("optimizer.learning_rate"), said.text("optimizer.class")
    if not name:
        return
    along = f", learning rate {rate:g}" if rate is not None else ""
    schedule, steps = said.text("optimizer.schedule"), said.number("total_steps")
    last = said.number("optimizer.rates.end")
    if schedule and last is not None and steps is not None:
        along += f", by {schedule} {last:g} at the last of {counted(int(steps), 'step')}"
    elif schedule:
        along += f" at the start of {schedule}"
    yield "optimizer", f"{name}{along}"


TRIES = (("own", "the program's optimizer"), ("safe", "a safe optimizer"))
"""The two tries at learning one batch by heart."""


def _memory(training: ObservedTraining) -> Iterator[Remark]:
    memory = training.facts("memory")
    parts = [
        f"{_size(size)} {words}"
        for name, words in (("weights", "of weights"), ("gradients", "gradients"), ("optimizer", "for the optimizer"))
        if (size := memory.number(name))
    ]
    peak, total = memory.number("gpu.peak"), memory.number("gpu.total")
    if peak:
        parts.append(f"at most {_size(peak)} in use on the GPU" + (f" of {_size(total)}" if total else ""))
    if parts:
        yield "memory", ", ".join(parts)
    each, largest = memory.number("activations.per_row"), largest_batch(training)
    if each:
        how = "measured" if memory.mapping("gpu") else "estimated from the graph of a step"
        batch = f"; {_fitting(largest)}" if largest is not None else ""
        yield "", f"about {_size(each)} of activations for each row like the first ones, {how}{batch}"


def _fitting(largest: LargestBatch) -> str:
    where = "the GPU has" if largest.on_gpu else "are free on this machine, which shows no GPU"
    there = f"{where} {_size(largest.room)}" if largest.on_gpu else f"{_size(largest.room)} {where}"
    if not largest.rows:
        return f"not one row fits: {there}"
    least = "at least " if largest.rows == LARGEST_SAID else ""
    return f"batches of {least}{largest.rows} rows fit: {there}"


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def _one_batch(training: ObservedTraining) -> Iterator[Remark]:
    overfit = training.facts("overfit")
    for name, words in TRIES:
        losses = numbers(overfit.items(f"{name}.losses"))
        if not losses:
            continue
        right = overfit.number(f"{name}.right")
        judged = f", {_share(right)} of its labels right" if right is not None else ""
        went = f"{number(losses[0])} to {number(losses[-1])} in {len(losses)} steps"
        only = f"{number(losses[0])} at the first step{', no time for more' if math.isfinite(losses[0]) else ''}"
        yield "one batch", f"{words}: loss {went if len(losses) > 1 else only}{judged}"


def numbers(values: Sequence[object]) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float)]


def _log(training: ObservedTraining) -> Iterator[Remark]:
    last = {name: numbers(values)[-1:] for name, values in training.log.items()}
    shown = ", ".join(f"{name} {number(value[0])}" for name, value in last.items() if value)
    if shown:
        yield "fit", f"after these few steps {shown}"


def _left_undone(training: ObservedTraining) -> Iterator[Remark]:
    if training.skipped:
        yield "no time", f"for the measurement of {', '.join(sorted(training.skipped))}"
    for probe, why in training.failed.items():
        yield "failed", f"the measurement of {probe}: {shortened(essence(why), STOP_LENGTH)}"
