"""Rows of a stand-in data set: columns of plain values and their types, from a record of rules/knowledge/datasets.json.

The text of a row speaks of its label, so that a right program learns from it. A column that no rule of this module
knows is a string.
"""

import random
import struct
import zlib

from .words import Writer, class_words

# How many words a text has in the middle, by column, or by data set and column.
_LENGTHS = {
    "article": 450,
    "content": 60,
    "context": 110,
    "dialogue": 90,
    "document": 350,
    "ending0": 8,
    "ending1": 8,
    "ending2": 8,
    "ending3": 8,
    "explanation": 60,
    "highlights": 45,
    "hypothesis": 8,
    "main_text": 400,
    "paragraph": 200,
    "passage": 90,
    "premise": 18,
    "question": 10,
    "review": 70,
    "review_body": 60,
    "sentence": 18,
    "summary": 22,
    "text": 30,
    "title": 7,
    "tweet": 14,
}
_LENGTHS_OF = {
    ("stanfordnlp/imdb", "text"): 190,
    ("fancyzhx/yelp_polarity", "text"): 120,
    ("Yelp/yelp_review_full", "text"): 120,
    ("SetFit/20_newsgroups", "text"): 200,
    ("FiscalNote/billsum", "text"): 700,
    ("coastalcph/lex_glue", "text"): 400,
    ("cardiffnlp/tweet_eval", "text"): 15,
    ("PolyAI/banking77", "text"): 11,
    ("mteb/banking77", "text"): 11,
    ("clinc/clinc_oos", "text"): 8,
    ("alexfabbri/multi_news", "document"): 900,
    ("alexfabbri/multi_news", "summary"): 180,
    ("FiscalNote/billsum", "summary"): 130,
    ("curaihealth/medical_questions_pairs", "question_1"): 20,
    ("curaihealth/medical_questions_pairs", "question_2"): 20,
    ("sealuzh/app_reviews", "review"): 14,
}
_INTEGERS = {
    "idx": "int32",
    "start1": "int32",
    "start2": "int32",
    "end1": "int32",
    "end2": "int32",
    "dr_id": "int32",
    "promptID": "int32",
    "count": "int64",
    "hate_speech_count": "int64",
    "offensive_language_count": "int64",
    "neither_count": "int64",
}
_NUMBERS = ("toxicity", "severe_toxicity", "obscene", "threat", "insult", "identity_attack", "sexual_explicit")
_PLAIN_LABELS = ("SetFit/", "mteb/")
_SIZES = {"ylecun/mnist": (28, 1), "zalando-datasets/fashion_mnist": (28, 1), "uoft-cs/cifar10": (32, 3)}


