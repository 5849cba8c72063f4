"""From measurements to verdicts: one function a probe, by subject."""

from tflint_hf.dynamic.verdicts import data, labels, losses, optimizers
from tflint_hf.dynamic.verdicts.probe import Measured, Scene, measurements_for, probes

__all__ = ["Measured", "Scene", "data", "labels", "losses", "measurements_for", "optimizers", "probes"]
