"""Stand-in checkpoints: folders with a configuration and a tokenizer or a processor, as `save_pretrained` writes them.

The libraries load such a folder as any other. Only the weights are not there: `models.py` makes them.
"""

import atexit
import contextlib
import json
import os
import re
import shutil
import tempfile

from . import presence
from .configurations import small_sizes
from .tokenizer_files import write_tokenizer

SHARE_OF_VOCABULARY = 8
"""A stand-in has one token where the real vocabulary has this many, so that the larger one stays the larger one."""


_MAX_LENGTHS = {
    "bertweet-base": 128,
    "bertweet-large": 512,
    "twitter-roberta-base": None,
    "twitter-roberta-base-sentiment": None,
    "twitter-roberta-base-sentiment-latest": None,
    "twitter-roberta-base-emotion": None,
}
"""What the tokenizers of single checkpoints say of their length, None where they say nothing."""


class Checkpoints:
    """Decides what gets a stand-in, and makes each once."""

    def __init__(self, context, knowledge):
        self._context = context
        self._knowledge = knowledge
        self._root = None
        self._folders = {}
        self._names = context.stand_in_names
        self._said = set()
        self._missing = set()
        self._searching = False

    @contextlib.contextmanager
    def left_to_the_library(self, name):
        """While the library loads `name`: if it looks for what is missing, no part of it gets a stand-in."""
        before, self._searching = self._searching, self._searching or str(name) in self._missing
        try:
            yield
        finally:
            self._searching = before

    def name_of(self, folder):
        """The name that a stand-in folder stands for, None where it is no such folder."""
        return self._names.get(str(folder))

    def facts(self, folder):
        """What the name of a stand-in tells: see `Knowledge.checkpoint`."""
        return self._knowledge.checkpoint(self._names[str(folder)])

    def folder_for(self, name, what, hint=None, cache_dir=None):
        """The folder of a stand-in, None where the real thing must be taken or where nothing is known of the name.

        `hint` is the family that the class speaks of, for names that tell of none.
        """
        if self._searching or not isinstance(name, (str, os.PathLike)):
            return None
        name = str(name)
        if name in self._names or presence.is_local(name):
            return None
        if self._context.job["stand_ins"] == "auto" and presence.checkpoint_is_cached(name, cache_dir):
            return None
        told = self._knowledge.checkpoint(name)["family"]
        family = told or (None if presence.looks_like_a_path(name) else hint)
        record = self._knowledge.family(family)
        if record is None or (what == "tokenizer" and "tokenizer" not in record):
            self._missing.add(name)
            self._say("missing", what, name)
            return None
        self._missing.discard(name)
        if (name, family) not in self._folders:
            folder = self._new_folder(name)
            self._names[folder] = name
            self._folders[name, family] = folder
            self._write(folder, name, family)
        self._say("stand_in", what, name)
        return self._folders[name, family]

    def _say(self, kind, what, name):
        at = self._context.places.of_stack()
        key = (kind, what, name, json.dumps(at[:1]))
        if key in self._said:
            return
        self._said.add(key)
        self._context.channel.send(kind, what=what, name=name, at=at)
        fact = {"what": what, "name": name}
        if kind == "stand_in" and fact not in self._context.stand_ins:
            self._context.stand_ins.append(fact)

    def _new_folder(self, name):
        if self._root is None:
            self._root = tempfile.mkdtemp(prefix="tflint-hf-")
            atexit.register(shutil.rmtree, self._root, ignore_errors=True)
        folder = os.path.join(self._root, str(len(self._folders)), re.sub(r"[^\w.-]", "_", name.strip("/."))[-80:])
        os.makedirs(folder)
        return folder

    def _write(self, folder, name, family):
        record = self._knowledge.family(family)
        facts = self._knowledge.checkpoint(name)
        chinese = "chinese" in facts["bare"]
        real = _real_vocabulary(record, facts, family)
        size = real // SHARE_OF_VOCABULARY if record.get("small", True) else real
        if chinese:
            size = max(size, 10000)  # one token a character
        style = record.get("tokenizer")
        if style == "mbart" and "mbart-large-50" in facts["bare"]:
            style = "mbart50"
        config = self._configuration(family, record, facts, size)
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        if style is not None:
            longest = _MAX_LENGTHS.get(facts["bare"], record["max_length"])
            settings = {} if longest is None else {"model_max_length": longest}
            cased = facts["cased"]
            if cased is None and style in ("bert", "funnel", "mpnet"):
                cased = family in ("dpr", "roformer") or chinese or "multilingual-cased" in facts["bare"]
            if family == "dpr":
                cased = False
            write_tokenizer(folder, style, size, cased, settings, chinese or _many_languages(facts, family))
        if "processor" in record:
            from .processors import preprocessor

            with open(os.path.join(folder, "preprocessor_config.json"), "w", encoding="utf-8") as file:
                json.dump(preprocessor(record["processor"], family, facts["bare"]), file)

    def _configuration(self, family, record, facts, size):
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        config_class = CONFIG_MAPPING[family]
        values = config_class().to_dict()
        config = {"model_type": family}
        config.update(small_sizes(values, family))
        config.update(record.get("config", {}))
        config.update(_by_name(family, facts["bare"]))
        if "vocab_size" in values and "vocabulary" in record:
            config["vocab_size"] = size
            if "decoder_vocab_size" in values:
                config["decoder_vocab_size"] = size
        for part in ("text_config",):
            if part in config and "vocabulary" in record:
                config[part]["vocab_size"] = size
        config.update(_special_ids(family, size))
        if facts["head_labels"] is not None:
            labels = {str(number): "LABEL_%d" % number for number in range(facts["head_labels"])}
            config["id2label"] = labels
            config["label2id"] = {label: int(number) for number, label in labels.items()}
        return config


