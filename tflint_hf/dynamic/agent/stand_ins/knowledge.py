"""What is known of checkpoints, families and data sets, from the tables in rules/knowledge."""

import json
import os
import re


class Knowledge:
    """Reads a table at its first use."""

    def __init__(self, folder):
        self._folder = folder
        self._tables = {}

    def table(self, name):
        if name not in self._tables:
            with open(os.path.join(self._folder, name + ".json"), encoding="utf-8") as file:
                self._tables[name] = json.load(file)
        return self._tables[name]

    def family(self, model_type):
        """How checkpoints of a `model_type` look; None where it is not known."""
        return self.table("families").get(model_type)

    def checkpoint(self, name):
        """What the id of a checkpoint tells: "family", "cased", "head_task", "head_labels", each None if not known."""
        ids = self.table("checkpoints")
        bare = re.split(r"[/\\]", name.rstrip("/\\"))[-1].lower()
        known = ids["checkpoints"].get(name.lower()) or ids["checkpoints"].get(bare) or {}
        family = known.get("family")
        if family is None:
            # An id such as funnel-transformer/small tells of its family before the slash.
            for part in (bare, name.lower()):
                family = family or next((each for pattern, each in ids["families"] if re.match(pattern, part)), None)
        return {
            "bare": bare,
            "family": family,
            "cased": known.get("cased", self._cased(bare, family)),
            "head_task": known.get("head_task"),
            "head_labels": known.get("head_labels"),
        }

    def _cased(self, bare, family):
        if re.search(r"(?:^|[-_])uncased(?:$|[-_])", bare):
            return False
        if re.search(r"(?:^|[-_])cased(?:$|[-_])", bare):
            return True
        return self.table("checkpoints")["cased_by_family"].get(family)

    def task(self, class_name):
        """What the head of a TF class is for, None where no table knows."""
        return self.table("tf_classes").get(class_name, {}).get("task")

    def dataset(self, path, config):
        """The record of one configuration of a data set with its "id" and "config" added, None where not known."""
        wanted = path.lower()
        for name, record in self.table("datasets").items():
            if wanted != name.lower() and wanted not in [alias.lower() for alias in record.get("aliases", ())]:
                continue
            configs = record.get("configs")
            if configs is not None:
                config = config if config is not None else record.get("default")
                if config is None and len(configs) == 1:
                    config = next(iter(configs))
                if config not in configs:
                    return None
                record = dict(record, **configs[config])
            return dict(record, id=name, config=config)
        return None
