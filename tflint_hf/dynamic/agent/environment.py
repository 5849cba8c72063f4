"""What the program runs with: versions of its libraries, devices."""

import sys
from time import time

VERSIONS_OF = ("tensorflow", "keras", "tf_keras", "transformers", "datasets", "numpy")


def say_environment(context):
    """Said at the first training too: a run that is killed later has still named what it ran with."""
    found = {name: getattr(sys.modules.get(name), "__version__", None) for name in VERSIONS_OF}
    devices = []
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None:
        try:
            devices = [device.name for device in tensorflow.config.list_logical_devices()]
        except Exception as error:
            context.channel.trouble("the list of devices", error)
    context.channel.send(
        "environment",
        versions={name: str(version) for name, version in found.items() if version},
        devices=devices,
        seed=context.job["seed"],
        at=time(),
    )
