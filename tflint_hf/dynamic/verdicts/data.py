"""The data as it enters the model: shapes, keys, masks, order."""

from __future__ import annotations

from tflint_hf.dynamic.record import Facts
from tflint_hf.dynamic.verdicts.probe import Measured, Scene, confirmed, on_made_up_data, probe, refuted, undecided

SORTED = 0.5
"""Labels that change less often than this part of what chance gives come in runs."""
PAD_CHANGE = 1e-3
MOSTLY = 0.5
"""More padding than this costs more than the texts themselves."""


@probe("batch-rank", "batch")
def batch_rank(scene: Scene) -> Measured | None:
    """The number of dimensions of the token ids or images: rows without a batch, or batches of batches."""
    inputs = scene.training.facts("batch").mapping("inputs")
    for name, wanted in (("input_ids", 2), ("pixel_values", 4)):
        facts = inputs.get(name)
        if not isinstance(facts, dict) or not isinstance(facts.get("shape"), list):
            continue
        shape = facts["shape"]
        shown = f"{name} of an element has the shape {tuple(shape)}"
        if len(shape) < wanted:
            return confirmed(f"{shown}: a single row, no batch")
        if len(shape) > wanted:
            return confirmed(f"{shown}: a batch of batches")
        if scene.finding.code == "TFD027" and scene.finding.message.startswith("padding"):
            return undecided(f"{shown}; whether the map or a collator has padded them no number shows")
        return refuted(f"{shown}: a batch of rows")
    return None


@probe("batch-keys", "batch")
def batch_keys(scene: Scene) -> Measured | None:
    """Which array is taken for what."""
    batch = scene.training.facts("batch")
    inputs = batch.mapping("inputs")
    if not inputs:
        return None
    if scene.finding.code == "TFL026":
        labels = list(batch.mapping("labels").values())
        mask_like = bool(labels) and labels[0].get("min", -1) >= 0 and labels[0].get("max", 2) <= 1
        ids: dict[str, object] = next(iter(inputs.values()), {})
        if batch.flag("weights") and mask_like and labels[0].get("shape") == ids.get("shape"):
            return confirmed("the second part of a batch holds a 0 or 1 for each token: the mask stands for the labels")
        return refuted("the second part of a batch is no mask") if labels else None
    structure = batch.text("structure")
    if structure in {"list", "tuple"}:
        mask = inputs.get("attention_mask")
        if isinstance(mask, dict) and (mask.get("max") or 0) > 1:
            return confirmed(f"what the model takes for its attention_mask goes up to {mask['max']:g}")
        return undecided(f"the inputs come as a {structure} and are taken for {', '.join(inputs)}")
    return refuted("the inputs come by name")


LABEL_KEYS = frozenset({"labels", "label", "label_ids", "start_positions", "end_positions", "next_sentence_label"})


@probe("input-keys", "batch")
def input_keys(scene: Scene) -> Measured | None:
    """Whether a batch holds what the model takes: the segment ids of pairs, and nothing that it does not know."""
    batch = scene.training.facts("batch")
    inputs = batch.mapping("inputs")
    if not inputs:
        return None
    keys = ", ".join(inputs)
    if scene.finding.code == "TFD012":
        takes = batch.items("takes")
        strange = [key for key in inputs if key not in takes and key not in LABEL_KEYS]
        if strange and takes and batch.text("structure") not in {"list", "tuple"}:
            return confirmed(
                f"a batch holds {keys}, and {scene.training.said.text('model.class')} takes no {strange[0]}"
            )
        return refuted(f"the model takes all that a batch holds: {keys}")
    segments = scene.training.said.number("model.config.type_vocab_size") or 0
    if "token_type_ids" not in inputs and segments > 1:
        return confirmed(
            f"a batch holds {keys}; the model has {segments:g} kinds of segments and takes all for the first"
        )
    return refuted("a batch holds token_type_ids") if "token_type_ids" in inputs else None


