"""Is a prediction a list of far more answers than the gold answer has?"""

from __future__ import annotations

import re

from answersim.composite.mentions import ENDS, content, plain, words

LEAST = 3  # other answers, per item of the gold answer, that are far more
_SHARE = 0.75  # of the words of a prediction that its list has at least
_BARE = 12  # different words of a list without separators
_LONGEST = 6  # words of an item; more if the gold answer has more

_SEPARATOR = re.compile(
    r"\s*(?:[;\n\t|•·]+|(?<!\d),|,(?!\d)|[.?!]\s|\s[-–—/]\s|/(?=[^\W\d])|\b(?:or|and)\b"
    r"|(?<!\w)(?:\d{1,3}[.)]|#\d{1,3}|[A-Za-z]\))(?=\s)|(?:^|\n)\s*[-*+](?=\s))\s*",
    re.I,
)
_SEPARATING = (*",;\n\t|•·/.?!)#", " or ", " and ", " - ", " – ", " — ")  # one of them is in each separator
_ASIDE = re.compile(r"\((?=[^()\s]+\s)[^()]{3,200}\)")  # a remark in brackets, not the letter of an option
_VERBS = frozenset(  # words of a clause, which is no item of a list
    "is are was were be been being has have had do does did can may will would could should who which whom whose when "
    "while where because it its he she his they their there however although also known called named became made "
    "said".split()
)
_PREPOSITIONS = frozenset("in on at by from for with".split())
_LEAD_IN = re.compile(
    r"^[^,;\n\t.?!|/]{0,80}?(?::|\b(?:is|are|was|were|be|include|includes|including|among|between|guess(?:es)?"
    r"|(?:one|any|some|either) of)\b)\s*(?:(?:(?:either|one|any|some) of )?(?:the following|these)\b)?"
    r"(?:one of\b)?[:\s]*",
    re.I,
)
_GRAMMAR_FIRST = re.compile(r"^(?:the|an?|in|on|at|by|from|for|of|to) ")
_OFFER = re.compile(r"\b(?:one of|either|any of|among|candidates|options|possible answers|guesses)\b", re.I)


def lists_many(gold: str, pred: str) -> bool:
    """Return whether the prediction is a list of far more answers than the gold answer has.

    The list is most of the prediction, and its items are no clauses. It has at least ``LEAST`` other answers for each
    item with words of the gold answer. A gold answer with separators of its own is one item if the prediction contains
    it as it is.

    >>> lists_many("Paris", "It is one of: Rome, Oslo, Paris, Bern"), lists_many("Paris", "Paris, in France")
    (True, False)
    >>> lists_many("Rome and Paris", "Paris, Rome"), lists_many("Rome and Paris", "Oslo, Rome, Paris, Bern")
    (False, False)
    """
    answer = words(gold)
    wanted = content(answer)
    if sum(map(pred.casefold().count, _SEPARATING)) < LEAST - 1:  # most predictions, at a low cost
        return _lists_bare_words(wanted, pred)
    whole, text = _GRAMMAR_FIRST.sub("", plain(gold).strip(ENDS)), plain(_ASIDE.sub(" ", pred), kept="\n\t")
    if len(_items(whole)) > 1 and whole in text:
        text = text.replace(whole, " ".join(word for word in words(whole) if word not in ("and", "or")))
    items = _items(text)
    if len(items) < LEAST or not wanted:
        return False
    lead = _LEAD_IN.match(text)
    if lead and len(offered := _items(text[lead.end() :])) >= LEAST and wanted.isdisjoint(words(lead.group())):
        items = offered
    split = [words(item) for item in items]
    longest = max(_LONGEST, len(answer) + 2)
    listed = [item for item in split if len(item) <= longest and _VERBS.isdisjoint({*item} - wanted)]
    others = [item for item in listed if wanted.isdisjoint(item)]
    with_gold = [(i, item) for i, item in enumerate(split) if not wanted.isdisjoint(item)]
    if len(others) < LEAST * max(1, len(with_gold)) - bool(_OFFER.search(pred)):
        return False
    if sum(map(len, listed)) < _SHARE * sum(map(len, split)):
        return False
    fit = [item in listed and len(item) <= len(answer) + 3 for _, item in with_gold]
    first = [_may_begin(item, wanted, first=i == 0) for i, item in with_gold]
    return not with_gold or any(fits and begins for fits, begins in zip(fit, first, strict=True))


def _may_begin(item: list[str], wanted: set[str], *, first: bool) -> bool:
    """Return whether the words before the gold answer may be a part of its name. The first item may begin a clause."""
    before = item[: next(i for i, word in enumerate(item) if word in wanted)]
    return len(before) <= (2 if first else 3) and (_PREPOSITIONS if first else {"of"}).isdisjoint(before)


def _lists_bare_words(wanted: set[str], pred: str) -> bool:
    """Return whether the prediction is a list without separators: many words, and none of a clause or of grammar."""
    found = set(words(pred))
    return len(found) >= max(_BARE, 4 * len(wanted)) and found.isdisjoint(_VERBS | _PREPOSITIONS | {"of", "to"})


def _items(text: str) -> list[str]:
    return [item for item in _SEPARATOR.split(text) if item and words(item)]
