"""Texts in the rows of host libraries: the question, gold answers or prediction in a mapping, or the value itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from answersim._base.arguments import shown
from answersim.integrations.shared.base import Scored, Scorer

QUESTION = ("question", "query", "input", "inputs", "prompt")
GOLDS = tuple("golds gold answers answer expected_output expected_response expected reference output".split())
PREDICTION = ("prediction", "pred", "answer", "output", "response", "text")
_OF_GOLDS = (*GOLDS, "text", "aliases", "value")  # SQuAD has answers.text, TriviaQA has answer.aliases


def picked(row: Any, key: str | None, names: Sequence[str], role: str) -> Any:
    """Return the entry of a mapping, or the row itself if it is not a mapping; ``role`` is for the error.

    The entry is ``key`` or, if that is None, the first of ``names`` that the mapping has, or its only one. Raise
    LookupError if the mapping lacks the entry, or it is not sure which entry it is.

    >>> picked({"id": 7, "output": "Rome"}, None, PREDICTION, "prediction")
    'Rome'
    >>> picked("Rome", None, PREDICTION, "prediction")
    'Rome'
    """
    if not isinstance(row, Mapping):
        return row
    if key is not None:
        if key in row:
            return row[key]
        raise LookupError(f"the {role} is expected under {key!r}, but the row has {_keys(row)}")
    for name in names:
        if name in row:
            return row[name]
    if len(row) == 1:
        return next(iter(row.values()))
    raise LookupError(
        f"the {role} is under none of {', '.join(names)}: the row has {_keys(row)}; name the entry of the {role}"
    )


def golds_in(row: Any, key: str | None = None) -> Any:
    """Return the gold answers of a row: a text or a list, also from a mapping in the row, as in SQuAD and TriviaQA.

    Raise LookupError as ``picked``.

    >>> golds_in({"answers": {"text": ["Rome", "Roma"], "answer_start": [4, 4]}}), golds_in(["Rome", "Roma"])
    (['Rome', 'Roma'], ['Rome', 'Roma'])
    """
    golds = picked(row, key, GOLDS, "gold answer")
    return picked(golds, None, _OF_GOLDS, "gold answer")


def question_in(row: Any, key: str | None = None) -> str | None:
    """Return the question in the input of a host: a text, or an entry of a mapping.

    ``row``: the input. ``key``: the name of the entry. If None, usual names are tried, and there is no question if no
    text is found. Raise LookupError if the row lacks the entry ``key``. Raise TypeError if that entry is not a text.

    >>> question_in({"question": "Which city?", "id": 7}), question_in({"a": 1, "b": 2}), question_in([1])
    ('Which city?', None, None)
    """
    if key is None:
        named = [row[name] for name in QUESTION if name in row] if isinstance(row, Mapping) else [row]
        return next((text for text in named if isinstance(text, str)), None)
    question = picked(row, key, QUESTION, "question")
    if question is None or isinstance(question, str):
        return question
    raise TypeError(f"the question under {key!r} is {shown(question)}, but a question is a string")


def _keys(row: Mapping[Any, Any]) -> str:
    return f"the entries {', '.join(map(repr, row))}" if row else "no entries"


@dataclass(frozen=True, eq=False)
class RowScorer(Scorer):
    """A scorer of rows as hosts have them: what was asked, what was expected, and what a system returned.

    Attributes:
        question: The entry of the inputs with the question; see ``question_in``.
        gold: The entry of the expected outputs with the gold answers; see ``golds_in``.
        prediction: The entry of the outputs with the prediction; see ``picked``.
    """

    question: str | None = None
    gold: str | None = None
    prediction: str | None = None

    def texts(self, inputs: Any, expected: Any, output: Any) -> tuple[str | None, Any, Any]:
        """Return question, gold answers and prediction of a row. Errors are those of ``picked``."""
        prediction = picked(output, self.prediction, PREDICTION, "prediction")
        return question_in(inputs, self.question), golds_in(expected, self.gold), prediction

    def row(self, inputs: Any, expected: Any, output: Any) -> Scored:
        """Score one row; see ``texts`` and ``Scorer.score``."""
        return self.score(*self.texts(inputs, expected, output))

    async def row_async(self, inputs: Any, expected: Any, output: Any) -> Scored:
        """Score one row without blocking the event loop; see ``texts`` and ``Scorer.score_async``."""
        return await self.score_async(*self.texts(inputs, expected, output))
