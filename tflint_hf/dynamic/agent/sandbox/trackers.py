"""Experiment trackers: switched off by their own switches where they have one, by inert objects where they do not."""

import os

from .inert import Inert
from .patches import replace

VARIABLES = {
    "WANDB_MODE": "disabled",
    "WANDB_SILENT": "true",
    "WANDB_DISABLE_CODE": "true",
    "COMET_MODE": "disabled",
    "COMET_AUTO_LOG_DISABLE": "1",
    "NEPTUNE_MODE": "debug",
    "CLEARML_OFFLINE_MODE": "1",
    "TRACKIO_OFFLINE": "1",
    "CODECARBON_TRACKING_MODE": "process",
    "SWANLAB_MODE": "disabled",
    "DVCLIVE_TEST": "true",
    "MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING": "false",
}


def install(context, say):
    os.environ.update(VARIABLES)
    work = context.job["work"]
    os.environ["MLFLOW_TRACKING_URI"] = "file:" + os.path.join(work, "mlruns").replace(os.sep, "/")
    os.environ["WANDB_DIR"] = os.path.join(work, "tmp")
    call = context.after_import.call
    call("mlflow", lambda module: _mlflow(module, say))
    call("wandb", lambda module: _wandb(module, say))
    call(
        "comet_ml",
        lambda module: _classes(module, "comet_ml", ("Experiment", "OfflineExperiment", "ExistingExperiment"), say),
    )
    call("comet_ml", lambda module: _functions(module, "comet_ml", ("start", "init", "login"), say))
    call("neptune", lambda module: _functions(module, "neptune", NEPTUNE, say))
    call("neptune.new", lambda module: _functions(module, "neptune", NEPTUNE, say))
    call("clearml", lambda module: _clearml(module, say))
    call("trains", lambda module: _clearml(module, say))
    call("aim", lambda module: _classes(module, "aim", ("Run", "Repo"), say))
    call(
        "codecarbon",
        lambda module: _classes(module, "codecarbon", ("EmissionsTracker", "OfflineEmissionsTracker"), say),
    )
    call("dvclive", lambda module: _classes(module, "dvclive", ("Live",), say))
    call("swanlab", lambda module: _functions(module, "swanlab", ("init", "log", "finish", "login"), say))
    call("trackio", lambda module: _functions(module, "trackio", ("init", "log", "finish"), say))
    call("dagshub", lambda module: _functions(module, "dagshub", ("init", "upload_files"), say))


NEPTUNE = ("init", "init_run", "init_model", "init_model_version", "init_project")


def _functions(module, tracker, names, say):
    for name in names:
        replace(module, name, lambda original: _inert_call(tracker, say))


def _inert_call(tracker, say):
    def function(*args, **named):
        say("tracker", tracker)
        return Inert()

    return function


def _classes(module, tracker, names, say):
    """Classes stay classes, for programs test for them and derive from them."""
    for name in names:
        if isinstance(getattr(module, name, None), type):
            setattr(module, name, _inert_class(name, tracker, say))


def _inert_class(name, tracker, say):
    class Tracker(Inert):
        def __init__(self, *args, **named):
            say("tracker", tracker)

    Tracker.__name__ = Tracker.__qualname__ = name
    return Tracker


def _wandb(module, say):
    original = module.init

    def init(*args, **named):
        say("tracker", "wandb")
        named["mode"] = "disabled"
        return original(*args, **named)

    module.init = init
    replace(module, "login", lambda original: lambda *_, **__: True)


def _mlflow(module, say):
    """The store of mlflow lies in the folder of the run, whatever the program says."""
    work = os.environ["MLFLOW_TRACKING_URI"]
    replace(module, "set_tracking_uri", lambda original: lambda uri=None, *_, **__: original(work))
    replace(module, "set_registry_uri", lambda original: lambda uri=None, *_, **__: original(work))
    for name in ("start_run", "autolog"):
        replace(module, name, lambda original: _told(original, "mlflow", say))
    for name in ("register_model",):
        replace(module, name, lambda original: _inert_call("mlflow", say))


def _told(original, tracker, say):
    def function(*args, **named):
        say("tracker", tracker)
        return original(*args, **named)

    return function


def _clearml(module, say):
    task = getattr(module, "Task", None)
    if task is None:
        return
    for name in ("init", "create", "get_task", "current_task"):
        if name in vars(task):
            setattr(task, name, staticmethod(_inert_call("clearml", say)))
