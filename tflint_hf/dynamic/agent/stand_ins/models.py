"""Stand-in models: small ones of the right architecture, with weights that pass the input on as trained ones do."""

import copy
import zlib

from .configurations import shrink
from .loading import name_argument
from .patching import around_classmethod

# What `from_pretrained` takes beside the arguments of the model and its configuration.
_OF_LOADING = """cache_dir force_download resume_download proxies local_files_only use_auth_token token revision
subfolder mirror from_pt from_auto_class trust_remote_code use_safetensors load_weight_prefix tf_to_pt_weight_rename
adapter_kwargs _from_auto _from_pipeline _commit_hash commit_hash code_revision variant low_cpu_mem_usage"""

_HEADS_OF_LANGUAGE = ("masked_lm", "causal_lm", "seq2seq_lm", "pretraining", "base", "next_sentence")


def install(context, checkpoints, loading, knowledge):
    """Patch the base class of all TF models, and the Auto classes, once they are imported."""

    def patch_base(module):
        def load(original, cls, *args, **kwargs):
            name, replace = name_argument(args, kwargs)
            hint = getattr(cls.config_class, "model_type", None)
            folder = checkpoints.folder_for(name, "checkpoint", hint, kwargs.get("cache_dir"))
            if folder is None and checkpoints.name_of(name) is None:
                with checkpoints.left_to_the_library(name):
                    return original(cls, *args, **kwargs)
            args, kwargs = replace(folder or name)
            args, kwargs = args[1:], {key: value for key, value in kwargs.items() if key != _NAME}
            return build(cls, str(folder or name), context, checkpoints, knowledge, args, kwargs)

        around_classmethod(module.TFPreTrainedModel, "from_pretrained", load)

    def patch_auto(module):
        for name in dir(module):
            owner = getattr(module, name)
            if name.startswith("TFAutoModel") and "from_pretrained" in vars(owner):
                loading.wrap(owner, "from_pretrained", "checkpoint")

    context.after_import.call("transformers.modeling_tf_utils", patch_base)
    context.after_import.call("transformers.models.auto.modeling_tf_auto", patch_auto)


_NAME = "pretrained_model_name_or_path"


def build(cls, folder, context, checkpoints, knowledge, model_args, kwargs):
    """What `cls.from_pretrained(folder, *model_args, **kwargs)` would give if the folder had weights."""
    name = checkpoints.name_of(folder)
    config = kwargs.pop("config", None)
    return_info = kwargs.pop("output_loading_info", False)
    ignore_sizes = kwargs.pop("ignore_mismatched_sizes", False)
    for key in _OF_LOADING.split():
        kwargs.pop(key, None)
    if hasattr(config, "to_dict"):
        # A configuration that the program made itself is of full size; the program may go on using it as it is.
        smaller = copy.deepcopy(config)
        shrink(smaller)
        config = smaller if smaller.to_dict() != config.to_dict() else config
    else:
        config, kwargs = cls.config_class.from_pretrained(
            folder if config is None else config, return_unused_kwargs=True, **kwargs
        )
        shrink(config)
    config.name_or_path = name
    model = cls(config, *model_args, **kwargs)
    _build_weights(model)
    head = _weights_outside_the_body(model)
    task, facts = knowledge.task(cls.__name__), checkpoints.facts(folder)
    has_head = task in _HEADS_OF_LANGUAGE if facts["head_task"] is None else task in (facts["head_task"], "base")
    mismatched = []
    if has_head and facts["head_task"] == task and facts["head_labels"] not in (None, config.num_labels):
        mismatched = _mismatches(head, config.num_labels, facts["head_labels"])
        if mismatched and not ignore_sizes:
            _, found, expected = mismatched[0]
            load_tf_weights_from_h5(found, expected)
    missing = [] if has_head else [_plain_name(weight) for weight in head]
    fresh = {id(weight) for weight in head} if missing or mismatched else set()
    try:
        _fill(model, fresh, name)
    except Exception as error:  # without eager execution weights cannot be read
        context.channel.trouble("the weights of a stand-in", error)
    _tell(model, name, missing, mismatched)
    info = {"missing_keys": missing, "unexpected_keys": [], "mismatched_keys": mismatched}
    return (model, info) if return_info else model


def _build_weights(model):
    if hasattr(model, "build_in_name_scope"):
        model.build_in_name_scope()
    else:
        model(model.dummy_inputs, training=False)


def _weights_outside_the_body(model):
    body = getattr(model, model.base_model_prefix, None) if model.base_model_prefix else None
    if body is None or body is model or not hasattr(body, "weights"):
        return []
    inside = {id(weight) for weight in body.weights}
    return [weight for weight in model.weights if id(weight) not in inside]


def load_tf_weights_from_h5(found, expected):
    """Fail as transformers does where stored weights do not fit: its function has this name too."""
    size = 1
    for length in found:
        size *= length
    shape = "(%s)" % ",".join(str(side) for side in expected)
    raise ValueError("cannot reshape array of size %d into shape %s" % (size, shape))


def _mismatches(head, wanted, found):
    """The weights of the last layer with the shape they have in the checkpoint."""
    sized = [weight for weight in head if len(weight.shape) and weight.shape[-1] == wanted]
    return [
        (_plain_name(weight), (*tuple(weight.shape)[:-1], found), tuple(weight.shape))
        for weight in sized
        if "classifier" in weight.name or "qa_outputs" in weight.name or "out_proj" in weight.name
    ]


def _plain_name(weight):
    return weight.name.split(":")[0]


def _fill(model, fresh, name):
    """Fill all but the `fresh` weights from the name: the same in each run, and without a draw from any generator.

    Small random weights, as a model begins with, hide the input from the output; the scale that keeps it visible is
    that of 1 / sqrt(inputs).
    """
    import numpy

    for place, weight in enumerate(model.weights):
        shape = tuple(weight.shape)
        old = weight.numpy() if id(weight) not in fresh and len(shape) >= 2 else None
        if old is None or old.dtype.kind != "f" or float(old.std()) < 1e-6:
            continue
        chance = numpy.random.RandomState(zlib.crc32(("%s/%d" % (name, place)).encode("utf-8")))
        inputs = 1
        for length in shape[:-1]:
            inputs *= length
        scale = 0.05 if "embed" in weight.name.lower() or "shared" in weight.name.lower() else min(0.3, inputs**-0.5)
        weight.assign((chance.standard_normal(shape) * scale).astype(old.dtype))


def _tell(model, name, missing, mismatched):
    from transformers.utils import logging

    logger = logging.get_logger("transformers.modeling_tf_utils")
    kind = type(model).__name__
    if missing:
        logger.warning(
            "Some layers of %s were not initialized from the model checkpoint at %s and are newly initialized: %s\n"
            "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and "
            "inference." % (kind, name, missing)
        )
    if mismatched:
        lines = [
            "- %s: found shape %s in the checkpoint and %s in the model instantiated" % each for each in mismatched
        ]
        logger.warning(
            "Some weights of %s were not initialized from the model checkpoint at %s and are newly initialized because "
            "the shapes did not match:\n%s" % (kind, name, "\n".join(lines))
        )
