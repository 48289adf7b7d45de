"""The numbers of an evaluation: scores, verdicts, clusters and subsets of all answers, without their texts.

Blocks of answers are added in the order of their rows. About 20 bytes per answer, 8 per row and 12 per row and subset
column are kept, and 16 bytes of digest per question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from answersim.answers.blocks import AnswerBlock
from answersim.calibration.transfer import Transfer
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.data.row_groups import Mask, Values, by_codes, question_kind
from answersim.evaluation.tables import ALL, NO_ESTIMATE, SystemRow
from answersim.stats.attempts import attempt_rates
from answersim.stats.clustered_means import ClusteredMeans
from answersim.text import tokenizer

LENGTHS = ("0-1", "2", "3-5", "6-15", "16-40", "41+")  # words of a prediction
_ENDS = (1, 2, 5, 15, 40)


class Numbers:
    """The numbers of all answers so far.

    ``by``: the subsets: columns, "length" or "question". ``group``: the column of the clusters; None for the questions,
    or for the rows if there are none.
    """

    def __init__(self, systems: Sequence[str], by: Sequence[str], group: str | None, lang: str) -> None:
        self.systems, self.by, self.group = list(systems), list(by), group
        self.n = 0
        self.over = "answers"
        self.lang = lang
        self._decided: dict[str, list[Decided]] = {system: [] for system in systems}
        self._numbers: dict[bytes, int] = {}
        self._clusters: list[NDArray[np.int64]] = []
        self._values: dict[str, Values] = {}
        self._kinds: dict[str, int] = {}
        self._asked: list[NDArray[np.int16]] = []
        self._lengths: dict[str, list[NDArray[np.int8]]] = {system: [] for system in systems}

    def add(self, answers: AnswerBlock, scored: Mapping[str, Decided]) -> None:
        """Add a block of answers with the numbers of each system. Raise ValueError if a column has too many values."""
        for system, numbers in scored.items():
            self._decided[system].append(numbers)
        clusters: Sequence[str] | None = answers.questions
        if self.group is not None:
            clusters, self.over = answers.groups, f"the values of {self.group!r}"
        elif clusters is not None:
            self.over = "questions"
        if clusters is None:
            self._clusters.append(np.arange(self.n, self.n + len(answers.ids)))
        else:
            numbers_of = [self._numbers.setdefault(_digest(name), len(self._numbers)) for name in clusters]
            self._clusters.append(np.array(numbers_of, dtype=np.int64))
        for name in self.by:
            if name in answers.columns or name in self._values:
                column = answers.columns.get(name) or [None] * len(answers.ids)
                self._values.setdefault(name, Values(name)).add(column)
            elif name == "question":
                kinds = [question_kind(question, self.lang) for question in answers.questions or ()]
                codes = [self._kinds.setdefault(kind, len(self._kinds)) for kind in kinds]
                self._asked.append(np.array(codes, dtype=np.int16))
            else:
                split = tokenizer(self.lang)
                for system, preds in answers.predictions.items():
                    words = np.searchsorted(_ENDS, [len(split(pred)) for pred in preds], side="left")
                    self._lengths[system].append(words.astype(np.int8))
        self.n += len(answers.ids)

    def clusters(self) -> NDArray[np.int64]:
        """Return the number of the cluster of each row, shape (n,)."""
        return np.concatenate(self._clusters)

    def decided(self, system: str) -> Decided:
        """Return the numbers of all answers of a system."""
        parts = self._decided[system]
        if len(parts) > 1:
            columns = (None if column[0] is None else np.concatenate(column) for column in zip(*parts, strict=True))
            parts[:] = [Decided(*columns)]  # type: ignore[arg-type] # the first column is never None
        return parts[0]

    def rows(self, level: float, transfer: Transfer | None = None) -> Iterator[SystemRow]:
        """Yield the results subset by subset, and in each subset the systems in order.

        ``transfer``: what the intervals of expected shares include, if it is known.
        """
        means = ClusteredMeans(self.clusters(), level)
        for subset, masks in self._subsets():
            for system, mask in masks.items():
                if mask.any():
                    yield _row(subset, system, self.decided(system), mask, means, transfer)

    def _subsets(self) -> Iterator[tuple[str, dict[str, Mask]]]:
        """Yield the subsets: for each system a mask of its answers, shape (n,)."""
        yield ALL, dict.fromkeys(self.systems, np.ones(self.n, dtype=bool))
        for name in self.by:
            if name in self._values:
                for subset, mask in self._values[name].groups():
                    yield subset, dict.fromkeys(self.systems, mask)
            elif name == "question":
                kinds, codes = list(self._kinds), np.concatenate(self._asked)
                for subset, mask in by_codes(name, kinds, codes):
                    yield subset, dict.fromkeys(self.systems, mask)
            else:
                of = {system: np.concatenate(parts) for system, parts in self._lengths.items()}
                for i, kind in enumerate(LENGTHS):
                    masks = {system: codes == i for system, codes in of.items()}
                    yield f"{name}={kind}", masks


def _digest(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _row(
    subset: str, system: str, numbers: Decided, mask: Mask, means: ClusteredMeans, transfer: Transfer | None
) -> SystemRow:
    counts: list[int | None] = [None] * len(ANSWER_VERDICTS)
    share = probability = NO_ESTIMATE
    rates = (NO_ESTIMATE,) * 3
    if numbers.verdicts is not None:
        counts = [int(count) for count in np.bincount(numbers.verdicts[mask], minlength=len(ANSWER_VERDICTS))]
        share = means.of(numbers.right(), mask)
        rates = attempt_rates(numbers.right(), numbers.attempted(), means, mask)
    if numbers.probabilities is not None:
        probability = means.of(numbers.probabilities, mask)
        if transfer is not None:
            probability = transfer.widened(probability, means.level)
    right, wrong, unsure, not_attempted = counts
    return SystemRow(
        subset=subset,
        system=system,
        n=int(mask.sum()),
        clusters=means.clusters(mask),
        mean=means.of(numbers.scores, mask),
        right=right,
        wrong=wrong,
        unsure=unsure,
        not_attempted=not_attempted,
        share=share,
        probability=probability,
        attempted=rates[0],
        accuracy=rates[1],
        f1=rates[2],
    )
