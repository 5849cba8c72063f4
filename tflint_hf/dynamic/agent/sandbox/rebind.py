"""Replace functions where modules that are loaded already hold on to them: as names, in classes, as defaults."""

import sys
import types


def rebind(replaced):
    """`replaced`: original function -> the one in its place. Looks at the modules that are loaded now."""
    for name, module in list(sys.modules.items()):
        if name.startswith("_tflint_hf_agent") or name in ("posix", "nt") or not isinstance(module, types.ModuleType):
            continue
        for key, value in list(vars(module).items()):
            new = _new(replaced, value)
            if new is not None:
                setattr(module, key, new)
            elif isinstance(value, type) and value.__module__ == name:
                _in_class(value, replaced)
            elif isinstance(value, types.FunctionType) and value.__module__ == name:
                _in_defaults(value, replaced)


def _new(replaced, value):
    try:
        return replaced.get(value)
    except TypeError:
        return None


def _in_class(found, replaced):
    for key, value in list(vars(found).items()):
        bare = value.__func__ if isinstance(value, staticmethod) else value
        new = _new(replaced, bare)
        if new is not None:
            try:
                setattr(found, key, staticmethod(new))
            except (AttributeError, TypeError):
                continue
        elif isinstance(bare, types.FunctionType):
            _in_defaults(bare, replaced)


def _in_defaults(function, replaced):
    defaults = function.__defaults__
    if defaults and any(_new(replaced, value) is not None for value in defaults):
        function.__defaults__ = tuple(_new(replaced, value) or value for value in defaults)
    for key, value in list((function.__kwdefaults__ or {}).items()):
        if _new(replaced, value) is not None:
            function.__kwdefaults__[key] = _new(replaced, value)
