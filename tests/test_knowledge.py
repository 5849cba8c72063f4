"""The knowledge tables are well formed, and agree with the libraries where those are installed.

The comparison needs TensorFlow, tf-keras, transformers 4.57 and datasets 4.8 in the environment that runs the tests:

    pip install "tensorflow==2.21.*" "tf-keras==2.21.*" "transformers==4.57.6" "datasets==4.8.5" pytest
    pytest tests/test_knowledge.py
"""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tflint_hf import knowledge
from tflint_hf.knowledge import LabelKind, LossKind, MetricLabels, MetricReads, Task

MISSING = [name for name in ("tensorflow", "tf_keras", "transformers", "datasets") if find_spec(name) is None]
needs_libraries = pytest.mark.skipif(
    bool(MISSING), reason=f"compares with installed libraries, {', '.join(MISSING)} not found: see this file's top"
)


def table(name: str) -> Any:
    return json.loads((knowledge.rules_folder() / "knowledge" / f"{name}.json").read_text(encoding="utf-8"))


# What rules ask


def test_a_class_tells_its_task_labels_and_what_its_loss_does() -> None:
    gpt2 = knowledge.tf_class("transformers.TFGPT2LMHeadModel")
    assert gpt2 is not None
    assert (gpt2.task, gpt2.family, gpt2.label_arguments) == (Task.CAUSAL_LM, "gpt2", ("labels",))
    assert gpt2.shifts_labels
    xlnet = knowledge.tf_class("TFXLNetLMHeadModel")
    assert xlnet is not None
    assert xlnet.shifts_labels is False
    bart = knowledge.tf_class("TFBartForConditionalGeneration")
    assert bart is not None
    assert (bart.task, bart.masks_pads) == (Task.SEQ2SEQ_LM, True)
    qa = knowledge.tf_class("TFDistilBertForQuestionAnswering")
    assert qa is not None
    assert qa.label_arguments == ("start_positions", "end_positions")
    assert qa.call_arguments is not None
    assert "token_type_ids" not in qa.call_arguments


@pytest.mark.parametrize(
    ("name", "task", "labels"),
    [
        ("TFAutoModel", Task.BASE, ()),
        ("TFAutoModelForSequenceClassification", Task.SEQUENCE_CLASSIFICATION, ("labels",)),
        ("TFAutoModelForQuestionAnswering", Task.QUESTION_ANSWERING, ("start_positions", "end_positions")),
        ("TFAutoModelForSeq2SeqLM", Task.SEQ2SEQ_LM, ("labels",)),
        ("TFAutoModelWithLMHead", Task.OTHER, ()),
        ("TFNewbertForTokenClassification", Task.TOKEN_CLASSIFICATION, ("labels",)),
    ],
)
def test_a_class_without_a_record_is_known_by_its_name(name: str, task: Task, labels: tuple[str, ...]) -> None:
    found = knowledge.tf_class(name)
    assert found is not None
    assert (found.task, found.label_arguments) == (task, labels)
    assert found.call_arguments is None
    assert found.shifts_labels is None, "what is not known is not claimed"


@pytest.mark.parametrize(
    "name",
    [
        "TFTrainer",
        "TFPreTrainedModel",
        "TFBartPretrainedModel",
        "TFBertTokenizer",
        "TFBertMainLayer",
        "BertModel",
        "AutoModelForCausalLM",
        "TFBertForPreTrainingOutput",
        "TFTrainingArguments",
        "",
    ],
)
def test_what_is_no_tf_model_class(name: str) -> None:
    assert knowledge.tf_class(name) is None


