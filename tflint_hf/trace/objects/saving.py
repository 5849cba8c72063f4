"""Files that models are saved to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that the program writes or reads. `path` is its name, or only the end of it unless it is `whole`.

    `weights_only`: it holds the weights and not the model (None: not known).
    """

    path: str
    whole: bool
    weights_only: bool | None = False

    @property
    def is_hdf5(self) -> bool:
        return self.path.lower().endswith((".h5", ".hdf5", ".hdf"))
