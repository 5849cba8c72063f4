"""Is it on this machine? Checkpoints and data sets, in a folder of the user's or in a cache of the libraries."""

import glob
import json
import os

WEIGHTS = ("*.h5", "*.safetensors", "pytorch_model*.bin", "*.msgpack")


def is_local(name):
    """Whether the name is that of a file or folder."""
    return os.path.exists(os.path.expanduser(name)) or name.startswith(("http://", "https://"))


def looks_like_a_path(name):
    """Whether the name cannot be an id of the Hub."""
    return name.startswith((".", "/", "~", "\\")) or name.count("/") > 1 or "\\" in name or ":" in name


def checkpoint_is_cached(name, cache_dir=None):
    """Whether the weights and the configuration of a checkpoint of the Hub are in a cache."""
    for cache in _hub_caches(cache_dir):
        for snapshot in glob.glob(
            os.path.join(glob.escape(cache), "models--" + name.replace("/", "--"), "snapshots", "*")
        ):
            weights = any(glob.glob(os.path.join(glob.escape(snapshot), pattern)) for pattern in WEIGHTS)
            if weights and os.path.exists(os.path.join(snapshot, "config.json")):
                return True
    return _is_in_old_cache(name, cache_dir)


def _is_in_old_cache(name, cache_dir):
    """Releases of transformers before 4.22 kept each file under a hash, with its address beside it."""
    home = os.environ.get("HF_HOME", os.path.join(os.path.expanduser("~"), ".cache", "huggingface"))
    cache = cache_dir or os.environ.get("TRANSFORMERS_CACHE") or os.path.join(home, "transformers")
    found = set()
    for path in glob.glob(os.path.join(glob.escape(str(cache)), "*.json")):
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError):
            continue
        address = content.get("url", "") if isinstance(content, dict) else ""
        if isinstance(address, str) and "/" + name + "/resolve/" in address:
            found.add(address.rpartition("/")[2])
    return "config.json" in found and any(each.endswith((".h5", ".bin", ".safetensors")) for each in found)


def dataset_is_cached(name, cache_dir=None):
    """Whether something of a data set of the Hub is in a cache."""
    home = os.environ.get("HF_HOME", os.path.join(os.path.expanduser("~"), ".cache", "huggingface"))
    prepared = cache_dir or os.environ.get("HF_DATASETS_CACHE") or os.path.join(home, "datasets")
    folder = name.replace("/", "___")
    if any(glob.glob(os.path.join(glob.escape(str(prepared)), each, "*")) for each in {folder, folder.lower()}):
        return True
    return any(
        glob.glob(os.path.join(glob.escape(cache), "datasets--" + name.replace("/", "--"), "snapshots", "*", "*"))
        for cache in _hub_caches(None)
    )


def _hub_caches(cache_dir):
    home = os.environ.get("HF_HOME", os.path.join(os.path.expanduser("~"), ".cache", "huggingface"))
    named = [cache_dir, os.environ.get("TRANSFORMERS_CACHE"), os.environ.get("HF_HUB_CACHE")]
    named += [os.environ.get("HUGGINGFACE_HUB_CACHE"), os.path.join(home, "hub")]
    return list(dict.fromkeys(str(each) for each in named if each))
