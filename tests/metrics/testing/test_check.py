"""check_metric finds each broken promise; parts of metrics run once for all who need them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import NonFiniteScoreError
from answersim.metrics import planning
from answersim.metrics.testing import properties
from answersim.metrics.testing.check import check_metric
from answersim.metrics.testing.properties import PAIRS, Finding
from answersim.types import Capabilities, Metric, Pair, of_parts, reads_questions
from tests.cases import every


def made(numbers: Callable[[Sequence[Pair]], Any], signature: Any = "mine|v:1") -> Any:
    class Mine:
        def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
            return numbers(pairs)

    Mine.signature = signature  # type: ignore[attr-defined]
    return Mine()


def zeros(pairs: Sequence[Pair]) -> FloatArray:
    return np.zeros(len(pairs))


def test_a_metric_that_keeps_them_passes() -> None:
    check_metric(made(lambda pairs: np.array([float(len(gold) - len(pred)) for gold, pred in pairs])))


def asked(numbers: Callable[[Sequence[Pair], Sequence[str] | None], Any]) -> Any:
    class Mine:
        signature = "mine|v:1"
        reads_questions = True

        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            return numbers(pairs, questions)

    return Mine()


def test_a_metric_that_reads_questions_passes() -> None:
    check_metric(asked(lambda pairs, questions: np.array([float(len(q)) for q in questions or [""] * len(pairs)])))


@pytest.mark.parametrize(
    ("metric", "promise"),
    [
        (asked(lambda pairs, q: np.full(len(pairs), 0.0 if q is None else 1.0)), "very numbers of none"),
        (asked(lambda pairs, q: np.full(len(pairs), float(sum(map(len, q or []))))), "with its question alone"),
        (asked(lambda pairs, q: np.zeros(len(pairs) + bool(q and any(q)))), "one number per pair"),
    ],
)
def test_a_broken_promise_about_questions_is_named(metric: Any, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_metric(metric)


@every(
    ("metric", "promise"),
    [
        (len, "is not a metric"),
        (made(zeros, ""), "signature must be one line"),
        (made(zeros, "a\nb"), "signature must be one line"),
        (made(lambda pairs: [0.0] * len(pairs)), "array of float64"),
        (made(lambda pairs: np.zeros(len(pairs), dtype=np.float32)), "array of float64"),
        (made(lambda pairs: np.zeros(len(pairs) + 1)), "one number per pair"),
        (made(lambda pairs: np.zeros((len(pairs), 1))), "one number per pair"),
        (made(lambda pairs: np.full(len(pairs), np.nan)), "finite"),
        (made(lambda pairs: np.full(len(pairs), float(len(pairs)))), "alone"),
        (made(lambda pairs: np.arange(len(pairs), dtype=float) if len(pairs) > 1 else zeros(pairs)), "alone|order"),
        (made(lambda pairs: np.random.default_rng().random(len(pairs))), "same numbers"),
    ],
)
def test_a_broken_promise_is_named(metric: Any, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_metric(metric)


def test_writing_into_the_pairs_is_found_out() -> None:
    def clear(pairs: Any) -> FloatArray:
        numbers = zeros(pairs)
        pairs.clear()
        return numbers

    with pytest.raises(AssertionError, match="must not modify the pairs"):
        check_metric(made(clear))


TEXTS = [pair for pair in PAIRS if pair.gold.strip() and pair.pred.strip()]


def of(score: Callable[[str, str], float]) -> Any:
    """A call that scores pair by pair."""

    def call(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
        return np.array([score(gold, pred) for gold, pred in pairs], dtype=np.float64)

    return call


equal = of(lambda gold, pred: float(gold.split() == pred.split()))


def padded(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
    """A metric whose scores depend on the longest text of the batch, as with padding that is not masked."""
    width = max((len(text) for pair in pairs for text in pair), default=1)
    return np.array([(len(pred) + 1) / (width + 1) for _, pred in pairs])


def with_idf(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
    """A metric that weights words by how many gold answers of the batch contain them."""
    numbers = []
    for gold, pred in pairs:
        shared = set(gold.split()) & set(pred.split())
        weights = [len(pairs) / sum(word in other.gold.split() for other in pairs) for word in shared]
        numbers.append(float(np.log1p(weights).sum()))
    return np.array(numbers)


def exchanged(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
    """A metric that sorts by length and returns the scores in the sorted order."""
    return np.array([len(pred) / 10 for _, pred in sorted(pairs, key=lambda pair: len(pair.pred))])


@pytest.mark.parametrize("broken", [padded, with_idf, exchanged])
def test_scores_that_depend_on_the_batch_are_found(broken: Any) -> None:
    finding = properties.batch(broken, TEXTS, None, 1e-4)
    assert finding.holds is False
    assert finding.broken > 0
    assert finding.largest > 0.01
    assert "has" in finding.detail


def test_scores_in_another_order_are_found() -> None:
    assert properties.order(exchanged, TEXTS, None, 1e-4).holds is False
    assert properties.order(equal, TEXTS, None, 1e-4) == Finding(
        "order", "the order of the pairs does not matter", True, len(TEXTS)
    )


def test_a_random_metric_is_not_deterministic() -> None:
    rng = np.random.default_rng(0)
    assert properties.determinism(of(lambda gold, pred: rng.random()), TEXTS, tolerance=0).broken == len(TEXTS)
    assert properties.determinism(equal, TEXTS, tolerance=0).holds


def test_a_metric_that_is_low_for_an_answer_and_itself_is_found() -> None:
    seen = np.array([0.0, 1.0])
    low = properties.identity(of(lambda gold, pred: 0.9 if gold == "A" else 1.0), ["A", "B"], seen)
    assert (low.holds, low.broken, low.detail) == (False, 1, "('A', 'A') has 0.9, the highest score is 1")
    assert properties.identity(of(lambda gold, pred: 0.97 if gold == "A" else 1.0), ["A", "B"], seen).holds


def test_a_metric_that_favors_long_predictions_is_not_symmetric() -> None:
    finding = properties.symmetry(of(lambda gold, pred: len(pred) / 100), [Pair("a", "b"), Pair("a", "bcd")], 1e-4)
    assert (finding.cases, finding.broken) == (2, 1)
    assert finding.largest == pytest.approx(0.02)


def test_a_metric_that_reads_white_space_is_found() -> None:
    """As a published cross-encoder, which gives ("A", "A") .92 and (" A", "A") .2."""
    finding = properties.white_space(of(lambda gold, pred: 0.92 if gold == pred else 0.2), [Pair("A", "A")], 1e-4)
    assert (finding.cases, finding.broken) == (10, 10)
    assert finding.largest == pytest.approx(0.72)
    assert properties.white_space(equal, [Pair("A", "A"), Pair("A", "B")], 1e-4).holds


def test_a_metric_that_drops_all_letters_but_a_to_z_is_found() -> None:
    def latin(text: str) -> list[str]:
        return [letter for letter in text if letter.isascii()]

    finding = properties.scripts(of(lambda gold, pred: float(bool(latin(gold)) and latin(gold) == latin(pred))))
    assert (finding.holds, finding.broken) == (False, len(properties.SCRIPTS) - 1)
    assert "'北京' has 0 with itself" in finding.detail
    assert properties.scripts(equal).holds


def test_a_metric_that_cannot_tell_two_words_of_a_script_is_found() -> None:
    assert properties.scripts(of(lambda gold, pred: float(gold == pred or not gold.isascii()))).holds is False


def test_odd_answers_that_raise_or_have_no_finite_score_are_found() -> None:
    def fragile(gold: str, pred: str) -> float:
        if "\0" in pred:
            raise ValueError("a NUL")
        return len(gold) / len(pred) if pred else float("nan")

    finding = properties.odd_input(of(fragile))
    assert (finding.holds, finding.broken, finding.cases) == (False, 2, len(properties.ODD))
    assert "empty: AssertionError" in finding.detail
    assert "NUL: ValueError: a NUL" in finding.detail
    assert properties.odd_input(equal).holds


def test_shared_state_between_threads_is_found() -> None:
    state: dict[str, Any] = {}

    def careless(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
        state["pairs"] = pairs
        time.sleep(0.02)
        last = state["pairs"]
        return np.array([float(len(last[i % len(last)].gold)) for i in range(len(pairs))])

    def careful(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
        with lock:
            return careless(pairs)

    lock = threading.Lock()
    assert properties.threads(careless, TEXTS, None, 1e-4).holds is False
    assert properties.threads(careful, TEXTS, None, 1e-4).holds


def test_scores_outside_0_and_1_are_counted() -> None:
    finding = properties.bounds(np.array([-0.5, 0.5, 3.0]))
    assert (finding.holds, finding.broken, finding.largest, finding.detail) == (False, 2, 2.0, "-0.5 to 3")
    assert properties.bounds(np.array([0.0, 1.0])).holds


def test_questions_are_given_with_the_pairs() -> None:
    def reading(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
        return np.array([0.1 * len(question) for question in questions or [""] * len(pairs)])

    def summing(pairs: Sequence[Pair], questions: Any = None) -> FloatArray:
        return np.full(len(pairs), float(sum(map(len, questions or []))))

    asked = ["who?"] * len(TEXTS)
    assert properties.no_question(reading, TEXTS).holds
    assert properties.batch(reading, TEXTS, asked, 1e-4).holds
    assert properties.batch(summing, TEXTS, asked, 1e-4).holds is False


PLANNED = [Pair("a bc", "a"), Pair("", "xyz"), Pair("q", "q r")]


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
    result = planning.score_all([Sum((shared, other)), shared, Length(1), Sum((Sum((shared,)), shared))], PLANNED)
    assert [row.tolist() for row in result] == [[11, 33, 33], [1, 3, 3], [1, 3, 3], [2, 6, 6]]
    assert shared.asked + other.asked == [3, 3]


def test_questions_reach_the_parts_that_read_them_and_no_others():
    metric = Sum((Length(), Reading()))
    assert metric(PLANNED, ["?", "", "??"]).tolist() == [102, 6, 206]
    assert metric(PLANNED, ["", "", ""]).tolist() == metric(PLANNED).tolist() == [2, 6, 6]
    assert not reads_questions(Sum((Length(),)))


def test_combining_into_too_few_numbers_is_found_out():
    class Short(Sum):
        def combine(self, pairs: Sequence[Pair], columns: Sequence[FloatArray], questions: Any = None) -> FloatArray:
            return np.zeros(1)

    with pytest.raises(ValueError, match=r"sum.* returned an array of shape \(1,\) for 3 pairs"):
        planning.score_all([Short((Length(),))], PLANNED)


class LikeF1(Length):
    signature = "f1|text:en|rev:1"


@pytest.mark.parametrize("metrics", [["f1", LikeF1()], [LikeF1(), "f1"], ["typed+f1", LikeF1()]])
def test_two_kinds_of_metrics_with_one_signature_are_refused(metrics, tmp_path):
    with pytest.raises(ValueError, match=r"two metrics have the signature 'f1\|text:en\|rev:1'.*LikeF1"):
        answersim.score_pairs(PLANNED, metrics)
    with pytest.raises(ValueError, match="two metrics have the signature"):
        answersim.score_pairs(PLANNED, [*metrics, "bi-encoder"], cache=tmp_path)


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