@probe("padding-attended", "batch", "padding")
def padding_attended(scene: Scene) -> Measured | None:
    """How much padding the model reads as words."""
    tokens, padding = scene.training.facts("batch"), scene.training.facts("padding")
    pads, every, mask = tokens.number("tokens.pads"), tokens.number("tokens.tokens"), tokens.flag("tokens.mask")
    if pads is None or not every or mask is None:
        return None
    if mask:
        return refuted("the batches hold an attention_mask")
    if not pads:
        return refuted("there is no padding in the batches that were looked at")
    text = f"{pads / every:.0%} of the tokens are padding, and no mask says so"
    change = padding.number("change")
    if change is not None and change > PAD_CHANGE:
        text += f"; {padding.number('added') or 0:g} more pads move the outputs by up to {change:.3f}"
    return confirmed(text, padding_share=pads / every)


@probe("mask-without-effect", "mask")
def mask_without_effect(scene: Scene) -> Measured | None:
    """Whether the outputs change when half of the tokens are masked out."""
    mask = scene.training.facts("mask")
    change, name = mask.number("change"), mask.text("input")
    if change is None:
        return None
    if change == 0.0:
        return confirmed(f"with half of {name} set to 0 the outputs stay the same: nothing reads it")
    return refuted(f"with half of {name} set to 0 the outputs change by {change:.3g}", change=change)


@probe("vocabulary-range", "batch")
def vocabulary_range(scene: Scene) -> Measured | None:
    """The highest token id against the embedding."""
    highest = scene.training.facts("batch").number("tokens.highest")
    size = scene.training.said.number("model.config.vocab_size")
    if highest is None or size is None:
        return None
    if highest >= size:
        text = f"token ids go up to {highest:g}, the model knows {size:g} tokens"
        return confirmed(text, highest=highest, vocabulary=size)
    tokens = scene.training.facts("batch").number("tokens.tokenizer_size")
    if tokens is not None and tokens > size:
        text = f"the tokenizer has {tokens:g} tokens, the model knows {size:g}: {tokens - size:g} are strange to it"
        return confirmed(text, tokens=tokens, vocabulary=size)
    return undecided(f"all token ids lie below {size:g}; whether they mean the same words no number shows")


@probe("sequence-length", "batch")
def sequence_length(scene: Scene) -> Measured | None:
    """The longest row against the positions of the model."""
    longest = scene.training.facts("batch").number("tokens.longest")
    limit = positions(scene)
    if longest is None or limit is None:
        return None
    text = f"the longest row that was looked at has {longest:g} tokens, the model {limit:g} positions"
    numbers = {"longest": longest, "positions": limit}
    if longest > limit:
        return confirmed(text, **numbers)
    return undecided(f"{text}; other rows may be longer", **numbers)


FIRST_POSITIONS_UNUSED = frozenset(
    {"roberta", "xlm-roberta", "camembert", "longformer", "roberta-prelayernorm", "mpnet", "led", "layoutlmv3"}
)
"""Models that count positions from the number after that of the padding token."""


def positions(scene: Scene) -> float | None:
    """How many tokens the model of a training has positions for; None where that is not known or has no end."""
    said = scene.training.said
    limit = said.number("model.config.max_position_embeddings") or said.number("model.config.n_positions")
    if limit is None or limit <= 0:
        return None
    if said.text("model.config.model_type") in FIRST_POSITIONS_UNUSED:
        return limit - (said.number("model.config.pad_token_id") or 0) - 1
    return limit


@probe("padding-share", "batch")
def padding_share(scene: Scene) -> Measured | None:
    """How much of what the model computes is padding."""
    facts = scene.training.facts("batch")
    pads, every, longest = (facts.number(f"tokens.{name}") for name in ("pads", "tokens", "longest"))
    if pads is None or not every or longest is None:
        return None
    share = pads / every
    text = f"rows are {longest:g} tokens long, and {share:.0%} of these are padding"
    if on_made_up_data(scene):
        text += ", with the texts of a stand-in for the data set"
    if share > MOSTLY:
        return confirmed(text, padding_share=share) if not on_made_up_data(scene) else undecided(text, share=share)
    return refuted(text, padding_share=share)


