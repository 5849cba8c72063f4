"""Write the files of a stand-in tokenizer: those of the fast one and those of the slow one."""

import collections
import json
import os
import pickle
import re

from .tokenizer_styles import STYLES
from .vocabularies import byte_merges, filled, sentencepiece_model, unigram_pieces, word_pieces
from .words import characters, common_words


def write_tokenizer(folder, style_name, size, cased, settings, chinese=False):
    """Write a tokenizer of that style with ids below `size`. `settings` are those of tokenizer_config.json."""
    import tokenizers

    style = STYLES[style_name]
    lower = style.get("lower", False) if cased is None else not cased
    settings = dict(style.get("settings", {}), **settings)
    first, last = style.get("first", []), style.get("last", [])
    size -= style.get("beyond", 0)
    if style["kind"] == "wordpiece":
        settings["do_lower_case"] = lower
        made = _write_wordpiece(folder, style, word_pieces(size, first, last, lower, chinese), lower, tokenizers)
    elif style["kind"] == "bytes":
        made = _write_bytes(folder, style, size, tokenizers)
    elif style["kind"] == "plain":
        _write_text(folder, "vocab.txt", "\n".join(first))
        made = None
    elif style["kind"] in ("words", "joined"):
        made = _write_words(folder, style, size, tokenizers)
    elif style["kind"] == "pickled":
        made = _write_pickled(folder, first, size)
    else:
        if style_name == "albert":
            settings["do_lower_case"] = lower
        pieces = unigram_pieces(size, first, last, lower, chinese)
        made = _write_pieces(folder, style, pieces, lower, tokenizers)
    if made is not None:
        special = [token for token in [*first, *last] if token is not None]
        made.add_special_tokens(special)
        made.save(os.path.join(folder, "tokenizer.json"))
    _write_json(folder, "tokenizer_config.json", settings)


def _write_wordpiece(folder, style, tokens, lower, tokenizers):
    _write_text(folder, "vocab.txt", "".join(token + "\n" for token in tokens))
    ids = {token: place for place, token in enumerate(tokens)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token=style["unknown"]))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.decoder = tokenizers.decoders.WordPiece(prefix="##")
    made.post_processor = _template(style, ids, tokenizers)
    return made


def _write_bytes(folder, style, size, tokenizers):
    first, last = style.get("first", []), style.get("last", [])
    raw = json.loads(byte_merges(size, first, last, tokenizers).to_str())["model"]
    merges = [tuple(each.split(" ")) if isinstance(each, str) else tuple(each) for each in raw["merges"]]
    tokens = list(first) + sorted(raw["vocab"], key=raw["vocab"].get)
    tokens += ["\u0120\u0120madeup%d" % number for number in range(size - len(last) - len(tokens))]
    ids = {token: place for place, token in enumerate([*tokens, *last])}
    _write_json(folder, "vocab.json", ids)
    _write_text(folder, "merges.txt", "#version: 0.2\n" + "".join("%s %s\n" % pair for pair in merges))
    made = tokenizers.Tokenizer(tokenizers.models.BPE(ids, merges))
    prefix_space = style.get("prefix_space", False)
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    made.decoder = tokenizers.decoders.ByteLevel()
    if style.get("processor") == "roberta":
        made.post_processor = tokenizers.processors.RobertaProcessing(
            ("</s>", ids["</s>"]), ("<s>", ids["<s>"]), trim_offsets=True, add_prefix_space=False
        )
    elif style.get("processor") == "bytes":
        made.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
    else:
        made.post_processor = _template(style, ids, tokenizers)
    return made


