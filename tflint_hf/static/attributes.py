"""Attributes: names found in objects, modules and libraries, and assignment to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static import calls, imports
from tflint_hf.static.library import hooks
from tflint_hf.static.values import (
    UNKNOWN,
    Bound,
    Class,
    Const,
    EnumMember,
    External,
    Function,
    Instance,
    ModelValue,
    Module,
    Part,
    Super,
    Union,
    Value,
    alternatives,
    make_union,
    narrow,
    view_of,
)
from tflint_hf.trace.places import Place

if TYPE_CHECKING:
    import libcst as cst

    from tflint_hf.static.machine import Machine
    from tflint_hf.static.scopes import Scope


def unbound_name(machine: Machine, node: cst.Name, scope: Scope) -> Value:
    """A name that no scope has: a built-in, or a name that a star import brought."""
    top = scope.top
    for library in reversed(top.stars):
        found = imports.star_name(machine, library, node.value, Place(scope.unit, node))
        if found is not None:
            return found
    if node.value in hooks.BUILTINS:
        return External(f"builtins.{node.value}")
    return UNKNOWN


def class_member(cls: Class, name: str, depth: int = 0) -> Value | None:
    """A member of a class of the program, or of the classes it derives from."""
    if name in cls.members:
        return cls.members[name]
    for base in cls.bases:
        if isinstance(base, Class) and depth < 10:
            found = class_member(base, name, depth + 1)
            if found is not None:
                return found
    return None


def external_base(cls: Class, depth: int = 0) -> External | None:
    """The first library class that a class of the program derives from."""
    for base in cls.bases:
        if isinstance(base, External):
            return base
        if isinstance(base, Class) and depth < 10:
            found = external_base(base, depth + 1)
            if found is not None:
                return found
    return None


def get_attribute(machine: Machine, receiver: Value, name: str, node: cst.CSTNode, scope: Scope) -> Value:
    """`receiver.name`."""
    if isinstance(receiver, Union):
        pairs = []
        for guards, value in alternatives(receiver, machine.guards):
            with machine.under(guards):
                pairs.append((guards, get_attribute(machine, value, name, node, scope)))
        return make_union(pairs)
    if isinstance(receiver, Module):
        found = receiver.scope.names.get(name)
        if found is not None:
            return narrow(found, machine.guards)
        return imports.submodule(machine, receiver, name)
    if isinstance(receiver, External):
        return imports.external_attribute(machine, receiver, name, Place(scope.unit, node))
    if isinstance(receiver, Instance):
        return _instance_attribute(machine, receiver, name, node, scope)
    if isinstance(receiver, Class):
        member = class_member(receiver, name)
        if isinstance(member, Function) and _decorated(member, "classmethod"):
            return Bound(receiver, member)
        base = external_base(receiver)
        if member is not None:
            return EnumMember(member, name) if base is not None and base.path.startswith("enum.") else member
        return Bound(receiver, name) if base is not None else UNKNOWN
    if isinstance(receiver, EnumMember):
        return {"value": receiver.value, "name": Const(receiver.name)}.get(name, UNKNOWN)
    if isinstance(receiver, Super):
        return _super_attribute(receiver, name)
    if isinstance(receiver, Part):
        return hooks.part_attribute(machine, receiver, name)
    return hooks.get_attribute(machine, receiver, name, node, scope)


def _instance_attribute(machine: Machine, receiver: Instance, name: str, node: cst.CSTNode, scope: Scope) -> Value:
    if name == "__dict__":
        return view_of(receiver.attributes)
    if name in receiver.attributes:
        return narrow(receiver.attributes[name], machine.guards)
    member = class_member(receiver.cls, name)
    if isinstance(member, Function):
        if _decorated(member, "property") or _decorated(member, "cached_property"):
            return calls.call_function(machine, member, [receiver], {}, node, scope)
        if _decorated(member, "staticmethod"):
            return member
        return Bound(receiver.cls if _decorated(member, "classmethod") else receiver, member)
    if member is not None:
        return member
    if receiver.model is not None:
        return hooks.get_attribute(machine, receiver.model, name, node, scope)
    return Bound(receiver, name) if external_base(receiver.cls) is not None else UNKNOWN


def _super_attribute(receiver: Super, name: str) -> Value:
    for base in receiver.cls.bases:
        if isinstance(base, Class):
            member = class_member(base, name)
            if isinstance(member, Function):
                return Bound(receiver.instance, member)
    if receiver.instance.model is not None:
        return Bound(receiver.instance.model, name)
    return Bound(receiver, name)


def _decorated(function: Function, name: str) -> bool:
    return any(isinstance(d, External) and d.last == name for d in function.decorators)


def set_attribute(machine: Machine, receiver: Value, name: str, value: Value, node: cst.CSTNode, scope: Scope) -> None:
    """`receiver.name = value`."""
    for guards, one in alternatives(receiver, machine.guards):
        with machine.under(guards):
            if isinstance(one, Instance):
                machine.store.write(one.attributes, name, value)
                if one.model is not None:
                    hooks.set_attribute(machine, one.model, name, value, node, scope)
            elif isinstance(one, Class):
                machine.store.write(one.members, name, value)
            elif isinstance(one, Module):
                machine.store.write(one.scope.names, name, value)
            else:
                hooks.set_attribute(machine, one, name, value, node, scope)


def as_model(value: Value) -> ModelValue | None:
    """The model that a value is: a model of a library, or an instance of a subclass written in the program."""
    if isinstance(value, ModelValue):
        return value
    return value.model if isinstance(value, Instance) else None
