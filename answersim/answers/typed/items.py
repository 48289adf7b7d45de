"""Lists and sets: "red, blue" and "blue and red". Precision and recall of items, in any order, by any metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.runtime.concurrency import imported
from answersim.answers.text.patterns import Patterns
from answersim.answers.text.tokens import ARTICLES
from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.question import NOTHING, Asked
from answersim.answers.typed.tokens import fold, tokens
from answersim.answers.typed.vocabulary import listed
from answersim.types import Pair

kind = "list"
_P = Patterns("items")
MOST = 100  # items of a list that is matched
_MOST_WORDS = 8  # of an item; a longer one is a clause
_STEPS, _DIRECTIONS = listed("step"), listed("direction")
_CLOSED = [listed(kind) for kind in ("color", "weekday", "month", "element", "season", "direction")]


@dataclass(frozen=True)
class Items:
    """Two or more items, in the order of the answer."""

    items: tuple[str, ...]  # the items as they are written
    # each item in lower case, without articles, with numbers in digits: equal items have equal keys
    keys: tuple[str, ...]
    typed: bool = False  # whether every item is a number, so that two different items cannot mean the same
    closed: bool = False  # whether all items are colors, or all are days of the week, or the like
    # whether another order is another answer: "yes" (scores), "maybe" (a title), "no", "numbered" (if both lists are)
    ordered: str = "no"

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return ", ".join(self.items)


class ListMatch(NamedTuple):
    """How well two lists agree, in any order.

    Attributes:
        precision: The sum of the scores of the matched items, as a share of the predicted items.
        recall: The same sum as a share of the items of the gold answer.
        f1: The harmonic mean of both.
        matches: The matched items: the position in the gold answer, in the prediction, and the score.
    """

    precision: float
    recall: float
    f1: float
    matches: tuple[tuple[int, int, float], ...]


def split_items(text: str) -> list[str]:
    r"""Split a list at lines or semicolons if there are any, else at commas and "and"; one item gives a list of one.

    >>> split_items("red, white, and blue")
    ['red', 'white', 'blue']
    >>> split_items("- Paris, France\n- Rome")
    ['Paris, France', 'Rome']
    """
    folded = fold(text).strip(" .\t\r\n")
    pattern = _P.lines if _P.lines.search(folded) else _P.commas
    pieces = (_P.bullet.sub("", piece.strip()).strip(" .,\t\r") for piece in pattern.split(folded))
    return [piece for piece in pieces if piece]


def read_items(text: str, lang: str, value_of: Callable[[str, str], str | None]) -> Items | None:
    """Return the items of a list, or None if the answer is not a list of two or more short items.

    ``value_of``: returns an item in a language as a plain number, or None if it is not a number.
    """
    items = split_items(text) if _P.may_be_list.search(text) else []
    if not 2 <= len(items) <= MOST:
        return None
    words = [tokens(item).low for item in items]
    if any(len(item) > 2 * _MOST_WORDS or sum(word[0].isalpha() for word in item) > _MOST_WORDS for item in words):
        return None
    values = [value_of(item, lang) for item in items]
    articles = ARTICLES.get(lang, frozenset())
    keys = [
        value if value is not None else " ".join(word for i, word in enumerate(item) if i or word not in articles)
        for value, item in zip(values, words, strict=True)
    ]
    closed = any(words.issuperset(keys) for words in _CLOSED)
    typed = None not in values
    return Items(tuple(items), tuple(keys), typed, closed, _order(text, items, typed or closed))


def _order(text: str, items: Sequence[str], free: bool) -> str:
    """Return whether another order is another answer: of scores and coordinates; maybe of steps and "Law and Order"."""
    low = [item.casefold() for item in items]
    if any(map(_P.score.search, items)) or (len(items) == 2 and all(map(_P.coordinate.fullmatch, items))):
        return "yes"
    if _P.numbered.search(text):
        return "numbered"
    if not _STEPS.isdisjoint(item.split()[0] for item in low) or sum(item in _DIRECTIONS for item in low) > 1:
        return "maybe"
    if len(set(low)) < len(low) or all(item.startswith("the ") for item in low):
        return "maybe"
    return "maybe" if len(items) == 2 and not (_P.separator.search(text) or free) else "no"


def compare_items(gold: Items, pred: Items, hints: Asked = NOTHING) -> Relation:
    """Compare two lists in any order, unless the order matters.

    Lists with the same items are equal. In another order, they are different if both have an order, and the rules have
    no opinion if one may have one, unless the question asks for several answers. Lists of numbers with other items are
    different. Other items may mean the same. A list that only lacks items is incomplete.
    """
    one, other = Counter(gold.keys), Counter(pred.keys)
    if one == other:
        orders = {gold.ordered, pred.ordered}
        if gold.keys == pred.keys or ("no" in orders <= {"no", "numbered"} and not hints.ordered):
            return equal(f"both list {gold}", kind)
        if hints.ordered or orders <= {"yes", "numbered"}:
            return different("the items are the same in another order", kind)
        if hints.several and "yes" not in orders and len(gold.keys) == 2:
            return equal(f"both list {gold}, in any order", kind)
        return no_opinion("the items are the same in another order, which may matter", kind, rule="order")
    shared = (one & other).total()
    reason = f"{shared} of {len(gold.keys)} items were found, and {len(pred.keys)} were listed"
    if gold.typed and pred.typed and shared < max(len(gold.keys), len(pred.keys)) and not _may_be_rounded(one, other):
        return different(f"{reason}, which are numbers", kind)
    scores = all(map(_P.score.fullmatch, (*gold.keys, *pred.keys)))
    if shared < len(gold.keys) == len(pred.keys) and (scores or (gold.closed and pred.closed)):
        return different(f"{reason}: {pred} is not {gold}", kind)
    rule = "incomplete" if shared and not other - one else "list" if shared else ""
    return no_opinion(reason, kind, rule=rule)


def _may_be_rounded(one: Counter[str], other: Counter[str]) -> bool:
    """Return whether an item of one list is near another one of the other list, so that it may be rounded."""
    rests = [
        [Fraction(key.rstrip(".").replace(",", "")) for key in rest if not key.endswith(".")]
        for rest in (one - other, other - one)
    ]
    return any(a != b and abs(a - b) * 50 <= max(abs(a), abs(b)) for a in rests[0] for b in rests[1])


def match_items(
    gold: str | Sequence[str], pred: str | Sequence[str], metric: Callable[[Sequence[Pair]], FloatArray]
) -> ListMatch:
    """Match the items of two lists in any order, so that the sum of the scores is largest.

    Args:
        gold: The list of the gold answer, or a text that ``split_items`` splits.
        pred: The predicted list, or a text.
        metric: Any metric: pairs in, one number per pair out, shape (n,). Numbers below 0 count as 0.

    Returns:
        Precision, recall and F1. All are 1 if both lists are empty, and 0 if one is.

    Raises:
        TypeError: If an item is not a string.
        ValueError: If a list has more than 100 items.

    >>> from answersim.metrics.catalog.lookup import metric
    >>> match_items("red, white and blue", "blue, red", metric("em"))[:2]
    (1.0, 0.6666666666666666)
    """
    lists = [_checked("gold", gold), _checked("pred", pred)]
    golds, preds = lists
    if not golds or not preds:
        value = float(not golds and not preds)
        return ListMatch(value, value, value, ())
    linear_sum_assignment = imported("scipy.optimize").linear_sum_assignment
    pairs = [Pair(one, other) for one in golds for other in preds]
    scores = np.maximum(np.asarray(metric(pairs), dtype=np.float64).reshape(len(golds), len(preds)), 0.0)
    rows, columns = linear_sum_assignment(scores, maximize=True)
    matches = tuple(
        (int(i), int(j), float(scores[i, j])) for i, j in zip(rows, columns, strict=True) if scores[i, j] > 0
    )
    total = sum(score for _, _, score in matches)
    precision, recall = total / len(preds), total / len(golds)
    return ListMatch(precision, recall, 2 * precision * recall / (precision + recall) if total else 0.0, matches)


def _checked(name: str, items: str | Sequence[str]) -> list[str]:
    listed = split_items(items) if isinstance(items, str) else list(items)
    if wrong := [item for item in listed if not isinstance(item, str)]:
        raise TypeError(f"{name} contains {wrong[0]!r}, but an item is a string")
    if len(listed) > MOST:
        raise ValueError(f"{name} has {len(listed)} items, but at most {MOST} are matched; give shorter lists")
    return listed