class Rows:
    """Makes the rows of one split."""

    def __init__(self, record, split, amount, options):
        self._record = record
        self._options = options
        self.chance = random.Random(zlib.crc32(("%s/%s/%s" % (record["id"], record["config"], split)).encode("utf-8")))
        self._writer = Writer(self.chance)
        self._amount = amount
        self._split = split
        self._labels = self._choose_labels()

    def columns(self):
        """The values of each column, by name and in order."""
        made = {}
        kind = self._record["kind"]
        if "answers" in self._record["columns"]:
            made = self._questions()
        elif kind == "token_classes":
            made = self._tokens()
        elif "ending0" in self._record["columns"]:
            made = self._endings()
        return {
            name: made[name] if name in made else [self._value(name, place) for place in range(self._amount)]
            for name in self._record["columns"]
        }

    @property
    def label(self):
        """The name of the label column, None where there is none."""
        return self._record.get("label")

    @property
    def unlabelled(self):
        """Whether this split comes without labels."""
        return self._split in self._record.get("unlabelled", ())

    def _classes(self):
        record = self._record
        return record.get("classes") or len(record.get("names", ())) or len(record.get("values", ())) or 2

    def _choose_labels(self):
        """A number of a class for each row, whether the row shows it or not: all classes, most of them evenly."""
        classes = self._classes()
        labels = [place % classes for place in range(self._amount)]
        self.chance.shuffle(labels)
        if self._record.get("sorted") and self._split in ("train", "test"):
            labels.sort()
        return labels

    def _value(self, name, place):
        record = self._record
        label = self._labels[place]
        if name == record.get("label"):
            return self._label(place)
        if name in record.get("also", {}):
            return (label * 7 + self.chance.randrange(3)) % record["also"][name]
        if name in record.get("text", ()):
            return self._text(name, label, place)
        if name in ("image", "img"):
            return {"path": None, "bytes": self._image(label)}
        return self._other(name, label, place)

    def _label(self, place):
        record, label = self._record, self._labels[place]
        kind = record["kind"]
        if kind == "regression":
            if self.unlabelled:
                return -1.0
            most = 5.0 if record["id"] in ("nyu-mll/glue", "PhilipMay/stsb_multi_mt") else 1.0
            return most * (0.1 if label == 0 else 0.9) + most * self.chance.uniform(-0.1, 0.1)
        if kind == "multi_label":
            more = (label + 1 + self.chance.randrange(self._classes() - 1)) % self._classes()
            return [label] if self.chance.random() < 0.8 else sorted([label, more])
        if self.unlabelled or (record.get("missing_labels") and place % 50 == 7):
            return -1
        if record["id"] == "google/boolq":
            return bool(label)
        return record["values"][label] if "values" in record else label

    def _text(self, name, label, place):
        record = self._record
        if name == "translation":
            first, second = self._options["languages"]
            words = self._writer.words(self._writer.length(14, 90))
            return {first: " ".join(words) + ".", second: " ".join(word[::-1] for word in words) + "."}
        middle = _LENGTHS_OF.get((record["id"], name), _LENGTHS.get(name, 16))
        labelled = record.get("label") is not None
        if record["id"] == "Salesforce/wikitext":
            middle = 60
            if place % 3 == 0:
                return "" if place % 2 else " = %s = \n" % self._writer.text(2)
        return self._writer.text(self._writer.length(middle, 2 * middle + 400), label if labelled else place % 150)

    def _other(self, name, label, place):
        record = self._record
        if name in _INTEGERS:
            return place if name in ("idx", "dr_id", "promptID") else self.chance.randrange(3)
        if name in _NUMBERS:
            return round(self.chance.random() ** 4, 4)
        if name == "label_text":
            return record["names"][label] if "names" in record else class_words(label)[0]
        if name == "metadata":
            return {"split": self._split, "model_in_the_loop": "Combined"}
        if name in ("language", "lang", "genre", "source"):
            return "en" if name.startswith("lang") else "source"
        if name in ("id", "uid", "claim_id", "pairID", "video-id", "review_id", "product_id", "reviewer_id"):
            return str(place)
        return self._writer.text(self._writer.length(_LENGTHS.get(name, 6), 200))

    def _questions(self):
        made = {"title": [], "context": [], "question": [], "answers": []}
        for place in range(self._amount):
            topic = class_words(place % 150)
            subject = topic[place % 4].capitalize()
            answer = " ".join(word.capitalize() for word in self._writer.words(1 + place % 3))
            length = self._writer.length(50, 330)
            before, after = self._writer.text(length), self._writer.text(self._writer.length(50, 330))
            fact = "The %s of %s is " % (topic[4], subject)
            known = not (self._record["id"] == "rajpurkar/squad_v2" and place % 3 == 2)
            middle = fact + answer + ". " if known else ""
            made["context"].append("%s %s%s" % (before, middle, after))
            made["question"].append("What is the %s of %s?" % (topic[4], subject))
            made["title"].append(subject)
            times = (1 if self._split == "train" else 3) if known else 0
            start = len(before) + 1 + len(fact)
            made["answers"].append({"text": [answer] * times, "answer_start": [start] * times})
        return made

    def _tokens(self):
        record = self._record
        kinds = self._tag_kinds()
        made = {"tokens": [], self.label: [], "langs": [], "lang": [], "spans": [], "nested_ner_tags": []}
        made.update((name, []) for name in record.get("also", {}))
        for place in range(self._amount):
            tokens = self._writer.words(self._writer.length(12, 60)) + ["."]
            tags = [0] * len(tokens)
            first = 0
            for turn in range(1 + place % 3):
                number = (place + turn) % len(kinds)
                begin, inside = kinds[number]
                names = [word.capitalize() for word in class_words(number)]
                length = 1 + self.chance.randrange(3) if inside is not None else 1
                length = max(length, 1 + (place % 2 and inside is not None))
                start = first + self.chance.randrange(3)
                if start + length >= len(tokens):
                    break
                for offset in range(length):
                    tokens[start + offset] = names[self.chance.randrange(len(names))]
                    tags[start + offset] = begin if offset == 0 or inside is None else inside
                first = start + length + 1
            made["tokens"].append(tokens)
            made[self.label].append(tags)
            made["nested_ner_tags"].append([0] * len(tokens))
            made["langs"].append(["en"] * len(tokens))
            made["lang"].append("en")
            made["spans"].append(["PER: " + token for token, tag in zip(tokens, tags) if tag])
            for name, classes in record.get("also", {}).items():
                outside = name == "fine_ner_tags"
                made[name].append(
                    [
                        0 if outside and not tag else zlib.crc32(token.encode("utf-8")) % classes
                        for token, tag in zip(tokens, tags)
                    ]
                )
        return made

    def _tag_kinds(self):
        """The kinds of names: the tag of the first token and that of the others, None where they are the same."""
        names = self._record.get("names")
        if not names:
            classes = self._classes()
            return [(tag, tag + 1 if tag + 1 < classes else None) for tag in range(1, classes, 2)] or [(0, None)]
        kinds = []
        for tag, name in enumerate(names):
            if name.startswith("I-"):
                continue
            inside = "I-" + name[2:] if name.startswith("B-") else None
            if name != "O":
                kinds.append((tag, names.index(inside) if inside in names else None))
        return kinds or [(0, None)]

    def _endings(self):
        names = ["sent1", "sent2", "startphrase", "ending0", "ending1", "ending2", "ending3"]
        made = {name: [] for name in names}
        for place, label in enumerate(self._labels):
            topic = place % 40
            made["sent1"].append(self._writer.text(self._writer.length(12, 40), topic))
            made["sent2"].append(self._writer.text(self._writer.length(3, 10)))
            made["startphrase"].append(made["sent1"][-1] + " " + made["sent2"][-1])
            for ending in range(4):
                about = topic if ending == label else (topic + 40 + ending) % 150
                made["ending%d" % ending].append(self._writer.text(self._writer.length(9, 30), about))
        return made

    def _image(self, label):
        size, channels = _SIZES.get(self._record["id"], (32 if "cifar" in self._record["id"] else 64, 3))
        shade = [40 + (label * step) % 160 for step in (67, 131, 29)][:channels]
        length = (size * channels + 1) * size
        clean = int.from_bytes((b"\0" + bytes(shade) * size) * size, "big")
        noise = int.from_bytes((b"\0" + b"\x1f" * size * channels) * size, "big")
        lines = clean + (self.chance.getrandbits(8 * length) & noise)
        return _png(size, channels, lines.to_bytes(length, "big"))


