"""Leakage: how well the labels of a train split predict those of the test split without reading any question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from answersim._base.text_tables import Result, TextTable
from rankers.types import Questions, Run


@dataclass(frozen=True)
class Leak(Result):
    """The information that the labels of train reveal about the candidates of test."""

    negatives: int  # the number of candidates of test that are not relevant
    known_negatives: int  # the number of these that are also not relevant to a question of train
    positives: int  # the number of candidates of test that are relevant
    misleading_positives: int  # the number of these that are not relevant to a question of train
    # P@1 of ranking by how often a text is right in train minus how often it is wrong (0 if it is not in train),
    # averaged over ties, over the questions with a relevant candidate. This rule does not read the question.
    by_label: float
    by_opposite: float  # P@1 of the opposite rule
    by_chance: float  # P@1 of a random order

    @property
    def best_blind(self) -> float:
        """The better P@1 of the two rules that do not read the question."""
        return max(self.by_label, self.by_opposite)

    def summary(self) -> list[str]:
        """Return what the labels of train reveal, in a sentence."""
        return [
            f"{self.known_negatives:,} of {self.negatives:,} negatives and {self.misleading_positives:,} of "
            f"{self.positives:,} positives of test are negatives of train; by the train labels of a candidate alone "
            f"P@1 is {self.by_label:.3f}, by the opposite of them {self.by_opposite:.3f}, by chance "
            f"{self.by_chance:.3f}"
        ]

    def tables(self) -> list[TextTable]:
        """Return the table of the fields."""
        rows = tuple(
            (name, f"{value:.3f}" if isinstance(value, float) else str(value)) for name, value in asdict(self).items()
        )
        return [TextTable("", ("field", "value"), rows)]


def leak(train: Questions, test: Questions) -> Leak:
    """Measure how well the labels of train alone rank the candidates of test.

    A candidate of test is looked up in train by its text, without case and surplus white space.

    Raises:
        ValueError: If no question of test has a relevant candidate.
    """
    from rankers.evaluation.measures import mean, measure
    from rankers.evaluation.qrels import qrels_of

    label = _labels(train)
    wrong = {_plain(c.text) for question in train for c in question.candidates if not train.is_relevant(c)}
    is_relevant = [(_plain(c.text) in wrong, test.is_relevant(c)) for question in test for c in question.candidates]
    if not any(relevant for _, relevant in is_relevant):
        raise ValueError(f"no question of {test.corpus} {test.split} has a relevant candidate to be found")

    def first(sign: float) -> float:
        scores = {
            question.id: {c.id: sign * label.get(_plain(c.text), 0.0) for c in question.candidates}
            for question in test
            if question.candidates
        }
        return mean(measure(Run("blind", scores), qrels_of(test), ["P@1"]).tie_averaged["P@1"])

    return Leak(
        negatives=sum(not relevant for _, relevant in is_relevant),
        known_negatives=sum(is_known for is_known, relevant in is_relevant if not relevant),
        positives=sum(relevant for _, relevant in is_relevant),
        misleading_positives=sum(is_known for is_known, relevant in is_relevant if relevant),
        by_label=first(1),
        by_opposite=first(-1),
        by_chance=first(0),
    )


def _labels(train: Questions) -> Mapping[str, float]:
    """Return how often each text of train is right minus how often it is wrong."""
    labels: dict[str, float] = defaultdict(float)
    for question in train:
        for candidate in question.candidates:
            labels[_plain(candidate.text)] += 1 if train.is_relevant(candidate) else -1
    return labels


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
