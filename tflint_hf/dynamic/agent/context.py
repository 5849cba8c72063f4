"""What all parts of the agent share in one run."""

from time import monotonic

from .channel import Channel
from .imports import AfterImport
from .places import Places


class Context:
    """`job` is what the parent asked for, as plain data: see `tflint_hf/dynamic/job.py`."""

    def __init__(self, job):
        self.job = job
        self.channel = Channel(job["channel"])
        self.places = Places(job["root"])
        self.after_import = AfterImport(self.channel.trouble)
        self.deadline = monotonic() + job["budget_seconds"]
        self.stand_ins = []
        """What a stand-in took the place of, as {"what": "checkpoint" | "data set" | ..., "name": ...}."""

        self.stand_in_names = {}
        """The name of a checkpoint by the folder of its stand-in, which is what the libraries load."""

    def name_of_checkpoint(self, given):
        """The name that a program gave where a library was given `given`."""
        return self.stand_in_names.get(str(given), str(given))

    def seconds_left(self):
        return self.deadline - monotonic()