def test_positional_arguments_are_named_under_every_spelling() -> None:
    adam = knowledge.signature("tensorflow.keras.optimizers.Adam")
    assert adam[:3] == ("learning_rate", "beta_1", "beta_2")
    for name in ("Adam", "tf.keras.optimizers.Adam", "tf_keras.optimizers.Adam", "keras.src.optimizers.Adam"):
        assert knowledge.signature(name) == adam
    assert knowledge.signature("keras.models.Model.fit")[:4] == ("x", "y", "batch_size", "epochs")
    assert knowledge.signature("transformers.optimization_tf.create_optimizer")[:3] == (
        "init_lr",
        "num_train_steps",
        "num_warmup_steps",
    )
    assert knowledge.signature("transformers.TFBertForMaskedLM.prepare_tf_dataset")[:3] == (
        "dataset",
        "batch_size",
        "shuffle",
    )
    assert knowledge.signature("a_function_of_mine") == ()


def test_signatures_depend_on_the_release() -> None:
    name = "datasets.Dataset.to_tf_dataset"
    assert knowledge.signature(name, {"datasets": Version("1.16.1")})[:4] == (
        "columns",
        "batch_size",
        "shuffle",
        "drop_remainder",
    )
    assert knowledge.signature(name, {"datasets": Version("2.2.2")})[3] == "collate_fn"
    assert knowledge.signature(name, {"datasets": Version("2.3")})[:2] == ("batch_size", "columns")
    assert knowledge.signature("Model.compile")[2] == "metrics"
    assert knowledge.signature("Model.compile", {"keras": Version("3.15")})[2] == "loss_weights"
    found = knowledge.call_signature("TFPreTrainedModel.prepare_tf_dataset")
    assert found is not None
    assert (found.defaults["shuffle"], found.defaults["batch_size"]) == (True, 8)


def test_losses_optimizers_and_metrics_by_any_of_their_names() -> None:
    for name in ("sparse_categorical_crossentropy", "tf.keras.losses.SparseCategoricalCrossentropy"):
        found = knowledge.loss(name)
        assert found is not None
        assert (found.kind, found.from_logits) == (LossKind.SPARSE_CROSSENTROPY, False)
    mse = knowledge.loss("MSE")
    assert mse is not None
    assert (mse.kind, mse.from_logits) == (LossKind.REGRESSION, None)
    for name in ("adam", "Adam", "ADAM", "tf.keras.optimizers.Adam"):
        adam = knowledge.optimizer(name)
        assert adam is not None
        assert (adam.default_learning_rate, adam.adaptive) == (0.001, True)
    precision = knowledge.metric("keras.metrics.Precision")
    assert precision is not None
    assert (precision.reads, precision.labels) == (MetricReads.THRESHOLD, MetricLabels.BINARY)
    assert knowledge.loss("my_loss") is None
    assert knowledge.optimizer("mine") is None
    assert knowledge.metric("f1_of_mine") is None
    assert "PolynomialDecay" in knowledge.schedules()
    assert "EarlyStopping" in knowledge.callbacks()


def test_data_sets_under_old_and_new_ids() -> None:
    assert knowledge.dataset("emotion") == knowledge.dataset("dair-ai/emotion")
    mnli = knowledge.dataset("glue", "mnli")
    assert mnli is not None
    assert (mnli.classes, mnli.label_column, mnli.text_columns) == (3, "label", ("premise", "hypothesis"))
    assert mnli.unlabelled_splits == ("test_matched", "test_mismatched")
    assert knowledge.dataset("glue") is None, "which of its tasks is meant is not known"
    assert knowledge.dataset("csv") is None
    trec = knowledge.dataset("trec")
    assert trec is not None
    assert (trec.classes_of("coarse_label"), trec.classes_of("fine_label"), trec.classes_of("text")) == (6, 50, None)
    stsb = knowledge.dataset("glue", "stsb")
    assert stsb is not None
    assert (stsb.kind, stsb.classes) == (LabelKind.REGRESSION, None)


