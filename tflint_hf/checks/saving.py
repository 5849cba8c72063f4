"""Models, weights and tokenizers on disk."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.imports import imported_from_transformers
from tflint_hf.checks.labels import spelled_model
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix, RepeatCall, Replace
from tflint_hf.trace.events import CallbackMade, Saved, SavedModelLoaded, TokenizerSaved, WeightsLoaded
from tflint_hf.trace.objects import Form, Model, ModelOrigin, SavedFile
from tflint_hf.trace.views import Trace, Training


def _is_subclassed(model: Model) -> bool:
    """Models of transformers, and subclasses of Keras models around them: their structure is Python code."""
    if model.is_transformers or "transformers" in model.keywords:
        return True
    return model.origin is ModelOrigin.SUBCLASS and any(e.is_transformers for e in model.encoders)


@check("TFM007")
def subclassed_model_in_hdf5(trace: Trace) -> Iterator[Fault]:
    """A whole subclassed model is saved to HDF5."""
    for saved in trace.of(Saved):
        if saved.method in {"save", "save_model"} and saved.file.is_hdf5 and _is_subclassed(saved.model):
            yield Fault(saved.place, {"model": spelled_model(saved.model), "how": saved.method})
    for training in trace.of(Training):
        for fit in training.fits:
            for callback in fit.callbacks:
                file = callback.saved_file
                if file is None or not file.is_hdf5 or file.weights_only is not False:
                    continue
                if _is_subclassed(training.model):
                    given = callback.site.values.get("save_weights_only")
                    add = AddArgument(callback.site.place, "save_weights_only=True")
                    edit = add if given is None else Replace(given, "True")
                    yield Fault(
                        callback.site.value_or_callee("filepath"),
                        {"model": spelled_model(training.model), "how": "ModelCheckpoint"},
                        fix=PlannedFix(Safety.SAFE, "Save the weights only", (edit,)),
                    )


@check("TFM008")
def load_model_of_tf_model(trace: Trace) -> Iterator[Fault]:
    """keras.models.load_model reads what a model of transformers wrote."""
    saves = list(trace.of(Saved))
    internal = {id(t.model.site) for t in trace.of(Training) if t.fits and not t.compiled.loss_given}
    for loaded in trace.of(SavedModelLoaded):
        before = [s for s in saves if s.order < loaded.order and _are_same(s.file, loaded.file)]
        if not before or before[-1].run != loaded.run:
            continue
        saved = before[-1]
        reason = _cannot_be_loaded(saved, loaded, internal)
        if reason:
            yield Fault(
                loaded.place,
                {"model": spelled_model(saved.model), "reason": reason},
                related=((saved.place, "it is written here"),),
                fix=_told_the_class(trace, saved, loaded),
            )


def _told_the_class(trace: Trace, saved: Saved, loaded: SavedModelLoaded) -> PlannedFix | None:
    """custom_objects for the class of the encoder. An optimizer of transformers would have to be told of, too."""
    names = [e.class_name for e in saved.model.encoders if e.is_transformers]
    if not saved.file.is_hdf5 or saved.method == "save_pretrained" or len(names) != 1 or names[0].startswith("TFAuto"):
        return None
    trainings = [t for t in trace.trainings if t.model.site is saved.model.site]
    if any(t.compiled.optimizer.form is Form.OBJECT and t.compiled.optimizer.origin is None for t in trainings):
        return None
    imports = imported_from_transformers(trace, names[0], loaded.site.place)
    if imports is None:
        return None
    add = AddArgument(loaded.site.place, f'custom_objects={{"{names[0]}": {names[0]}}}')
    return PlannedFix(Safety.SAFE, f"Tell Keras of {names[0]}", (*imports, add))


def _are_same(one: SavedFile, other: SavedFile) -> bool:
    """Whether two paths, however they are written, name one file or folder."""
    return one.whole and other.whole and posixpath.normpath(one.path) == posixpath.normpath(other.path)


def _cannot_be_loaded(saved: Saved, loaded: SavedModelLoaded, internal: set[int]) -> str:
    if saved.method == "save_pretrained":
        return "save_pretrained does not write the format that load_model reads"
    if saved.method not in {"save", "save_model"} or loaded.custom_objects is not False:
        return ""
    if saved.file.is_hdf5:
        encoders = [e.class_name for e in saved.model.encoders if e.is_transformers]
        functional = saved.model.origin in (ModelOrigin.FUNCTIONAL, ModelOrigin.SEQUENTIAL)
        return f"Keras does not know the class {encoders[0]} in the file" if encoders and functional else ""
    trained_alone = saved.model.is_transformers and id(saved.model.site) in internal
    if trained_alone and loaded.compiles is True and not saved.file.path.endswith(".keras"):
        return "Keras does not know the loss of its own that the model was compiled with"
    return ""


@check("TFM009")
def weights_before_variables(loaded: WeightsLoaded) -> Iterator[Fault]:
    """load_weights of HDF5 on a model that has no variables yet."""
    model = loaded.model
    unbuilt = model.origin is ModelOrigin.CONFIG and model.is_transformers and not loaded.built
    if unbuilt and loaded.file.is_hdf5 and loaded.run == model.run:
        yield Fault(
            loaded.place,
            {"model": model.class_name},
            related=((model.site.callee, "the model is made here, without variables"),),
        )


@check("TFM011")
def tokenizer_not_saved(trace: Trace) -> Iterator[Fault]:
    """The model is saved, the tokenizer that it was trained with is not."""
    tokenizers = trace.tokenizers
    pushed = any(made.callback.class_name == "PushToHubCallback" for made in trace.of(CallbackMade))
    if not tokenizers or pushed or next(iter(trace.of(TokenizerSaved)), None) is not None:
        return
    for saved in trace.of(Saved):
        if saved.method == "save_pretrained" and saved.model.is_transformers and id(saved.model.site) in trace.trained:
            fix = None
            if saved.tokenizer_name and len(tokenizers) == 1:
                again = RepeatCall(saved.site.place, saved.tokenizer_name)
                fix = PlannedFix(Safety.SAFE, "Save the tokenizer, too", (again,))
            values = {"model": saved.model.class_name, "tokenizer": tokenizers[0].class_name}
            yield Fault(saved.place, values, fix=fix)
