"""Is a prediction a list of far more answers than the gold answer has?"""

from __future__ import annotations

import re

from answersim.composite.mentions import content, plain, words

LEAST = 3  # answers in a list besides the gold answer; as many as this per item of the gold answer are far more
_SHARE = 0.75  # of the words of a prediction that its list has at least
_LONGEST = 5  # words of an item; more if the gold answer has more
_ENDS = " .,;:!?\"'"

_SEPARATOR = re.compile(
    r"\s*(?:[;\n|•·]+|(?<!\d),|,(?!\d)|\.\s|\s/\s|/(?=[^\W\d])|\b(?:or|and)\b"
    r"|(?<!\w)(?:\d{1,3}[.)]|[A-Za-z]\))(?=\s)|(?:^|\n)\s*[-*+](?=\s))\s*",
    re.I,
)
_SEPARATING = (*",;\n|•·/.)", " or ", " and ")  # one of them is in each separator
_VERBS = frozenset(  # words of a clause, which is no item of a list
    "is are was were be been being has have had do does did can may will would could should who which whom whose when "
    "while where because it its he she his they their there however although also known called named became made "
    "said".split()
)
_PREPOSITIONS = frozenset("in on at by from for with".split())
_LEAD_IN = re.compile(
    r"^[^,;\n]{0,80}?(?::|\b(?:is|are|was|were|be|include|includes|including|among|of|between|guess(?:es)?)\b)\s*"
    r"(?:(?:(?:either|one|any|some) of )?(?:the following|these)\b)?(?:one of\b)?[:\s]*",
    re.I,
)
_OFFER = re.compile(r"\b(?:one of|either|any of|among|candidates|options|possible answers|guesses)\b", re.I)


def lists_many(gold: str, pred: str) -> bool:
    """Return whether the prediction is a list of far more answers than the gold answer has.

    The list is most of the prediction, and its items are no clauses. A gold answer with separators of its own counts as
    one item if the prediction contains it as it is.

    >>> lists_many("Paris", "It is one of: Rome, Oslo, Paris, Bern"), lists_many("Paris", "Paris, in France")
    (True, False)
    >>> lists_many("Rome and Paris", "Paris, Rome"), lists_many("Rome and Paris", "Oslo, Rome, Paris, Bern")
    (False, False)
    """
    if sum(map(pred.casefold().count, _SEPARATING)) < LEAST - 1:  # most predictions, at a low cost
        return False
    answer = words(gold)
    wanted = content(answer)
    whole, text = plain(gold).strip(_ENDS), plain(pred, kept="\n")
    as_one = len(_items(whole)) > 1 and whole in text
    if as_one:
        text = text.replace(whole, " ".join(answer))
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
    if len(others) < LEAST * (1 if as_one else max(1, len(_items(gold)))) - bool(_OFFER.search(pred)):
        return False
    if sum(map(len, listed)) < _SHARE * sum(map(len, split)):
        return False
    with_gold = [(i, item) for i, item in enumerate(split) if not wanted.isdisjoint(item)]
    return not with_gold or any(
        item in listed
        and len(item) <= len(answer) + (3 if i else 2)  # the first item may be the beginning of a sentence
        and ({"of"} if i else _PREPOSITIONS).isdisjoint({*item} - {*answer})
        for i, item in with_gold
    )


def _items(text: str) -> list[str]:
    return [item for item in _SEPARATOR.split(text) if item and words(item)]
