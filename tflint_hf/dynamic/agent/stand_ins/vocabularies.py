"""Vocabularies of a given size: of words and parts of words, of bytes and merges, of pieces with their scores.

The most frequent words have low ids, the others are spread up to the highest one, as in real vocabularies: a model that
gets the ids of another family's tokenizer meets ids it does not know.
"""

import itertools
import math
import struct

from .words import characters, chinese_characters, common_words, made_up_words, parts_of_words


def word_pieces(size, first, last, lower, chinese):
    """The tokens of a WordPiece vocabulary in the order of their ids."""
    tokens = ["[unused%d]" % place if token is None else token for place, token in enumerate(first)]
    single = [each for each in characters() if not lower or each == each.lower()]
    if chinese:
        single += chinese_characters()
    tokens += single
    tokens += ["##" + each for each in single if each.isalnum() and ord(each) < 0x2000]
    room = size - len(tokens) - len(last)
    parts = ["##" + part for part in parts_of_words(max(60, room // 5))]
    words = list(common_words())
    if not lower:
        words[:500] = [form for word in words[:500] for form in (word, word.capitalize())]
    return filled(tokens, [*words[:600], *parts, *words[600:]], size - len(last)) + list(last)


def filled(tokens, more, size):
    """`tokens` and then `more` of them up to that size, with made up words between its common and its rare ones."""
    known = set(tokens)
    more = [each for each in dict.fromkeys(more) if each not in known][: size - len(tokens)]
    missing = size - len(tokens) - len(more)
    if missing > 0:
        middle = len(more) // 3
        filling = itertools.islice((each for each in made_up_words() if each not in known), missing)
        more[middle:middle] = filling
    return tokens + more


def byte_merges(size, first, last, tokenizers):
    """The ids of a byte-level BPE vocabulary of that size, and its merges."""
    words = common_words()
    counted = []
    for rank, word in enumerate(words):
        times = 1 + 40 // (1 + rank // 20)
        counted += [" " + word] * (times + 1)
        if rank < 400:
            counted += [" " + word.capitalize(), word, word.capitalize()] * (1 + times // 8)
    raw = tokenizers.Tokenizer(tokenizers.models.BPE())
    raw.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size - len(first) - len(last),
        min_frequency=1,
        show_progress=False,
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
    )
    texts = ["\n".join(counted[start : start + 1000]) for start in range(0, len(counted), 1000)]
    raw.train_from_iterator(texts, trainer)
    return raw


def unigram_pieces(size, first, last, lower, chinese):
    """The pieces of a SentencePiece unigram model with their logarithmic probabilities, in the order of their ids."""
    head = [("<unused%d>" % place if token is None else token, 0.0) for place, token in enumerate(first)]
    scores = {"\u2581": -5.0}
    for rank, word in enumerate(common_words()):
        if rank == 600:
            scores.update((part, -9.0 - math.log(place + 2) / 4) for place, part in enumerate(parts_of_words(500)))
        scores["\u2581" + word] = -3.0 - math.log(rank + 2)
        if not lower and rank < 500:
            scores.setdefault("\u2581" + word.capitalize(), -5.0 - math.log(rank + 2))
    single = [each for each in characters() if not lower or each == each.lower()]
    if chinese:
        single += chinese_characters()
    for each in single:
        scores.setdefault(each, -14.0)
    for each in ".,!?;:'\"()-":
        scores[each] = -5.0
    needed = [("\u2581", scores.pop("\u2581"))] + [(each, scores.pop(each)) for each in single]
    room = max(0, size - len(head) - len(needed) - len(last))
    body = [*needed, *list(scores.items())[:room]]
    missing = room - (len(body) - len(needed))
    if missing > 0:
        middle = len(needed) + (len(body) - len(needed)) // 3
        body[middle:middle] = [("\u2581" + word, -20.0) for word in itertools.islice(made_up_words(), missing)]
    return head + body + [(token, 0.0) for token in last]


def sentencepiece_model(pieces, control, unknown):
    """The bytes of a SentencePiece file: `pieces` with scores, of which `control` are no text and one is `unknown`."""

    def number(value):
        found = bytearray()
        while value > 127:
            found.append(value & 127 | 128)
            value >>= 7
        found.append(value)
        return bytes(found)

    def field(key, content):
        return number(key << 3 | 2) + number(len(content)) + content

    written = bytearray()
    for piece, score in pieces:
        kind = 2 if piece == unknown else 3 if piece in control else 1
        body = field(1, piece.encode("utf-8")) + b"\x15" + struct.pack("<f", score)
        written += field(1, body + b"\x18" + number(kind))
    ids = {piece: place for place, (piece, _) in enumerate(pieces)}
    absent = number((1 << 64) - 1)
    trainer = number(3 << 3) + number(1) + number(4 << 3) + number(len(pieces))
    trainer += number(40 << 3) + number(ids[unknown])
    for key, names in ((41, ("<s>",)), (42, ("</s>",)), (43, ("<pad>", "[PAD]"))):
        known = [ids[name] for name in names if name in ids and name in control]
        trainer += number(key << 3) + (number(known[0]) if known else absent)
    normalizer = field(1, b"identity") + number(3 << 3) + b"\x01" + number(4 << 3) + b"\x01" + number(5 << 3) + b"\x01"
    return bytes(written) + field(2, trainer) + field(3, normalizer)
