"""What the sandbox raises, so that the parent can tell it from the program's own errors."""

import errno


class Refused(PermissionError):  # noqa: N818
    """The program tried something that the sandbox neither allows nor plays along with."""

    def __init__(self, text, path=None):
        arguments = (errno.EACCES, "tflint-hf confirm: " + text)
        super().__init__(*(arguments if path is None else (*arguments, path)))


class Unreachable(ConnectionRefusedError):  # noqa: N818
    """The program tried to reach another machine."""

    def __init__(self, host):
        text = "tflint-hf confirm: no connection to {} is made in this run".format(host)
        super().__init__(errno.ECONNREFUSED, text)
