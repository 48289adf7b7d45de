"""Gold answers that are more than a text: structures as JSON text, and answers to multiple-choice questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


class StructuredGold(str):
    """A gold answer that is more than a text, as JSON text: an object, a list of lists, or a list of alternatives."""

    __slots__ = ()


class ChoiceGold(str):
    """The gold answer to a multiple-choice question: a letter or the text of an option, and the texts of all options.

    Metrics with the rules of ``answersim.typed`` read the options. For all others it is a text.
    """

    __slots__ = ("choices",)
    choices: tuple[str, ...]

    def __new__(cls, answer: str, choices: Sequence[str]) -> ChoiceGold:
        """Return the answer with its options."""
        made = super().__new__(cls, answer)
        made.choices = tuple(choices)
        return made

    def __getnewargs__(self) -> Any:
        """Return the arguments, for pickle and copies."""
        return str.__str__(self), self.choices


def choices_of(gold: str) -> tuple[str, ...]:
    """Return the options of a gold answer; () if it has none."""
    return gold.choices if isinstance(gold, ChoiceGold) else ()


def with_choices(answer: str, gold: str) -> str:
    """Return an answer that was read out of a gold answer, with the options of that."""
    return ChoiceGold(answer, gold.choices) if isinstance(gold, ChoiceGold) and answer is not gold else answer


def structured(gold: Any) -> Any:
    """Return an object, or a list with objects or lists, as a ``StructuredGold``. Return anything else unchanged.

    An answer with choices is a ``ChoiceGold``. What JSON cannot express is unchanged.

    >>> structured({"spans": ["Rome", "Oslo"]}), structured(["Rome", "Roma"])
    ('{"spans": ["Rome", "Oslo"]}', ['Rome', 'Roma'])
    >>> structured({"answer": "B", "choices": ["Rome", "Oslo"]}).choices
    ('Rome', 'Oslo')
    """
    has_choices = isinstance(gold, dict) and gold.keys() == {"answer", "choices"} and isinstance(gold["choices"], list)
    if has_choices and all(isinstance(text, str) for text in (gold["answer"], *gold["choices"])):
        return ChoiceGold(gold["answer"], gold["choices"])
    nested = isinstance(gold, list) and any(isinstance(part, (list, dict)) for part in gold)
    if not nested and not isinstance(gold, dict):
        return gold
    try:
        return StructuredGold(json.dumps(gold, ensure_ascii=False))
    except TypeError:
        return gold
