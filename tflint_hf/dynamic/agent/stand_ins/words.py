"""Words and texts: the vocabulary of the stand-in tokenizers, and what stand-in data sets are written with."""

import collections
import os

_LISTED = []


def common_words():
    """Common English words in lower case, roughly the most frequent first."""
    if not _LISTED:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
        with open(path, encoding="ascii") as file:
            _LISTED.extend(file.read().split())
    return _LISTED


def characters():
    """Characters that a vocabulary must hold one by one: ASCII, then those of other common scripts and signs."""
    ranges = [(33, 127), (0xA1, 0x180), (0x391, 0x3CA), (0x410, 0x450), (0x5D0, 0x5EB), (0x621, 0x64B)]
    ranges += [(0x905, 0x940), (0x2010, 0x2028), (0x3041, 0x30FF)]
    found = [chr(code) for start, end in ranges for code in range(start, end)]
    found += list("\u2030\u2039\u203a\u20ac\u2122\u2190\u2192\u2212\u2026\u3001\u3002\uff0c\uff01\uff1f")
    return [each for each in dict.fromkeys(found) if each.isprintable() and not each.isspace()]


def chinese_characters():
    """The characters of simplified Chinese, the common ones first."""
    pairs = (bytes((high, low)) for high in range(0xB0, 0xF8) for low in range(0xA1, 0xFF))
    return [each for each in (pair.decode("gb2312", "ignore") for pair in pairs) if each]


def parts_of_words(amount):
    """The runs of two to four letters that words have most often after their first letter."""
    counts = collections.Counter()
    for word in common_words():
        for length in (2, 3, 4):
            for start in range(1, len(word) - length + 1):
                counts[word[start : start + length]] += length - 1
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [part for part, _ in ordered[:amount]]


def made_up_words():
    """Endless words that no text holds, to fill a vocabulary."""
    syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    number = 0
    while True:
        rest, word = number + len(syllables) ** 2, ""
        while rest:
            rest, digit = divmod(rest, len(syllables))
            word += syllables[digit]
        yield word + "q"
        number += 1


TOPICS = 150
"""How many classes have words of their own before they must share them."""


def class_words(number):
    """The eight words that tell a class from the others."""
    words = [word for word in common_words()[150:] if len(word) > 3]
    start = (number * 8) % (TOPICS * 8)
    return words[start : start + 8]


class Writer:
    """Writes texts from a seeded `random.Random`."""

    def __init__(self, chance):
        self.chance = chance
        words = common_words()
        self._words = [word for word in words if len(word) > 1]
        self._weights = []
        total = 0.0
        for rank in range(len(self._words)):
            total += 1.0 / (rank + 8)
            self._weights.append(total)

    def words(self, amount, label=None, share=0.25):
        """That many words; a share of them belongs to the class `label`."""
        chosen = self.chance.choices(self._words, cum_weights=self._weights, k=amount)
        if label is not None:
            own = class_words(label)
            for place in range(amount):
                if self.chance.random() < share:
                    chosen[place] = own[int(self.chance.random() * len(own))]
            if amount and not any(word in own for word in chosen):
                chosen[-1] = own[0]
        return chosen

    def text(self, amount, label=None):
        """Sentences of about that many words together."""
        words = self.words(max(1, amount), label)
        start = 0
        while start < len(words):
            length = 8 + int(self.chance.random() * 14)
            end = min(start + length, len(words))
            words[start] = words[start].capitalize()
            words[end - 1] += "." if self.chance.random() < 0.9 else "!"
            if end - start > 9 and self.chance.random() < 0.5:
                words[start + (end - start) // 2] += ","
            start = end
        return " ".join(words)

    def length(self, middle, most):
        """A length around `middle` as texts have them: many short, a few long."""
        return max(1, min(most, int(middle * self.chance.lognormvariate(0.0, 0.5))))
