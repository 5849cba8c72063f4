"""Names and loading paths that releases of the libraries removed or broke."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tflint_hf.checks.fault import Fault, Once, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.fixes import AddArgument, PlannedFix
from tflint_hf.knowledge import TENSORFLOW_NAMES
from tflint_hf.target import Target
from tflint_hf.trace.events import FolderCloned, FolderFilled, HubCallbackMade, Imported
from tflint_hf.trace.objects import Missing, Model, ModelOrigin
from tflint_hf.trace.views import Trace, rests_on_environment

_TF_NAME = re.compile(r"^TF[A-Z]")
_REMOVED_MODULES = ("transformers.keras_callbacks", "transformers.modeling_tf", "transformers.optimization_tf")


def needs_tensorflow(imported: Imported) -> bool:
    """Whether an import takes something that only transformers 4 has."""
    if imported.module.partition(".")[0] != "transformers" or rests_on_environment(imported.guards):
        return False
    return (
        bool(_TF_NAME.match(imported.name))
        or imported.name in TENSORFLOW_NAMES
        or imported.module.startswith(_REMOVED_MODULES)
    )


@check("TFV001", once_per_project=Once.EVERYTHING)
def removed_tf_classes(trace: Trace, target: Target) -> Iterator[Fault]:
    """transformers 5 has no TensorFlow classes. Said once, at the first import of one."""
    if not target.allows_transformers_5:
        return
    first = next((e for e in trace.of(Imported) if needs_tensorflow(e)), None)
    if first is not None:
        pinned = "transformers" in target.pinned
        reason = "which a fresh install takes, as nothing is pinned"
        if pinned:
            said = "versions given for the scan" if "transformers" in target.given else "requirements"
            reason = f"which the {said} allow"
        yield Fault(
            first.place,
            {"name": first.name or first.module, "reason": reason},
            severity=None if pinned else Severity.INFO,
            rests_on={"transformers": ">=5"},
        )


@check("TFV002")
def removed_tf_trainer(imported: Imported, target: Target) -> Iterator[Fault]:
    """TFTrainer is gone."""
    applies = {"transformers": ">=4.37"}
    if imported.module.startswith("transformers") and imported.name == "TFTrainer" and target.satisfies(applies):
        on_a_branch = Severity.INFO if imported.guards else None
        yield Fault(imported.place, {"name": imported.name}, severity=on_a_branch, rests_on=applies)


@check("TFV004")
def hub_callback_in_used_folder(trace: Trace, target: Target) -> Iterator[Fault]:
    """A callback clones a repository into a folder that the program has filled."""
    applies = {"transformers": ">=4.12,<5"}
    if not target.satisfies(applies) or any(trace.of(FolderCloned)):
        return
    filled: dict[str, FolderFilled] = {}
    for event in trace.events:
        if isinstance(event, FolderFilled) and not event.guards and event.variants == 1:
            filled.setdefault(_folder(event.folder), event)
        elif isinstance(event, HubCallbackMade) and event.variants == 1:
            before = filled.get(_folder(event.folder))
            if before is not None:
                yield Fault(
                    event.place,
                    {"folder": f'"{event.folder}"', "what": before.what},
                    related=((before.place, "the folder is filled here"),),
                    rests_on=applies,
                )


def _folder(name: str) -> str:
    return name.removeprefix("./").rstrip("/")


@check("TFV005", once_per_project=Once.INFOS)
def pytorch_safetensors_in_tf(trace: Trace, target: Target) -> Iterator[Fault]:
    """transformers 4.55 to 4.57 cannot read PyTorch's safetensors into a TensorFlow model.

    Where no pin leads there, it is said once for a program, as something to know when pinning.
    """
    applies = {"transformers": ">=4.55,<5"}
    if not target.satisfies(applies):
        return
    pinned = "transformers" in target.pinned and not target.allows_transformers_5
    for use in trace.model_uses:
        checkpoint = use.model.checkpoint
        if isinstance(checkpoint, Missing) or not _reads_safetensors(use.model):
            continue
        add = AddArgument(use.model.site.place, "use_safetensors=False")
        yield Fault(
            use.model.site.callee,
            {"checkpoint": checkpoint},
            fix=PlannedFix(Safety.UNSAFE, "Read tf_model.h5 instead", (add,)),
            severity=None if pinned else Severity.INFO,
            rests_on=applies,
        )
        if not pinned:
            return


def _reads_safetensors(model: Model) -> bool:
    """Whether from_pretrained takes the weights of a Hub repository in the format that it prefers."""
    if model.origin is not ModelOrigin.PRETRAINED or isinstance(model.checkpoint, Missing) or model.local_checkpoint:
        return False
    if model.keywords & {"use_safetensors", "from_pt", "revision", "**"}:
        return False
    return re.match(r"^[\w-][\w.-]*(/[\w.-]+)?$", model.checkpoint) is not None
