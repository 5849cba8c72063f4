"""The dropout layers of models that a training loop of the program calls: are they on?"""

import functools

MODULES = (
    "keras.src.layers.regularization.dropout",
    "tf_keras.src.layers.regularization.dropout",
    "keras.layers.regularization.dropout",
    "keras.layers.core.dropout",
)


def install(context):
    context.dropouts = {}
    """By place of the program: its frames, and the layers that were on and off there."""
    for module in MODULES:
        context.after_import.call(module, functools.partial(_wrap, context))


def _wrap(context, module):
    from tensorflow import autograph

    original = module.Dropout.call

    def note(layer, training):
        try:
            _note(context, layer, training)
        except Exception as error:
            context.channel.trouble("a dropout layer", error)

    note = autograph.experimental.do_not_convert(note)

    # Keras reads the names and defaults of these arguments.
    def call(self, inputs, training=None):
        note(self, training)
        return original(self, inputs, training=training)

    module.Dropout.call = call


def _note(context, layer, training):
    if not getattr(layer, "rate", 0) or not (training is None or isinstance(training, (bool, int))):
        return
    at = context.places.of_stack()
    if at:
        key = (at[0]["path"], at[0]["cell"], at[0]["line"], at[0].get("column"))
        site = context.dropouts.setdefault(key, {"at": at, "on": set(), "off": set()})
        site["on" if training else "off"].add(id(layer))


def say_dropouts(context):
    """Say what was seen of them so far, and forget it."""
    for site in context.dropouts.values():
        context.channel.send("dropouts", at=site["at"], on=len(site["on"]), off=len(site["off"]))
    context.dropouts.clear()
