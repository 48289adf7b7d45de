"""The largest disagreements of a metric with human labels: the pairs, and counts and direction by kind of error."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.errors import unknown
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


class Disagreement(NamedTuple):
    """A pair on which a metric and its label differ."""

    place: int  # its position in the judgments, from 0
    pair: Pair  # gold and predicted answer
    question: str  # the question, "" if it is unknown
    label: float  # the human label
    score: float  # the score of the metric
    gap: float  # the rank of the score minus the rank of the label, see ``gaps``. Below 0, the metric is too low.
    category: str  # the kind of error, see ``categories``; "" if it is unknown


class ErrorRow(NamedTuple):
    """The errors of a metric on the pairs of one category."""

    category: str  # the kind of error, or "" for the pairs of unknown kind
    n: int  # the number of pairs in this category
    too_low: int  # how many of the pairs that disagree most have a score that is too low for the label
    too_high: int  # how many of them have a score that is too high
    share: float  # both counts together, as a share of the n pairs
    mean_gap: float  # the mean gap of all n pairs. Below 0, the metric is too low for this category.
    worst: Disagreement  # the pair of this category with the largest absolute gap


def gaps(scores: Any, labels: Any) -> FloatArray:
    """Return the rank of each score minus the rank of its label: shape (n,), between -1 and 1.

    Both columns become ranks as shares of all rows, and equal numbers have the mean of their ranks. So the scales of
    labels and scores do not matter. A metric that orders pairs with different labels correctly has gaps only within
    the groups of equal labels.

    >>> gaps([0.1, 0.2, 0.9], [0, 2, 1]).round(2)
    array([ 0.  , -0.33,  0.33])
    """
    score, label = (np.asarray(column, dtype=np.float64) for column in (scores, labels))
    if score.ndim != 1 or score.shape != label.shape:
        raise ValueError(
            f"scores have the shape {score.shape} and labels {label.shape}; give one score and one label per pair"
        )
    for name, column in (("scores", score), ("labels", label)):
        if not np.isfinite(column).all():
            raise ValueError(
                f"{name} contain {column[~np.isfinite(column)][0]}, which has no rank; leave such pairs out"
            )
    n = max(1, len(score))
    return mid_ranks(score) / n - mid_ranks(label) / n


def disagreements(
    judgments: Judgments, metric: str, *, most: int | None = 20, kinds: Sequence[str] | None = None
) -> list[Disagreement]:
    """Return the pairs on which this metric and the labels differ most, the largest gap first, equal gaps in order.

    ``most``: the number of pairs; all with None. ``kinds``: the category of each pair; by default those of
    ``categories``. Raise LookupError if there are no scores of this metric, ValueError if a score is not finite.
    """
    if most is not None and most < 0:
        raise ValueError(f"most is {most}, but it must be 0 or more, or None for all pairs")
    scores = _scores(judgments, metric)
    gap = gaps(scores, judgments.labels)
    places = np.argsort(-np.abs(gap), kind="stable")[:most]
    kinds = categories(judgments) if kinds is None else kinds
    return [_one(judgments, scores, gap, kinds, int(i)) for i in places]


def error_table(
    judgments: Judgments, metric: str, *, worst: float = 0.1, kinds: Sequence[str] | None = None
) -> list[ErrorRow]:
    """Return the errors of this metric by category: the one with most of the worst pairs first, the unknown one last.

    ``worst``: the share of all pairs that counts as those that disagree most. ``kinds``: the category of each pair; by
    default those of ``categories``. Raise LookupError or ValueError as ``disagreements``, and if ``worst`` is not a
    share.
    """
    if not 0 < worst <= 1:
        raise ValueError(f"worst is {worst}, but a share of the pairs must be above 0 and at most 1")
    scores = _scores(judgments, metric)
    gap = gaps(scores, judgments.labels)
    kinds = categories(judgments) if kinds is None else kinds
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
                _one(judgments, scores, gap, kinds, first),
            )
        )
    return sorted(rows, key=lambda row: (row.category == UNKNOWN, -(row.too_low + row.too_high), row.category))


def missed(judgments: Judgments, metric: str, below: float = 0.25) -> NDArray[np.bool_]:
    """Return a mask of the pairs with the highest label and a score less than ``below``, shape (n,).

    Source: the SAS paper, section 5: the pairs of its Figure 2 have label 2 and a SAS score below .25.
    """
    labels = judgments.labels
    return (labels == labels.max(initial=-np.inf)) & (_scores(judgments, metric) < below)


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


def _scores(judgments: Judgments, metric: str) -> FloatArray:
    if metric not in judgments.scores:
        raise unknown(f"metric with scores in {judgments.name}", metric, judgments.scores)
    return judgments.scores[metric].values


def _one(judgments: Judgments, scores: FloatArray, gap: FloatArray, kinds: Sequence[str], i: int) -> Disagreement:
    question = "" if judgments.questions is None else judgments.questions[i]
    return Disagreement(
        i, judgments.pairs[i], question, float(judgments.labels[i]), float(scores[i]), float(gap[i]), kinds[i]
    )


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
