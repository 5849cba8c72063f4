"""What rules of your own are written with: `from tflint_hf.plugin import Fault, check, events`.

`events` and `views` are what a rule can look at, `objects` what these speak of, `fixes` the edits that a fault may come
with. A release that changes any of this says so in the changelog.
"""

from tflint_hf import fixes
from tflint_hf.checks.fault import Fault, Once, check
from tflint_hf.findings import Safety, Severity
from tflint_hf.target import Target
from tflint_hf.trace import events, objects, views
from tflint_hf.trace.places import CallSite, Place

__all__ = [
    "CallSite",
    "Fault",
    "Once",
    "Place",
    "Safety",
    "Severity",
    "Target",
    "check",
    "events",
    "fixes",
    "objects",
    "views",
]
