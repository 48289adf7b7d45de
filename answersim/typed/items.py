"""Lists and sets: "red, blue" and "blue and red". Precision and recall of items, in any order, by any metric."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from answersim.text import ARTICLES
from answersim.typed.comparison import Relation, different, equal, no_opinion
from answersim.typed.person import KNOWN_GIVEN
from answersim.typed.tokens import Tokens, fold, tokens
from answersim.types import FloatArray, Pair

kind = "list"
MOST = 100  # items of a list that is matched
_MOST_WORDS = 8  # of an item; a longer one is a clause
_LINES = re.compile(r"[;\n|]")
_COMMAS = re.compile(r",(?!\d)|(?<=\D),|(?<= )(?:and|und|&)(?= )|(?<= )(?:sowie|plus)(?= )")
_MAY_BE_LIST = re.compile(r"[,;\n|&、，；､]| (?:and|und|sowie|plus) ")
_BULLET = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
_SEPARATOR = re.compile(r"[,;\n|]")
_SCORE = re.compile(r"\d\s*[-:]\s*\d")
_COORDINATE = re.compile(r"-?\d+\.\d+|-\d+")
_SCORE_KEY = re.compile(r"\d+ [-:] \d+")
_NUMBERED = re.compile(r"(?:^|\n)\s{0,8}\d{1,3}[.)]\s[^\n]*\n\s{0,8}\d{1,3}[.)]\s")
_STEPS = frozenset(
    "first firstly second secondly then next finally lastly last zuerst dann danach schließlich zuletzt".split()
)
_DIRECTIONS = frozenset("left right up down forward backward straight links rechts oben unten geradeaus on off".split())
_SIMILAR = 0.6
_CLOSED = [
    frozenset(words.split())
    for words in (
        "red green blue yellow black white orange purple pink brown gray grey rot grün blau gelb schwarz "
        "weiß lila braun",
        "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag",
        "january february march april may june july august september october november december januar februar märz mai",
        "mercury venus earth mars jupiter saturn uranus neptune pluto",
        "spring summer autumn winter",
        "hydrogen helium carbon nitrogen oxygen fluorine neon sulfur chlorine argon iron copper silver gold lead",
    )
]
# Words for one thing that share no beginning.
_SYNONYMS = [
    frozenset(names.split())
    for names in (
        "car auto automobile; gray silver; violet purple; fall autumn; soda pop cola; sofa couch; holland "
        "netherlands; england britain; persia iran; burma myanmar; russia ussr; siam thailand; ceylon lanka; usa "
        "america states; cologne köln; florence firenze; mumbai bombay; istanbul constantinople; beijing peking; "
        "tokyo edo; oslo christiania; scarlet crimson red; navy blue azure; gold yellow; hare rabbit; cattle cow "
        "oxen; dad father; mom mother mum; film movie; bike bicycle; plane aircraft airplane; moon luna; sun sol; "
        "earth terra world; zeus jupiter; ares mars; venus aphrodite; neptune poseidon; hades pluto; bravery courage; "
        "joy happiness; sadness sorrow; anger rage wrath; corn maize; eggplant aubergine; zucchini courgette; truck "
        "lorry; copper cu; stone rock; sea ocean; hog pig swine; kid children; doctor physician; cat feline; dog "
        "canine hound; green emerald; iron fe; tungsten wolfram; natrium sodium; potassium kalium; salt nacl; big "
        "large; small little; fast quick; bunny rabbit; wine vino; money cash; photo picture; cab taxi; subway metro "
        "underground; gas petrol gasoline; pestilence conquest plague; boat ship; donkey ass; turf grass"
    ).split(";")
]
_ORDERED = re.compile(r"\b(?:order|sequence|respectively|rank(?:ed|ing)?|reihenfolge|chronological(?:ly)?)\b")


@dataclass(frozen=True)
class Items:
    """Two or more items, in the order of the answer."""

    items: tuple[str, ...]  # the items as they are written
    # each item in lower case, without articles, with numbers in digits: equal items have equal keys
    keys: tuple[str, ...]
    typed: bool = False  # whether every item is a number, so that two different items cannot mean the same
    ordered: bool = False  # whether another order may be another answer: scores, directions, a title
    # whether it has numbered lines, so that another order of two such lists may be another answer
    numbered: bool = False
    plain: bool = False  # whether the items are single words that can be told apart, and no place with its region

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
    pattern = _LINES if _LINES.search(folded) else _COMMAS
    pieces = (_BULLET.sub("", piece.strip()).strip(" .,\t\r") for piece in pattern.split(folded))
    return [piece for piece in pieces if piece]


def read_items(text: str, lang: str, value_of: Callable[[str], str | None]) -> Items | None:
    """Return the items of a list, or None if the answer is not a list of two or more short items.

    ``value_of``: returns an item as a plain number, or None if it is not a number.
    """
    items = split_items(text) if _MAY_BE_LIST.search(text) else []
    if not 2 <= len(items) <= MOST:
        return None
    words = [tokens(item) for item in items]
    if any(
        len(item.low) > 2 * _MOST_WORDS or sum(word[0].isalpha() for word in item.low) > _MOST_WORDS for item in words
    ):
        return None
    values = [value_of(item) for item in items]
    articles = ARTICLES[lang]
    keys = [
        value if value is not None else " ".join(w for i, w in enumerate(item.low) if i or w not in articles)
        for value, item in zip(values, words, strict=True)
    ]
    return Items(
        tuple(items),
        tuple(keys),
        typed=None not in values,
        ordered=_is_ordered(text, items),
        numbered=_NUMBERED.search(text) is not None,
        plain=_is_plain(text, items, words),
    )


def _is_ordered(text: str, items: Sequence[str]) -> bool:
    """Return whether another order may be another answer.

    Scores ("6-4, 6-3"), coordinates, directions, steps, "Law and Order" and "The Good, the Bad and the Ugly" have an
    order. Two names of two words or more, such as "Bill Gates and Paul Allen", have none.
    """
    low = [item.casefold() for item in items]
    if any(_SCORE.search(item) for item in items) or not _STEPS.isdisjoint(item.split()[0] for item in low):
        return True
    if len(items) == 2 and all(_COORDINATE.fullmatch(item) for item in items):
        return True
    if len(set(low)) < len(low) or sum(item in _DIRECTIONS for item in low) > 1:
        return True
    if not all(_is_capital(item) for item in items):
        return False
    if " & " in text or all(item.split()[0] in ("The", "the") for item in items):
        return True
    names = all(len(item.split()) > 1 and item.istitle() for item in items)
    return len(items) == 2 and not _SEPARATOR.search(text) and not names


def _is_capital(item: str) -> bool:
    """Return whether the item begins with a capital letter, after an article."""
    words = item.split()
    return words[len(words) > 1 and words[0] in ("the", "a", "an")][0].isupper()


def _is_plain(text: str, items: Sequence[str], words: Sequence[Tokens]) -> bool:
    """Return whether each item is one word: in lower case, or in a list of three, or joined by "and".

    "Paris, France" may be a place with its region, but "Red, Blue" is not.
    """
    if any(len(item.low) != 1 or len(item.low[0]) < 3 or not item.low[0].isalpha() for item in words):
        return False
    if any(item.isupper() for item in items):
        return False
    closed = any(all(item.casefold() in words for item in items) for words in _CLOSED)
    return closed or all(item.islower() for item in items) or len(items) > 2 or not _SEPARATOR.search(text)


def compare_items(gold: Items, pred: Items, question: str | None = None) -> Relation:
    """Compare two lists in any order, unless the order may matter.

    Lists with the same items are equal. If their order differs, the rules have no opinion on scores, directions, steps,
    repeated items and titles ("Law and Order"), and if the question is about an order. Lists of one length are
    different if all items are numbers, or if all are single words of which at least half are the same, and the other
    ones are not similar. Other items may mean the same.

    >>> compare_items(Items(("red", "blue"), ("red", "blue")), Items(("blue", "red"), ("blue", "red"))).relation
    'equal'
    """
    one, other = Counter(gold.keys), Counter(pred.keys)
    if one == other:
        if gold.keys != pred.keys and question and _ORDERED.search(question.casefold()):
            return no_opinion("the items are the same in another order, and the question is about an order", kind)
        if gold.keys != pred.keys and (gold.ordered or pred.ordered or (gold.numbered and pred.numbered)):
            return no_opinion("the items are the same in another order, which may matter", kind)
        return equal(f"both list {gold}", kind)
    shared = (one & other).total()
    reason = f"{shared} of {len(gold.keys)} items were found, and {len(pred.keys)} were listed"
    if gold.typed and pred.typed and shared < min(len(gold.keys), len(pred.keys)) and not _may_be_rounded(one, other):
        return different(f"{reason}, which are numbers", kind)
    if shared < len(gold.keys) == len(pred.keys) and all(map(_SCORE_KEY.fullmatch, (*gold.keys, *pred.keys))):
        return different(f"{pred} is not {gold}", kind)
    if gold.plain and pred.plain and len(gold.keys) == len(pred.keys) <= 2 * shared:
        rests = [sorted((one - other).elements()), sorted((other - one).elements())]
        apart = set(rests[0]).isdisjoint(other) and set(rests[1]).isdisjoint(one)
        if apart and not any(_is_similar(a, b) for a in rests[0] for b in rests[1]):
            return different(f"{reason}: {', '.join(rests[1])} is not {', '.join(rests[0])}", kind)
    return no_opinion(reason, kind)


def _is_similar(one: str, other: str) -> bool:
    """Return whether two words may be one: forms or spellings of it, or two known names of one thing."""
    if one[:3] == other[:3] or one in other or other in one or SequenceMatcher(None, one, other).ratio() >= _SIMILAR:
        return True
    if (one in KNOWN_GIVEN) != (other in KNOWN_GIVEN):
        return True  # a given name, and maybe the last name of the same person
    one, other = one.removesuffix("s"), other.removesuffix("s")
    return any(one in names and other in names for names in _SYNONYMS)


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

    >>> from answersim.catalog.lookup import metric
    >>> match_items("red, white and blue", "blue, red", metric("em"))[:2]
    (1.0, 0.6666666666666666)
    """
    lists = [_checked("gold", gold), _checked("pred", pred)]
    golds, preds = lists
    if not golds or not preds:
        value = float(not golds and not preds)
        return ListMatch(value, value, value, ())
    from scipy.optimize import linear_sum_assignment

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
