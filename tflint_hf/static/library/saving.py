"""Files: models, weights and tokenizers written to disk and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tflint_hf.static import attributes
from tflint_hf.static.expressions import joined_path
from tflint_hf.static.library import hooks
from tflint_hf.static.library.hooks import method, path
from tflint_hf.static.library.keras_callbacks import made_callback
from tflint_hf.static.library.model_state import receiving_model
from tflint_hf.static.library.text import TokenizerValue, literal
from tflint_hf.static.names import name_of
from tflint_hf.static.values import (
    UNKNOWN,
    Const,
    Ending,
    ModelValue,
    Value,
    ending_of,
    text_of,
)
from tflint_hf.trace.events import (
    DeviceConfigured,
    FolderCloned,
    FolderFilled,
    HubCallbackMade,
    Saved,
    SavedModelLoaded,
    TokenizerSaved,
    WeightsLoaded,
)
from tflint_hf.trace.objects import SavedFile

if TYPE_CHECKING:
    from typing import Any

    from tflint_hf.static.calls import LibraryCall


def file_of(value: Value | None, weights_only: bool | None = False) -> SavedFile | None:
    """The file that a path names, None where nothing is known of it."""
    ending = ending_of(value) if value is not None else None
    return None if ending is None else SavedFile(ending, _is_whole(value), weights_only)


def _is_whole(value: Value | None) -> bool:
    return value.whole if isinstance(value, Ending) else text_of(value or UNKNOWN) is not None


def _target(call: LibraryCall, *names: str) -> Value | None:
    found = next((call.given[n] for n in names if n in call.given), None)
    return found if found is not None else (call.rest[0] if call.rest else None)


@method(ModelValue, "save_pretrained", "save", "save_weights", "push_to_hub")
def _save(call: LibraryCall) -> Value:
    """A folder that the program writes is not a checkpoint of the Hub when it is read back."""
    value = receiving_model(call)
    target = _target(call, "save_directory", "filepath", "repo_id")
    folder = text_of(target) if target is not None else None
    if folder is not None and call.path in {"save", "save_pretrained"}:
        call.machine.saved.add(folder)
    if folder is not None and call.path != "push_to_hub":
        filled(call, folder if call.path != "save_weights" else folder.rpartition("/")[0], "the model")
    if value is not None:
        _record(call, value, call.path, target)
    return UNKNOWN


def filled(call: LibraryCall, folder: str, what: str) -> None:
    """Record that the program writes into a folder."""
    if folder:
        call.machine.record(FolderFilled, call.site.callee, call.group, folder=folder, what=what)


@path("huggingface_hub.Repository", "huggingface_hub.snapshot_download", "git.Repo.clone_from")
def _clone(call: LibraryCall) -> Value:
    call.machine.record(FolderCloned, call.site.callee, call.group)
    return UNKNOWN


@path("transformers.PushToHubCallback", "transformers.keras_callbacks.PushToHubCallback")
def _hub_callback(call: LibraryCall) -> Value:
    folder = call.get("output_dir") or (call.rest[0] if call.rest else UNKNOWN)
    name = text_of(folder)
    if name is not None and not (isinstance(folder, Const) and folder.soft):
        place = call.site.values.get("output_dir") or call.site.values.get("#0", call.site.callee)
        call.machine.record(HubCallbackMade, place, call.group, folder=name)
    return made_callback(call)


def _record(call: LibraryCall, value: ModelValue, how: str, target: Value | None) -> None:
    file = file_of(target, how == "save_weights")
    form = literal(call.get("save_format") or (call.rest[2] if len(call.rest) > 2 else None), None)
    if form in ("h5", "hdf5"):
        file = SavedFile(f"{file.path if file is not None else ''}.h5", False)
    elif form is not None and file is not None and file.is_hdf5:
        # The format that is asked for counts, not the ending.
        file = SavedFile("", False)
    call.machine.record(
        Saved,
        call.site.callee,
        call.group,
        model=value.model,
        method=how,
        file=file or SavedFile("", False, how == "save_weights"),
        site=call.site,
        tokenizer_name=name_of(call.scope, lambda value: isinstance(value, TokenizerValue)),
    )


@path("keras.models.save_model", "keras.saving.save_model")
def _save_model(call: LibraryCall) -> Value:
    model = attributes.as_model(call.get("model") or (call.rest[0] if call.rest else UNKNOWN) or UNKNOWN)
    target = call.get("filepath") or (call.rest[1] if len(call.rest) > 1 else None)
    if model is not None:
        _record(call, model, "save_model", target)
    return UNKNOWN


@path("keras.models.load_model", "keras.saving.load_model")
def _load_model(call: LibraryCall) -> Value:
    file = file_of(call.get("filepath") or (call.rest[0] if call.rest else None))
    if file is not None and file.whole:
        told = "custom_objects" in call.given or len(call.rest) > 1 or call.machine.custom_objects
        compiles = literal(call.get("compile"), None if call.open else True)
        call.machine.record(
            SavedModelLoaded,
            call.site.callee,
            call.group,
            file=file,
            site=call.site,
            custom_objects=told or (None if call.open else False),
            compiles=compiles if isinstance(compiles, bool) else None,
        )
    return UNKNOWN


@path(
    "keras.utils.custom_object_scope",
    "keras.utils.CustomObjectScope",
    "keras.utils.get_custom_objects",
    "keras.utils.register_keras_serializable",
    "keras.saving.custom_object_scope",
    "keras.saving.register_keras_serializable",
    "keras.saving.get_custom_objects",
)
def _custom_objects(call: LibraryCall) -> Value:
    """From here on load_model knows classes that are not Keras's own."""
    call.machine.custom_objects = True
    return UNKNOWN


