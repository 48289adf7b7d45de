"""The largest disagreements of a metric with human labels: counts and direction by kind of error."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.weighted import mid_ranks
from answersim.types import Pair

UNKNOWN = ""  # no annotation, and no rule applies
RULES = ("Language", "Dates", "Acronym", "Numeric", "Names")

_MONTHS = (
    "january february march april may june july august september october november december "
    "januar februar märz mai juni juli oktober dezember"
).split()
# "may" is more often a verb, so it counts beside a number only.
_MONTH = rf"(?:{'|'.join(month for month in _MONTHS if month not in ('may', 'mai'))}|(?:may|mai)(?=\W+\d)|(?<=\d\W)may)"
_DATE = re.compile(
    rf"\b(?:{_MONTH}|(?:1[0-9]|20)\d\d(?:s|er)?|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|"
    r"\d{1,2}(?:st|nd|rd|th)?\W*(?:century|jahrhundert))\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = frozenset(
    (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million "
        "billion trillion half quarter dozen once twice first second third fourth fifth sixth seventh eighth ninth "
        "tenth null eins ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig "
        "fünfzig sechzig siebzig achtzig neunzig hundert tausend millionen milliarden"
    ).split()
)
_ARTICLES = frozenset("the a an der die das ein eine".split())
_SMALL = frozenset("of and for in on to de la le du der die das und für von van the a an".split())
_CAPITALIZED_NOUNS = frozenset({"de"})  # every noun of these languages looks like a name


class ErrorRow(NamedTuple):
    """The errors of a metric on the pairs of one category."""

    category: str  # the kind of error, or "" for the pairs of unknown kind
    n: int  # the number of pairs in this category
    too_low: int  # how many of the pairs that disagree most have a score that is too low for the label
    too_high: int  # how many of them have a score that is too high
    share: float  # both counts together, as a share of the n pairs
    mean_gap: float  # the mean gap of all n pairs. Below 0, the metric is too low for this category.
    worst: Pair  # the pair of this category with the largest absolute gap


def gaps(scores: Any, labels: Any) -> FloatArray:
    """Return the rank of each score minus the rank of its label: shape (n,), between -1 and 1.

    Both columns become ranks as shares of all rows, and equal numbers have the mean of their ranks. So the scales of
    labels and scores do not matter. A metric that orders pairs with different labels correctly has gaps only within
    the groups of equal labels.

    >>> gaps([0.1, 0.2, 0.9], [0, 2, 1]).round(2)
    array([ 0.  , -0.33,  0.33])
    """
    n = max(1, len(scores))
    return mid_ranks(scores) / n - mid_ranks(labels) / n


def error_table(judgments: Judgments, metric: str, kinds: Sequence[str], *, worst: float = 0.1) -> list[ErrorRow]:
    """Return the errors of this metric by category: the one with most of the worst pairs first, the unknown one last.

    ``kinds``: the category of each pair. ``worst``: the share of all pairs that counts as those that disagree most.
    """
    gap = gaps(judgments.scores[metric].values, judgments.labels)
    order = np.argsort(-np.abs(gap), kind="stable")
    among = np.zeros(len(gap), dtype=bool)
    among[order[: max(1, round(worst * len(gap)))]] = True
    rows = []
    for kind in dict.fromkeys(kinds):
        mask = np.array([category == kind for category in kinds])
        low, high = int((among & mask & (gap < 0)).sum()), int((among & mask & (gap > 0)).sum())
        first = int(order[mask[order]][0])
        rows.append(
            ErrorRow(
                kind,
                int(mask.sum()),
                low,
                high,
                (low + high) / int(mask.sum()),
                float(gap[mask].mean()),
                judgments.pairs[first],
            )
        )
    return sorted(rows, key=lambda row: (row.category == UNKNOWN, -(row.too_low + row.too_high), row.category))


def categories(judgments: Judgments, column: str = "category") -> list[str]:
    """Return the kind of error of each pair: as annotated in this column, else by rule, else "".

    The names are those of Table 4 in the SAS paper. The rules recognize ``RULES``, see ``category_by_rule``.
    """
    noted: Sequence[Any] = judgments.columns.get(column, [""] * len(judgments))
    return [
        ("" if note is None else str(note).strip()) or category_by_rule(*pair, judgments.lang)
        for note, pair in zip(noted, judgments.pairs, strict=True)
    ]


def category_by_rule(gold: str, pred: str, lang: str = "en") -> str:
    """Return why these two answers are hard to compare, by the first rule that applies, else "". Symmetric.

    ========  ====================================================================================================
    Language  both have letters, but of no common script
    Dates     both name a month, a year from 1000 to 2099, a day in figures or a century
    Acronym one is a word of the first letters of the words of the other (letters of words such as "of" may lack)
    Numeric   both contain a number, in digits or in words (English, German)
    Names     both consist of capitalized words, at least one of two or more; not in German, which capitalizes nouns
    ========  ====================================================================================================

    >>> category_by_rule("National Football League", "the NFL"), category_by_rule("11", "eleven")
    ('Acronym', 'Numeric')
    >>> category_by_rule("constantly", "fight-or-flight response")
    ''
    """
    tells = {
        "Language": _scripts(gold) and _scripts(pred) and not _scripts(gold) & _scripts(pred),
        "Dates": _DATE.search(gold) and _DATE.search(pred),
        "Acronym": _is_acronym(gold, pred) or _is_acronym(pred, gold),
        "Numeric": _has_number(gold) and _has_number(pred),
        "Names": lang not in _CAPITALIZED_NOUNS and _are_names(gold, pred),
    }
    return next((name for name in RULES if tells[name]), UNKNOWN)


def _scripts(text: str) -> set[str]:
    """Return the scripts of the letters in a text, as the first words of their Unicode names."""
    names = {unicodedata.name(letter, "").split(" ")[0].split("-")[0] for letter in text if letter.isalpha()}
    return {"CJK" if name in ("HIRAGANA", "KATAKANA") else name for name in names}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _is_acronym(short: str, long: str) -> bool:
    letters = [word for word in re.findall(r"[\w.&]+", short) if word.casefold() not in _ARTICLES]
    words = _words(long)
    if len(letters) != 1 or len(words) < 2:
        return False
    word = re.sub(r"[.&]", "", letters[0])
    # Two small letters are the initials of too many phrases.
    if not word.isalpha() or not (3 <= len(word) <= 8 or (len(word) == 2 and word.isupper())):
        return False
    large = [candidate for candidate in words if candidate.casefold() not in _SMALL]
    return word.casefold() in {"".join(candidate[0] for candidate in phrase).casefold() for phrase in (words, large)}


def _has_number(text: str) -> bool:
    return any(character.isdigit() for character in text) or any(
        word.casefold() in _NUMBER_WORDS for word in _words(text)
    )


def _are_names(gold: str, pred: str) -> bool:
    both = [[word for word in _words(text) if word.casefold() not in _SMALL] for text in (gold, pred)]
    return all(words and all(word[0].isupper() for word in words) and len(words) <= 5 for words in both) and (
        max(map(len, both)) >= 2
    )
