"""Labels against the head: their range, their kind, how they reach the model."""

from __future__ import annotations

from tflint_hf.dynamic.verdicts.probe import Measured, Scene, confirmed, probe, refuted, undecided


@probe("label-range", "labels", "forward")
def label_range(scene: Scene) -> Measured | None:
    """The labels of the run against the number of outputs; read on the host, for a GPU says nothing."""
    training = scene.training
    labels, forward = training.facts("labels"), training.facts("forward")
    lowest, highest = labels.number("min"), labels.number("max")
    if lowest is None or highest is None:
        return None
    shape = forward.items("outputs.shape")
    classes = float(shape[-1]) if len(shape) > 1 else training.said.number("model.config.num_labels")
    if classes is None:
        return None
    outputs = f"{classes:g} output" + ("" if classes == 1 else "s")
    text = f"the labels of the run go from {lowest:g} to {highest:g}, the model has {outputs}"
    numbers = {"lowest": lowest, "highest": highest, "classes": classes}
    if not labels.flag("whole"):
        return confirmed(f"{text}: they are no class ids", **numbers) if classes > 1 else None
    ignored = (labels.number("ignored") or 0) / (labels.number("count") or 1)
    if scene.finding.code == "TFL011":
        return _ignored(ignored, lowest)
    distinct = int(labels.number("distinct") or 0)
    if classes < 2:
        return confirmed(f"{text}, and {distinct} different labels", **numbers) if distinct > 1 else None
    if highest >= classes or lowest < 0:
        return confirmed(text, **numbers)
    if distinct < classes and training.said.number("feed.rows") is None:
        return undecided(f"{text}; the batches that were looked at hold {distinct} classes", **numbers)
    return refuted(text, **numbers)


def _ignored(share: float, lowest: float) -> Measured:
    if share or lowest < 0:
        shown = f"{share:.0%} of the labels are -100" if share else f"labels go down to {lowest:g}"
        return confirmed(f"{shown}, which the loss given to compile() takes for a class")
    return undecided("no label of the batches that were looked at is below 0")


@probe("label-rank", "labels", "forward")
def label_rank(scene: Scene) -> Measured | None:
    """Class ids or one-hot rows, against the loss."""
    labels = scene.training.facts("labels")
    shape = labels.items("shape")
    outputs = scene.training.facts("forward").items("outputs.shape")
    if not shape:
        return None
    rows = f"the labels have the shape {tuple(shape)}"
    if scene.finding.code == "TFL015":
        if labels.flag("one_hot"):
            return confirmed(f"{rows} and are one-hot rows, for a loss that takes class ids")
        return refuted(f"{rows} and are no one-hot rows")
    if scene.finding.code == "TFL016":
        if len(shape) == 1 or shape[-1] == 1:
            return confirmed(f"{rows} and hold class ids, for a loss that takes a row of numbers for each example")
        return refuted(f"{rows}, one number for each output")
    if scene.finding.code == "TFL014" and outputs:
        if labels.flag("multi_hot") and list(shape[1:]) == list(outputs[1:]):
            several = [value for value in labels.items("row_sums") if value != 1]
            if several:
                return confirmed(f"{rows} with several labels in a row, and the loss takes one of them for each row")
        return undecided(rows)
    return None


@probe("label-dtype", "labels")
def label_dtype(scene: Scene) -> Measured | None:
    """Numbers or text."""
    labels = scene.training.facts("labels")
    kind = labels.text("dtype")
    if not kind:
        return None
    examples = labels.items("examples")
    if examples:
        return confirmed(f"the labels are text: {', '.join(repr(one) for one in examples[:3])}")
    return refuted(f"the labels are numbers ({kind})")


@probe("label-key", "batch")
def label_key(scene: Scene) -> Measured | None:
    """Whether a batch holds labels at all, beside the inputs or among them."""
    batch = scene.training.facts("batch")
    if not batch.said:
        return None
    keys, beside = batch.items("label_keys"), batch.mapping("labels")
    inputs = ", ".join(batch.mapping("inputs"))
    if not keys and not beside:
        return confirmed(f"a batch holds {inputs}, and no labels beside them")
    return refuted("a batch holds labels " + ("beside the inputs" if beside else f"among the inputs, as {keys[0]}"))


@probe("label-placement", "batch")
def label_placement(scene: Scene) -> Measured | None:
    """Labels among the inputs, where a loss or weights of Keras do not find them."""
    batch = scene.training.facts("batch")
    keys, beside = batch.items("label_keys"), batch.mapping("labels")
    if not batch.said:
        return None
    if keys and not beside:
        loss = scene.training.said.text("compiled.loss.name") or "the loss given to compile()"
        return confirmed(f"the only labels of a batch are among its inputs, as {keys[0]}, where {loss} gets none")
    return refuted("the labels stand beside the inputs") if beside else None


@probe("label-padding", "labels")
def label_padding(scene: Scene) -> Measured | None:
    """How many of the labels are padding that the loss counts."""
    labels = scene.training.facts("labels")
    pads, count, ignored = (labels.number(name) for name in ("equal_to_pad", "count", "ignored"))
    if pads is None or not count:
        return None
    if pads and not ignored:
        share = pads / count
        return confirmed(f"{share:.0%} of the labels are the padding token, and each counts as a word", share=share)
    return refuted("no label is the padding token" if not pads else "padding in the labels is ignored")


@probe("masked-accuracy", "labels")
def masked_accuracy(scene: Scene) -> Measured | None:
    """The share of labels that no prediction can hit."""
    labels = scene.training.facts("labels")
    ignored, count = labels.number("ignored"), labels.number("count")
    if ignored is None or not count:
        return None
    if ignored:
        share = ignored / count
        text = f"{share:.0%} of the labels are -100, which no prediction hits: the accuracy cannot pass {1 - share:.0%}"
        return confirmed(text, ignored_share=share)
    same = labels.number("same_as_ids")
    if same is not None and same > 0.99:
        return confirmed("the labels are the token ids of the same place, and the outputs speak of the next one")
    return refuted("no label is -100")


@probe("metric-shapes", "labels", "forward")
def metric_shapes(scene: Scene) -> Measured | None:
    """One class id a row, for a metric that compares it with each of several outputs."""
    shape = scene.training.facts("labels").items("shape")
    outputs = scene.training.facts("forward").items("outputs.shape")
    if not shape or len(outputs) < 2:
        return None
    rows = f"a batch of {outputs[0]} rows has labels of the shape {tuple(shape)} and outputs of the shape"
    text = f"{rows} {tuple(outputs)}"
    if shape == outputs:
        return refuted(text)
    if outputs[-1] < 2 or shape not in (outputs[:-1], [*outputs[:-1], 1]):
        return None
    log = scene.training.log
    wrote = [f"{name} {values[0]:.3g}" for name, values in log.items() if values and not name.endswith("loss")]
    shown = f"; fit() wrote {', '.join(wrote)}" if wrote else ""
    return confirmed(f"{text}, which the metric compares number by number{shown}", outputs=outputs[-1])
