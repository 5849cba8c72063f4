"""What is written to disk, and read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tflint_hf.trace.events.base import Event

if TYPE_CHECKING:
    from tflint_hf.trace.objects import (
        Model,
        SavedFile,
        Tokenizer,
    )
    from tflint_hf.trace.places import CallSite


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Saved(Event):
    """A model is written to disk by `method`: save, save_model, save_weights or save_pretrained.

    `tokenizer_name` is the program's name for a tokenizer there, empty if it has none.
    """

    model: Model
    method: str
    file: SavedFile
    site: CallSite
    tokenizer_name: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SavedModelLoaded(Event):
    """keras.models.load_model reads a file; `told_classes`: it was given custom_objects, or compile=False."""

    file: SavedFile
    site: CallSite
    custom_objects: bool | None
    compiles: bool | None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class WeightsLoaded(Event):
    """load_weights of a model; `built`: its variables may exist by then."""

    model: Model
    file: SavedFile
    built: bool


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FolderFilled(Event):
    """The program writes `what` into a folder, whose name is known."""

    folder: str
    what: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FolderCloned(Event):
    """The program clones a repository."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HubCallbackMade(Event):
    """A PushToHubCallback, with the folder that it clones into."""

    folder: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class TokenizerSaved(Event):
    """A tokenizer is written to disk, or handed to code that may do so."""

    tokenizer: Tokenizer
