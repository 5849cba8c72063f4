"""fit(), and training loops of the program."""

from __future__ import annotations

from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, check
from tflint_hf.checks.labels import spelled_model
from tflint_hf.findings import Safety
from tflint_hf.fixes import AddArgument, PlannedFix, RemoveArgument
from tflint_hf.knowledge import Task
from tflint_hf.target import Target
from tflint_hf.trace.events import Compiled, DeviceConfigured, Fitted, ModelMade
from tflint_hf.trace.objects import Form, Model, ModelOrigin
from tflint_hf.trace.views import ModelUse, TapeCall, Trace, Training

_KERAS_LOSSES = frozenset({Form.STRING, Form.FUNCTION, Form.OBJECT})
_DECODER_SIDE = frozenset({"labels", "label", "label_ids", "decoder_input_ids", "decoder_inputs_embeds"})


@check("TFM015")
def keras_loss_hides_decoder_inputs(training: Training) -> Iterator[Fault]:
    """With a Keras loss the labels stay outside of a seq2seq model, which makes its decoder inputs of them."""
    model, losses = training.model, training.compiled.losses
    if model.head is None or model.head.task is not Task.SEQ2SEQ_LM or model.own_training:
        return
    if not losses or any(loss.form not in _KERAS_LOSSES for loss in losses):
        return
    for fit in training.fits:
        if fit.has_targets is True and _lacks_decoder_inputs(fit, model):
            site = training.compiled.site
            argument = site.arguments.get("loss")
            fix = None
            # The model's own loss finds labels beside named inputs only.
            if argument is not None and fit.keys is not None:
                edits = (RemoveArgument(site.place, argument),)
                fix = PlannedFix(Safety.UNSAFE, "Let the model compute its own loss", edits)
            yield Fault(
                site.value_or_callee("loss"),
                {"model": model.class_name},
                related=((fit.site.callee, "the labels are given beside the inputs here"),),
                fix=fix,
            )
            return


def _lacks_decoder_inputs(fit: Fitted, model: Model) -> bool:
    """Whether nothing among the inputs is for the decoder."""
    if fit.keys is not None:
        return not _DECODER_SIDE & set(fit.keys)
    inputs = fit.inputs
    order = model.head.call_arguments if model.head is not None else None
    if inputs is None or not order or inputs.kind == "dict":
        return False
    # Keras hands a list over whole, and the model takes it apart in the order of its arguments.
    return not _DECODER_SIDE & set(order[: len(inputs.names)])


@check("TFM013")
def tuple_outputs_in_fit(use: ModelUse, target: Target) -> Iterator[Fault]:
    """return_dict=False, and train_step asks the output for its keys."""
    applies = {"transformers": ">=4.20"}
    if use.model.return_dict is not False or not use.model.is_transformers or not use.fits:
        return
    if target.satisfies(applies):
        site = use.model.site
        argument = site.arguments.get("return_dict")
        fix = None
        if argument is not None:
            fix = PlannedFix(Safety.SAFE, "Remove return_dict=False", (RemoveArgument(site.place, argument),))
        place = site.values.get("return_dict", site.value_or_callee("config"))
        yield Fault(
            place,
            {"model": use.model.class_name},
            related=((use.fits[0].site.callee, "it is trained here"),),
            fix=fix,
            rests_on=applies,
        )


@check("TFM012")
def training_loop_without_dropout(use: TapeCall) -> Iterator[Fault]:
    """A training loop calls the model as if it predicted."""
    called = use.called
    known = called.model.is_transformers or (
        called.model.origin in (ModelOrigin.FUNCTIONAL, ModelOrigin.SEQUENTIAL) and called.model.encoders
    )
    if use.trains and called.training_given is False and known:
        edit = AddArgument(called.site.place, "training=True")
        yield Fault(
            called.place,
            {"model": spelled_model(called.model)},
            fix=PlannedFix(Safety.UNSAFE, "Tell the model that it trains", (edit,)),
        )


@check("TFM016")
def device_setting_too_late(trace: Trace) -> Iterator[Fault]:
    """A device is configured when TensorFlow has started to use it."""
    models = [e for e in trace.of(ModelMade) if e.run == 0 and e.model.origin is not ModelOrigin.SUBCLASS]
    for configured in trace.of(DeviceConfigured):
        earlier = [
            e for e in models if configured.run == 0 and e.order < configured.order and e.guards <= configured.guards
        ]
        if earlier:
            yield Fault(
                configured.place,
                {"setting": configured.setting, "model": earlier[0].model.class_name},
                related=((earlier[0].place, "the first model is made here"),),
            )


@check("TFM017")
def fit_without_compile(trace: Trace) -> Iterator[Fault]:
    """A model is trained that was never compiled."""
    compiled = {id(e.model.site) for e in trace.of(Compiled)}
    for fit in trace.of(Fitted):
        model = fit.model
        plain = model.is_transformers or model.origin in (ModelOrigin.FUNCTIONAL, ModelOrigin.SEQUENTIAL)
        if not plain or not (model.is_transformers or model.encoders) or fit.run != model.run:
            continue
        if id(model.site) in compiled or fit.compiled or fit.state.escaped or model.own_training:
            continue
        yield Fault(
            fit.place,
            {"model": spelled_model(model)},
            related=((model.site.callee, "the model is made here"),),
        )
