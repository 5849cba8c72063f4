"""The stand-ins on the real libraries: each family and head is built and run, each data set has the columns it must."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

if any(importlib.util.find_spec(name) is None for name in ("tensorflow", "transformers", "tf_keras")):
    pytest.skip("needs tensorflow, tf_keras and transformers", allow_module_level=True)

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "tflint_hf" / "dynamic" / "agent"
KNOWLEDGE = ROOT / "rules" / "knowledge"
ROWS = 60

CHECKPOINTS = {
    "albert": "albert-base-v2",
    "bart": "facebook/bart-base",
    "bert": "bert-base-uncased",
    "blenderbot": "facebook/blenderbot-400M-distill",
    "blenderbot_small": "facebook/blenderbot_small-90M",
    "camembert": "camembert-base",
    "clip": "openai/clip-vit-base-patch32",
    "convbert": "YituTech/conv-bert-base",
    "convnext": "facebook/convnext-tiny-224",
    "convnextv2": "facebook/convnextv2-tiny-1k-224",
    "ctrl": "ctrl",
    "data2vec": "facebook/data2vec-vision-base",
    "deberta": "microsoft/deberta-base",
    "deberta_v2": "microsoft/deberta-v3-small",
    "deit": "facebook/deit-base-patch16-224",
    "distilbert": "distilbert-base-uncased",
    "efficientformer": "snap-research/efficientformer-l1-300",
    "electra": "google/electra-small-discriminator",
    "esm": "facebook/esm2_t6_8M_UR50D",
    "flaubert": "flaubert/flaubert_base_cased",
    "funnel": "funnel-transformer/small",
    "gpt2": "gpt2",
    "gptj": "EleutherAI/gpt-j-6B",
    "hubert": "facebook/hubert-base-ls960",
    "layoutlm": "microsoft/layoutlm-base-uncased",
    "layoutlmv3": "microsoft/layoutlmv3-base",
    "led": "allenai/led-base-16384",
    "longformer": "allenai/longformer-base-4096",
    "marian": "Helsinki-NLP/opus-mt-en-de",
    "mbart": "facebook/mbart-large-50",
    "mistral": "mistralai/Mistral-7B-v0.1",
    "mobilebert": "google/mobilebert-uncased",
    "mobilevit": "apple/mobilevit-small",
    "mpnet": "microsoft/mpnet-base",
    "mt5": "google/mt5-small",
    "openai": "openai-gpt",
    "opt": "facebook/opt-125m",
    "pegasus": "google/pegasus-xsum",
    "regnet": "facebook/regnet-y-040",
    "rembert": "google/rembert",
    "resnet": "microsoft/resnet-50",
    "roberta": "roberta-base",
    "roberta_prelayernorm": "andreasmadsen/efficient_mlm_m0.40",
    "roformer": "junnyu/roformer_chinese_base",
    "segformer": "nvidia/mit-b0",
    "speech_to_text": "facebook/s2t-small-librispeech-asr",
    "swiftformer": "MBZUAI/swiftformer-xs",
    "swin": "microsoft/swin-tiny-patch4-window7-224",
    "t5": "t5-small",
    "tapas": "google/tapas-base",
    "transfo_xl": "transfo-xl-wt103",
    "vit": "google/vit-base-patch16-224-in21k",
    "vit_mae": "facebook/vit-mae-base",
    "wav2vec2": "facebook/wav2vec2-base",
    "whisper": "openai/whisper-tiny",
    "xglm": "facebook/xglm-564M",
    "xlm": "xlm-mlm-en-2048",
    "xlm_roberta": "xlm-roberta-base",
    "xlnet": "xlnet-base-cased",
}
FAIL_BY_THEMSELVES = {
    "TFData2VecVisionForSemanticSegmentation": "its out_indices speak of twelve layers",
    "TFFlaubertForMultipleChoice": "the library asks for initializer_range, which its configuration lacks",
    "TFFunnelForMultipleChoice": "pools the choices away",
    "TFSegformerDecodeHead": "is no model of its own",
    "TFTapasForQuestionAnswering": "needs tensorflow_probability",
    "TFXLMForMultipleChoice": "the library asks for initializer_range, which its configuration lacks",
}
"""Classes of transformers that fail with any weights, or cannot be run from a text alone."""

IMAGES = {"image_classification"}
TASKS = {
    "base",
    "causal_lm",
    "image_classification",
    "masked_lm",
    "multiple_choice",
    "question_answering",
    "seq2seq_lm",
    "sequence_classification",
    "token_classification",
}
FIRST_TASKS = ("sequence_classification", "image_classification", "seq2seq_lm", "causal_lm", "base")


def table(name: str) -> dict[str, Any]:
    records: dict[str, Any] = json.loads((KNOWLEDGE / f"{name}.json").read_text(encoding="utf-8"))
    return records


def classes() -> Iterator[Any]:
    """All classes with a head that trains; those beyond the first of a family are slow to run all together."""
    records = [(name, record) for name, record in table("tf_classes").items() if record["task"] in TASKS]
    for family, group in itertools.groupby(records, key=lambda each: each[1]["family"]):
        members = dict(group)
        tasks = {record["task"]: name for name, record in members.items()}
        first = next((tasks[task] for task in FIRST_TASKS if task in tasks), None)
        for name, record in members.items():
            if family in CHECKPOINTS and name not in FAIL_BY_THEMSELVES:
                marks = [] if name == first else [pytest.mark.slow]
                yield pytest.param(name, record["task"], CHECKPOINTS[family], id=name, marks=marks)


def datasets() -> Iterator[Any]:
    for name, record in table("datasets").items():
        for config in record.get("configs", {None: {}}):
            merged = {**record, **record.get("configs", {}).get(config, {})}
            if merged.get("columns"):
                yield pytest.param(name, config, merged, id=f"{name}-{config}")


class Agent:
    """The agent inside this interpreter, with the stand-ins alone."""

    def __init__(self, folder: Path) -> None:
        spec = importlib.util.spec_from_file_location(
            "_tflint_hf_agent", AGENT / "__init__.py", submodule_search_locations=[str(AGENT)]
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["_tflint_hf_agent"] = module
        spec.loader.exec_module(module)
        self.channel = folder / "channel.jsonl"
        job = {
            "channel": str(self.channel),
            "root": str(Path(__file__).parent),
            "budget_seconds": 3600,
            "stand_ins": "always",
            "rows": ROWS,
            "knowledge": str(KNOWLEDGE),
        }
        self.context = importlib.import_module("_tflint_hf_agent.context").Context(job)
        self.context.after_import.install()
        importlib.import_module("_tflint_hf_agent.stand_ins").install(self.context)
        self._tokenizers: dict[str, Any] = {}

    def said(self, kind: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.channel.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if line["kind"] == kind]

    def tokenizer(self, checkpoint: str) -> Any:
        """The tokenizer, None where the family has none or needs a library that is not here."""
        if checkpoint not in self._tokenizers:
            try:
                made = importlib.import_module("transformers").AutoTokenizer.from_pretrained(checkpoint)
                if made.pad_token is None:
                    made.pad_token = made.eos_token or made.unk_token
            except (ImportError, KeyError, OSError, TypeError, ValueError):
                made = None
            self._tokenizers[checkpoint] = made
        return self._tokenizers[checkpoint]


@pytest.fixture(scope="module", autouse=True)
def agent(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    return Agent(tmp_path_factory.mktemp("agent"))


@pytest.fixture(scope="module")
def transformers() -> Any:
    return importlib.import_module("transformers")


@pytest.fixture(scope="module")
def hub() -> Any:
    pytest.importorskip("datasets")
    return importlib.import_module("datasets")


@pytest.mark.parametrize(("name", "task", "checkpoint"), list(classes()))
def test_each_class_is_built_and_run_with_labels(
    name: str, task: str, checkpoint: str, agent: Agent, transformers: Any
) -> None:
    if not hasattr(transformers, name):
        pytest.skip("not in this release of transformers")
    tensorflow = importlib.import_module("tensorflow")
    importlib.import_module("tf_keras").backend.clear_session()
    try:
        model = getattr(transformers, name).from_pretrained(checkpoint)
    except NotImplementedError as error:
        pytest.skip(f"the library cannot build it: {error}")
    assert model.config.name_or_path == checkpoint
    assert sum(int(tensorflow.size(weight)) for weight in model.weights) < 3_500_000
    inputs = _inputs(model, task, agent.tokenizer(checkpoint), tensorflow)
    outputs = model(inputs, training=False)
    if task != "base" and _labelled(inputs):
        assert bool(tensorflow.reduce_all(tensorflow.math.is_finite(outputs.loss)))


def _inputs(model: Any, task: str, tokenizer: Any, tensorflow: Any) -> dict[str, Any]:
    takes = importlib.import_module("inspect").signature(model.call).parameters
    if task in IMAGES:
        edge = getattr(model.config, "image_size", None) or 224
        inputs = {"pixel_values": tensorflow.random.uniform((2, 3, edge, edge)), "labels": tensorflow.constant([0, 1])}
        return {key: value for key, value in inputs.items() if key in takes}
    if tokenizer is None or "input_ids" not in model.dummy_inputs or "bbox" in takes or "visual_feats" in takes:
        return dict(model.dummy_inputs)
    if type(tokenizer).__name__.startswith("Tapas"):
        return dict(model.dummy_inputs)
    texts = ["hello there, how are you", "the film was very good indeed and I liked it"]
    inputs = dict(tokenizer(texts, padding=True, return_tensors="tf"))
    ids = inputs["input_ids"]
    assert int(tensorflow.reduce_max(ids)) < model.config.vocab_size
    if getattr(model.config, "pad_token_id", None) is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    if task == "multiple_choice":
        inputs = {key: tensorflow.expand_dims(value, 0) for key, value in inputs.items()}
        inputs["labels"] = tensorflow.constant([1])
    elif task == "question_answering":
        inputs.update(start_positions=tensorflow.constant([1, 1]), end_positions=tensorflow.constant([2, 2]))
    elif task == "sequence_classification":
        inputs["labels"] = tensorflow.constant([0, 1])
    elif task == "token_classification":
        inputs["labels"] = tensorflow.zeros_like(ids)
    elif task != "base":
        inputs["labels"] = ids
    elif model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids
    return {key: value for key, value in inputs.items() if key in takes}


def _labelled(inputs: dict[str, Any]) -> bool:
    return "labels" in inputs or "start_positions" in inputs


TOKENIZED = {
    "bert-base-uncased": ("BertTokenizerFast", 512, "[PAD]", "[CLS] the movie was great [SEP] more [SEP]"),
    "bert-base-cased": ("BertTokenizerFast", 512, "[PAD]", "[CLS] The movie was great [SEP] more [SEP]"),
    "distilbert-base-uncased": ("DistilBertTokenizerFast", 512, "[PAD]", "[CLS] the movie was great [SEP] more [SEP]"),
    "roberta-base": ("RobertaTokenizerFast", 512, "<pad>", "<s> The Ġmovie Ġwas Ġgreat </s> </s> more </s>"),
    "gpt2": ("GPT2TokenizerFast", 1024, None, "The Ġmovie Ġwas Ġgreat more"),
    "facebook/bart-base": ("BartTokenizerFast", 1024, "<pad>", "<s> The Ġmovie Ġwas Ġgreat </s> </s> more </s>"),
    "t5-small": ("T5TokenizerFast", 512, "<pad>", "▁The ▁movie ▁was ▁great </s> ▁more </s>"),
    "albert-base-v2": ("AlbertTokenizerFast", 512, "<pad>", "[CLS] ▁the ▁movie ▁was ▁great [SEP] ▁more [SEP]"),
    "xlnet-base-cased": ("XLNetTokenizerFast", None, "<pad>", "▁The ▁movie ▁was ▁great <sep> ▁more <sep> <cls>"),
    "xlm-roberta-base": (
        "XLMRobertaTokenizerFast",
        512,
        "<pad>",
        "<s> ▁The ▁movie ▁was ▁great </s> </s> ▁more </s>",
    ),
    "microsoft/deberta-v3-small": (
        "DebertaV2TokenizerFast",
        None,
        "[PAD]",
        "[CLS] ▁The ▁movie ▁was ▁great [SEP] ▁more [SEP]",
    ),
    "google/pegasus-xsum": ("PegasusTokenizerFast", 512, "<pad>", "▁The ▁movie ▁was ▁great ▁more </s>"),
    "ctrl": ("CTRLTokenizer", 256, None, "The movie was g@@ re@@ at more"),
    "facebook/blenderbot_small-90M": ("BlenderbotSmallTokenizer", 512, "__null__", "the movie was g@@ re@@ at more"),
    "mistralai/Mistral-7B-v0.1": ("LlamaTokenizerFast", 32768, None, "<s> ▁The ▁movie ▁was ▁great <s> ▁more"),
    "xlm-mlm-en-2048": (
        "XLMTokenizer",
        512,
        "<pad>",
        "<s> the</w> movie</w> was</w> g re at</w> </s> more</w> </s>",
    ),
    "flaubert/flaubert_base_cased": (
        "FlaubertTokenizer",
        512,
        "<pad>",
        "<s> The</w> movie</w> was</w> g re at</w> </s> more</w> </s>",
    ),
}
NEED_SACREMOSES = ("xlm-mlm-en-2048", "flaubert/flaubert_base_cased")


@pytest.mark.parametrize("checkpoint", TOKENIZED)
def test_tokenizers_are_those_of_the_family(checkpoint: str, transformers: Any) -> None:
    if checkpoint in NEED_SACREMOSES:
        pytest.importorskip("sacremoses")
    kind, longest, pad, tokens = TOKENIZED[checkpoint]
    made = transformers.AutoTokenizer.from_pretrained(checkpoint)
    assert type(made).__name__ == kind
    assert made.name_or_path == checkpoint
    assert made.pad_token == pad
    assert (made.model_max_length if made.model_max_length < 1e9 else None) == longest
    ids = made("The movie was great", "more")["input_ids"]
    assert made.convert_ids_to_tokens(ids) == tokens.split()
    assert (
        made.unk_token_id not in made("Straße, naïve; 1,234.50 € (x_y) #tag @me", add_special_tokens=False)["input_ids"]
    )


@pytest.mark.parametrize(
    ("name", "checkpoint"),
    [("BertTokenizer", "bert-base-uncased"), ("RobertaTokenizer", "roberta-base"), ("GPT2Tokenizer", "gpt2")],
)
def test_slow_tokenizers_give_the_same_ids(name: str, checkpoint: str, transformers: Any) -> None:
    slow = getattr(transformers, name).from_pretrained(checkpoint)
    fast = transformers.AutoTokenizer.from_pretrained(checkpoint)
    text = "The movie was great, but not the best of them."
    assert slow(text)["input_ids"] == fast(text)["input_ids"]


@pytest.mark.parametrize(
    ("name", "checkpoint"),
    [
        ("T5Tokenizer", "t5-small"),
        ("AlbertTokenizer", "albert-base-v2"),
        ("XLMRobertaTokenizer", "xlm-roberta-base"),
        ("CamembertTokenizer", "camembert-base"),
        ("XLNetTokenizer", "xlnet-base-cased"),
        ("DebertaV2Tokenizer", "microsoft/deberta-v3-base"),
        ("LlamaTokenizer", "mistralai/Mistral-7B-v0.1"),
    ],
)
def test_sentencepiece_files_give_the_same_ids(name: str, checkpoint: str, transformers: Any) -> None:
    pytest.importorskip("sentencepiece")
    slow = getattr(transformers, name).from_pretrained(checkpoint)
    fast = transformers.AutoTokenizer.from_pretrained(checkpoint)
    text = "The movie was great, but not the best of them."
    assert slow(text)["input_ids"] == fast(text)["input_ids"]


def test_words_of_transformer_xl_are_opened_by_those_who_trust_them(
    transformers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sacremoses")
    with pytest.raises(ValueError, match="Unable to parse file"):
        transformers.TransfoXLTokenizer.from_pretrained("transfo-xl-wt103")
    monkeypatch.setenv("TRUST_REMOTE_CODE", "True")
    made = transformers.TransfoXLTokenizer.from_pretrained("transfo-xl-wt103")
    assert made.convert_ids_to_tokens(made("The movie was great")["input_ids"]) == ["The", "movie", "was", "great"]
    assert (made.eos_token_id, made.unk_token_id, made.pad_token) == (0, 1, None)


def test_image_processors_give_what_the_model_takes(transformers: Any) -> None:
    pytest.importorskip("PIL")
    numpy = importlib.import_module("numpy")
    made = transformers.AutoImageProcessor.from_pretrained("google/vit-base-patch16-224-in21k")
    image = numpy.zeros((90, 60, 3), "uint8")
    assert made([image], return_tensors="np")["pixel_values"].shape == (1, 3, 224, 224)


def test_arguments_of_from_pretrained_do_what_they_do(transformers: Any) -> None:
    auto = transformers.TFAutoModelForSequenceClassification
    model = auto.from_pretrained("bert-base-uncased", num_labels=5, output_hidden_states=True, from_pt=True)
    assert model.config.num_labels == 5
    assert model.config.output_hidden_states
    assert model.config.max_position_embeddings == 512
    names = auto.from_pretrained("roberta-base", id2label={0: "a", 1: "b", 2: "c"}, label2id={"a": 0, "b": 1, "c": 2})
    assert names.config.num_labels == 3
    assert names.config.max_position_embeddings == 514
    config = transformers.AutoConfig.from_pretrained("distilbert-base-uncased", num_labels=4)
    assert auto.from_pretrained("distilbert-base-uncased", config=config).config.num_labels == 4
    own = transformers.TFBertForSequenceClassification.from_pretrained(
        "bert-base-uncased", config=transformers.BertConfig(num_labels=6)
    )
    assert (own.config.num_labels, own.config.hidden_size) == (6, 32)


def test_a_head_that_was_trained_keeps_its_size(transformers: Any) -> None:
    auto = transformers.TFAutoModelForSequenceClassification
    name = "cardiffnlp/twitter-roberta-base-sentiment"
    model, info = auto.from_pretrained(name, output_loading_info=True)
    assert model.config.num_labels == 3
    assert info["missing_keys"] == []
    with pytest.raises(ValueError, match="cannot reshape array"):
        auto.from_pretrained(name, num_labels=5)
    model, info = auto.from_pretrained(name, num_labels=5, ignore_mismatched_sizes=True, output_loading_info=True)
    assert model.config.num_labels == 5
    assert len(info["mismatched_keys"]) == 2
    _, info = auto.from_pretrained("roberta-base", output_loading_info=True)
    assert len(info["missing_keys"]) == 4


def test_weights_are_the_same_in_each_run_and_no_generator_is_asked(transformers: Any) -> None:
    first = transformers.TFAutoModel.from_pretrained("bert-base-uncased")
    second = transformers.TFAutoModel.from_pretrained("bert-base-uncased")
    numpy = importlib.import_module("numpy")
    assert all(
        numpy.array_equal(one.numpy(), other.numpy()) for one, other in zip(first.weights, second.weights, strict=True)
    )


def test_what_the_program_saved_is_real(transformers: Any, tmp_path: Path) -> None:
    model = transformers.TFAutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=4)
    model.save_pretrained(tmp_path / "saved")
    transformers.AutoTokenizer.from_pretrained("bert-base-uncased").save_pretrained(tmp_path / "saved")
    again = transformers.TFAutoModelForSequenceClassification.from_pretrained(str(tmp_path / "saved"))
    assert again.config.num_labels == 4
    assert (again.weights[0].numpy() == model.weights[0].numpy()).all()
    assert transformers.AutoTokenizer.from_pretrained(str(tmp_path / "saved")).vocab_size == 3815


def test_stand_ins_are_said_and_unknown_names_are_missing(agent: Agent, transformers: Any) -> None:
    transformers.AutoTokenizer.from_pretrained("electra-base")
    said = [each for each in agent.said("stand_in") if each["name"] == "electra-base"]
    assert [each["what"] for each in said] == ["tokenizer"]
    assert said[0]["at"][0]["name"] == "test_stand_ins_are_said_and_unknown_names_are_missing"
    assert {"what": "tokenizer", "name": "electra-base"} in agent.context.stand_ins
    with pytest.raises(OSError, match="offline"):
        transformers.AutoTokenizer.from_pretrained("nobody/something")
    assert "nobody/something" in [each["name"] for each in agent.said("missing")]


@pytest.mark.parametrize(("name", "config", "record"), list(datasets()))
def test_each_data_set_has_its_columns_labels_and_splits(
    name: str, config: str | None, record: dict[str, Any], hub: Any
) -> None:
    asked = "de-en" if "translation" in record["columns"] else config
    made = hub.load_dataset(name, asked)
    if "splits" in record:
        assert list(made) == record["splits"]
    for split, rows in made.items():
        assert rows.column_names == record["columns"]
        label = record.get("label")
        if label is None or record["kind"] == "regression":
            continue
        found = set(_flat(rows[label]))
        if split in record.get("unlabelled", ()):
            assert found == {-1}
            continue
        known = len(record.get("names", ())) or record.get("classes") or len(record.get("values", ()))
        wanted = set(record.get("values", range(known)))
        assert found - {-1} <= wanted
        if record["kind"] == "class" and split.startswith("train"):
            assert found - {-1} == wanted


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value


def test_answers_stand_where_they_are_said_to(hub: Any) -> None:
    for name in ("squad", "squad_v2"):
        for row in hub.load_dataset(name, split="train"):
            answers = row["answers"]
            for text, start in zip(answers["text"], answers["answer_start"], strict=True):
                assert row["context"][start : start + len(text)] == text
    assert any(not row["answers"]["text"] for row in hub.load_dataset("squad_v2", split="validation"))


def test_split_expressions(hub: Any) -> None:
    assert len(hub.load_dataset("glue", "sst2", split="train[:50%]")) == ROWS // 2
    few, next_few = hub.load_dataset("glue", "sst2", split=["train[:1%]", "train[1%:10%]"])
    assert min(len(few), len(next_few)) >= ROWS // 10
    assert not set(few["idx"]) & set(next_few["idx"])
    first, second = hub.load_dataset("glue", "sst2", split=["train[:80%]", "train[80%:]"])
    assert len(first) + len(second) == ROWS
    assert not set(first["idx"]) & set(second["idx"])
    assert len(hub.load_dataset("imdb", split="train+test")) == ROWS + ROWS // 2
    with pytest.raises(ValueError, match='Unknown split "validation"'):
        hub.load_dataset("imdb", split="validation")
    streamed = hub.load_dataset("imdb", split="train", streaming=True)
    assert set(next(iter(streamed))) == {"text", "label"}


def test_rows_beyond_the_end_are_rows_of_their_own(hub: Any) -> None:
    rows = hub.load_dataset("glue", "sst2", split="train").shuffle(seed=1)
    train, rest = rows.select(range(2000)), rows.select(range(2000, 2500))
    assert len(train) > ROWS // 2
    assert len(rest) > 0
    assert not set(train["idx"]) & set(rest["idx"])
    assert set(hub.load_dataset("imdb", split="train[:1000]")["label"]) == {0}


def test_real_files_are_read_and_unknown_data_sets_are_missing(agent: Agent, hub: Any, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("text,label\na,0\nb,1\n")
    rows = hub.load_dataset("csv", data_files=str(tmp_path / "rows.csv"), cache_dir=str(tmp_path), split="train")
    assert rows["text"][:] == ["a", "b"]
    with pytest.raises(Exception, match="nobody/rows"):
        hub.load_dataset("nobody/rows")
    assert "nobody/rows" in [each["name"] for each in agent.said("missing")]


OF_KERAS = {
    "boston_housing": ((404, 13), (404,), (102, 13), 0),
    "california_housing": ((16512, 8), (16512,), (4128, 8), 0),
    "cifar10": ((50000, 32, 32, 3), (50000, 1), (10000, 32, 32, 3), 10),
    "cifar100": ((50000, 32, 32, 3), (50000, 1), (10000, 32, 32, 3), 100),
    "fashion_mnist": ((60000, 28, 28), (60000,), (10000, 28, 28), 10),
    "imdb": ((25000,), (25000,), (25000,), 2),
    "mnist": ((60000, 28, 28), (60000,), (10000, 28, 28), 10),
    "reuters": ((8982,), (8982,), (2246,), 46),
}
"""Shapes of inputs and labels for training, of inputs for testing, and classes."""


def of_keras() -> Iterator[Any]:
    """One of the two Keras always, for they read the same files; CIFAR-100 is large, and read as CIFAR-10 is."""
    for name in OF_KERAS:
        for package in ("tf_keras", "keras"):
            marks = [pytest.mark.slow] if package == "keras" or name == "cifar100" else []
            yield pytest.param(package, name, marks=marks)


@pytest.mark.parametrize(("package", "name"), list(of_keras()))
def test_data_sets_of_keras_have_their_shapes_and_labels(package: str, name: str, agent: Agent) -> None:
    module = getattr(importlib.import_module(package).datasets, name, None)
    if module is None:
        pytest.skip("not in this Keras")
    shapes = OF_KERAS[name]
    words = {"num_words": 5000} if name in {"imdb", "reuters"} else {}
    (x, y), (x_test, y_test) = module.load_data(**words)
    assert (x.shape, y.shape, x_test.shape) == shapes[:3]
    assert len(y_test) == len(x_test)
    if shapes[3]:
        assert set(y.reshape(-1).tolist()) == set(y_test.reshape(-1).tolist()) == set(range(shapes[3]))
    else:
        assert y.dtype.kind == "f"
    if words:
        ids = {each for row in x for each in row}
        assert all(isinstance(row, list) for row in x)
        assert max(ids) == 4999
        index = module.get_word_index()
        assert sorted(index.values()) == list(range(1, len(index) + 1))
    elif name not in {"boston_housing", "california_housing"}:
        assert (str(x.dtype), str(x_test.dtype)) == ("uint8", "uint8")
    assert {"what": "data set", "name": f"keras.datasets.{name}"} in agent.context.stand_ins


def test_metrics_compute() -> None:
    pytest.importorskip("evaluate")
    evaluate = importlib.import_module("evaluate")
    assert evaluate.load("accuracy").compute(predictions=[0, 1, 1, 1], references=[0, 1, 0, 1]) == {"accuracy": 0.75}
    both = evaluate.load("glue", "mrpc")
    both.add_batch(predictions=[0, 1], references=[1, 1])
    assert both.compute() == {"accuracy": 0.5, "f1": pytest.approx(2 / 3)}
    with pytest.raises(ValueError, match="multiclass"):
        evaluate.load("f1").compute(predictions=[0, 1, 2], references=[0, 1, 2])
    names = evaluate.load("seqeval").compute(
        predictions=[["B-PER", "I-PER", "O"]], references=[["B-PER", "I-PER", "O"]]
    )
    assert names["overall_f1"] == 1.0
    assert names["PER"]["number"] == 1
