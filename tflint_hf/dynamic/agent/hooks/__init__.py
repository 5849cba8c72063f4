"""Where the agent listens: calls of Keras, transformers, datasets and tf.data that make a training."""

from . import dropout, hub, keras


def install(context):
    """Wrap what is to be observed as soon as the program imports it."""
    keras.install(context)
    hub.install(context)
    dropout.install(context)
