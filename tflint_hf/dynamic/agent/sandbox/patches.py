"""Small tools to have functions of other libraries work on the merged view, once those are imported."""

import contextlib
import functools
import inspect
import os

REMOTE = "://"


def is_path(value):
    """Whether a value is a path by its type, and no address."""
    return isinstance(value, (str, bytes, os.PathLike)) and bool(value) and REMOTE not in os.fsdecode(value)


def as_path(value):
    """A path from what a library was given: text, a path, a scalar string tensor. None if it is none of these."""
    if is_path(value):
        return value
    if hasattr(value, "numpy") and getattr(value, "shape", None) == ():
        try:
            value = value.numpy()
        except Exception:
            return None
        return value if is_path(value) else None
    return None


def replace(owner, name, make):
    """Put `make(original)` in the place of the attribute, if there is one. Says whether there was."""
    original = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
    if original is None:
        return False
    bare = original.__func__ if isinstance(original, (staticmethod, classmethod)) else original
    new = make(bare)
    with contextlib.suppress(AttributeError, TypeError):
        functools.update_wrapper(new, bare)
    # TensorFlow would go past the wrapper to what is wrapped, where it looks into functions.
    for mark in ("__wrapped__", "_tf_decorator"):
        getattr(new, "__dict__", {}).pop(mark, None)
    if isinstance(original, (staticmethod, classmethod)):
        new = type(original)(new)
    setattr(owner, name, new)
    return True


def on_argument(place, name, translate):
    """Make a wrapper that translates one argument, given by position `place` or by `name`."""

    def make(original):
        def wrapper(*args, **named):
            if name in named:
                named[name] = translate(named[name])
            elif len(args) > place:
                args = args[:place] + (translate(args[place]),) + args[place + 1 :]
            return original(*args, **named)

        return wrapper

    return make


def takes(function, name):
    """Whether a function has a parameter of this name."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
