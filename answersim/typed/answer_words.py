"""Yes, no, and "no answer": answers that are a word or a set phrase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from answersim.typed.comparison import Relation, different, equal
from answersim.typed.tokens import LONGEST_TEXT

_YES = {"en": "yes yeah yep yup true correct affirmative", "de": "ja jawohl doch wahr richtig stimmt yes true"}
_NO = {"en": "no nope nay false incorrect negative", "de": "nein falsch unwahr nö no false"}
_NONE = {
    "en": (
        "", "no answer", "n/a", "none given", "not available", "not applicable", "unanswerable", "unknown",
        "i don't know", "i do not know", "don't know", "not known", "not mentioned", "not stated", "not specified",
        "cannot be determined", "can't be determined", "cannot answer", "no information", "not given",
        "not enough information",
        "i am not sure", "i'm not sure", "unsure", "no idea", "it is not known", "it is unknown", "there is no answer",
        "i cannot answer", "i can't answer", "unclear",
    ),
    "de": (
        "", "keine antwort", "unbekannt", "weiß nicht", "weiss nicht", "ich weiß es nicht", "ich weiss es nicht",
        "ich weiß nicht", "ich weiss nicht", "keine angabe", "k. a", "k.a", "nicht bekannt", "nicht beantwortbar",
        "nicht erwähnt", "keine ahnung", "nicht angegeben", "n/a", "no answer", "unknown", "unklar",
    ),
}  # fmt: skip
# After "yes" or "no" and a comma these words may take it back.
_TAKEN_BACK = frozenset(
    "but however although though except unless if maybe perhaps partly partially part sometimes occasionally sort "
    "depends not never aber jedoch allerdings außer wenn vielleicht manchmal teilweise teils teil obwohl nicht nie "
    "bedingt".split()
)
_YES_WORDS = {lang: frozenset(words.split()) for lang, words in _YES.items()}
_NO_WORDS = {lang: frozenset(words.split()) for lang, words in _NO.items()}
_NONE_TEXTS = {lang: frozenset(text.casefold() for text in texts) for lang, texts in _NONE.items()}
_AROUND = ".,;:!?\"'()"
LONGEST = max(len(text) for texts in _NONE.values() for text in texts) + 8


@dataclass(frozen=True)
class YesNo:
    """The answer to a question that can be answered by yes or no."""

    value: bool

    kind: ClassVar[str] = "yes/no"

    def __str__(self) -> str:
        return "yes" if self.value else "no"


@dataclass(frozen=True)
class NoAnswer:
    """The statement that there is no answer, or an empty answer."""

    kind: ClassVar[str] = "no answer"

    def __str__(self) -> str:
        return "no answer"


def read_answer_words(low: str, lang: str) -> YesNo | NoAnswer | None:
    """Return the value of a set phrase, or of an answer that opens with "yes" or "no" and a comma or a period.

    ``low``: the folded answer in lower case, without white space and punctuation at its ends.

    >>> read_answer_words("yes, it is", "en"), read_answer_words("n/a", "en"), read_answer_words("norway", "en")
    (YesNo(value=True), NoAnswer(), None)
    """
    if low in _NONE_TEXTS[lang]:
        return NoAnswer()
    head = low[:12].partition(",")[0].partition(".")[0].partition("!")[0]
    if head != low and (len(head) == len(low[:12]) or low[len(head) + 1 :].lstrip()[:1].isdecimal()):
        return None  # the first word is longer, or it goes on without a comma, or it is "No. 5"
    for words, value in ((_YES_WORDS[lang], True), (_NO_WORDS[lang], False)):
        if low in words or (head in words and head in ("yes", "no", "ja", "nein", "true", "false")):
            return None if _is_taken_back(low[len(head) :], value, lang) else YesNo(value)
    return None


def _is_taken_back(rest: str, value: bool, lang: str) -> bool:
    """Return whether the words after "yes" or "no" may state the opposite; "no, it is not" does not."""
    words = {word.strip(_AROUND) for word in rest[:LONGEST_TEXT].split()}
    opposite = (_NO_WORDS if value else _YES_WORDS)[lang]
    doubts = _TAKEN_BACK if value else _TAKEN_BACK - {"not", "never", "nicht", "nie"}
    return (
        not words.isdisjoint(doubts)
        or not words.isdisjoint(opposite)
        or any(word.endswith("n't") for word in words if value)
    )


def compare_yes_no(gold: YesNo, pred: YesNo) -> Relation:
    """Compare yes and no.

    >>> compare_yes_no(YesNo(True), YesNo(False)).reason
    'no is not yes'
    """
    if gold == pred:
        return equal(f"both mean {gold}", gold.kind)
    return different(f"{pred} is not {gold}", gold.kind)
