"""What metrics share runs once, and every way of asking gives the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError
from answersim.metrics import planning
from answersim.types import Capabilities, Metric, Pair, of_parts, reads_questions
from tests.cases import every

PAIRS = [Pair("a bc", "a"), Pair("", "xyz"), Pair("q", "q r")]


@dataclass(frozen=True)
class Length:
    """The length of the prediction, times a factor, and 100 more a letter of the question."""

    factor: int = 1
    asked: list[int] = field(default_factory=list, compare=False)

    @property
    def signature(self) -> str:
        return f"length|factor:{self.factor}|v:1"

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        self.asked.append(len(pairs))
        return np.array([self.factor * float(len(pred)) for _, pred in pairs])


@dataclass(frozen=True)
class Reading(Length):
    reads_questions = True

    @property
    def signature(self) -> str:
        return f"reading|factor:{self.factor}|v:1"

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        more = np.array([100.0 * len(question) for question in questions]) if questions else 0.0
        return super().__call__(pairs) + more


@dataclass(frozen=True)
class Sum:
    """The sum of its parts."""

    parts: tuple[Metric, ...]

    @property
    def signature(self) -> str:
        return f"sum|parts:{'+'.join(entry.signature for entry in self.parts)}|v:1"

    @property
    def reads_questions(self) -> bool:
        return any(map(reads_questions, self.parts))

    def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Any = None) -> FloatArray:
        return np.sum(columns, axis=0)

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        return self.combine(pairs, planning.score_all(self.parts, pairs, questions))


def test_a_part_runs_once_for_all_who_need_it():
    shared, other = Length(1), Reading(10)
    result = planning.score_all([Sum((shared, other)), shared, Length(1), Sum((Sum((shared,)), shared))], PAIRS)
    assert [row.tolist() for row in result] == [[11, 33, 33], [1, 3, 3], [1, 3, 3], [2, 6, 6]]
    assert shared.asked + other.asked == [3, 3]


def test_questions_reach_the_parts_that_read_them_and_no_others():
    metric = Sum((Length(), Reading()))
    assert metric(PAIRS, ["?", "", "??"]).tolist() == [102, 6, 206]
    assert metric(PAIRS, ["", "", ""]).tolist() == metric(PAIRS).tolist() == [2, 6, 6]
    assert not reads_questions(Sum((Length(),)))


def test_combining_into_too_few_numbers_is_found_out():
    class Short(Sum):
        def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Any = None) -> FloatArray:
            return np.zeros(1)

    with pytest.raises(ValueError, match=r"sum.* returned an array of shape \(1,\) for 3 pairs"):
        planning.score_all([Short((Length(),))], PAIRS)


class LikeF1(Length):
    signature = "f1|text:en|rev:1"


@pytest.mark.parametrize("metrics", [["f1", LikeF1()], [LikeF1(), "f1"], ["typed+f1", LikeF1()]])
def test_two_kinds_of_metrics_with_one_signature_are_refused(metrics, tmp_path):
    with pytest.raises(ValueError, match=r"two metrics have the signature 'f1\|text:en\|rev:1'.*LikeF1"):
        answersim.score_pairs(PAIRS, metrics)
    with pytest.raises(ValueError, match="two metrics have the signature"):
        answersim.score_pairs(PAIRS, [*metrics, "bi-encoder"], cache=tmp_path)


@dataclass(frozen=True)
class Odd:
    """Not a finite number for a prediction of one word; costs as much as a network."""

    gives: float = float("nan")
    word: str = "odd"
    capabilities = Capabilities(cost="model")
    signature: str = "odd|v:1"

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        return np.array([self.gives if pred == self.word else 0.5 for _, pred in pairs])


@every("gives", [float("nan"), float("inf"), -float("inf")])
@every("at", [0, 3, 4095, 4096, 9000])
def test_a_number_that_is_not_finite_is_an_error_that_names_the_pair_in_the_whole(gives, at):
    pairs = [Pair("gold", "odd" if i == at else "even") for i in range(9001)]
    for metric in (Odd(gives), Sum((Length(), Odd(gives)))):
        with pytest.raises(
            NonFiniteScoreError, match=rf"pair {at + 1} \(gold 'gold', prediction 'odd'\) is -?"
        ) as error:
            planning.score_all([Length(), metric], pairs)
        assert (error.value.index, error.value.signature) == (at, "odd|v:1")


def test_of_several_references_the_row_is_named():
    with pytest.raises(NonFiniteScoreError, match="pair 3 "):
        answersim.score([["a", "b"], ["a", "b", "c"], ["a", "b"]], ["x", "y", "odd"], Odd())


LONG = "word " * 600


@pytest.mark.parametrize("name", ["bertscore", "sas", "answersim"])
def test_pairs_that_are_too_long_are_found_without_a_network(name):
    pytest.importorskip("torch")
    pairs = [Pair("Rome", "in Rome"), Pair("Rome", LONG), Pair(LONG, "Rome")]
    assert planning.truncated(answersim.metric(name), pairs).tolist() == [False, True, True]


def test_an_encoder_without_the_method_truncates_nothing():
    """Those of other packages may be older than the method."""
    pytest.importorskip("torch")
    from types import SimpleNamespace

    from answersim.metrics.neural.cross_encoder import CrossEncoder
    from answersim.metrics.neural.encoders import truncated_pairs

    metric: Any = SimpleNamespace(encoder=object(), request=lambda pairs: None)
    assert truncated_pairs(metric, [Pair("a", LONG)]).tolist() == [False]
    scorer: Any = SimpleNamespace(fingerprint="mine", reads_questions=False)
    assert CrossEncoder(scorer).truncated([Pair("a", LONG)]).tolist() == [False]


@dataclass(frozen=True)
class Plain(Sum):
    """The sum of its parts, which read no markup."""

    @property
    def signature(self) -> str:
        return f"plain-{super().signature}"

    @property
    def capabilities(self) -> Capabilities:
        return of_parts(self.parts)._replace(visible_text=True)

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        return planning.score_all([self], pairs, questions)[0]


MARKED = [Pair("a", "<b>bc</b>"), Pair("a", "bc"), Pair("a", "b <!-- a -->")]


def test_parts_get_the_answers_without_markup_if_the_metric_asks_for_it():
    part = Length()
    assert Plain((part,))(MARKED).tolist() == [2, 2, 1]
    assert Sum((part,))(MARKED).tolist() == [9, 2, 12]
    assert Sum((Plain((part,)), part))(MARKED).tolist() == [11, 4, 13]  # also as a part of another


def test_a_part_of_both_kinds_runs_again_for_answers_with_markup_only():
    part = Length()
    columns = planning.score_all([part, Plain((part,))], MARKED)
    assert [column.tolist() for column in columns] == [[9, 2, 12], [2, 2, 1]]
    assert part.asked == [3, 2]
    part.asked.clear()
    planning.score_all([part, Plain((part,))], MARKED[1:2])
    assert part.asked == [1]


def test_a_pair_that_is_named_in_an_error_is_that_of_the_input():
    class Odd(Length):
        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return np.array([np.nan if pred == "b" else 0.0 for _, pred in pairs])

    with pytest.raises(NonFiniteScoreError, match="2"):
        planning.score_all([Odd(), Plain((Odd(),))], MARKED)
