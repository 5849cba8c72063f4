"""From measurements to verdicts: one function a probe, by subject."""

from tflint_hf.dynamic.verdicts import data, labels, libraries, losses, optimizers
from tflint_hf.dynamic.verdicts.probe import Measured, Scene, judges_anywhere, measurements_for, probes

__all__ = [
    "Measured",
    "Scene",
    "data",
    "judges_anywhere",
    "labels",
    "libraries",
    "losses",
    "measurements_for",
    "optimizers",
    "probes",
]