def _real_vocabulary(record, facts, family):
    if family == "bert" and "multilingual" in facts["bare"]:
        return 119547 if facts["cased"] else 105879
    if family == "mbart" and "mbart-large-50" in facts["bare"]:
        return 250054
    if family == "deberta-v2" and "mdeberta" in facts["bare"]:
        return 251000
    if facts["cased"] and "vocabulary_cased" in record:
        return record["vocabulary_cased"]
    return record.get("vocabulary", 0)


def _many_languages(facts, family):
    many = ("xlm-roberta", "mbart", "mt5", "xglm", "rembert")
    return family in many or "multilingual" in facts["bare"] or "mdeberta" in facts["bare"]


def _special_ids(family, size):
    """Ids at the end of the vocabulary move with its size."""
    if family == "marian":
        return {"pad_token_id": size - 1, "decoder_start_token_id": size - 1, "bos_token_id": 0, "eos_token_id": 0}
    if family in ("gpt2", "gptj"):
        return {"bos_token_id": size - 1, "eos_token_id": size - 1}
    if family == "whisper":
        end = size - 9
        return {"bos_token_id": end, "eos_token_id": end, "pad_token_id": end, "decoder_start_token_id": end + 1}
    return {}


def _by_name(family, bare):
    """Sizes that an id speaks of."""
    found = {}
    image = re.search(r"-(224|384|256|192|512)(?:-|$)", bare)
    patch = re.search(r"patch(\d+)", bare)
    if family in ("vit", "deit", "swin", "convnext", "convnextv2", "data2vec-vision", "mobilevit", "vit_mae"):
        if image:
            found["image_size"] = int(image.group(1))
        if patch:
            found["patch_size"] = int(patch.group(1))
        window = re.search(r"window(\d+)", bare)
        if window:
            found["window_size"] = int(window.group(1))
    if family == "longformer" and "16384" in bare:
        found["max_position_embeddings"] = 16386
    if bare == "bertweet-base":
        found["max_position_embeddings"] = 130
    if family == "t5" and ("flan" in bare or "v1_1" in bare or "v1.1" in bare):
        found.update(feed_forward_proj="gated-gelu", tie_word_embeddings=False)
    if family == "deberta-v2" and "v2-x" in bare:
        found["norm_rel_ebd"] = "layer_norm"
    return found
