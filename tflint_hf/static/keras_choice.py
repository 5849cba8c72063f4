"""Which Keras a name leads to, as a small machine over imports in the order in which they run.

From TensorFlow 2.16 on there are two: Keras 3, and tf-keras, which transformers 4 needs. transformers sets
`TF_USE_LEGACY_KERAS=1` when its TensorFlow code is first loaded; `tf.keras` is resolved at its first use and keeps
what it was; an `import` of a module below `tensorflow.keras` always gives Keras 3 unless the variable was set before
TensorFlow was imported, and makes `tf.keras` Keras 3 as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tflint_hf.trace.guards import NO_GUARDS, Guards
from tflint_hf.trace.objects import Keras, KerasOrigin

if TYPE_CHECKING:
    from tflint_hf.trace.places import Place


@dataclass(eq=False, slots=True)
class KerasChoice:
    """`single`: the target's TensorFlow has only one Keras. `variable`: TF_USE_LEGACY_KERAS as the program sets it."""

    single: bool
    variable: bool | None = None
    tensorflow_imported: bool = False
    transformers_loaded: bool = False
    resolved: KerasOrigin | None = None
    resolved_on: Guards = NO_GUARDS
    first_import: Place | None = None
    loaders: dict[str, KerasOrigin] = field(default_factory=dict)
    legacy_before_import: bool = field(default=False)

    def environment(self, value: str | None) -> None:
        """The program sets TF_USE_LEGACY_KERAS (None: to something unknown)."""
        self.variable = None if value is None else value.strip().lower() in {"1", "true"}
        if not self.tensorflow_imported:
            self.legacy_before_import = bool(self.variable)

    def import_tensorflow(self, place: Place | None = None) -> None:
        if self.first_import is None:
            self.first_import = place
        if not self.tensorflow_imported:
            self.tensorflow_imported = True
            self.legacy_before_import = bool(self.variable)

    def load_transformers(self, place: Place | None = None) -> None:
        """The TensorFlow code of transformers is imported."""
        self.import_tensorflow(place)
        self.transformers_loaded = True
        if self.variable is None:
            self.variable = True

    def from_import(self, place: Place, spelling: str) -> KerasOrigin:
        """`from tensorflow.keras... import ...` or `import tensorflow.keras...`."""
        self.import_tensorflow(place)
        if self.single:
            return KerasOrigin(Keras.KERAS_2, place, spelling)
        if self.legacy_before_import:
            return KerasOrigin(Keras.TF_KERAS, place, spelling)
        origin = KerasOrigin(Keras.KERAS_3, place, spelling, self.first_import)
        if self.resolved is None or self.resolved.keras is not Keras.KERAS_3 or self.resolved_on:
            self.resolved, self.resolved_on = origin, NO_GUARDS
        return origin

    def standalone(self, place: Place, spelling: str) -> KerasOrigin:
        """`import keras`."""
        return KerasOrigin(Keras.KERAS_2 if self.single else Keras.KERAS_3, place, spelling)

    def inside_tensorflow(self, place: Place, spelling: str) -> KerasOrigin:
        """`from tensorflow.python.keras... import ...`: the remains of an old Keras. `tf.keras` stays undecided."""
        self.import_tensorflow(place)
        return KerasOrigin(Keras.KERAS_2 if self.single else Keras.UNKNOWN, place, spelling)

    def tf_keras(self, place: Place, spelling: str) -> KerasOrigin:
        """`import tf_keras`."""
        return KerasOrigin(Keras.TF_KERAS, place, spelling)

    def attribute(self, place: Place, guards: Guards) -> KerasOrigin:
        """A use of `tf.keras`: the first one decides. One that another run may skip decides only on its branch."""
        self.import_tensorflow()
        now = KerasOrigin(self._present(), place, "tf.keras", self.first_import)
        if self.resolved is None:
            self.resolved, self.resolved_on = now, guards
        elif not self.resolved_on <= guards:
            if self.resolved.keras is not now.keras:
                return KerasOrigin(Keras.UNKNOWN, place, "tf.keras")
            return now
        return self.resolved

    def loader(self, name: str, place: Place) -> KerasOrigin:
        """A use of `tf.optimizers` and its like: each is resolved by itself at its first use."""
        self.import_tensorflow()
        return self.loaders.setdefault(name, KerasOrigin(self._present(), place, f"tf.{name}", self.first_import))

    def _present(self) -> Keras:
        """What is resolved now is this Keras."""
        if self.single:
            return Keras.KERAS_2
        return Keras.TF_KERAS if self.variable or self.legacy_before_import else Keras.KERAS_3