@probe("evaluation-order", "order")
def evaluation_order(scene: Scene) -> Measured | None:
    """Two passes over the evaluation data, and its first rows against those of the data set that it is made of."""
    passes = [moment.said.flag("same_order_twice") for moment in scene.moments]
    passes.append(scene.training.facts("order").flag("validation.same_order_twice"))
    source = [moment.said.flag("order_of_source") for moment in scene.moments]
    if False in passes:
        return confirmed("two passes over this data give its rows in different orders")
    if False in source:
        return confirmed("the first batch does not hold the first rows of the data set that it is made of")
    if True not in passes:
        return None
    if True in source:
        return refuted("two passes over this data give its rows in the order of the data set that it is made of")
    return undecided("two passes over this data give the same order; whether it is that of the labels was not seen")


@probe("label-order", "order")
def label_order(scene: Scene) -> Measured | None:
    """Whether two epochs of training would see the same rows in the same order, or in the same batches."""
    order = scene.training.facts("order")
    same = order.flag("train.same_order_twice")
    if same is None:
        return None
    if scene.finding.code == "TFD019":
        return _same_batches(order)
    if not same:
        return refuted("a second pass over the training data gives another order")
    changes, expected = order.number("train.label_changes"), order.number("train.label_changes_expected")
    text = "two passes over the training data give the same order"
    if changes is not None and expected and changes < SORTED * expected:
        text += f", and its labels come in runs: {changes:g} changes where a mixed order has {expected:.0f}"
    return confirmed(text)


def _same_batches(order: Facts) -> Measured | None:
    """Batches that hold the same rows in two passes, however the batches are ordered."""
    rows, batches, common, repeated = (
        order.number(f"train.{name}") for name in ("rows", "batches", "common_batches", "repeated_rows")
    )
    if not rows or not batches or common is None or rows == batches or (repeated or 0) > rows / 2:
        return None
    if common and not order.flag("train.same_order_twice"):
        return confirmed(
            f"{common:g} of {batches:g} batches of a second pass hold the very rows of one of the first pass"
        )
    if common == 0 and order.flag("train.whole"):
        return refuted(f"none of {batches:g} batches of a second pass holds the rows of one of the first pass")
    return None


SCORED = "scored in the end"
"""Of findings on held back rows, those that say that the same rows choose the model and score it."""


@probe("split-overlap", "order")
def split_overlap(scene: Scene) -> Measured | None:
    """Whether the rows that are held back stay the same ones, and whether training sees them."""
    order = scene.training.facts("order")
    facts = [moment.said for moment in scene.moments if moment.said.get("other_rows") is not None]
    held = order.mapping("validation")
    if held:
        facts.append(Facts(held))
    for said in facts:
        rows, other = said.number("rows"), said.number("other_rows")
        if rows and other and said.flag("whole"):
            text = f"a second pass over the data held back gives {other:g} rows of {rows:g} that the first pass did not"
            return confirmed(text, other=other, rows=rows)
    shared, rows, repeated = order.number("shared_rows"), order.number("validation_rows"), held.get("repeated_rows")
    if shared and rows and not repeated and not order.number("train.repeated_rows"):
        text = f"{shared:g} of {rows:g} validation rows are among those trained on"
        return confirmed(text, shared=shared, rows=rows)
    whole = [said for said in facts if said.flag("whole")]
    if scene.finding.code == "TFE011":
        if SCORED in scene.finding.message:
            return undecided("that the rows held back are also those that are scored in the end no number shows")
        if whole and shared == 0 and order.flag("train.whole"):
            return refuted(f"none of {rows or 0:g} validation rows is among those trained on")
        return None
    if whole and not shared:
        return refuted(f"two passes over the data held back give the same {whole[0].number('rows') or 0:g} rows")
    return None


