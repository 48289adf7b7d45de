"""Does a prediction claim the gold answer, or does it only mention it, in a list of many answers or as denied?

The rules are few and precise. Each applies to a form in which a prediction that contains the gold answer is wrong in
nearly all cases. All else is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from answersim.answers.formulas import same_formula
from answersim.composite.lists import lists_many
from answersim.composite.mentions import MENTION, with_mentions
from answersim.extraction.marked import final
from answersim.golds import ChoiceGold
from answersim.typed.api import compare_math
from answersim.typed.math import is_mathematical
from answersim.types import FloatArray, Pair

REVISION = 2  # of the rules for claims, lists, formulas and markup; increase it when a number changes; it is signed

_LONGEST = 1000  # characters of a prediction that may be a denial
_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}\b|\.\s|\.\Z")  # around a formula
_MOST_PARTS = 12
_RATIO = re.compile(r"\d+(?:\s?:\s?\d+)+")
_KIN = "|".join(
    "brother sister sibling father mother dad mum mom parent son daughter child wife husband spouse widow widower "
    "uncle aunt nephew niece cousin grandfather grandmother grandson granddaughter twin stepson stepdaughter "
    "stepfather stepmother fiancé fiancée girlfriend boyfriend lover partner friend enemy rival opponent "
    "colleague assistant secretary boss manager agent teacher student pupil mentor disciple follower fan "
    "predecessor successor neighbor neighbour killer murderer biographer bodyguard opposite antonym inventor "
    "author director composer capital anagram sequel prequel parody contemporary acquaintance relative descendant "
    "ancestor competitor critic admirer".split()
)
# Named parts of the patterns: <M> is a mention, <M+> one with other words of a name around it, <~> any other text.
_PARTS = {
    "<start>": r"^\W*(?:(?:(?:the|my|final|correct|right) )*answer(?: is|:)? "
    r"|(?:it|that|this|he|she|they)(?: is|'s| was| were| are) )?",
    "<M+>": r"(?:(?!(?:but|only|just|also|until|that|because|is|are|was|were|be|it|named|called) )[\w'.-]+ ){0,4}<M>"
    r"(?:,? (?!(?:is|are|was|were|but)\b)[\w'.-]+){0,4}",
    "<relation>": rf"(?:[\w-]+ ){{0,2}}(?:[\w-]+-)?(?:{_KIN})s?",
    "<adverb>": r"(?:definitely |certainly |really |actually |at all )?",
    "<all>": r"(?:anything|anyone|anybody|anywhere|everything|everyone|everybody|all|any [\w-]+|every [\w-]+)",
    "<is>": r"(?:is|was|are|were)",
    "<wrong>": r"(?:not (?:the )?(?:(?:right|correct) )?(?:answer|correct|right|true)"
    r"|false|wrong|incorrect|untrue|a mistake)",
    "<maybe>": r"(?:perhaps|maybe|possibly)",
    "<believe>": r"\b(?:believed?|thinks?|thought|says?|said|claim(?:s|ed)?|assumed?)\b",
    "<unless but>": r"(?:(?!\bbut\b|\bhowever\b)[^<M>.])",
    "<~>": "[^<M>]",
    "<M>": MENTION,
}


def _pattern(form: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        form = form.replace(name, part)
    return re.compile(form)


# Each form contains one of these words, or a part of one of the others. Most predictions contain none.
_SIGNS = frozenset(
    "not n't never cannot except besides than instead unlike opposed confused compared compare similar false "
    "wrong incorrect untrue true mistake mistaken no nope either perhaps maybe possibly possible if unless had "
    "but fact which who wait meant rather sure scratch answer unable rule ruled next near close outside before "
    "after adjacent".split()
) | {f"{noun}{end}" for noun in _KIN.split("|") for end in ("", "s")}
_TOKEN = re.compile(r"n't\b|[^\W_]+?(?=n't\b)|[^\W_]+")
# What denies the mention that follows it. A prediction that denies all mentions does not claim the gold answer.
_DENIED = _pattern(
    r"(?:\bnot|n't|\bnever|\bcannot be|\bexcept(?: for)?|\b<all> (?:but|except|besides)|\b(?:other|rather) than"
    r"|\binstead of|\bunlike|\bas opposed to|\b(?:confused|compared?|similar)(?: with| to)?"
    r"|\brul(?:e|ed) out|\b(?:false|wrong|incorrect|untrue|not true) (?:that|to say)(?: it (?:is|was))?"
    r"|\b(?:false|wrong|incorrect|untrue)(?: answer)?\s*[:,])\s+<adverb>(?:the |a |an )?[\"'(]*<M>"
)
_FORMS = tuple(
    map(
        _pattern,
        (
            # The whole prediction: the brother of X, not X, X's brother, X is wrong, X? No.
            r"<start>(?:the |a |an |his |her |their )?<relation> (?:of|to) <M+>\W*$",
            r"<start><adverb>(?:not|isn't|wasn't|never|<all> (?:but|except)|(?:false|wrong|incorrect)(?: answer)?[:,]) "
            r"<M+>\W*$",
            r"<start><M+>'s? <relation>\W*$",
            r"<start><M+>\W* (?:<is> <adverb>)?<wrong>\W*$",
            r"<start><M+>\W* (?:absolutely |certainly |definitely )?(?:no|nope|not)\W*$",
            r"<start>(?:the |a |an )?(?:[\w-]+ ){1,2}(?:(?:next|close|adjacent) to|near|outside|before|after) <M+>\W*$",
            r"<start>(?:the |a )?(?:man|woman|person|boy|girl|one|someone|somebody) (?:who|that) [\w ]{1,30} <M+>\W*$",
            r"<M><~>{0,20}<is> mistaken\b",
            # Either X or Y; Y, or perhaps X; both X and Y are possible.
            r"\beither <M>,? or <~>{1,80}$|\beither <~>{1,80} or <M>\W*$",
            r"<M>,? or <maybe> <~>+$|\bor <maybe> <M>\W*$",
            r"<M><~>{0,80} are (?:both )?possible\W*$",
            # If it were another question, it would be X.
            r"^\W*(?:if|unless|had)\b(?! (?:i|my|we|you|one)\b)<~>*[, ]<M+>\W*$",
            # Many believe that it is X, but it is Y. X. No wait, Y. X at first, but the final answer is Y.
            r"<believe>[^<M>.]{0,40}<M><~>{0,40}(?:\bbut (?:the (?:correct|right|real|true|actual)|it(?:'s| is| was)"
            r"|in fact|actually)\b|\bin fact\b|\bwhich is (?:wrong|false|incorrect))<~>*$",
            r"<M><~>{0,60}(?:\bno,? wait\b|\bi meant\b|\bor rather\b|\b(?:that|which) (?:is|was) (?:wrong|a mistake)\b"
            r"|\bis a mistake\b|\bi am sure that\b|\bscratch that\b)<~>*$",
            r"<M><~>*\b(?:final|correct|real|right|true) answer (?:is|was)\b<~>*$",
            # I do not know whether it is X. No source says X.
            r"\b(?:not|n't|cannot|unable to|not able to) (?:know|find|found|confirm|verify|say|tell|be sure)\b"
            r"<unless but>*\b(?:whether|if|that)\b<unless but>{0,40}<M><~>*$",
            r"\bno (?:evidence|proof|source|sources)\b<unless but>{0,60}<M><~>*$",
        ),
    )
)


def bounded(pairs: Sequence[Pair], scores: FloatArray, most: float, lang: str) -> FloatArray:
    """Return the scores, at most ``most`` for a prediction that only mentions the gold answer or is another formula."""
    bound = scores.copy()
    for i in np.flatnonzero(scores > most).tolist():
        gold, pred = pairs[i]
        if _is_no_phrase(gold, pred) or only_mentions(gold, pred, lang):
            bound[i] = most
    return bound


def _is_no_phrase(gold: str, pred: str) -> bool:
    """Return whether shared words prove nothing: the prediction is another formula, or does not choose the option.

    A formula in a sentence is compared too. A bare "A" or "I" is the letter of an option, and in a sentence a word.
    """
    if isinstance(gold, ChoiceGold) or gold.strip() in ("A", "I"):
        return True
    if _RATIO.fullmatch(gold.strip()) and _RATIO.fullmatch(pred.strip()):
        return re.findall(r"\d+", gold) != re.findall(r"\d+", pred)
    same = same_formula(gold, pred)
    in_words = same is True and not is_mathematical(pred)
    if same is False or in_words or len(pred) > _LONGEST or not is_mathematical(gold):
        return same is False
    announced = final(pred)
    parts = [pred[slice(*announced)].rstrip(".")] if announced else []
    parts += [part for part in _WORDS.split(pred) if any(map(str.isalnum, part))][:_MOST_PARTS]
    return not any(compare_math(gold, part).relation == "equal" for part in parts)


def only_mentions(gold: str, pred: str, lang: str = "en") -> bool:
    """Return whether the prediction contains the gold answer but does not give it as the answer.

    True if it is a list of far more answers than the gold answer has, in any language, and for forms such as the
    following in English.

    >>> [only_mentions("Paris", pred) for pred in ("Rome, Oslo, Paris, Bern", "not Paris", "the mayor of Paris")]
    [True, True, False]
    >>> only_mentions("Rome and Paris", "Paris, Rome"), only_mentions("John", "the brother of John")
    (False, True)
    """
    return lists_many(gold, pred) or (lang == "en" and _is_denied(gold, pred))


def _is_denied(gold: str, pred: str) -> bool:
    found = pred.casefold().replace("\u2019", "'")
    if len(pred) > _LONGEST or _SIGNS.isdisjoint(_TOKEN.findall(found)):
        return False
    text = with_mentions(gold, pred)
    n = text.count(MENTION)
    return n > 0 and (len(_DENIED.findall(text)) == n or any(form.search(text) for form in _FORMS))
