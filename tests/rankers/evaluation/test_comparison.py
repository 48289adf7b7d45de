"""Comparisons: intervals, Holm, seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from answersim.stats.intervals.resampling import Bootstrap
from rankers.evaluation.comparison import by_seeds, compare, compare_all, over_seeds, spread, with_holm
from rankers.evaluation.evaluate import Evaluation
from rankers.evaluation.qrels import Counts
from tests.cases import every


def evaluation(values: object, system: str = "sys", seed: int = 0, prefix: str = "q") -> Evaluation:
    column = np.asarray(values, dtype=np.float64)
    return Evaluation(
        dataset="made",
        split="test",
        pool="judged",
        system=system,
        seed=seed,
        questions=tuple(f"{prefix}{i}" for i in range(len(column))),
        values={"MAP": column, "P@1": np.round(column)},
        tie_averaged={},
        semantic={},
        counts=Counts(len(column), 0, 0, 0, 0, 0),
    )


def test_a_comparison_is_second_less_first_on_the_questions_that_both_have():
    rng = np.random.default_rng(0)
    first = rng.random(100)
    second = first + rng.normal(0.1, 0.05, 100)
    second[:10] = np.nan
    result = compare(evaluation(first, "a"), evaluation(second, "b"), "MAP")
    assert (result.measure, result.first, result.second, result.n_questions) == ("MAP", "a", "b", 90)
    assert result.difference == pytest.approx((second - first)[10:].mean())
    assert result.low < result.difference < result.high
    half = 1.96 * (second - first)[10:].std() / 90**0.5
    assert (result.high - result.low) / 2 == pytest.approx(half, rel=0.1)
    assert result.p == result.p_holm == pytest.approx(1 / 10_001)
    back = compare(evaluation(second, "b"), evaluation(first, "a"), "MAP")
    assert back.difference == -result.difference
    assert compare(evaluation(first, "a"), evaluation(second, "b"), "MAP") == result
    other = Bootstrap(resamples=10_000, rng=1)
    assert compare(evaluation(first, "a"), evaluation(second, "b"), "MAP", bootstrap=other).low != result.low


def test_many_questions_fit_into_memory(monkeypatch):
    import tracemalloc

    monkeypatch.setattr("rankers.evaluation.comparison._BLOCK", 3_000)
    monkeypatch.setattr("rankers.evaluation.randomization._BLOCK", 3_000)
    rng = np.random.default_rng(0)
    first, second = evaluation(rng.random(300), "a"), evaluation(rng.random(300), "b")
    whole = compare(first, second, "MAP", bootstrap=Bootstrap(resamples=10))  # scipy is loaded
    tracemalloc.start()
    # 8 MB of signs and 2.4 MB of counts, were they held at once
    compare(first, second, "MAP", bootstrap=Bootstrap(resamples=400))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e5
    assert whole.n_questions == 300


def test_seeds_are_averaged_question_by_question_before_the_test():
    rng = np.random.default_rng(0)
    base, better = rng.random(40), rng.random(40)
    seeds = [evaluation(better + shift, "b", seed) for seed, shift in enumerate((-0.2, 0.0, 0.2))]
    result = compare(evaluation(base, "a"), seeds, "MAP")
    plain = compare(evaluation(base, "a"), evaluation(better, "b"), "MAP")
    assert result.n_questions == 40  # not 120
    assert result.difference == pytest.approx(plain.difference)
    assert result.p == plain.p
    judged = [evaluation([1.0, np.nan, np.nan]), evaluation([0.0, 0.5, np.nan])]
    np.testing.assert_array_equal(over_seeds(judged, "MAP"), [0.5, 0.5, np.nan])  # of the seeds that judge a question
    seeds = [evaluation([0.2, 0.4]), evaluation([0.4, 0.6]), evaluation([0.6, 0.8])]
    assert spread(seeds, "MAP") == pytest.approx((0.5, 0.2))
    assert np.isnan(spread(seeds[:1], "MAP")[1])


def test_a_family_is_corrected_by_holm():
    rng = np.random.default_rng(0)
    base = rng.random(60)
    systems = {
        "near": [evaluation(base + rng.normal(0.02, 0.1, 60), "x")],
        "far": evaluation(base + rng.normal(0.05, 0.1, 60), "y"),
    }
    result = compare_all(evaluation(base, "base"), systems, ["MAP"])
    assert [(row.first, row.second) for row in result] == [("base", "near"), ("base", "far")]
    small, large = sorted(result, key=lambda entry: entry.p)
    assert small.p_holm == pytest.approx(2 * small.p)
    assert large.p_holm == pytest.approx(max(large.p, 2 * small.p))
    assert with_holm(result[:1])[0].p_holm == result[0].p


def test_no_question_in_common_is_no_number():
    result = compare(evaluation([np.nan, 1.0], "a"), evaluation([1.0, np.nan], "b"), "MAP")
    assert result.n_questions == 0
    assert np.isnan([result.difference, result.low, result.high, result.p]).all()


@every(
    ("second", "complaint"),
    [
        (evaluation([1.0, 0.5], "b", prefix="p"), "different questions"),
        (evaluation([1.0, 0.5, 0.0], "b"), "only one of them has 'q2'"),
        ([], "no evaluation is given"),
        ([evaluation([1.0, 0.5], "b"), evaluation([1.0, 0.5], "c")], "these evaluations are of b, c"),
        ([evaluation([1.0, 0.5], "b"), evaluation([1.0], "b")], "different questions"),
    ],
)
def test_evaluations_that_cannot_be_paired_are_an_error(second, complaint):
    with pytest.raises(ValueError, match=complaint):
        compare(evaluation([1.0, 0.5], "a"), second, "MAP")  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="MAP"):
        compare(evaluation([1.0]), evaluation([1.0]), "MAPP")


def trainings(means: list[float], system: str) -> list[Evaluation]:
    """A system with these means over two questions, a seed each."""
    return [evaluation([mean - 0.1, mean + 0.1], system, seed) for seed, mean in enumerate(means)]


def test_trainings_are_compared_by_welchs_test():
    first, second = trainings([0.40, 0.44, 0.42], "a"), trainings([0.52, 0.46, 0.54, 0.50], "b")
    a, b = np.array([0.40, 0.44, 0.42]), np.array([0.52, 0.46, 0.54, 0.50])
    parts = a.var(ddof=1) / 3, b.var(ddof=1) / 4
    t = (b.mean() - a.mean()) / sum(parts) ** 0.5
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 3)
    expected = 2 * stats.t.sf(t, freedom)
    assert by_seeds(first, second, "MAP") == pytest.approx(expected)
    assert by_seeds(second, first, "MAP") == pytest.approx(expected)
    assert compare(first, second, "MAP").p_seeds == pytest.approx(expected)


def test_paired_seeds_are_compared_by_their_differences_in_any_order():
    first, second = trainings([0.2, 0.4, 0.6], "a"), trainings([0.25, 0.46, 0.64], "b")
    differences = np.array([0.05, 0.06, 0.04])
    expected = 2 * stats.t.sf(differences.mean() / (differences.std(ddof=1) / 3**0.5), 2)
    for turned in (second, second[::-1]):
        assert by_seeds(first, turned, "MAP", paired=True) == pytest.approx(expected)
        assert compare(first, turned, "MAP", paired_seeds=True).p_seeds == pytest.approx(expected)
    assert by_seeds(first, second, "MAP") > 0.5
    result = compare_all(first, {"b": second, "c": second}, ["MAP"], paired_seeds=lambda name: name == "b")
    assert [row.p_seeds < 0.05 for row in result] == [True, False]
    with pytest.raises(ValueError, match=r"the seeds \[0, 1, 2\] and \[0, 1\] cannot be paired"):
        by_seeds(first, second[:2], "MAP", paired=True)
    with pytest.raises(ValueError, match="cannot be paired"):
        by_seeds(first, [second[0], second[0], second[1]], "MAP", paired=True)


def test_one_evaluation_does_not_vary_and_two_give_no_p_of_trainings():
    alone, seeds = trainings([0.5], "bm25"), trainings([0.55, 0.56, 0.57], "b")
    expected = 2 * stats.t.sf(0.06 / (0.01 / 3**0.5), 2)
    assert by_seeds(alone, seeds, "MAP") == pytest.approx(expected)
    assert by_seeds(seeds, alone[0], "MAP", paired=True) == pytest.approx(expected)
    assert by_seeds(alone, trainings([0.7], "c"), "MAP") is None
    assert compare(alone, trainings([0.7], "c"), "MAP").p_seeds is None


def test_means_that_do_not_vary_are_apart_or_not():
    first = trainings([0.5, 0.5], "a")
    assert by_seeds(first, trainings([0.5, 0.5], "b"), "MAP") == 1
    assert by_seeds(first, trainings([0.6, 0.6], "b"), "MAP") == 0
    assert by_seeds(first, trainings([0.6, 0.7], "b"), "MAP") == pytest.approx(2 * stats.t.sf(3, 1))
    assert by_seeds(trainings([0.1, 0.2, 0.3], "a"), trainings([0.4, 0.5, 0.6], "b"), "MAP", paired=True) == 0
    assert by_seeds(first, trainings([float("nan"), 0.6], "b"), "MAP") is None
