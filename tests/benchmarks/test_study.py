"""The paper's claims: each stands, does not, or cannot be decided, by an independent computation of the same thing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from answersim.agreement.subsets import NONZERO, ZERO
from answersim.data import LabeledPairs, load
from answersim.data.datasets import RECORDED
from answersim.stats.resampling import holm
from answersim.types import Pair
from benchmarks.paper_sets import NO_DIGITS, Scored, Scores, scores_of
from benchmarks.study import Claim, Evidence, Finding, Side, claims, findings, tables


def toy(n: int = 400) -> tuple[LabeledPairs, list[Scored]]:
    """Pairs without a shared word, every fourth with a digit; a good metric, its equal, a poor one and a constant."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=n).astype(float)
    pairs = tuple(Pair("7" if i % 4 == 0 else "seven", "eight") for i in range(n))
    noise = {"sas": 0.5, "bi-encoder": 0.5, "rouge-l": 5.0}
    columns = {name: labels + value * rng.normal(size=n) for name, value in noise.items()} | {"f1": np.zeros(n)}
    scored = [Scored(name, "recorded", values, "") for name, values in columns.items()]
    return LabeledPairs("nq-open", "en", pairs, labels), scored


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence({"nq-open": toy()}, resamples=999)


def found(evidence: Evidence, higher: tuple[str, ...], lower: tuple[str, ...], **more: float) -> Finding:
    claim = Claim("statement", "here", "kendall", Side("nq-open", ZERO, higher), Side("nq-open", ZERO, lower), **more)
    return findings(evidence, "recorded", [claim])[0]


def test_a_claim_holds_does_not_hold_or_is_not_decidable(evidence: Evidence) -> None:
    assert found(evidence, ("sas",), ("rouge-l",)).verdict == "holds"
    assert found(evidence, ("rouge-l",), ("sas",)).verdict == "does not hold"
    assert found(evidence, ("sas",), ("bi-encoder",)).verdict == "not decidable"


def test_a_difference_is_that_of_scipys_taus(evidence: Evidence) -> None:
    data, scored = toy()
    tau = {each.metric: stats.kendalltau(each.values, data.labels).statistic for each in scored if each.metric != "f1"}
    result = found(evidence, ("sas",), ("bi-encoder", "rouge-l", "f1"))
    assert result.difference == pytest.approx(tau["sas"] - max(tau["bi-encoder"], tau["rouge-l"]), abs=1e-12)
    assert result.low <= result.difference + 0.02
    worst = Claim(
        "",
        "",
        "kendall",
        Side("nq-open", ZERO, ("sas", "rouge-l", "f1"), "worst"),
        Side("nq-open", ZERO, ("bi-encoder",)),
    )
    assert findings(evidence, "recorded", [worst])[0].difference == pytest.approx(tau["rouge-l"] - tau["bi-encoder"])


def test_comparable_means_that_the_interval_is_within_the_margin(evidence: Evidence) -> None:
    near, far = (
        found(evidence, ("sas",), ("bi-encoder",), margin=0.2),
        found(evidence, ("sas",), ("rouge-l",), margin=0.2),
    )
    assert (near.verdict, far.verdict) == ("holds", "does not hold")
    assert found(evidence, ("sas",), ("bi-encoder",), margin=0.001).verdict == "not decidable"
    assert np.isnan([near.p, near.p_holm]).all()


def test_a_claim_about_a_level_has_one_side(evidence: Evidence) -> None:
    low = Claim("", "", "kendall", Side("nq-open", ZERO, ("rouge-l",)), None, level=0.5)
    high = Claim("", "", "kendall", Side("nq-open", ZERO, ("sas",)), None, level=0.5)
    assert [finding.verdict for finding in findings(evidence, "recorded", [low, high])] == ["holds", "does not hold"]


def test_rows_without_digits_are_drawn_with_all_rows(evidence: Evidence) -> None:
    data, scored = toy()
    plain = np.array([pair.gold != "7" for pair in data.pairs])
    claim = Claim("", "", "kendall", Side("nq-open", ZERO, ("sas",)), Side("nq-open", ZERO + NO_DIGITS, ("sas",)))
    result = findings(evidence, "recorded", [claim])[0]
    values = next(each.values for each in scored if each.metric == "sas")
    expected = (
        stats.kendalltau(values, data.labels).statistic - stats.kendalltau(values[plain], data.labels[plain]).statistic
    )
    assert result.difference == pytest.approx(expected, abs=1e-12)
    # Three of four rows are the same ones: drawn apart, the difference would vary by twice as much.
    apart = np.hypot(*(_spread(values[m], data.labels[m]) for m in (np.ones(400, bool), plain)))
    assert (result.high - result.low) / 3.92 < 0.75 * apart


def _spread(x: np.ndarray, y: np.ndarray) -> float:
    rng = np.random.default_rng(1)
    draws = (rng.integers(len(x), size=len(x)) for _ in range(300))
    return float(np.std([stats.kendalltau(x[i], y[i]).statistic for i in draws]))


def test_p_is_corrected_over_all_claims_that_have_one(evidence: Evidence) -> None:
    result = findings(evidence, "recorded")
    np.testing.assert_allclose([each.p_holm for each in result], holm([each.p for each in result]))
    assert {each.dataset for each in result} == {"nq-open"}  # claims about sets that are not here are left out


def test_each_origin_of_scores_has_a_table_with_a_row_per_claim(evidence: Evidence) -> None:
    result = findings(evidence, "recorded")
    printed = list(tables([*result, *(each._replace(scores="computed") for each in result)]))
    assert [len(each.rows) for each in printed] == [len(result)] * 2
    assert "recorded" in printed[0].title
    assert "computed" in printed[1].title


def test_every_claim_names_metrics_and_subsets_that_there_are() -> None:
    for claim in claims():
        for side in (claim.higher, claim.lower):
            if side is not None:
                assert side.subset.removesuffix(NO_DIGITS) in (ZERO, NONZERO)
                assert set(side.metrics) <= set(RECORDED)
        assert claim.statement
        assert claim.where


@pytest.mark.data
def test_known_results_on_the_recorded_scores_are_reproduced(data_home: object) -> None:
    metrics = ["bi-encoder", "bertscore-vanilla", "bertscore-trained", "sas", "bertscore-names", "rouge-l"]
    held = {name: scores_of(name, metrics, Scores.recorded, "embedded") for name in ("nq-open", "squad")}
    evidence = Evidence(held, resamples=999)
    zero, some = Side("nq-open", ZERO, ("bertscore-names",)), Side("nq-open", NONZERO, ("sas",))
    known = [
        Claim("", "", "kendall", zero, Side("nq-open", ZERO, ("sas",))),
        Claim("", "", "kendall", some, Side("nq-open", NONZERO, ("bertscore-names",))),
        Claim("", "", "kendall", Side("squad", ZERO, ("bertscore-trained",)), Side("squad", ZERO, ("sas",))),
    ]
    names, sas, squad = findings(evidence, "recorded", known)
    assert (names.verdict, sas.verdict, squad.verdict) == ("holds", "holds", "not decidable")
    assert (names.difference, names.low, names.high) == pytest.approx((0.050, 0.022, 0.080), abs=0.006)
    assert (sas.difference, sas.low, sas.high) == pytest.approx((0.114, 0.076, 0.161), abs=0.012)
    assert len(load("nq-open", cleaning="recorded")) == 3559