@pytest.mark.parametrize(
    ("name", "family", "cased", "head", "fine_tuned"),
    [
        ("bert-base-uncased", "bert", False, None, False),
        ("google-bert/bert-base-cased", "bert", True, None, False),
        ("distilbert-base-uncased-finetuned-sst-2-english", "distilbert", False, 2, True),
        ("dslim/bert-base-NER", "bert", None, 9, True),
        ("FacebookAI/xlm-roberta-base", "xlm-roberta", True, None, False),
        ("hfl/chinese-roberta-wwm-ext", "bert", None, None, False),
        ("google/flan-t5-base", "t5", True, None, False),
        ("me/bert-finetuned-squad-v2", "bert", None, None, True),
        ("./out/checkpoint-500", None, None, None, True),
    ],
)
def test_what_an_id_tells(
    name: str, family: str | None, cased: bool | None, head: int | None, fine_tuned: bool
) -> None:
    found = knowledge.checkpoint(name)
    assert (found.family, found.cased, found.head_labels, found.looks_fine_tuned) == (family, cased, head, fine_tuned)


def test_pad_tokens_and_t5() -> None:
    assert knowledge.checkpoint("openai-community/gpt2-medium").has_pad_token is False
    assert knowledge.checkpoint("bert-base-cased").has_pad_token is True
    assert knowledge.checkpoint("skt/kogpt2-base-v2").has_pad_token is None, "fine GPT-2s of others have one"
    assert knowledge.checkpoint("google/mt5-small").is_t5_like
    assert not knowledge.checkpoint("roberta-base").is_t5_like


# The tables


def test_every_record_can_be_read() -> None:
    for name in knowledge.tf_class_names():
        assert knowledge.tf_class(name) is not None
    for name in table("signatures"):
        found = knowledge.call_signature(name)
        assert found is not None
        assert len(set(found.positional)) == len(found.positional)
    for name, record in table("datasets").items():
        for config in record.get("configs", [None]):
            info = knowledge.dataset(name, config)
            assert info is not None, (name, config)
            assert (info.kind is LabelKind.NONE) == (info.label_column is None), (name, config)
            assert set(info.text_columns) <= set(info.columns or info.text_columns), (name, config)
            assert not info.columns or info.label_column is None or info.label_column in info.columns, (name, config)
            assert set(info.unlabelled_splits) <= set(info.splits), (name, config)
            assert not info.class_names or len(info.class_names) == info.classes, (name, config)
        assert record.get("default") is None or record["default"] in record["configs"]
    keras = table("keras")
    for kind, read in (("losses", knowledge.loss), ("optimizers", knowledge.optimizer), ("metrics", knowledge.metric)):
        for name, record in keras[kind].items():
            for each in (name, *record.get("aliases", ())):
                found_name = read(each)
                assert found_name is not None
                assert found_name.class_name == name, f"{each} belongs to two records"
    checkpoints = table("checkpoints")
    for name in checkpoints["checkpoints"]:
        assert name == name.lower()
        knowledge.checkpoint(name)
    for pattern in (checkpoints["fine_tuned"], *(pattern for pattern, _ in checkpoints["families"])):
        re.compile(pattern)


def test_no_id_means_two_data_sets() -> None:
    ids = [each.lower() for name, record in table("datasets").items() for each in (name, *record.get("aliases", ()))]
    assert len(ids) == len(set(ids))


def test_releases_are_in_order() -> None:
    for library in table("releases"):
        versions = [Version(text) for text in knowledge.releases(library)]
        assert versions == sorted(versions)
        assert not any(version.is_prerelease for version in versions)
    for records in table("signatures").values():
        for record in records[:-1]:
            assert record["applies"]
            for specifier in record["applies"].values():
                SpecifierSet(specifier)


def test_reading_is_fast_and_imports_little() -> None:
    script = (
        "import sys, time; from tflint_hf import knowledge as k; start = time.perf_counter();"
        "k.tf_class('TFBertModel'); k.signature('Model.fit'); k.loss('mse'); k.dataset('imdb'); k.checkpoint('gpt2');"
        "took = time.perf_counter() - start; print(took, 'yaml' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(3)
    ]
    answers = [run.stdout.split() for run in runs]
    assert {imported for _, imported in answers} == {"False"}
    # An ordinary scan should spend under 10 ms here; the limit leaves room for a loaded machine.
    assert min(float(took) for took, _ in answers) < 0.05


