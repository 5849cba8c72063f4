"""Exceptions of the program, said with the place in the program that they come from."""

from . import sandbox


def say_error(context, error, at=None, cell=None, went_on=None):
    """Say that an exception stopped the program, or would have: `went_on` is what the run did instead."""
    facts = {"type": type(error).__name__, "text": sandbox.text_of(error)[:6000], "cell": cell, "went_on": went_on}
    facts["at"] = at if at is not None else context.places.of_traceback(error.__traceback__)
    if sandbox.is_refusal(error):
        facts["refused"] = True
    elif isinstance(error, OSError) and error.filename is not None:
        facts["missing_file"] = str(error.filename)
    context.channel.send("error", **facts)