def _png(size, channels, lines):
    def chunk(kind, content):
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", size, size, 8, 2 if channels == 3 else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 0)) + chunk(b"IEND", b"")


def features(record, datasets, options):
    """The types of the columns, as the library has them."""
    value, classes = datasets.Value, _label_type(record, datasets)
    found = {}
    for name in record["columns"]:
        if name == record.get("label"):
            found[name] = classes
        elif name in record.get("also", {}):
            one = datasets.ClassLabel(num_classes=record["also"][name])
            found[name] = datasets.Sequence(one) if record["kind"] == "token_classes" else one
        elif name == "nested_ner_tags":
            found[name] = classes
        elif name == "answers":
            found[name] = datasets.Sequence({"text": value("string"), "answer_start": value("int32")})
        elif name == "translation":
            found[name] = datasets.Translation(languages=options["languages"])
        elif name == "metadata":
            found[name] = {"split": value("string"), "model_in_the_loop": value("string")}
        elif name in ("image", "img"):
            found[name] = datasets.Image()
        elif name in ("tokens", "langs", "spans") and record["kind"] == "token_classes":
            found[name] = datasets.Sequence(value("string"))
        elif name in _INTEGERS:
            found[name] = value(_INTEGERS[name])
        elif name in _NUMBERS:
            found[name] = value("float32")
        else:
            found[name] = value("string")
    return datasets.Features(found)


def _label_type(record, datasets):
    kind = record["kind"]
    if kind == "none" or record.get("label") is None:
        return None
    if kind == "regression":
        return datasets.Value("float32")
    if record["id"] == "google/boolq":
        return datasets.Value("bool")
    if "values" in record:
        return datasets.Value("int32")
    if record["id"].startswith(_PLAIN_LABELS):
        return datasets.Value("int64")
    names = record.get("names")
    one = datasets.ClassLabel(names=names) if names else datasets.ClassLabel(num_classes=record.get("classes") or 2)
    return datasets.Sequence(one) if kind in ("token_classes", "multi_label") else one
