"""Plain facts about models, optimizers, losses and the like, read from the live objects."""

import contextlib
import inspect
import sys

LIBRARIES = ("keras.", "tf_keras.", "tensorflow.", "transformers.")


def keras_of(value):
    """Which Keras an object belongs to: "keras 3", "tf-keras", "keras 2", or "" for none of them."""
    kind = value if inspect.isclass(value) else type(value)
    for base in kind.__mro__:
        root = base.__module__.split(".")[0]
        if root == "tf_keras":
            return "tf-keras"
        if root == "keras":
            version = str(getattr(sys.modules.get("keras"), "__version__", "2"))
            return "keras 3" if version.split(".")[0] >= "3" else "keras 2"
        if base.__module__.startswith("tensorflow.python.keras"):
            return "keras 2"
    return ""


def class_of(value):
    """The class of an object and the module that defines it."""
    kind = type(value)
    return {"class": kind.__name__, "module": kind.__module__, "keras": keras_of(value)}


def number(value):
    """A scalar of any kind as a float, None if it is none."""
    try:
        return float(value.numpy() if hasattr(value, "numpy") else value)
    except Exception:
        return None


def optimizer_facts(optimizer, total_steps):
    """The real arguments of an optimizer, and its learning rate now, halfway and at the last of `total_steps`."""
    if optimizer is None:
        return None
    facts = class_of(optimizer)
    inner = unscaled(optimizer)
    if inner is not optimizer:
        facts["loss_scaled"] = True
        optimizer = inner
        facts.update(inner=type(inner).__name__)
    rate = rate_of(optimizer)
    if callable(rate) and not hasattr(rate, "numpy"):
        facts["schedule"] = type(rate).__name__
        steps = {"start": 0, "middle": (total_steps or 0) // 2, "end": max((total_steps or 1) - 1, 0)}
        facts["rates"] = {
            name: number(rate(step)) for name, step in steps.items() if total_steps is not None or name == "start"
        }
        facts["warmup_steps"] = _plain_attribute(rate, "warmup_steps")
        decay = getattr(rate, "decay_schedule_fn", rate)
        facts["decay_steps"] = _plain_attribute(decay, "decay_steps")
        facts["learning_rate"] = facts["rates"].get("start")
        facts["highest_rate"] = _highest(rate, facts)
    else:
        facts["learning_rate"] = number(getattr(optimizer, "learning_rate", None))
    for name in ("weight_decay", "weight_decay_rate", "epsilon", "clipnorm", "global_clipnorm", "momentum"):
        value = _plain_attribute(optimizer, name)
        if value is not None:
            facts[name] = value
    facts["total_steps"] = total_steps
    return facts


def _highest(schedule, facts):
    """The highest rate that was seen along a schedule, the end of a warm-up included."""
    rates = list(facts["rates"].values())
    with contextlib.suppress(Exception):
        rates.append(number(schedule(int(facts["warmup_steps"] or 0))))
    return max((rate for rate in rates if rate is not None and rate == rate), default=None)


def _plain_attribute(value, name):
    try:
        return number(getattr(value, name, None))
    except Exception:
        return None


def rate_of(optimizer):
    """The learning rate as the optimizer holds it: a variable, or the schedule that makes it."""
    rate = getattr(optimizer, "_learning_rate", None)
    if rate is not None:
        return rate
    hyper = getattr(optimizer, "_hyper", None)  # optimizers of Keras 2 before 2.11, and the legacy ones
    return hyper.get("learning_rate") if isinstance(hyper, dict) else getattr(optimizer, "learning_rate", None)


def unscaled(optimizer):
    """The optimizer inside one that scales the loss for half precision, any other as it is."""
    if "LossScale" not in type(optimizer).__name__:
        return optimizer
    return getattr(optimizer, "inner_optimizer", None) or getattr(optimizer, "_optimizer", None) or optimizer


def loss_facts(loss):
    """How a loss was given to compile(), and what it reads."""
    if loss is None:
        return {"form": "none"}
    if isinstance(loss, str):
        return {"form": "string", "name": loss}
    if isinstance(loss, dict):
        return {"form": "dict", "of": {str(key): loss_facts(value) for key, value in loss.items()}}
    if isinstance(loss, (list, tuple)):
        return {"form": "list", "of": [loss_facts(value) for value in loss]}
    facts = class_of(loss)
    if inspect.isclass(loss):
        return {"form": "class", "name": loss.__name__}
    if inspect.isfunction(loss) or inspect.ismethod(loss):
        return {"form": "function", "name": loss.__name__, "module": getattr(loss, "__module__", "")}
    facts["form"] = "object"
    facts["name"] = facts["class"]
    arguments = getattr(loss, "_fn_kwargs", None) or {}
    from_logits = getattr(loss, "from_logits", arguments.get("from_logits"))
    if from_logits is not None:
        facts["from_logits"] = bool(from_logits)
    return facts


def names_of(values):
    """Metrics or callbacks as they were given, for people."""
    if values is None:
        return []
    if isinstance(values, dict):
        values = [
            item for value in values.values() for item in (value if isinstance(value, (list, tuple)) else [value])
        ]
    if not isinstance(values, (list, tuple)):
        values = [values]
    return [{"form": "string", "name": value} if isinstance(value, str) else _object_facts(value) for value in values]


def _object_facts(value):
    facts = dict(class_of(value), form="object")
    for name in ("monitor", "name"):
        if isinstance(getattr(value, name, None), str):
            facts[name] = getattr(value, name)
    return facts


CONFIG_FACTS = [
    "model_type",
    "num_labels",
    "vocab_size",
    "pad_token_id",
    "max_position_embeddings",
    "n_positions",
    "type_vocab_size",
    "problem_type",
    "decoder_start_token_id",
    "eos_token_id",
    "is_encoder_decoder",
    "image_size",
    "num_channels",
    "position_embedding_type",
]


def encoder_of(model):
    """The transformers model inside `model`, or itself; None where there is none."""
    if _is_pretrained(model):
        return model
    for part in _parts(model):
        if _is_pretrained(part):
            return part
    for part in getattr(model, "__dict__", {}).values():
        if _is_pretrained(part):  # Keras 3 takes a model of another Keras for no part of its own
            return part
    for part in _parts(model):
        if getattr(part, "config", None) is not None and type(part).__module__.startswith("transformers."):
            return part
    return None


def _is_pretrained(value):
    return any(base.__name__ == "TFPreTrainedModel" for base in type(value).__mro__)


def _parts(model):
    for source in ("_flatten_layers", "submodules"):
        found = getattr(model, source, None)
        try:
            return list(found() if callable(found) else found or ())
        except Exception:
            continue
    return []


def call_arguments(model):
    """The names of the arguments of the model's call, or of the inputs of a functional model, in order."""
    if any(base.__name__ == "Functional" for base in type(model).__mro__):
        with contextlib.suppress(Exception):
            return [str(name) for name in model.input_names]
    try:
        names = list(inspect.signature(model.call).parameters)
    except (TypeError, ValueError):
        return []
    return [name for name in names if name not in ("self", "args", "kwargs", "training")]


def model_facts(model, stand_ins):
    """What a model is, how large it is and what it takes."""
    facts = class_of(model)
    encoder = encoder_of(model)
    inside = encoder is not None and encoder is not model
    facts["encoder"] = type(encoder).__name__ if inside else None
    facts["encoder_keras"] = keras_of(encoder) if inside else None
    facts["takes"] = call_arguments(model)
    source = getattr(encoder, "config", None)
    if source is not None:
        facts["config"] = {
            name: getattr(source, name, None) for name in CONFIG_FACTS if getattr(source, name, None) is not None
        }
        facts["checkpoint"] = str(getattr(encoder, "name_or_path", "") or getattr(source, "_name_or_path", "") or "")
    facts["stand_in"] = any(one.get("what") in ("checkpoint", "model") for one in stand_ins)
    facts["compute_dtype"] = _compute_dtype(encoder if encoder is not None else model)
    facts["policies"] = _policies()
    facts.update(_sizes(model))
    facts["activation"] = _last_activation(model)
    return facts


def weights_of(model):
    """The weights of a model that hold numbers; none before it is built.

    Keras counts the tables of layers that look words up as weights too, but those have no value.
    """
    return _with_values(model, ("weights",))


def variables_of(model):
    """The weights of a model, and what changes with them: in Keras 3 the states of its random generators."""
    return _with_values(model, ("weights", "variables"))


def _with_values(model, names):
    try:
        found = {id(one): one for name in names for one in getattr(model, name, None) or ()}
    except (ValueError, TypeError):  # not built yet
        return []
    return [one for one in found.values() if hasattr(one, "numpy") and hasattr(one, "assign")]


def _compute_dtype(model):
    """The type that the layers of a model compute in, which was settled when it was made."""
    try:
        return str(model.compute_dtype)
    except Exception:
        return None


def _policies():
    """The policy that new layers get now, of each Keras that is there."""
    found = {}
    for root in ("keras", "tf_keras"):
        module = sys.modules.get(root)
        try:
            found[root] = str(module.mixed_precision.global_policy().name)
        except Exception:
            continue
    return found


def _sizes(model):
    try:
        every = {id(w): w for w in model.weights if hasattr(w, "shape")}
        trainable = list(model.trainable_weights)
    except Exception:
        return {}
    count = lambda weights: int(sum(_size(w) for w in weights))  # noqa: E731
    return {"parameters": count(every.values()), "trainable": count(trainable), "weights": len(every)}


def _size(weight):
    product = 1
    for side in weight.shape:
        product *= int(side)
    return product


def _last_activation(model):
    layers = getattr(model, "layers", None) or []
    for layer in reversed(list(layers)):
        activation = getattr(layer, "activation", None)
        if activation is not None:
            return getattr(activation, "__name__", str(activation))
        break
    return None
