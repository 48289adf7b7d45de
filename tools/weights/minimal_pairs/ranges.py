"""Ranges: closed ones by their two ends, and open ones by their limit and by what the limit includes."""

from __future__ import annotations

from random import Random

from tools.weights.minimal_pairs.family import Family, draw
from tools.weights.minimal_pairs.numerals import near
from tools.weights.minimal_pairs.writing import words

CLOSED = {
    "en": [
        "{a}-{b}{n}",
        "{a}–{b}{n}",
        "{a} to {b}{n}",
        "between {a} and {b}{n}",
        "from {a} to {b}{n}",
        "{aw} to {bw}{n}",
        "from {aw} to {bw}{n}",
        "at least {a} and at most {b}{n}",
        "no fewer than {a} and no more than {b}{n}",
        "a minimum of {a} and a maximum of {b}{n}",
    ],
    "de": [
        "{a}-{b}{n}",
        "{a}–{b}{n}",
        "{a} bis {b}{n}",
        "zwischen {a} und {b}{n}",
        "von {a} bis {b}{n}",
        "{aw} bis {bw}{n}",
        "mindestens {a} und höchstens {b}{n}",
        "nicht weniger als {a} und nicht mehr als {b}{n}",
    ],
    "zh": [
        "{a}-{b}{n}",
        "{a}～{b}{n}",
        "{a}到{b}{n}",
        "{a}至{b}{n}",
        "从{aw}{n}到{bw}{n}",
        "{aw}到{bw}{n}",
        "在{a}{n}和{b}{n}之间",
        "最少{a}{n}，最多{b}{n}",
    ],
    "ja": [
        "{a}-{b}{n}",
        "{a}〜{b}{n}",
        "{a}{n}から{b}{n}",
        "{a}{n}から{b}{n}まで",
        "{aw}{n}から{bw}{n}まで",
        "{a}{n}以上{b}{n}以下",
    ],
}
OPEN = {
    "en": {
        ">=": [
            "at least {a}",
            "{a} or more",
            "no fewer than {a}",
            "a minimum of {a}",
            "≥ {a}",
            "not less than {a}",
            "{aw} or more",
        ],
        ">": [
            "more than {a}",
            "over {a}",
            "in excess of {a}",
            "> {a}",
            "above {a}",
            "more than {aw}",
            "greater than {a}",
        ],
        "<=": [
            "at most {a}",
            "{a} or fewer",
            "no more than {a}",
            "a maximum of {a}",
            "≤ {a}",
            "up to {a}",
            "not more than {aw}",
        ],
        "<": [
            "fewer than {a}",
            "under {a}",
            "less than {a}",
            "< {a}",
            "below {a}",
            "fewer than {aw}",
            "not as many as {a}",
        ],
    },
    "de": {
        ">=": [
            "mindestens {a}",
            "{a} oder mehr",
            "nicht weniger als {a}",
            "≥ {a}",
            "ein Minimum von {a}",
            "wenigstens {aw}",
        ],
        ">": ["mehr als {a}", "über {a}", "> {a}", "mehr als {aw}"],
        "<=": ["höchstens {a}", "{a} oder weniger", "nicht mehr als {a}", "≤ {a}", "maximal {a}", "bis zu {a}"],
        "<": ["weniger als {a}", "unter {a}", "< {a}", "weniger als {aw}"],
    },
    "zh": {
        ">=": ["至少{a}", "不少于{a}", "≥{a}", "{a}或以上", "最少{aw}"],
        ">": ["超过{a}", "多于{a}", ">{a}", "大于{a}"],
        "<=": ["至多{a}", "不超过{a}", "≤{a}", "最多{a}"],
        "<": ["不到{a}", "少于{a}", "<{a}", "小于{a}"],
    },
    "ja": {
        ">=": ["{a}以上", "少なくとも{a}", "≥{a}", "最低{a}"],
        ">": ["{a}より大きい", "{a}を超える", ">{a}", "{a}超"],
        "<=": ["{a}以下", "多くとも{a}", "≤{a}", "最大{a}"],
        "<": ["{a}未満", "{a}より小さい", "<{a}", "{a}を下回る"],
    },
}
NOUNS = {
    "en": [
        "",
        "",
        "",
        " years",
        " pages",
        " meters",
        " people",
        " percent",
        " degrees",
        " points",
        " kilograms",
        " days",
    ],
    "de": ["", "", "", " Jahre", " Seiten", " Meter", " Personen", " Prozent", " Grad", " Tage"],
    "zh": ["", "", "人", "页", "米", "天"],
    "ja": ["", "", "人", "ページ", "メートル", "日"],
}
YEARS = {
    "en": [
        "{a}-{b}",
        "{a}–{b}",
        "{a}–{short}",
        "from {a} to {b}",
        "from {a} until {b}",
        "{a} through {b}",
        "between {a} and {b}",
    ],
    "de": ["{a}-{b}", "{a}–{b}", "von {a} bis {b}", "zwischen {a} und {b}", "ab {a} bis {b}"],
    "zh": ["{a}-{b}年", "{a}年至{b}年", "{a}年到{b}年", "从{a}年到{b}年"],
    "ja": ["{a}-{b}年", "{a}年から{b}年まで", "{a}〜{b}年", "{a}年から{b}年"],
}


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
    return draw(rng, texts[0], texts[1])


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
    return draw(rng, texts[0], texts[1])


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
    return draw(rng, texts[0], texts[1], rng.choice(["", questions[language]]))


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
    return draw(rng, texts[0], texts[1])