@method(ModelValue, "load_weights")
def _load_weights(call: LibraryCall) -> Value:
    value = receiving_model(call)
    file = file_of(_target(call, "filepath"), True)
    if value is not None and file is not None:
        built = "built" in value.state or "escaped" in value.state
        call.machine.record(WeightsLoaded, call.site.callee, call.group, model=value.model, file=file, built=built)
    return UNKNOWN


@method(ModelValue, "build", "generate", "summary", "set_weights", "get_weights")
def _builds(call: LibraryCall) -> Value:
    value = receiving_model(call)
    if value is not None:
        call.machine.store.write(value.state, "built", Const(True))
    return UNKNOWN


@method(TokenizerValue, "save_pretrained", "push_to_hub")
def _save_tokenizer(call: LibraryCall) -> Value:
    assert isinstance(call.receiver, TokenizerValue)
    folder = text_of(_target(call, "save_directory") or UNKNOWN)
    if folder is not None and call.path == "save_pretrained":
        filled(call, folder, "the tokenizer")
    call.machine.record(TokenizerSaved, call.site.callee, call.group, tokenizer=call.receiver.tokenizer)
    return UNKNOWN


@hooks.escape
def _tokenizer_escapes(
    machine: Any, name: str, receiver: Value | None, positional: Any, keywords: Any, *rest: Any
) -> None:
    """Code that the reader does not know may save a tokenizer that it gets."""
    for value in [*positional, *keywords.values()]:
        if isinstance(value, TokenizerValue):
            place = value.tokenizer.site.callee
            machine.record(TokenizerSaved, place, machine.new_group(), tokenizer=value.tokenizer)


@path(
    "tensorflow.config.experimental.set_memory_growth",
    "tensorflow.config.experimental.set_virtual_device_configuration",
    "tensorflow.config.set_logical_device_configuration",
)
def _configure_device(call: LibraryCall) -> Value:
    setting = call.path.rpartition(".")[2]
    call.machine.record(DeviceConfigured, call.site.callee, call.group, setting=setting)
    return UNKNOWN


@path("os.path.join")
def _join(call: LibraryCall) -> Value:
    """A path of this machine, never a name on the Hub."""
    return joined_path(call.rest) if call.rest and not call.open else UNKNOWN


@path("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath")
def _path(call: LibraryCall) -> Value:
    return _join(call)


@method(Ending, "joinpath")
def _join_path(call: LibraryCall) -> Value:
    return joined_path([call.receiver or UNKNOWN, *call.rest])


@method(Ending, "as_posix", "resolve", "absolute", "expanduser", "__fspath__")
def _same_path(call: LibraryCall) -> Value:
    return call.receiver or UNKNOWN


@path("os.fspath", "os.path.abspath", "os.path.normpath", "os.path.expanduser")
def _plain_path(call: LibraryCall) -> Value:
    return joined_path(call.rest[:1]) if call.rest else UNKNOWN