# The installed libraries


@pytest.fixture(scope="module")
def libraries() -> dict[str, Any]:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import importlib

    names = ("transformers", "datasets", "tf_keras", "tensorflow", "keras")
    return {name: importlib.import_module(name) for name in names}


def parameters(callable_: Any) -> tuple[str, ...]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = inspect.signature(callable_).parameters.values()
    return tuple(each.name for each in found if each.kind in kinds and each.name not in ("self", "cls"))


@needs_libraries
def test_signatures_are_those_of_the_installed_libraries(libraries: dict[str, Any]) -> None:
    wrong: dict[str, Any] = {}
    compared = 0
    for name in table("signatures"):
        library, *path = name.split(".")
        value = libraries.get("tf_keras" if library == "keras" else library)
        if name in ("keras.Model", "transformers.TFAutoModel.from_pretrained") or ".legacy." in name:
            continue  # *args and **kwargs: the table says what they hold
        if name == "datasets.Dataset.batch" and Version(libraries["datasets"].__version__) >= Version("5"):
            continue  # release 5 has a new second parameter, the table is that of release 4
        for part in path:
            value = getattr(value, part, None)
        if value is None:
            continue
        compared += 1
        if parameters(value) != knowledge.signature(name):
            wrong[name] = (parameters(value), knowledge.signature(name))
    assert not wrong
    assert compared > 400


@needs_libraries
def test_model_classes_take_what_the_table_says(libraries: dict[str, Any]) -> None:
    transformers = libraries["transformers"]
    wrong = []
    compared = 0
    for name in knowledge.tf_class_names():
        found, installed = knowledge.tf_class(name), getattr(transformers, name, None)
        assert found is not None
        if installed is None or not hasattr(installed, "call"):
            continue
        compared += 1
        loss = next((base.__name__ for base in installed.__mro__ if base.__name__ == found.loss), None)
        if parameters(installed.call) != found.call_arguments or loss != found.loss:
            wrong.append(name)
        kinds = {each.kind for each in inspect.signature(installed.call).parameters.values()}
        if (inspect.Parameter.VAR_KEYWORD in kinds) != (knowledge.call_arguments_of(found, found.family) is None):
            wrong.append(f"{name} takes other keywords")
        if found.shifts_labels and not re.search(r"\[:, :-1|labels\[:, 1:", inspect.getsource(installed)):
            wrong.append(f"{name} does not shift")
    assert not wrong
    assert compared > 200


@needs_libraries
def test_keras_names_and_defaults(libraries: dict[str, Any]) -> None:
    keras, addons = libraries["tf_keras"], {"CTC", "Dice", "Tversky", "SigmoidFocalCrossEntropy", "Lamb"}
    tables = table("keras")
    for name, record in tables["optimizers"].items():
        if record["module"] == "keras.optimizers" and name not in addons:
            default = inspect.signature(getattr(keras.optimizers, name)).parameters["learning_rate"].default
            assert default == record["learning_rate"], name
    for name, record in tables["losses"].items():
        if name not in addons:
            assert keras.losses.get(record["function"]).__name__ == record["function"]
            parameter = inspect.signature(getattr(keras.losses, name)).parameters.get("from_logits")
            assert (parameter.default if parameter is not None else None) == record.get("from_logits"), name
    for name in tables["metrics"]:
        assert hasattr(keras.metrics, name), name
    for name in tables["schedules"]:
        assert name == "WarmUp" or hasattr(keras.optimizers.schedules, name), name


@needs_libraries
def test_the_assumed_stack_is_the_installed_one(libraries: dict[str, Any]) -> None:
    from tflint_hf.target import unknown_target

    assert Version(libraries["transformers"].__version__) == unknown_target().transformers
