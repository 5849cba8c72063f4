"""What the installed libraries have, and what they can load."""

from __future__ import annotations

from tflint_hf.dynamic.observed import target_of
from tflint_hf.dynamic.verdicts.probe import Measured, Scene, probe, refuted, undecided


@probe("import-error", anywhere=True)
def import_error(scene: Scene) -> Measured | None:
    """An import that went well, in the releases of the run. Where it fails, its exception is the evidence."""
    observation = scene.observation
    failed = any(frame.touches(scene.finding.location) for error in observation.errors for frame in error.at)
    if failed or "transformers" not in observation.versions:
        return None
    names = ("transformers", "tensorflow", "tf_keras", "datasets")
    here = ", ".join(f"{name} {observation.versions[name]}" for name in names if name in observation.versions)
    if scene.applies and target_of(observation).satisfies(scene.applies):
        return refuted(f"the import succeeds here, with {here}")
    return undecided(f"the import succeeds here, with {here}; the finding speaks of other releases")


@probe("from-pretrained-error")
def from_pretrained_error(scene: Scene) -> Measured | None:
    """Whether a checkpoint was loaded. Where it was not, the exception is the evidence."""
    for moment in scene.moments:
        if moment.kind != "model_made":
            continue
        name = moment.said.text("checkpoint") or "the checkpoint"
        if moment.said.flag("model.stand_in"):
            return undecided(f"a stand-in took the place of {name}: the files of the real one were not read")
        return refuted(f"{name} was loaded")
    return None
