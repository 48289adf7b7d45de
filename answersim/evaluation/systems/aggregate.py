"""The numbers of an evaluation: each system on all answers and on subsets, with intervals over clusters of rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from answersim.answers.tables.table import Answers
from answersim.answers.text.tokens import tokenizer
from answersim.calibration.transfer import Transfer
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.evaluation.data.row_groups import Mask, by_kinds, by_values, question_kind
from answersim.evaluation.labels.labeled_shares import ALL, NO_ESTIMATE
from answersim.evaluation.systems.tables import SystemRow
from answersim.stats.attempts import AttemptRates, attempt_columns
from answersim.stats.clustered_means import ClusteredMeans
from answersim.stats.resampling import Estimate

LENGTHS = ("0-1", "2", "3-5", "6-15", "16-40", "41+")  # words of a prediction
_ENDS = (1, 2, 5, 15, 40)
BUILT_IN = ("length", "question")  # subsets, unless a column that has no other role has this name


def clusters_of(answers: Answers) -> tuple[str, Sequence[Hashable]]:
    """Return what the intervals are over, in words, and the cluster of each row.

    These are the groups; or the questions, if no column of groups is named; or the rows, if there are no questions.
    """
    if answers.groups is not None:
        return f"the values of {answers.columns.group!r}", answers.groups
    if answers.questions is not None:
        return "questions", answers.questions
    return "answers", range(len(answers.ids))


def subsets_of(answers: Answers, by: Sequence[str], lang: str) -> Iterator[tuple[str, dict[str, Mask]]]:
    """Yield the subsets: for each system a mask of its answers, shape (n,). The first one is all answers.

    ``by``: what defines the others: columns, "length" (words of the prediction) or "question" (the question word).
    Raise LookupError if there is no such column, ValueError if it has too many values, or there are no questions.
    """
    systems = answers.predictions
    yield ALL, dict.fromkeys(systems, np.ones(len(answers.ids), dtype=bool))
    columns = answers.columns
    for name in by:
        is_role = name != columns.group and name in (columns.gold, columns.question, columns.id, *columns.preds)
        if name not in BUILT_IN or (not is_role and answers.has(name)):
            groups = by_values(name, answers.values(name))
        elif name == "question":
            if answers.questions is None:
                raise ValueError("by names 'question', but there are no questions; name their column with question=")
            groups = by_kinds(name, [question_kind(question, lang) for question in answers.questions])
        else:
            split = tokenizer(lang)
            lengths = {
                system: np.searchsorted(_ENDS, [len(split(pred)) for pred in preds], side="left")
                for system, preds in systems.items()
            }
            for i, kind in enumerate(LENGTHS):
                yield f"{name}={kind}", {system: codes == i for system, codes in lengths.items()}
            continue
        for subset, mask in groups.items():
            yield subset, dict.fromkeys(systems, mask)


def system_rows(
    subsets: Iterable[tuple[str, Mapping[str, Mask]]],
    decided: Mapping[str, Decided],
    means: ClusteredMeans,
    transfer: Transfer | None = None,
) -> Iterator[SystemRow]:
    """Yield the results subset by subset, and in each subset the systems in order.

    ``transfer``: what the intervals of expected shares include, if it is known.
    """
    places = [(subset, system, mask) for subset, masks in subsets for system, mask in masks.items() if mask.any()]
    columns = [_columns(decided[system], mask) for _, system, mask in places]
    estimates = iter(means.of_all([column for row in columns for column in row]))
    for (subset, system, mask), row in zip(places, columns, strict=True):
        yield _row(subset, system, decided[system], mask, [*islice(estimates, len(row))], means, transfer)


def _columns(numbers: Decided, mask: Mask) -> list[tuple[Any, Any, Any]]:
    """Return what the estimates of a row are means of, in the order of ``_row``; see ``ClusteredMeans.of_all``."""
    columns: list[tuple[Any, Any, Any]] = [(numbers.scores, mask, None)]
    if numbers.probabilities is not None:
        columns.append((numbers.probabilities, mask, None))
    if (right := numbers.right()) is not None:
        columns += [(right, mask, None), *attempt_columns(right, numbers.attempted(), mask)]
    return columns


def _row(
    subset: str,
    system: str,
    numbers: Decided,
    mask: Mask,
    estimates: Sequence[Estimate],
    means: ClusteredMeans,
    transfer: Transfer | None,
) -> SystemRow:
    counts: list[int | None] = [None] * len(ANSWER_VERDICTS)
    if numbers.verdicts is not None:
        counts = [int(count) for count in np.bincount(numbers.verdicts[mask], minlength=len(ANSWER_VERDICTS))]
    mean, *rest = estimates
    probability = NO_ESTIMATE if numbers.probabilities is None else rest.pop(0)
    if numbers.probabilities is not None and transfer is not None:
        probability = transfer.widened(probability, means.level)
    share, *rates = rest or [NO_ESTIMATE] * 4
    right, wrong, unsure, not_attempted = counts
    return SystemRow(
        subset=subset,
        system=system,
        n=int(mask.sum()),
        clusters=means.clusters(mask),
        mean=mean,
        right=right,
        wrong=wrong,
        unsure=unsure,
        not_attempted=not_attempted,
        share=share,
        probability=probability,
        attempts=AttemptRates(*rates),
    )
