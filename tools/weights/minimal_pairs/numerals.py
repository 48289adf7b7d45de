"""Whole numbers, decimals, ordinals and Roman numerals: digits against words."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from tools.weights.minimal_pairs.family import Family, draw, in_context
from tools.weights.minimal_pairs.writing import decimal, full_width, ordinal, ordinal_words, roman, words
from tools.weights.tables import table

_TEXTS = table(__file__, "numerals")
CONTEXTS = _TEXTS["contexts"]
LARGE = {"en": {10**6: "million", 10**9: "billion"}, "de": {10**6: "Millionen", 10**9: "Milliarden"}}
NUMBERED_NAMES = [
    "World War {}",
    "Apollo {}",
    "Super Bowl {}",
    "Chapter {}",
    "Article {}",
    "Act {}",
    "Part {}",
    "Psalm {}",
]
RULERS = ["Louis {}", "Henry {}", "Benedict {}", "Ramesses {}", "Gregory {}", "Leo {}", "Charles {}", "Alexander {}"]
GERMAN_RULERS = ["Ludwig {}", "Heinrich {}", "Benedikt {}", "Gregor {}", "Karl {}", "Friedrich {}"]


def family(rng: Random, language: str) -> Family | None:
    """Return a family about a number, or None if the draw is of no use."""
    ways = {
        "en": [_whole, _whole, _whole, _teens, _large, _large, _ordinal, _ruler, _numbered, _decimal, _dozen],
        "de": [_whole, _whole, _whole, _teens, _large, _ruler, _decimal],
        "zh": [_whole],
        "ja": [_whole],
    }
    return rng.choice(ways[language])(rng, language)


def near(rng: Random, value: int) -> int:
    """Return a whole number that is easily confused with this one: a neighbor, or digits exchanged or appended."""
    digits = list(str(value))
    way = rng.choice(["step", "exchange", "exchange", "digit", "digit", "zero"])
    if way == "step":
        return value + rng.choice([-1, 1])
    if way == "zero":
        return value // 10 if value % 10 == 0 else value * 10
    i = rng.randrange(len(digits))
    if way == "exchange" and len(digits) > 1:
        i = rng.randrange(len(digits) - 1)
        digits[i], digits[i + 1] = digits[i + 1], digits[i]
    else:
        digits[i] = str(rng.randrange(10))
    return int("".join(digits)) if digits[0] != "0" else value


def whole_number(rng: Random) -> int:
    """Return a number of two to five digits. Longer ones end in zeros, as counted numbers often do."""
    size = rng.choice([2, 2, 2, 3, 3, 4, 5])
    value = rng.randrange(10 ** (size - 1) + 1, 10**size)
    return value if size < 4 else value // 10 ** (size - 3) * 10 ** (size - 3) + rng.choice([0, 0, 5, 10])


def _forms(value: int, language: str) -> list[str]:
    plain = str(value)
    if language in ("zh", "ja"):
        return [plain, words(value, language), full_width(plain)]
    grouped = decimal(value, language) or plain
    spaced = f"{value:,}".replace(",", "\N{NO-BREAK SPACE}")
    texts = [plain, words(value, language), words(value, language), grouped, spaced]
    if value % 1000 == 0 and value >= 2000 and language == "en":
        texts[4] = f"{words(value // 1000)} thousand".replace(" and ", " ")
    return texts


def _whole(rng: Random, language: str) -> Family | None:
    value = whole_number(rng)
    return _one(rng, language, value, near(rng, value))


def _teens(rng: Random, language: str) -> Family | None:
    digit = rng.randrange(3, 10)
    return _one(rng, language, 10 + digit, 10 * digit) if rng.random() < 0.5 else _mirrored(rng, language)


def _mirrored(rng: Random, language: str) -> Family | None:
    ten, one = rng.sample(range(2, 10), 2)
    return _one(rng, language, 10 * ten + one, 10 * one + ten)


def _one(rng: Random, language: str, value: int, other: int) -> Family | None:
    if other == value or min(value, other) < 2:
        return None
    question, texts = in_context(rng, CONTEXTS[language], [*_forms(value, language), *_forms(other, language)])
    if texts[0][0].isdigit() and not texts[1][0].isupper() and texts[0].endswith("."):
        texts = [text[0].upper() + text[1:] for text in texts]
    half = len(texts) // 2
    return draw(rng, (texts[:half], texts[half:]), question)


def _large(rng: Random, language: str) -> Family | None:
    scale = rng.choice(list(LARGE[language]))
    value = Fraction(rng.choice([*range(11, 100, 2), *range(110, 1000, 35)]), 10)
    other = rng.choice([value * 10, value / 10, value + Fraction(rng.choice([-5, 3, 7]), 10), value])
    other_scale = 10**15 // scale if other == value else scale
    if other != value and abs(other - value) < value / 20:
        return None
    pair = [(value, scale), (other, other_scale)]
    texts = []
    for number, size in pair:
        short, full = decimal(number, language, 1), decimal(number * size, language)
        if short is None or full is None or number <= 1:
            return None
        texts.append([f"{short} {LARGE[language][size]}", full, str(int(number * size))])
    question, filled = in_context(rng, [("", "{}"), *_LARGE_CONTEXTS[language]], [*texts[0], *texts[1]])
    return draw(rng, (filled[:3], filled[3:]), question)


_LARGE_CONTEXTS = _TEXTS["large_contexts"]


def _ordinal(rng: Random, language: str) -> Family | None:
    value = rng.randrange(3, 60)
    other = near(rng, value)
    if other == value or not 1 < other < 100:
        return None
    contexts = [
        ("", "the {}"),
        ("Which president of the society was she?", "the {}"),
        ("In which place did the team finish?", "{} place"),
        ("On which floor is the office?", "on the {} floor"),
        ("Which anniversary did they celebrate?", "their {} anniversary"),
        ("Which century is meant?", "the {} century"),
    ]
    texts = [form(number) for number in (value, other) for form in (ordinal, ordinal_words)]
    question, filled = in_context(rng, contexts if max(value, other) < 22 else contexts[:-1], texts)
    return draw(rng, (filled[:2], filled[2:]), question)


def _ruler(rng: Random, language: str) -> Family | None:
    value = rng.randrange(2, 17)
    other = value + rng.choice([-2, -1, 1, 2])
    if other < 1:
        return None
    name = rng.choice(RULERS if language == "en" else GERMAN_RULERS)
    forms = []
    for number in (value, other):
        if language == "en":
            forms.append([roman(number), f"the {ordinal_words(number).title()}", f"the {ordinal(number)}"])
        else:
            forms.append([f"{roman(number)}.", f"der {GERMAN_ORDINALS[number]}", f"der {number}."])
    return draw(rng, [[name.format(text) for text in side] for side in forms])


GERMAN_ORDINALS = (
    " Erste Zweite Dritte Vierte Fünfte Sechste Siebte Achte Neunte Zehnte Elfte Zwölfte Dreizehnte Vierzehnte "
    "Fünfzehnte Sechzehnte Siebzehnte Achtzehnte"
).split(" ")


def _numbered(rng: Random, language: str) -> Family | None:
    name = rng.choice(NUMBERED_NAMES)
    value = rng.randrange(1, 3) if name.startswith("World") else rng.randrange(4, 40)
    other = 3 - value if name.startswith("World") else near(rng, value)
    if other == value or not 1 <= other < 100 or (name.startswith("Apollo") and max(value, other) > 17):
        return None
    texts = [[roman(number), str(number), words(number).title()] for number in (value, other)]
    if name.startswith(("Apollo", "Psalm", "Article")):
        texts = [[forms[1], forms[2]] for forms in texts]
    return draw(rng, [[name.format(text) for text in side] for side in texts])


def _decimal(rng: Random, language: str) -> Family | None:
    whole, tenth = rng.randrange(1, 20), rng.randrange(1, 10)
    other = rng.choice(
        [(whole, rng.randrange(1, 10)), (tenth, whole % 10), (whole + 1, tenth), (10 * whole + tenth, 0)]
    )
    if other == (whole, tenth) or (other[0] == 0 and other[1] == 0):
        return None
    point = {"en": "point", "de": "Komma"}[language]
    texts = []
    for w, t in ((whole, tenth), other):
        number = decimal(Fraction(10 * w + t, 10), language)
        spoken = f"{words(w, language)} {point} {words(t, language)}"
        mixed = {5: {"en": f"{w} and a half", "de": f"{w}½"}[language]}.get(t, f"{w} {t}/10" if t else f"{w}.0")
        texts.append([number or "", spoken] if language == "de" else [number or "", spoken, mixed])
    return draw(rng, texts)


def _dozen(rng: Random, language: str) -> Family | None:
    value = rng.randrange(2, 11)
    name, size, other_name, other_size = rng.choice([("dozen", 12, "score", 20), ("score", 20, "dozen", 12)])
    other = rng.choice([(value, other_name, other_size), (value + 1, name, size)])
    texts = []
    for count, unit, units in ((value, name, size), other):
        texts.append([f"{words(count)} {unit}", str(count * units), words(count * units)])
    return draw(rng, texts)
