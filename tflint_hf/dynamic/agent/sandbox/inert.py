"""An object that takes everything and does nothing."""


class Inert:
    """Any attribute is a function that does nothing, any item is inert too; it is a context manager of length 0."""

    def __init__(self, *args, **named):
        pass

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        found = Inert()
        self.__dict__[name] = found
        return found

    def __call__(self, *args, **named):
        return Inert()

    def __getitem__(self, key):
        return Inert()

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return True

    def __contains__(self, key):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __str__(self):
        return "nothing-kept"

    def __fspath__(self):
        return str(self)

    def __index__(self):
        return 0

    def __int__(self):
        return 0

    def __float__(self):
        return 0.0
