"""What the stand-ins know, without the libraries: the tables, the rows of data sets, the vocabularies, the caches."""

from __future__ import annotations

import importlib
import itertools
import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from tflint_hf.knowledge.checkpoints import checkpoint
from tflint_hf.knowledge.datasets import dataset
from tflint_hf.knowledge.models import Task, tf_class, tf_class_names
from tflint_hf.knowledge.tables import rules_folder, table

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "tflint_hf.dynamic.agent.stand_ins."
knowledge: Any = importlib.import_module(PACKAGE + "knowledge").Knowledge(str(rules_folder() / "knowledge"))
presence: Any = importlib.import_module(PACKAGE + "presence")
rows: Any = importlib.import_module(PACKAGE + "rows")
words: Any = importlib.import_module(PACKAGE + "words")
vocabularies: Any = importlib.import_module(PACKAGE + "vocabularies")
data_sets: Any = importlib.import_module(PACKAGE + "data_sets")

OF_PARTS = {"dpr", "encoder_decoder", "idefics", "rag", "sam", "vision_encoder_decoder", "vision_text_dual_encoder"}
"""Families that no checkpoint is a model of by itself."""
MODEL_TYPES = {"data2vec": "data2vec-vision", "openai": "openai-gpt", "vit_mae": "vit_mae"}
UNDERSCORED = {"speech_to_text"}


@pytest.mark.parametrize("name", [*table("checkpoints")["checkpoints"], "bert-base-cased", "me/my-roberta", "unknown"])
def test_the_agent_reads_the_id_of_a_checkpoint_as_the_rules_do(name: str) -> None:
    told, known = knowledge.checkpoint(name), checkpoint(name)
    assert told["family"] == known.family
    assert told["cased"] == known.cased
    assert told["head_labels"] == known.head_labels
    assert told["head_task"] == (known.head_task.value if known.head_task else None)


def test_each_family_with_a_tf_class_has_a_record() -> None:
    families = {record.family for record in map(tf_class, tf_class_names()) if record and record.task is not Task.OTHER}
    types = {
        MODEL_TYPES.get(family, family if family in UNDERSCORED else family.replace("_", "-"))
        for family in families - OF_PARTS
        if family
    }
    assert sorted(types - set(table("families"))) == []


def test_each_family_has_a_style_or_says_that_it_has_none() -> None:
    styles = importlib.import_module(PACKAGE + "tokenizer_styles").STYLES
    for family, record in table("families").items():
        assert record.get("tokenizer", "bert") in styles, family
        assert "tokenizer" not in record or {"vocabulary", "max_length"} <= set(record), family


def test_the_agent_finds_data_sets_as_the_rules_do() -> None:
    for name, record in table("datasets").items():
        for config in record.get("configs", {None: {}}):
            told, known = knowledge.dataset(name, config), dataset(name, config)
            assert known is not None
            assert tuple(told.get("columns", ())) == known.columns
            assert told.get("label") == known.label_column
    assert knowledge.dataset("imdb", None)["id"] == "stanfordnlp/imdb"
    assert knowledge.dataset("glue", "nothing") is None
    assert knowledge.dataset("nobody/rows", None) is None


def _made(name: str, config: str | None, split: str, amount: int) -> tuple[dict[str, Any], dict[str, Any]]:
    record = knowledge.dataset(name, config)
    made: dict[str, Any] = rows.Rows(record, split, amount, {"languages": ["de", "en"]}).columns()
    return record, made


def test_rows_hold_all_columns_and_are_the_same_each_time() -> None:
    for name, record in table("datasets").items():
        for config in itertools.islice(record.get("configs", {None: {}}), 2):
            if not knowledge.dataset(name, config).get("columns"):
                continue
            known, made = _made(name, config, "train", 12)
            assert list(made) == known["columns"]
            assert {len(column) for column in made.values()} == {12}
            assert made == _made(name, config, "train", 12)[1]


def test_the_text_tells_of_the_label() -> None:
    _, made = _made("imdb", None, "train", 40)
    assert made["label"] == sorted(made["label"])
    for text, label in zip(made["text"], made["label"], strict=True):
        found = set(text.lower().replace(".", "").replace(",", "").replace("!", "").split())
        assert found & set(words.class_words(label))
    assert len({word for label in range(100) for word in words.class_words(label)}) == 800


def test_long_reviews_are_longer_than_the_models_take() -> None:
    lengths = sorted(len(text.split()) for text in _made("imdb", None, "train", 256)[1]["text"])
    assert lengths[-3] > 512
    assert lengths[128] < 300
    assert lengths[3] < 100


def test_names_of_tags_begin_before_they_go_on() -> None:
    record, made = _made("conll2003", None, "train", 60)
    names = record["names"]
    seen = set()
    for tokens, tags in zip(made["tokens"], made["ner_tags"], strict=True):
        assert len(tokens) == len(tags)
        for before, tag in zip([0, *tags], tags, strict=False):
            seen.add(tag)
            if names[tag].startswith("I-"):
                assert names[before][2:] == names[tag][2:]
    assert seen == set(range(len(names)))


def test_ranges_apart_stay_apart_and_stay_in_the_data() -> None:
    for record in (None, knowledge.dataset("imdb", None)):
        first, second = (data_sets.fewer(part, 200, record) for part in (range(5000), range(5000, 9000)))
        assert len(first) > 50
        assert second
        assert not set(first) & set(second)
        assert max(first + second) < 200
    assert max(data_sets.fewer(range(1000), 200, knowledge.dataset("imdb", None))) < 100


@pytest.mark.parametrize(("size", "lower"), [(3815, True), (3624, False), (15000, False)])
def test_vocabularies_have_the_size_they_must(size: int, lower: bool) -> None:
    first = ["[PAD]", *[None] * 99, "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens = vocabularies.word_pieces(size, first, [], lower, False)
    assert len(tokens) == len(set(tokens)) == size
    assert tokens.index("[CLS]") == 101
    assert {"the", "movie", "##e"} <= set(tokens)
    assert ("The" in tokens) is not lower
    pieces = vocabularies.unigram_pieces(size, ["<pad>", "<unk>"], ["<mask>"], lower, False)
    assert len({piece for piece, _ in pieces}) == len(pieces) == size
    assert pieces[-1] == ("<mask>", 0.0)


def test_words_repeat_with_the_same_seed() -> None:
    first, second = (words.Writer(random.Random(3)).text(50, 1) for _ in range(2))
    assert first == second


def test_a_checkpoint_is_here_only_with_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRANSFORMERS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_DATASETS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    snapshot = tmp_path / "hub" / "models--org--name" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    assert not presence.checkpoint_is_cached("org/name")
    (snapshot / "tf_model.h5").write_text("")
    assert presence.checkpoint_is_cached("org/name")
    assert not presence.checkpoint_is_cached("org/other")
    old = tmp_path / "transformers"
    old.mkdir()
    for number, file in enumerate(("config.json", "tf_model.h5")):
        address = {"url": f"https://huggingface.co/old/resolve/main/{file}", "etag": "x"}
        (old / f"{number}.json").write_text(json.dumps(address))
    assert presence.checkpoint_is_cached("old")
    assert not presence.dataset_is_cached("org/rows")
    prepared = tmp_path / "datasets" / "org___rows" / "default"
    prepared.mkdir(parents=True)
    assert presence.dataset_is_cached("org/rows")
