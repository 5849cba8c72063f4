"""What can be said of a log in which no rule sees its symptom."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from tflint_hf.diagnose.progress import trainings

if TYPE_CHECKING:
    from tflint_hf.diagnose.errors import LoggedError
    from tflint_hf.diagnose.log import Log

SCAN = "`tflint-hf scan` reads the program itself."
# Errors of the machine, the files or the user, with what helps; the first that fits.
_KNOWN = (
    (
        re.compile(r"OOM when allocating|ResourceExhausted|out of memory|OUT_OF_MEMORY|MemoryError|Killed$", re.I),
        "memory ran out: a smaller batch_size, or shorter rows, need less of it",
    ),
    (re.compile(r"KeyboardInterrupt"), "the program was interrupted from outside"),
    (re.compile(r"FileNotFoundError|No such file"), "a file or folder is missing: look at the path and the folder"),
    (
        re.compile(r"couldn't connect to|ConnectionError|Max retries exceeded|LocalEntryNotFound|offline mode", re.I),
        "the model hub could not be reached, and the files were not on this machine",
    ),
    (re.compile(r"ModuleNotFoundError"), "a package is missing in the environment that ran the program"),
    (re.compile(r"(?:Segmentation fault|core dumped)"), "the process crashed below Python"),
)


def remark(log: Log, error: LoggedError | None) -> str:
    """One or two sentences that blame nothing."""
    if error is not None:
        shown = f"{error.name}: {error.message}" if error.message else error.name
        place = f" at {error.place.path}:{error.place.line}" if error.place else ""
        reason = next((words for pattern, words in _KNOWN if pattern.search(shown)), None)
        if reason:
            return f"{reason[0].upper()}{reason[1:]} ({_short(shown)}{place})."
        return f"The log ends with {_short(shown)}{place}. That is the symptom of no rule. {SCAN}"
    if words := next((w for pattern, w in _KNOWN for line in log.lines if pattern.search(line.text)), None):
        return f"{words[0].upper()}{words[1:]}."
    if losses := [loss for training in trainings(log)[-1:] for loss in training.series("loss")]:
        course = f"{losses[0]:.4g} to {losses[-1]:.4g}" if len(losses) > 1 else f"{losses[0]:.4g}"
        if all(map(math.isfinite, losses)):
            return f"{len(losses)} epochs, loss {course}: nothing in these numbers is the symptom of a rule. {SCAN}"
    if not log.lines:
        return "The log is empty. A notebook must be saved with its outputs."
    return f"Neither an error nor the numbers of a training that a rule knows were found in the log. {SCAN}"


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:197].rstrip() + "..."
