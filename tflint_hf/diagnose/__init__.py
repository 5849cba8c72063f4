"""From what a program printed to the rules whose symptoms it shows. Needs neither TensorFlow nor the program."""

from __future__ import annotations

from tflint_hf.diagnose.log import Log, log_of_text, read_log
from tflint_hf.diagnose.matching import Recognised, recognise
from tflint_hf.diagnose.ranking import Diagnosis, Report, diagnose

__all__ = ["Diagnosis", "Log", "Recognised", "Report", "diagnose", "log_of_text", "read_log", "recognise"]
