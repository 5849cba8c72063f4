"""Imports: names of libraries, modules of the program, and the order effects that decide which Keras is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from tflint_hf.knowledge import TENSORFLOW_NAMES, tf_class
from tflint_hf.static.syntax import dotted_name, source_text
from tflint_hf.static.values import UNKNOWN, External, Module, Value
from tflint_hf.trace.events import Imported
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope
    from tflint_hf.trace.objects import KerasOrigin

_TF_KERAS = re.compile(r"^tensorflow(?:\.python)?\.keras(?:\.|$)")
_INSIDE_TENSORFLOW = "tensorflow.python."
_STAR_TRANSFORMERS = re.compile(r"^(TF[A-Z]\w*|Auto[A-Z]\w*|[A-Z]\w*(Tokenizer|TokenizerFast|Config)|DataCollator\w*)$")


def import_statement(machine: Machine, node: cst.Import, scope: Scope) -> None:
    """`import a.b as c`."""
    for alias in node.names:
        module = dotted_name(alias.name)
        place = Place(scope.unit, node)
        value = _module(machine, module, place, source_text(node), scope)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            bound = alias.asname.name.value
        else:
            bound = module.partition(".")[0]
            if bound != module:
                value = _module(machine, bound, None, "", scope)
        machine.store.write(scope.holder(bound).names, bound, value)
        _record(machine, place, module, "", place)


def import_from(machine: Machine, node: cst.ImportFrom, scope: Scope) -> None:
    """`from a.b import c as d`, relative and star imports too."""
    module = dotted_name(node.module) if node.module is not None else ""
    place = Place(scope.unit, node)
    level = len(node.relative)
    local = machine.modules.find(machine, module, level, scope)
    if isinstance(node.names, cst.ImportStar):
        if local is not None:
            for name, value in local.scope.names.items():
                if not name.startswith("_"):
                    machine.store.write(scope.names, name, value)
        elif level == 0:
            _touch(machine, module, "*", place, source_text(node))
            scope.top.stars.append(module)
            _record(machine, place, module, "*", place)
        return
    for alias in node.names:
        if not isinstance(alias.name, cst.Name):
            continue
        name = alias.name.value
        bound = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else name
        if local is not None:
            value = local.scope.names.get(name) or submodule(machine, local, name)
        elif level:
            value = UNKNOWN
        else:
            value = from_library(machine, module, name, place, source_text(node))
            _record(machine, Place(scope.unit, alias), module, name, place)
        machine.store.write(scope.holder(bound).names, bound, value)


def submodule(machine: Machine, module: Module, name: str) -> Value:
    """A module inside a package of the program."""
    found = machine.modules.find_below(machine, module, name)
    return UNKNOWN if found is None else found


def star_name(machine: Machine, library: str, name: str, place: Place) -> Value | None:
    """A name that `from library import *` brought, if the library is known to have it."""
    root = library.partition(".")[0]
    if root == "transformers":
        if _STAR_TRANSFORMERS.match(name) or name in TENSORFLOW_NAMES or name in {"pipeline", "set_seed"}:
            return from_library(machine, library, name, place, f"from {library} import *")
        return None
    canonical, keras = _canonical(library)
    if keras and name[:1].isupper():
        return from_library(machine, library, name, place, f"from {library} import *")
    if root == "datasets" and name in {"load_dataset", "load_metric", "Dataset", "DatasetDict", "concatenate_datasets"}:
        return External(f"{canonical}.{name}")
    return None


def _record(machine: Machine, place: Place, module: str, name: str, statement: Place) -> None:
    if module.partition(".")[0] in {"transformers", "tensorflow", "keras", "tf_keras", "datasets"}:
        machine.record(Imported, place, machine.new_group(), module=module, name=name, statement=statement)


def _module(machine: Machine, module: str, place: Place | None, spelling: str, scope: Scope) -> Value:
    """The value of an imported module. Without a place it is only named, not imported."""
    local = machine.modules.find(machine, module, 0, scope)
    if local is not None:
        return local
    canonical, keras = _canonical(module)
    if not keras:
        if place is not None:
            _touch(machine, module, "", place, spelling)
        return External(canonical)
    if place is None:
        place = Place(scope.unit, None)
    return External(canonical, _keras_origin(machine, module, place, spelling))


def _canonical(module: str) -> tuple[str, bool]:
    """The canonical path of a module and whether it belongs to Keras."""
    if _TF_KERAS.match(module):
        return _TF_KERAS.sub("keras.", module).rstrip("."), True
    root, _, rest = module.partition(".")
    if root in {"keras", "tf_keras"}:
        rest = re.sub(r"^(src|api)(\._v2)?(\.keras)?\.?", "", rest)
        return f"keras.{rest}".rstrip("."), True
    return module, False


def _keras_origin(machine: Machine, module: str, place: Place, spelling: str) -> KerasOrigin:
    if module.startswith("tf_keras"):
        return machine.keras.tf_keras(place, spelling)
    if module.startswith("keras"):
        return machine.keras.standalone(place, spelling)
    if module.startswith(_INSIDE_TENSORFLOW):
        return machine.keras.inside_tensorflow(place, spelling)
    return machine.keras.from_import(place, spelling)


def _touch(machine: Machine, module: str, name: str, place: Place, spelling: str) -> None:
    """Note what an import loads."""
    root = module.partition(".")[0]
    if root in _TOUCHING:
        machine.keras.attribute(place, machine.guards)
    if root == "tensorflow":
        if _TF_KERAS.match(module) and not module.startswith(_INSIDE_TENSORFLOW):
            machine.keras.from_import(place, spelling)
        machine.keras.import_tensorflow(place)
    elif root == "transformers" and _loads_tensorflow(module, name):
        machine.keras.load_transformers(place)


#: Libraries that use `tf.keras` when they are imported.
_TOUCHING = frozenset({"tensorflow_hub"})


def _loads_tensorflow(module: str, name: str) -> bool:
    if name in TENSORFLOW_NAMES or "modeling_tf" in module or module.endswith("keras_callbacks") or name == "*":
        return True
    found = tf_class(name)
    return not found.auto if found is not None else re.match(r"TF(?!Auto)[A-Z]", name) is not None


def from_library(machine: Machine, module: str, name: str, place: Place, spelling: str) -> Value:
    """`from module import name` for a library."""
    canonical, keras = _canonical(module)
    if keras:
        return External(f"{canonical}.{name}", _keras_origin(machine, module, place, spelling))
    if module in {"tensorflow", "tensorflow.compat.v2"} and name == "keras":
        machine.keras.import_tensorflow(place)
        return External("tensorflow.keras")
    _touch(machine, module, name, place, spelling)
    if module.partition(".")[0] == "transformers":
        return External(f"transformers.{name}")
    if module.partition(".")[0] == "datasets":
        return External(f"datasets.{name}")
    return External(f"{canonical}.{name}")


def external_attribute(machine: Machine, receiver: External, name: str, place: Place) -> Value:
    """An attribute of a library's module or class."""
    path = receiver.path
    if path in {"tensorflow", "tensorflow.compat.v2"} and name == "keras":
        return External("tensorflow.keras")
    if path == "tensorflow" and name in {"optimizers", "losses", "metrics", "initializers"}:
        return External(f"keras.{name}", machine.keras.loader(name, place))
    if path == "tensorflow.keras":
        # `tf.keras` is resolved when something of it is first used.
        return External(f"keras.{name}", machine.keras.attribute(place, machine.guards))
    if path == "datasets":
        machine.record(Imported, place, machine.new_group(), module=path, name=name, statement=None)
    if path == "transformers" or (path.startswith("transformers.") and path.rpartition(".")[2][:1].islower()):
        if _loads_tensorflow("transformers", name):
            machine.keras.load_transformers()
        machine.record(Imported, place, machine.new_group(), module=path, name=name, statement=None)
        return External(f"transformers.{name}")
    return External(f"{path}.{name}", receiver.origin)
