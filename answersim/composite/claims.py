"""Does a prediction only mention the gold answer: in a list of many answers, denied, or as what it is related to?

The rules are few and precise. Each applies to a form in which a prediction that contains the gold answer is not right in
nearly all cases. All else is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from answersim.composite.formulas import same_formula
from answersim.types import FloatArray, Pair

REVISION = 1  # of these rules and those of formulas and of markup; increase it when a number changes; it is signed

LEAST = 3  # answers in a list besides the gold answer; as many as this per item of the gold answer are far more
_SHARE = 0.75  # of the words of a prediction that its list has at least
_LONGEST = 5  # words of an item of a list; more if the gold answer has more
_MENTION = "\0"
_STEM, _SHORT = 4, 25  # letters that make two words alike; words of a prediction in which parts of a name are searched
_ENDS = " .,;:!?\"'"

_SEPARATOR = re.compile(
    r"\s*(?:[;\n|•·]+|(?<!\d),|,(?!\d)|\.\s|\s/\s|/(?=[^\W\d])|\b(?:or|and)\b|&|(?<!\w)(?:\d{1,3}[.)]|[A-Za-z]\))(?=\s)"
    r"|(?:^|\n)\s*[-*+](?=\s))\s*",
    re.I,
)
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset(("a", "an", "the"))
_VERBS = frozenset(  # words of a clause, which is no item of a list
    "is are was were be been being has have had do does did can may will would could should who which whom whose when while "
    "where because it its he she his they their there however although also known called named became made said".split()
)
_LEAD_IN = re.compile(
    r"^[^,;\n]{0,80}?(?::|\b(?:is|are|was|were|be|include|includes|including|among|of|between|guess(?:es)?)\b)\s*"
    r"(?:(?:(?:either|one|any|some) of )?(?:the following|these)\b)?(?:one of\b)?[:\s]*",
    re.I,
)
_OFFER = re.compile(r"\b(?:one of|either|any of|among)\b|\b(?:candidates|options|possible answers|guesses)\b", re.I)

_START = r"^\W*(?:(?:(?:the|my|final|correct|right) )*answer(?: is|:)? |(?:it|that|this|he|she|they)(?: is|'s| was| were| are) )?"
_ADVERB = r"(?:definitely |certainly |really |actually |at all )?"
_KIN = (
    "brother sister sibling father mother dad mum mom parent son daughter child wife husband spouse widow widower uncle aunt "
    "nephew niece cousin grandfather grandmother grandson granddaughter twin stepson stepdaughter stepfather stepmother fiancé "
    "fiancée girlfriend boyfriend lover partner friend enemy rival opponent colleague assistant secretary boss manager agent "
    "teacher student pupil mentor disciple follower fan predecessor successor neighbor neighbour killer murderer biographer "
    "bodyguard opposite antonym inventor author director composer capital anagram sequel prequel parody"
).split()
_NEGATION = re.compile(r"\b(?:not|never|except|false|wrong|incorrect|no(?!-)|nobody|nothing|if|unless)\b|n't\b")
_BEFORE, _AFTER = r"(?:(?!(?:but|only|just|also|is|are|was|were|be|it|named|called) )[\w'&.-]+ ){0,4}", r"(?:,? (?!(?:is|are|was|were|but)\b)[\w'&.-]+){0,4}"  # other words of a name
_RELATION = rf"(?:[\w-]+ ){{0,2}}(?:{'|'.join(_KIN)})s?"
_ANY = r"(?:anything|anyone|anybody|anywhere|everything|everyone|everybody|all|any [\w-]+|every [\w-]+)"
# Before a mention that is denied.
_DENIED = re.compile(
    rf"(?:\bnot|n't|\bnever|\bcannot be|\bexcept(?: for)?|\b{_ANY} (?:but|except|besides)|\b(?:other|rather) than|\binstead of"
    r"|\bunlike|\bas opposed to|\b(?:confused|compared?|similar)(?: with| to)?"
    rf"|\b(?:false|wrong|incorrect|untrue)(?: answer)?\s*[:,])\s+{_ADVERB}(?:the |a |an )?[\"'(]*{_MENTION}"
)
_WRONG = (
    r"(?:not (?:the )?(?:(?:right|correct) )?(?:answer|correct|right|true)|(?:false|wrong|incorrect|untrue|a mistake))"
)
_WHOLE = tuple(  # of predictions that say nothing else
    re.compile(pattern)
    for pattern in (
        rf"{_START}(?:the |a |an |his |her |their )?{_RELATION} (?:of|to) {_BEFORE}{_MENTION}{_AFTER}\W*$",
        rf"{_START}{_ADVERB}(?:not|isn't|wasn't|never|{_ANY} (?:but|except)|(?:false|wrong|incorrect)(?: answer)?[:,]) "
        rf"{_BEFORE}{_MENTION}{_AFTER}\W*$",
        rf"{_START}{_BEFORE}{_MENTION}{_AFTER}'s? {_RELATION}\W*$",
        rf"{_START}{_BEFORE}{_MENTION}{_AFTER}\W* (?:(?:is|was|are|were) {_ADVERB})?{_WRONG}\W*$",
        rf"{_START}{_BEFORE}{_MENTION}{_AFTER}\W* (?:no|nope)\W*$",
        rf"\beither {_MENTION},? or [^{_MENTION}]{{1,80}}$|\beither [^{_MENTION}]{{1,80}} or {_MENTION}\W*$",
        rf"{_MENTION},? or (?:perhaps|maybe|possibly) [^{_MENTION}]+$|\bor (?:perhaps|maybe|possibly) {_MENTION}\W*$",
        rf"{_MENTION}[^{_MENTION}]{{0,80}} are (?:both )?possible\W*$",
        rf"^\W*(?:if|unless|had)\b(?! (?:i|my|we|you|one)\b)[^{_MENTION}]*[, ](?:[^{_MENTION}]{{0,40}})?{_MENTION}{_AFTER}\W*$",
    )
)
# Of predictions that mention it, and then, or before, say that it is not so.
_ANYWHERE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:believed?|thinks?|thought|says?|said|claim(?:s|ed)?|assumed?)\b[^{_MENTION}.]{{0,40}}{_MENTION}[^{_MENTION}]{{0,40}}"
        rf"(?:\bbut (?:the (?:correct|right|real|true|actual)|it(?:'s| is| was)|in fact|actually)\b|\bin fact\b|\bwhich is (?:wrong|false|incorrect))"
        rf"[^{_MENTION}]*$",
        rf"{_MENTION}[^{_MENTION}]{{0,60}}(?:\bno,? wait\b|\bi meant\b|\bor rather\b|\b(?:that|which) (?:is|was) (?:wrong|a mistake)\b"
        rf"|\bis a mistake\b|\bi am sure that\b|\bscratch that\b)[^{_MENTION}]*$",
        rf"\b(?:not|n't|cannot|unable to|not able to) (?:know|find|found|confirm|verify|say|tell|be sure)\b(?:(?!\bbut\b|\bhowever\b)[^{_MENTION}.])*"
        rf"\b(?:whether|if|that)\b(?:(?!\bbut\b|\bhowever\b)[^{_MENTION}.]){{0,40}}{_MENTION}[^{_MENTION}]*$",
        rf"{_MENTION}[^{_MENTION}]*\b(?:final|correct|real|right|true) answer (?:is|was)\b[^{_MENTION}]*$",
        rf"\bno (?:evidence|proof|source|sources)\b(?:(?!\bbut\b|\bhowever\b)[^{_MENTION}.]){{0,60}}{_MENTION}[^{_MENTION}]*$",
    )
)
_PREPOSITIONS = frozenset("in on at by from for with".split())


def bounded(pairs: Sequence[Pair], scores: FloatArray, most: float, lang: str) -> FloatArray:
    """Return the scores, at most ``most`` for a prediction that only mentions the gold answer or is another formula.

    Args:
        pairs: The answers, without markup.
        scores: One per pair, shape (n,).
        most: The bound.
        lang: The language of the answers.
    """
    bound = scores.copy()
    for i in np.flatnonzero(scores > most).tolist():
        gold, pred = pairs[i]
        if same_formula(gold, pred) is False or only_mentions(gold, pred, lang):
            bound[i] = most
    return bound


def only_mentions(gold: str, pred: str, lang: str = "en") -> bool:
    """Return whether the prediction contains the gold answer but does not give it as the answer.

    True if it is a list of far more answers than the gold answer has, in any language, and for forms such as the
    following in English. A gold answer that has such a form itself is compared as usual.

    >>> [only_mentions("Paris", pred) for pred in ("Rome, Oslo, Paris, Bern", "not Paris", "the mayor of Paris")]
    [True, True, False]
    >>> only_mentions("Rome and Paris", "Paris, Rome"), only_mentions("John", "the brother of John")
    (False, True)
    """
    return lists_many(gold, pred) or (lang == "en" and _is_denied(gold, pred))


def lists_many(gold: str, pred: str) -> bool:
    """Return whether the prediction is a list of far more answers than the gold answer, of which one is in the list.

    >>> lists_many("Paris", "It is one of: Rome, Oslo, Paris, Bern"), lists_many("Paris", "Paris, in France")
    (True, False)
    """
    wanted = _content(gold)
    whole = _plain(gold).strip(_ENDS)
    text = _plain(pred, "\n")
    as_one = len(_items(whole)) > 1 and whole in text
    if as_one:  # the gold answer has separators of its own
        text = text.replace(whole, " ".join(_words(whole)))
    items = _items(text)
    if len(items) < LEAST or not wanted:
        return False
    lead = _LEAD_IN.match(text)
    if lead and len(offered := _items(text[lead.end() :])) >= LEAST and wanted.isdisjoint(_words(lead.group())):
        items = offered
    split = [_words(item) for item in items]
    longest = max(_LONGEST, len(_words(gold)) + 2)
    listed = [words for words in split if len(words) <= longest and _VERBS.isdisjoint({*words} - wanted)]
    others = [words for words in listed if wanted.isdisjoint(words)]
    least = LEAST * (1 if as_one else max(1, len(_items(gold))))
    if len(others) < least - bool(_OFFER.search(pred)):
        return False
    with_gold = [(i, words) for i, words in enumerate(split) if not wanted.isdisjoint(words)]
    is_item = [
        words in listed
        and len(words) <= len(_words(gold)) + (3 if i else 2)
        and (i > 0 or _PREPOSITIONS.isdisjoint({*words} - {*_words(gold)}))
        for i, words in with_gold
    ]
    return (any(is_item) or not with_gold) and sum(map(len, listed)) >= _SHARE * sum(map(len, split))


def _items(text: str) -> list[str]:
    return [item for item in _SEPARATOR.split(text) if item and _WORD.search(item)]


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if word not in _ARTICLES]


def _content(text: str) -> set[str]:
    """Return the words without those of grammar; all words if there are no others."""
    words = set(_words(text))
    return words - _PREPOSITIONS - _VERBS - {"of", "and", "or", "to"} or words


def _is_denied(gold: str, pred: str) -> bool:
    if len(pred) > 1000:
        return False
    mentions, wanted = _with_mentions(gold, pred), _plain(gold)
    n = mentions.count(_MENTION)
    if not n or _NEGATION.search(wanted):
        return False
    if len(_DENIED.findall(mentions)) == n:
        return True
    return any(pattern.search(mentions) for pattern in (*_WHOLE, *_ANYWHERE))


def _with_mentions(gold: str, pred: str) -> str:
    """Return the prediction with one sign for each mention of the gold answer, or else of some words of it."""
    wanted, text = _plain(gold).strip(_ENDS), _plain(pred)
    for article in ("the ", "a ", "an "):
        wanted = wanted.removeprefix(article)
    if wanted and wanted in text:
        mentions, n = re.subn(rf"(?<!\w){re.escape(wanted)}(?!\w)", _MENTION, text)
        if n:
            return mentions
    words = _content(gold)
    stems = {word[:_STEM] for word in words if len(word) >= _STEM}
    if len(text.split()) > _SHORT:
        return text
    some = _WORD.sub(lambda match: _MENTION if match[0] in words or match[0][:_STEM] in stems else match[0], text)
    return re.sub(rf"{_MENTION}(?:[ &,.'-]{{1,3}}(?:(?:the|of|and|a) )?{_MENTION})+", _MENTION, some)


def _plain(text: str, kept: str = "") -> str:
    """Return the text in lower case, with simple apostrophes and spaces; white space that is kept stays."""
    text = text.casefold().replace("\u2019", "'").replace("&", " and ").replace(_MENTION, " ")
    return re.sub(rf"[^\S{kept}]+", " ", text)
