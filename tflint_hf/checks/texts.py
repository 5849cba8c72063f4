"""What a tokenizer, from_tensor_slices and fit() get, and what the tokenizer gives."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AddArgument, PlannedFix, RemoveArgument, Replace
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import RowsGiven, SplitNeeded, WordsGiven
from tflint_hf.trace.objects import ABSENT, UNKNOWN, Encoding, Holder
from tflint_hf.trace.views import FeedUse, Trace


@check("TFD025")
def lazy_column(given: RowsGiven, target: Target) -> Iterator[Fault]:
    """A column of a data set is handed over as it is, where a list or an array is needed."""
    lazy = {"datasets": ">=4"}
    taken = given.taken
    if given.holder is not Holder.COLUMN or taken is None or not target.satisfies(lazy):
        return
    fix = None
    if given.use != "fit" and not taken.spelling.endswith("..."):
        edit = Replace(taken.place, f"list({taken.spelling})")
        fix = PlannedFix(Safety.SAFE, "Make the column a list", (edit,))
    yield Fault(
        taken.place,
        {"use": given.use, "column": taken.column, "dataset": taken.of},
        related=((given.place, "it is handed over here"),),
        fix=fix,
        rests_on=lazy,
    )


@check("TFD026")
def series_as_texts(given: RowsGiven) -> Iterator[Fault]:
    """A tokenizer gets a series or an array."""
    if not given.as_texts or given.holder not in {Holder.SERIES, Holder.ARRAY}:
        return
    fix = None
    if given.spelling and not given.spelling.endswith("..."):
        edit = Replace(given.place, f"{given.spelling}.tolist()")
        fix = PlannedFix(Safety.SAFE, "Make it a list", (edit,))
    yield Fault(given.place, {"argument": given.spelling or "texts", "kind": given.holder.value}, fix=fix)


def _pads_to_longest(encoding: Encoding) -> bool:
    return encoding.site.literals.get("padding") in (True, "longest")


@check("TFD024")
def dataset_dict_instead_of_split(needed: SplitNeeded) -> Iterator[Fault]:
    """A dictionary of splits is used as if it were one of them."""
    on_a_branch = Severity.INFO if needed.guards else None
    yield Fault(needed.place, {"use": needed.use, "dataset": needed.spelling}, severity=on_a_branch)


@check("TFD027")
def unbatched_tokenizer_map(use: FeedUse) -> Iterator[Fault]:
    """Rows that a tokenizer made one by one as tensors, or "padded" one by one, reach a feed as they are."""
    feed = use.made
    ids = (feed.source.columns or {}).get("input_ids") if feed.source is not None else None
    encoding = ids.encoding if ids is not None else None
    own_collator = feed.collator is UNKNOWN
    if ids is None or encoding is None or not encoding.single or not use.used or use.feed.mapped or own_collator:
        return
    if isinstance(encoding.return_tensors, str):
        place = encoding.site.values.get("return_tensors", encoding.site.callee)
        fix = None
        argument = encoding.site.arguments.get("return_tensors")
        if argument is not None:
            remove = RemoveArgument(encoding.site.place, argument)
            fix = PlannedFix(Safety.SAFE, "Leave the tensors to the collator", (remove,))
        consequence = "each row becomes a tensor of shape (1, n), and a batch (rows, 1, n)"
        yield Fault(place, {"argument": "return_tensors=", "consequence": consequence}, fix=fix)
    elif encoding.return_tensors is ABSENT and encoding.texts.many is False and _pads_to_longest(encoding):
        place = encoding.site.values.get("padding", encoding.site.callee)
        consequence = "a row is padded to its own length, that is not at all"
        yield Fault(place, {"argument": "padding=", "consequence": consequence}, severity=Severity.INFO)


@check("TFD028")
def unaligned_word_labels(trace: Trace) -> Iterator[Fault]:
    """Words that are taken for texts, or tags of words that are taken for labels of tokens."""
    for given in trace.of(WordsGiven):
        if given.supposed and not _tags_are_lists(trace, given):
            continue
        add = AddArgument(given.site.place, "is_split_into_words=True")
        holds = "may hold" if given.supposed else "holds"
        written = {
            "rows": "the list",
            "problem": "holds rows of words, which the tokenizer takes for pairs of texts",
        }
        of_column = f"{holds} lists of words, and the tokenizer takes them for texts"
        yield Fault(
            given.place,
            {"rows": f'the column "{given.column}"', "problem": of_column} if given.column else written,
            fix=None if given.supposed else PlannedFix(Safety.SAFE, "Tell it that these are words", (add,)),
            severity=Severity.INFO if given.supposed else None,
        )
    for use in trace.of(FeedUse):
        columns = (use.made.source.columns or {}) if use.made.source is not None else {}
        ids, labels = columns.get("input_ids"), columns.get("labels")
        if ids is None or labels is None or ids.encoding is None or not use.used or use.made.collator is UNKNOWN:
            continue
        if labels.word_tags and labels.taken is not None and "is_split_into_words" in ids.encoding.site.values:
            problem = "has a tag for each word, and becomes the labels of tokens as it is"
            yield Fault(labels.taken.place, {"rows": f'the column "{labels.taken.column}"', "problem": problem})


def _tags_are_lists(trace: Trace, given: WordsGiven) -> bool:
    """Whether what a tokenizer made of a column trains tags of tokens, beside labels that are a list for each row."""
    for use in trace.of(FeedUse):
        columns = (use.made.source.columns or {}) if use.made.source is not None else {}
        ids, labels = columns.get("input_ids"), columns.get("labels")
        ours = ids is not None and ids.encoding is not None and ids.encoding.site is given.site
        tags = [m.head is not None and m.head.task is Task.TOKEN_CLASSIFICATION for m in use.trained]
        if ours and labels is not None and labels.lists and tags and all(tags):
            return True
    return False
