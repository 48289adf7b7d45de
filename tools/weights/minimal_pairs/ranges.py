"""Ranges: closed ones by their two ends, and open ones by their limit and by what the limit includes."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.numerals import near
from tools.weights.minimal_pairs.writing import words
from tools.weights.tables import table

_TEXTS = table(__file__, "ranges")
CLOSED = _TEXTS["closed"]
OPEN = _TEXTS["open"]
NOUNS = _TEXTS["nouns"]
YEARS = _TEXTS["years"]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a range, or None if the draw is of no use.

    Open ranges are compared as sets of whole or real numbers: "at least 10" includes 10, "more than 10" does not.
    """
    return rng.choice([_closed, _closed, _open, _open, _years, _tolerance])(rng, language)


def _closed(rng: Random, language: str) -> Family | None:
    low = rng.randrange(2, 90)
    high = low + rng.randrange(2, 60)
    ends = rng.choice([(near(rng, low), high), (low, near(rng, high)), (high, high + high - low), (low - 1, high + 1)])
    if ends == (low, high) or not 1 < ends[0] < ends[1] < 1000:
        return None
    noun = rng.choice(NOUNS[language])
    texts = []
    for a, b in ((low, high), ends):
        slots = {"a": a, "b": b, "aw": words(a, language), "bw": words(b, language), "n": noun}
        texts.append([form.format(**slots) for form in CLOSED[language]])
    return draw(rng, texts)


def _open(rng: Random, language: str) -> Family | None:
    limit = rng.randrange(3, 100)
    relation, other = rng.sample(list(OPEN[language]), 2)
    other_limit = rng.choice([limit, limit, near(rng, limit)])
    if other_limit < 2 or abs(limit - other_limit) == 1:  # for whole numbers "more than 9" is "at least 10"
        return None
    noun = rng.choice(NOUNS[language]) if language in ("en", "de") else ""
    texts = []
    for sign, value in ((relation, limit), (other, other_limit)):
        texts.append([form.format(a=value, aw=words(value, language)) + noun for form in OPEN[language][sign]])
        if language in ("en", "de") and noun:  # the noun follows the number
            texts[-1] = [
                text
                for text in texts[-1]
                if not text.endswith((" more" + noun, " fewer" + noun, " mehr" + noun, " weniger" + noun))
            ]
    return draw(rng, texts)


def _years(rng: Random, language: str) -> Family | None:
    start = rng.randrange(1500, 2015)
    end = start + rng.randrange(2, 30)
    shift = rng.choice([(0, 1), (1, 0), (0, 10), (-1, 0), (100, 100), (-10, -10), (0, -1)])
    if (
        start // 100 != end // 100
        or end % 100 < 10
        or (start + shift[0]) // 100 != (end + shift[1]) // 100
        or end + shift[1] > 2024
    ):
        return None
    if (end + shift[1]) % 100 < 10 or start + shift[0] >= end + shift[1]:
        return None
    texts = []
    for a, b in ((start, end), (start + shift[0], end + shift[1])):
        texts.append([form.format(a=a, b=b, short=b % 100) for form in YEARS[language]])
    questions = {
        "en": "When did the reign last?",
        "de": "Wann dauerte die Herrschaft an?",
        "zh": "他在位的时间是？",
        "ja": "在位期間は？",
    }
    return draw(rng, texts, rng.choice(["", questions[language]]))


def _tolerance(rng: Random, language: str) -> Family | None:
    middle, half = rng.randrange(10, 90), rng.randrange(1, 9)
    other = rng.choice([(middle, half + rng.choice([-1, 1, 2])), (near(rng, middle), half)])
    if other == (middle, half) or other[1] < 1 or other[0] - other[1] < 1:
        return None
    between = {"en": "between {} and {}", "de": "zwischen {} und {}", "zh": "在{}和{}之间", "ja": "{}から{}まで"}[
        language
    ]
    plus = {"en": "{} plus or minus {}", "de": "{} plus/minus {}", "zh": "{}正负{}", "ja": "{}プラスマイナス{}"}[
        language
    ]
    texts = []
    for m, h in ((middle, half), other):
        texts.append([f"{m} ± {h}", plus.format(m, h), between.format(m - h, m + h), f"{m - h}–{m + h}"])
    return draw(rng, texts)
