"""Put a function in the place of another, so that the other can still be called."""

import functools


def around_classmethod(owner, name, wrapper):
    """Have `wrapper(original, cls, *args, **kwargs)` called for `owner.name`; nothing if the class has none of its own.

    `original` takes `cls` first.
    """
    found = vars(owner).get(name)
    if not isinstance(found, classmethod) or hasattr(found.__func__, "_stands_in"):
        return
    original = found.__func__

    @functools.wraps(original)
    def method(cls, *args, **kwargs):
        return wrapper(original, cls, *args, **kwargs)

    method._stands_in = True
    setattr(owner, name, classmethod(method))


def around_function(owners, name, wrapper):
    """Have `wrapper(original, *args, **kwargs)` called for the function `name` of each module of `owners`."""
    original = next((vars(owner)[name] for owner in owners if name in vars(owner)), None)
    if original is None or hasattr(original, "_stands_in"):
        return

    @functools.wraps(original)
    def function(*args, **kwargs):
        return wrapper(original, *args, **kwargs)

    function._stands_in = True
    for owner in owners:
        if vars(owner).get(name) is original:
            setattr(owner, name, function)