def _write_words(folder, style, size, tokenizers):
    """BPE whose merges stay within words and mark their ends: of bytes for CLIP, of letters for the others.

    The kind `joined` marks in its vocabulary the parts that go on, in place of the ends.
    """
    first, last = style.get("first", []), style.get("last", [])
    of_bytes, cased = bool(last), style.get("letters") == "cased"
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()) if of_bytes else characters()
    letters = [letter for letter in letters if of_bytes or cased or letter == letter.lower()]
    tokens, merges = [*first, *letters, *(letter + "</w>" for letter in letters)], {}
    known, room = set(tokens), size - len(last)
    words = common_words()
    if cased:
        words = [form for rank, word in enumerate(words) for form in (word, word.capitalize())[: 1 + (rank < 500)]]
    for word in words:
        parts = [*word[:-1], word[-1] + "</w>"]
        while len(parts) > 1 and len(tokens) < room:
            merges.setdefault((parts[0], parts[1]), None)
            parts[:2] = [parts[0] + parts[1]]
            if parts[0] not in known:
                known.add(parts[0])
                tokens.append(parts[0])
    tokens = [*tokens, *("madeup%d</w>" % number for number in range(room - len(tokens)))][:room]
    ids = {token: place for place, token in enumerate([*tokens, *last])}
    merges = [pair for pair in merges if pair[0] + pair[1] in ids]
    if style["kind"] == "joined":
        ids = {token if token in first else _joined(token): place for token, place in ids.items()}
    _write_json(folder, "vocab.json", ids)
    _write_text(folder, "merges.txt", "#version: 0.2\n" + "".join("%s %s\n" % pair for pair in merges))
    if style["kind"] == "joined" or style.get("slow"):
        return None
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            ids, merges, continuing_subword_prefix="", end_of_word_suffix="</w>", unk_token=style["unknown"]
        )
    )
    normal, before = tokenizers.normalizers, tokenizers.pre_tokenizers
    if not of_bytes:
        made.normalizer = normal.BertNormalizer(lowercase=True)
        made.pre_tokenizer = before.BertPreTokenizer()
        made.decoder = tokenizers.decoders.BPEDecoder(suffix="</w>")
        return made
    made.normalizer = normal.Sequence([normal.NFC(), normal.Replace(tokenizers.Regex(r"\s+"), " "), normal.Lowercase()])
    words = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    split = before.Split(tokenizers.Regex(words), behavior="removed", invert=True)
    made.pre_tokenizer = before.Sequence([split, before.ByteLevel(add_prefix_space=False)])
    made.decoder = tokenizers.decoders.ByteLevel()
    start, end = last
    made.post_processor = tokenizers.processors.RobertaProcessing(
        (end, ids[end]), (start, ids[start]), trim_offsets=False, add_prefix_space=False
    )
    return made


def _joined(token):
    return token[: -len("</w>")] if token.endswith("</w>") else token + "@@"


def _write_pickled(folder, first, size):
    """Whole words, in a file that the library opens only for those who trust it."""
    words = [form for word in common_words() for form in (word, word.capitalize())]
    tokens = filled([*first, *(each for each in characters() if each not in first)], words, size)
    content = {"idx2sym": tokens, "sym2idx": collections.OrderedDict((each, at) for at, each in enumerate(tokens))}
    with open(os.path.join(folder, "vocab.pkl"), "wb") as file:
        pickle.dump(dict(content, unk_idx=tokens.index("<unk>")), file, protocol=2)


def _write_pieces(folder, style, pieces, lower, tokenizers):
    first, last = style.get("first", []), style.get("last", [])
    body = pieces[len(first) : len(pieces) - len(last)]
    head = style.get("file_first")
    in_file = ([(token, 0.0) for token in head] if head else pieces[: len(first)]) + body
    control = set(head or first) - {style["unknown"]}
    for name in style["files"]:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(sentencepiece_model(in_file, control, style["unknown"]))
    ids = {piece: place for place, (piece, _) in enumerate(pieces)}
    if style["kind"] == "marian":
        _write_json(folder, "vocab.json", ids)
        return None
    made = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, ids[style["unknown"]]))
    normal = tokenizers.normalizers
    steps = [normal.NFKC(), normal.Replace(tokenizers.Regex(" {2,}"), " ")]
    if lower:
        steps = [normal.NFKD(), normal.StripAccents(), normal.Lowercase(), *steps[1:]]
    made.normalizer = normal.Sequence(steps)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    made.decoder = tokenizers.decoders.Metaspace()
    made.post_processor = _template(style, ids, tokenizers)
    return made


def _template(style, ids, tokenizers):
    used = re.findall(r"(?:^|(?<= ))([^$ ][^ ]*?)(?::\d)?(?= |$)", style["single"] + " " + style.get("pair", ""))
    return tokenizers.processors.TemplateProcessing(
        single=style["single"],
        **({"pair": style["pair"]} if "pair" in style else {}),
        special_tokens=[(token, ids[token]) for token in dict.fromkeys(used)],
    )


def _write_json(folder, name, content):
    _write_text(folder, name, json.dumps(content, ensure_ascii=False))


def _write_text(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
