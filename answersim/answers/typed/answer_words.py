"""Yes, no, and "no answer": answers that are a word or a set phrase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.tokens import LONGEST_TEXT
from answersim.answers.typed.vocabulary import listed, meanings, rows

# By language, the words for "yes" and "no", and what alone means the same: "of course". English ones are always read.
_WORDS = {row.language: meanings("yes or no", row.language, "en") for row in rows("words") if row.kind == "yes or no"}
_EMPHATIC = "emphatic yes or no"
_ALONE = {row.language: meanings(_EMPHATIC, row.language, "en") for row in rows("words") if row.kind == _EMPHATIC}
_LONGEST = max(len(word) for words in _ALONE.values() for word in words)
_OPENING = listed("opening yes or no")  # words after which an explanation may follow
_TAKEN_BACK = listed("taken back")  # after "yes" or "no" and a comma these words may take it back
_NEGATIONS = {"not", "never", "nicht", "nie"}
_AROUND = ".,;:!?\"'()"


@dataclass(frozen=True)
class YesNo:
    """The answer to a question that can be answered by yes or no."""

    value: bool
    emphatic: bool = False  # whether it is a phrase such as "of course", which may mean more

    kind: ClassVar[str] = "yes/no"

    def __str__(self) -> str:
        return "yes" if self.value else "no"


@dataclass(frozen=True)
class NoAnswer:
    """The statement that there is no answer, or an empty answer."""

    kind: ClassVar[str] = "no answer"

    def __str__(self) -> str:
        return "no answer"


def read_yes_no(low: str, lang: str) -> YesNo | None:
    """Return yes or no, also of an answer that opens with it and a comma or a period.

    ``low``: the folded answer in lower case, without white space and punctuation at its ends.
    """
    if len(low) <= _LONGEST and (alone := _ALONE.get(lang, _ALONE["en"]).get(low)) is not None:
        return YesNo(alone == "yes", emphatic=True)
    head = low[:12].partition(",")[0].partition(".")[0].partition("。")[0].partition("!")[0]
    is_number = low[len(head) : len(head) + 1] == "." and low[len(head) + 1 :].lstrip()[:1].isdecimal()
    if head != low and (len(head) == len(low[:12]) or is_number):
        return None  # the first word is longer, or it goes on without a comma, or it is "No. 5"
    meanings_of = _WORDS.get(lang, _WORDS["*"])
    meaning = meanings_of.get(head)
    if meaning is None or (head != low and head not in _OPENING):
        return None
    # Words after "yes" or "no" may state the opposite; "no, it is not" does not.
    words = {word.strip(_AROUND) for word in low[len(head) :][:LONGEST_TEXT].split()}
    doubts = _TAKEN_BACK if meaning == "yes" else _TAKEN_BACK - _NEGATIONS
    is_denied = meaning == "yes" and any(word.endswith("n't") for word in words)
    is_opposite = any(meanings_of.get(word, meaning) != meaning for word in words)
    return None if is_denied or is_opposite or not words.isdisjoint(doubts) else YesNo(meaning == "yes")


def compare_yes_no(gold: YesNo, pred: YesNo) -> Relation:
    """Compare yes and no. Two phrases that mean yes may mean two things: "klar", "sicher"."""
    if gold.value == pred.value and gold.emphatic and pred.emphatic:
        return no_opinion(f"both may mean {gold}", gold.kind)
    if gold.value == pred.value:
        return equal(f"both mean {gold}", gold.kind)
    return different(f"{pred} is not {gold}", gold.kind)
