"""The Hugging Face Hub: nothing is created, uploaded or deleted there; the program is told that it was."""

import os

from .inert import Inert
from .patches import replace

CREATES = ("create_repo", "duplicate_space", "duplicate_repo")
UPLOADS = (
    "create_commit", "upload_file", "upload_folder", "upload_large_folder", "preupload_lfs_files", "create_branch",
    "create_tag", "delete_repo", "delete_file", "delete_folder", "delete_files", "delete_branch", "delete_tag",
    "update_repo_visibility", "update_repo_settings", "move_repo", "super_squash_history", "create_discussion",
    "create_pull_request", "comment_discussion", "merge_pull_request", "change_discussion_status", "create_collection",
    "add_collection_item", "delete_collection", "permanently_delete_lfs_files", "like", "unlike", "run_job",
    "create_inference_endpoint", "create_webhook", "add_space_secret", "add_space_variable", "request_space_hardware",
    "set_access_token", "create_commits_on_pr",
)  # fmt: skip
ENDPOINT = "https://huggingface.co/"


def install(context, say):
    call = context.after_import.call
    closed = context.job["stand_ins"] != "never"
    call("huggingface_hub.hf_api", lambda module: _hf_api(module, say, closed))
    call("huggingface_hub.repository", lambda module: _repository(module, say))
    call("huggingface_hub._commit_scheduler", lambda module: _scheduler(module, say))
    call("huggingface_hub._login", _login)
    call("huggingface_hub.keras_mixin", lambda module: _whole(module, ("push_to_hub_keras",), say))
    call("huggingface_hub.repocard", lambda module: _method(module, ("RepoCard",), say))
    for place in ("transformers.utils.hub", "transformers.file_utils"):
        call(place, lambda module: _method(module, ("PushToHubMixin",), say))
    call("transformers.modeling_tf_utils", lambda module: _method(module, ("TFPreTrainedModel",), say))
    call("datasets.arrow_dataset", lambda module: _method(module, ("Dataset",), say))
    call("datasets.dataset_dict", lambda module: _method(module, ("DatasetDict", "IterableDatasetDict"), say))
    call("datasets.iterable_dataset", lambda module: _method(module, ("IterableDataset",), say))
    call("evaluate.hub", lambda module: _whole(module, ("push_to_hub",), say))


def _hf_api(module, say, closed):
    api = module.HfApi
    for name in CREATES:
        replace(api, name, lambda original, name=name: _create(module, name, say))
    for name in UPLOADS:
        replace(api, name, lambda original, name=name: _upload(module, name, say))
    if closed:
        replace(api, "whoami", lambda original: _whoami)
        replace(api, "get_full_repo_name", lambda original: _full_name)
    # The functions of the module are methods of one object, bound before.
    shared = getattr(module, "api", None)
    for name in CREATES + UPLOADS + (("whoami", "get_full_repo_name") if closed else ()):
        if shared is not None and hasattr(module, name) and hasattr(api, name):
            setattr(module, name, getattr(shared, name))
    folder = getattr(module, "HfFolder", None)
    if folder is not None:
        replace(folder, "save_token", lambda original: lambda *_, **__: None)


def _whoami(self, *_, **__):
    return {"type": "user", "id": "user", "name": "user", "fullname": "User", "email": None, "orgs": [], "auth": {}}


def _full_name(self, model_id, organization=None, *_, **__):
    return "{}/{}".format(organization or "user", model_id)


def _repository_of(args, named):
    for key in ("repo_id", "name", "from_id"):
        if named.get(key):
            return str(named[key])
    return next((value for value in args if isinstance(value, str)), "")


def _create(module, name, say):
    def create(self, *args, **named):
        repository = _repository_of(args, named)
        say("create_repo", repository)
        if "/" not in repository:
            repository = "{}/{}".format(named.get("organization") or "user", repository)
        kind = named.get("repo_type") or "model"
        return _url(module, ENDPOINT + ("" if kind == "model" else kind + "s/") + repository)

    return create


