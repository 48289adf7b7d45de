"""How a prediction relates to a gold answer: equal, near, different, or none if no rule applies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from answersim.answers.same_answer import same_answer
from answersim.typed.api import compare_checked, rules_of
from answersim.typed.comparison import Relation, Relations, equal
from answersim.typed.math.formula import Options

__all__ = ["Relation", "Relations", "relate"]


class _Read(Protocol):
    """A text that was read: see ``answersim.answers.reading.Reading``."""

    @property
    def answer(self) -> str: ...


def relate(
    gold: str | _Read,
    pred: str | _Read,
    question: str = "",
    *,
    lang: str = "en",
    choices: Sequence[str] = (),
    options: Options | None = None,
) -> Relation:
    """Return how a prediction relates to a gold answer. It depends on the arguments alone, and no model is used.

    Args:
        gold: The gold answer, or its reading.
        pred: The prediction, or its reading: the final answer in it counts.
        question: The question, "" for none. It may state an order, a scale, or what is counted.
        lang: An ISO 639-1 code.
        choices: The texts of the options A, B, ... of a multiple-choice question.
        options: The tolerance and the units of numbers and formulas; None for the usual rules.

    Returns:
        The relation. "none" means that no rule applies, and never that the answers differ.

    Raises:
        LookupError: If there is no such language.

    >>> relate("12 liters", "12 gallons").relation, relate("1/2", "0.5").relation
    ('different', 'equal')
    >>> relate("The Beatles", "beatles.").relation, relate("Paris", "the mayor of Paris").relation
    ('equal', 'none')
    """
    wanted, given = (text if isinstance(text, str) else text.answer for text in (gold, pred))
    if wanted == given:
        return equal("both texts are the same", "text")
    result = compare_checked(wanted, given, rules_of(lang), question, choices, options)
    if result.relation in ("none", "near") and not choices and same_answer(wanted, given, lang):
        return equal("both are written alike", "text")
    return result