@probe("dataset-size", "batch")
def dataset_size(scene: Scene) -> Measured | None:
    """The steps that fit() asks for against the batches that there are."""
    said = scene.training.said
    batches, per_epoch, epochs = (said.number(name) for name in ("feed.batches", "steps_per_epoch", "epochs"))
    if said.flag("validation.infinite") and said.get("validation_steps") is None:
        return confirmed("the validation data never ends, and fit() is not told after how many steps to stop")
    if said.flag("feed.infinite"):
        if per_epoch is None:
            return confirmed("the data never ends, and fit() is not told when an epoch does")
        return refuted(f"the data never ends, an epoch is {per_epoch:g} steps")
    if batches is None or per_epoch is None or epochs is None:
        return None
    wanted = per_epoch * epochs
    text = f"fit() asks for {epochs:g} times {per_epoch:g} batches, the data has {batches:g}"
    rows = scene.training.facts("batch").number("rows_of_batch") or 1
    if rows > 1 and (batches - 1) * rows < per_epoch <= batches * rows:
        return confirmed(f"{text}: {per_epoch:g} is the number of rows", wanted=wanted, batches=batches)
    if on_made_up_data(scene):
        return undecided(f"{text}, on a stand-in for the data set, which has fewer rows than the real one")
    return confirmed(text, wanted=wanted, batches=batches) if wanted > batches else refuted(text)


@probe("distinct-shapes", "batch")
def distinct_shapes(scene: Scene) -> Measured | None:
    """The shapes for each of which XLA compiles the model anew."""
    shapes = scene.training.facts("batch").number("tokens.shapes")
    if shapes is None:
        return None
    if shapes > 1:
        return confirmed(
            f"the batches that were looked at have {shapes:g} shapes: each is compiled anew", shapes=shapes
        )
    return undecided("the batches that were looked at have one shape")


@probe("collator-tensors")
def collator_tensors(scene: Scene) -> Measured | None:
    """What the collator was told to return."""
    for moment in scene.moments:
        name, told = moment.said.text("collator"), moment.said.text("return_tensors")
        if told == "pt":
            return confirmed(
                f'{name} has return_tensors="pt": it makes PyTorch tensors, or stops where there is no PyTorch'
            )
        if told:
            return refuted(f'{name} has return_tensors="{told}"')
    return None


OF_LENGTHS = frozenset({"TFD014", "TFD023", "TFD029"})
"""Rules on rows that differ in length: where those at hand do not, nothing is known of the others."""
SEVERAL = 2


@probe("first-batch", "batch")
def first_batch(scene: Scene) -> Measured | None:
    """Whether fit() came through its first steps."""
    training = scene.training
    if scene.finding.code == "TFD036":
        longest = training.facts("batch").number("tokens.longest")
        limit = positions(scene)
        if longest is None or limit is None:
            return None
        text = f"the longest row has {longest:g} tokens, the model {limit:g} positions"
        return confirmed(text, longest=longest, positions=limit) if longest > limit else undecided(text)
    repaired = any(e.went_on and any(f.touches(scene.finding.location) for f in e.at) for e in scene.observation.errors)
    if not training.log or repaired:
        return None
    if scene.finding.code in OF_LENGTHS and (training.facts("batch").number("tokens.shapes") or 0) < SEVERAL:
        return undecided("fit() trained on the batches that were looked at, whose rows all have the same length")
    return refuted("fit() made its batches and trained on them")


@probe("callback-monitor")
def callback_monitor(scene: Scene) -> Measured | None:
    """What the callbacks follow against what fit() wrote into its log."""
    said, log = scene.training.said, scene.training.log
    callbacks = [one for one in said.items("callbacks") if isinstance(one, dict)]
    followers = [(i, one) for i, one in enumerate(callbacks) if one.get("monitor")]
    if not followers or not log:
        return None
    if scene.finding.code == "TFE007":
        makers = [i for i, one in enumerate(callbacks) if one.get("class") == "KerasMetricCallback"]
        if makers and followers[0][0] < makers[0]:
            return confirmed(f"{followers[0][1]['class']} is called before KerasMetricCallback has computed its metric")
        return refuted("the metric is computed before the callback that follows it is called") if makers else None
    unknown = [one for _, one in followers if one["monitor"] not in log]
    if unknown:
        return confirmed(f"{unknown[0]['class']} follows {unknown[0]['monitor']}, fit() wrote {', '.join(log)}")
    return refuted(f"fit() wrote {', '.join(log)}")
