"""The answers with the requested verdicts, in the order in which a reader wants them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from answersim.answers.extraction import Extraction
from answersim.answers.tables.table import Answers
from answersim.calibration.verdicts import ANSWER_VERDICTS, AnswerVerdict, Decided
from answersim.evaluation.systems.tables import AnswerRow

ORDER: tuple[AnswerVerdict, ...] = ("wrong", "unsure", "not attempted", "right")

Places: TypeAlias = dict[tuple[str, AnswerVerdict], list[int]]


def columns_of(extracts: bool) -> tuple[str, ...]:
    """Return the columns of a table of answers, with those of an extraction or without them."""
    return AnswerRow._fields[:-1] if extracts else AnswerRow._fields[:-3]


def places_of(decided: Mapping[str, Decided], keep: Sequence[AnswerVerdict]) -> Places:
    """Return the rows of the answers with these verdicts, by system and verdict in the order of ``ORDER``.

    Rows with a verdict are by rising probability, or by score if the rule has no probabilities.
    """
    places: Places = {}
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
    places: Places,
    answers: Answers,
    decided: Mapping[str, Decided],
    finals: Mapping[str, Sequence[Extraction]] | None,
    most: Mapping[AnswerVerdict, int] | None = None,
) -> Iterator[AnswerRow]:
    """Yield the answers at these places.

    ``finals``: the final answers that were read out of the predictions; None without a rule. ``most``: how many answers
    of each system have each verdict; None for all.
    """
    for (system, verdict), rows in places.items():
        scores, probabilities, _ = decided[system]
        for i in rows if most is None else rows[: most[verdict]]:
            yield AnswerRow(
                answers.ids[i],
                system,
                verdict,
                float(scores[i]),
                None if probabilities is None else float(probabilities[i]),
                None if answers.questions is None else answers.questions[i],
                answers.golds[i],
                answers.predictions[system][i],
                *(() if finals is None else _final(finals[system][i])),
            )


def _final(answer: Extraction) -> tuple[str, str | None, tuple[int, int] | None]:
    """Return a final answer, its rule, and its place in the prediction."""
    return answer.text, answer.rule, None if answer.start < 0 else (answer.start, answer.end)
