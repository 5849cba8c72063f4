"""Exceptions of the program, said with the place in the program that they come from."""

import traceback

from . import sandbox

TEXT_SAID = 8000
FRAMES_SAID = 6
"""Some messages say enough only together with the lines of the library that gave them."""


def say_error(context, error, at=None, cell=None, went_on=None):
    """Say that an exception stopped the program, or would have: `went_on` is what the run did instead."""
    facts = {"type": type(error).__name__, "text": _text_of(error), "cell": cell, "went_on": went_on}
    facts["raised_in"] = "".join(traceback.format_tb(error.__traceback__)[-FRAMES_SAID:])[-4000:]
    facts["at"] = at if at is not None else context.places.of_traceback(error.__traceback__)
    facts["at"] = context.places.of_message(facts["text"]) + facts["at"]
    if sandbox.is_refusal(error):
        facts["refused"] = True
    elif isinstance(error, OSError) and error.filename is not None:
        facts["missing_file"] = str(error.filename)
    context.channel.send("error", **facts)


def _text_of(error):
    """The beginning of a message and its end, where TensorFlow says what is wrong."""
    text = sandbox.text_of(error)
    return text if len(text) <= TEXT_SAID else text[: TEXT_SAID // 2] + "\n...\n" + text[-TEXT_SAID // 2 :]
