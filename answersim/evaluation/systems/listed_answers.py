"""The answers with the requested verdicts, in the order in which a reader wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from answersim.answers.extraction import Extraction
from answersim.answers.tables.table import Answers
from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict, Decided
from answersim.evaluation.systems.tables import ORDER, AnswerRow


def columns_of(extracts: bool) -> tuple[str, ...]:
    """Return the columns of a table of answers, with those of an extraction or without them."""
    return AnswerRow._fields[:-1] if extracts else AnswerRow._fields[:-3]


def places_of(
    decided: Mapping[str, Decided], keep: Sequence[AnswerVerdict]
) -> dict[tuple[str, AnswerVerdict], list[int]]:
    """Return the rows of the answers with these verdicts, by system and verdict in the order of ``ORDER``.

    Rows with a verdict are by rising probability, or by score if the rule has no probabilities.
    """
    places = {}
    for system, numbers in decided.items():
        if numbers.verdicts is None:
            continue
        keys = numbers.scores if numbers.probabilities is None else numbers.probabilities
        for verdict in ORDER:
            if verdict in keep:
                rows = np.flatnonzero(numbers.verdicts == ANSWER_VERDICTS.index(verdict))
                places[system, verdict] = rows[np.argsort(keys[rows], kind="stable")].tolist()
    return places


def listed_answers(
    places: Mapping[tuple[str, AnswerVerdict], Sequence[int]],
    answers: Answers,
    decided: Mapping[str, Decided],
    finals: Mapping[str, Sequence[Extraction]],
    most: Mapping[AnswerVerdict, int] | None = None,
) -> Iterator[AnswerRow]:
    """Yield the answers at these places.

    ``finals``: the final answers that were read out of the predictions; none without a rule. ``most``: how many answers
    of each system have each verdict; None for all.
    """
    for (system, verdict), listed in places.items():
        scores, probabilities, _ = decided[system]
        rows = listed if most is None else listed[: most[verdict]]
        of_rows = zip(
            _at(answers.ids, rows),
            repeat(system),
            repeat(verdict),
            scores[rows].tolist(),
            repeat(None) if probabilities is None else probabilities[rows].tolist(),
            _at(answers.questions, rows),
            _at(answers.golds, rows),
            _at(answers.predictions[system], rows),
            map(_final, _at(finals.get(system), rows)),
            strict=False,
        )
        for *row, final in of_rows:
            yield AnswerRow(*row, *final)


def _at(values: Sequence[Any] | None, rows: Sequence[int]) -> Iterable[Any]:
    """Return the values in these rows; None for each if there are none."""
    return repeat(None) if values is None else map(values.__getitem__, rows)


def _final(answer: Extraction | None) -> tuple[Any, ...]:
    """Return a final answer, its rule, and its place in the prediction; nothing without a rule."""
    if answer is None:
        return ()
    return answer.text, answer.rule, None if answer.start < 0 else (answer.start, answer.end)