def _url(module, text):
    make = getattr(module, "RepoUrl", str)
    try:
        return make(text)
    except Exception:
        return text


def _upload(module, name, say):
    def upload(self, *args, **named):
        repository = named.get("repo_id") or _repository_of(args, named)
        pushes = name in ("create_commit", "upload_file", "upload_folder", "upload_large_folder", "preupload_lfs_files")
        say("push_to_hub" if pushes else name, repository)
        commits = name in ("create_commit", "upload_file", "upload_folder")
        done = _commit(module, repository, named) if commits else None
        return _future(done) if named.get("run_as_future") else done

    return upload


def _commit(module, repository, named):
    make = getattr(module, "CommitInfo", None)
    url = ENDPOINT + repository + "/commit/" + "0" * 40
    try:
        return make(
            commit_url=url,
            commit_message=named.get("commit_message") or "Upload",
            commit_description=named.get("commit_description") or "",
            oid="0" * 40,
        )
    except Exception:
        return url


def _future(value):
    from concurrent.futures import Future

    future = Future()
    future.set_result(value)
    return future


def _repository(module, say):
    class Repository(Inert):
        """A clone that is not made: a plain folder, whose pushes end at once."""

        def __init__(self, local_dir, clone_from=None, *args, **named):
            self.local_dir = os.path.abspath(local_dir)
            self.repo_type = named.get("repo_type")
            self.command_queue = []
            self.commands_failed = []
            self.commands_in_progress = []
            self._clone_from = clone_from
            os.makedirs(self.local_dir, exist_ok=True)

        current_branch = "main"

        def git_push(self, *args, blocking=True, **named):
            say("push_to_hub", str(self._clone_from or self.local_dir))
            url = ENDPOINT + str(self._clone_from or "user/model")
            return url if blocking else (url, Done())

        def push_to_hub(self, *args, blocking=True, **named):
            return self.git_push(blocking=blocking)

        def git_head_hash(self):
            return "0" * 40

        def git_head_commit_url(self):
            return ENDPOINT + str(self._clone_from or "user/model") + "/commit/" + "0" * 40

        def git_remote_url(self):
            return ENDPOINT + str(self._clone_from or "user/model")

        def commit(self, *args, **named):
            return _Commit(self)

        def is_repo_clean(self):
            return True

    module.Repository = Repository


class Done:
    """A command that has ended."""

    is_done = True
    failed = False
    status = 0
    title = "push"
    stderr = ""


class _Commit:
    def __init__(self, repository):
        self._repository = repository

    def __enter__(self):
        self._before = os.getcwd()
        os.chdir(self._repository.local_dir)
        return self._repository

    def __exit__(self, *_):
        os.chdir(self._before)
        self._repository.git_push()


def _scheduler(module, say):
    class CommitScheduler(Inert):
        def __init__(self, *args, **named):
            import threading

            self.lock = threading.Lock()
            self.repo_id = _repository_of(args, named)
            say("push_to_hub", self.repo_id)

    module.CommitScheduler = CommitScheduler


def _login(module):
    """Nobody is there to type a token, and none is stored."""
    for name in ("login", "notebook_login", "interpreter_login", "logout", "auth_switch"):
        replace(module, name, lambda original: lambda *_, **__: None)


def _whole(module, names, say):
    for name in names:
        replace(module, name, lambda original, name=name: _pushed(say, 0))


def _method(module, names, say):
    for name in names:
        owner = getattr(module, name, None)
        if owner is not None:
            replace(owner, "push_to_hub", lambda original: _pushed(say, 1))


def _pushed(say, skip):
    def push_to_hub(*args, **named):
        repository = _repository_of(args[skip:], named)
        say("push_to_hub", repository)
        return ENDPOINT + repository

    return push_to_hub
