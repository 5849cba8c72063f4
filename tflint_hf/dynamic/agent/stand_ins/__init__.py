"""Stand-ins: what takes the place of checkpoints, data sets and metrics that are not on this machine.

A small random model of the same architecture and a data set of the same schema show the structure of a program
(columns, labels, loss, shapes, optimizer) in seconds and without a network. What hangs on real weights or texts they
cannot show.
"""

import os

from . import data_sets, keras_data, loading, metrics, models
from .checkpoints import Checkpoints
from .knowledge import Knowledge

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_EVALUATE_OFFLINE")


def install(context):
    """Prepare the stand-ins that the job asks for; to be called before the program and the libraries start."""
    if context.job["stand_ins"] == "never":
        return
    for name in _OFFLINE:
        os.environ[name] = "1"
    knowledge = Knowledge(context.job["knowledge"])
    checkpoints = Checkpoints(context, knowledge)
    loader = loading.install(context, checkpoints)
    models.install(context, checkpoints, loader, knowledge)
    data_sets.install(context, knowledge)
    keras_data.install(context)
    metrics.install(context)
