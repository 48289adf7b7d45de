"""The layer study: every layer from one pass, curves, and a recommendation that says how sure it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import answersim
from answersim.agreement import layers
from answersim.agreement.layers import curves, recommend, score_layers
from answersim.agreement.subsets import subsets
from answersim.catalog import lookup
from answersim.neural.bertscore import Baseline, BertScore
from answersim.neural.transformer import Transformer
from answersim.stats.resampling import Bootstrap, generator
from answersim.types import Pair

PAIRS = [
    Pair("National Football League", "the NFL"),
    Pair("eleven", "11"),
    Pair("", "a"),
    Pair("Müller", "Müller"),
    Pair("in regions of new growth", "cortex"),
]


def bertscore(tiny: Callable[..., Path], kind: str = "bert", **options: Any) -> BertScore:
    built = lookup.metric("bertscore-trained", model=tiny(kind), layer=1, **options)
    assert isinstance(built, BertScore)
    return built


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta"])
def test_every_layer_has_the_scores_of_the_metric_at_that_layer_alone(tiny: Callable[..., Path], kind: str) -> None:
    result = score_layers(bertscore(tiny, kind), PAIRS)
    assert list(result) == [0, 1, 2, 3]
    for layer, scores in result.items():
        alone = lookup.metric("bertscore-trained", model=tiny(kind), layer=layer)
        np.testing.assert_allclose(scores.values, alone(PAIRS), atol=1e-12)
        assert scores.signature == alone.signature
    assert np.ptp([value.values[0] for value in result.values()]) > 0.01  # layers do differ


def test_all_layers_come_from_one_pass(tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    forward = Transformer._forward

    def counted(self: Transformer, unique: Any, *rest: Any) -> Any:
        passes.append(len(unique))
        return forward(self, unique, *rest)

    monkeypatch.setattr(Transformer, "_forward", counted)
    score_layers(bertscore(tiny), PAIRS)
    assert passes == [9]  # ten texts, one of them twice


def test_chunks_change_no_number(tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = score_layers(bertscore(tiny), PAIRS)
    monkeypatch.setattr(layers, "_STATES", 1)
    parted = score_layers(bertscore(tiny), PAIRS)
    for layer, value in whole.items():
        np.testing.assert_allclose(parted[layer].values, value.values, atol=1e-6)


def test_chunks_hold_each_pair_once_and_keep_within_memory() -> None:
    pairs = [Pair("a" * 10, "b" * 10)] * 100
    bounds = layers._chunks(pairs, 4 * 32)
    assert bounds == [(0, 100)]
    many = layers._chunks(pairs, layers._STATES // 100)
    assert [i for a, b in many for i in range(a, b)] == list(range(100))
    # Room for 100 / .35 = 285 characters; a pair has 20 and counts 12 more for its special tokens.
    assert many[0] == (0, 8)
    assert all(b - a <= 8 for a, b in many)
    assert layers._chunks([], 10) == []


def test_texts_that_are_cut_are_reported_once(tiny: Callable[..., Path]) -> None:
    with pytest.warns(UserWarning, match="^1 texts were longer") as caught:
        score_layers(bertscore(tiny), [*PAIRS, Pair("a " * 100, "a")])
    assert len(caught) == 1


def test_some_layers_in_the_order_asked_for(tiny: Callable[..., Path]) -> None:
    assert list(score_layers(bertscore(tiny), PAIRS, [3, 0])) == [3, 0]
    with pytest.raises(ValueError, match="layer is 4, but this encoder has the layers 0 to 3"):
        score_layers(bertscore(tiny), PAIRS, [4])


def test_a_baseline_of_one_layer_serves_no_other(tiny: Callable[..., Path]) -> None:
    from dataclasses import replace

    with pytest.raises(ValueError, match="baseline of one layer"):
        score_layers(replace(bertscore(tiny), baseline=Baseline("b", 0.1, 0.1, 0.1)), PAIRS)


def made(n: int = 200) -> tuple[dict[int, Any], Any]:
    """Four layers: noise, and three with ever more of the labels, the last two nearly alike."""
    rng = np.random.default_rng(1)
    labels = rng.integers(3, size=n).astype(float)
    noise = rng.normal(size=(4, n))
    strong = labels + noise[2]
    return {0: noise[0], 1: 0.3 * labels + noise[1], 2: strong, 3: strong + 0.01 * noise[3]}, labels


def test_curves_are_scipys_coefficients_by_subset() -> None:
    columns, labels = made(60)
    half = np.arange(60) < 30
    result = {
        (p.layer, p.subset, p.coefficient): p for p in curves(columns, labels, {"half": half, "all": half | ~half})
    }
    assert len(result) == 4 * 2 * 3
    for layer, column in columns.items():
        for name, compute in (
            ("pearson", stats.pearsonr),
            ("spearman", stats.spearmanr),
            ("kendall", stats.kendalltau),
        ):
            point = result[layer, "half", name]
            assert point.value == pytest.approx(compute(column[:30], labels[:30]).statistic, abs=1e-12)
            assert point.n == 30
            assert np.isnan(point.low)  # no resamples, no interval


def test_curves_bear_intervals_around_their_values() -> None:
    columns, labels = made()
    every = np.ones(len(labels), dtype=bool)
    for point in curves(columns, labels, {"all": every}, bootstrap=Bootstrap(resamples=200)):
        assert point.low < point.value < point.high
    wide = curves(
        columns, labels, {"all": every}, bootstrap=Bootstrap(level=0.5, resamples=200), coefficients=["kendall"]
    )
    assert all(a.high - a.low < 0.2 for a in wide)


def test_the_recommendation_is_the_best_layer_and_names_its_rivals() -> None:
    columns, labels = made()
    recommendation = recommend(columns, labels, bootstrap=Bootstrap(resamples=300, rng=0))
    assert recommendation.layer in (2, 3)
    assert recommendation.rivals == (
        5 - recommendation.layer,
    )  # the other of the two that are nearly alike, and no weak one
    assert sum(recommendation.chosen.values()) == pytest.approx(1)
    assert recommendation.chosen[0] == recommendation.chosen[1] == 0
    values = {layer: stats.kendalltau(column, labels).statistic for layer, column in columns.items()}
    assert recommendation.value.value == pytest.approx(max(values.values()), abs=1e-12)
    assert recommendation.value.low < recommendation.value.value < recommendation.value.high


def test_a_clear_winner_has_no_rivals() -> None:
    columns, labels = made()
    recommendation = recommend({5: columns[0], 7: columns[2]}, labels, bootstrap=Bootstrap(resamples=200, rng=0))
    assert (recommendation.layer, recommendation.rivals, recommendation.chosen) == (7, (), {5: 0.0, 7: 1.0})


def test_the_winner_of_noise_is_worse_on_other_pairs() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(3, size=80)
    recommendation = recommend(
        dict(enumerate(rng.normal(size=(12, 80)))), labels, bootstrap=Bootstrap(resamples=300, rng=rng)
    )
    assert recommendation.value.value > 0.08  # the best of twelve that say nothing
    assert recommendation.unseen < recommendation.value.value / 2
    assert len(recommendation.rivals) >= 5
    assert max(recommendation.chosen.values()) < 0.9


def test_of_equal_layers_the_lowest_is_taken() -> None:
    columns, labels = made()
    recommendation = recommend({1: columns[2], 4: columns[2]}, labels, bootstrap=Bootstrap(resamples=50, rng=0))
    assert recommendation.layer == 1
    assert recommendation.chosen == {1: 1.0, 4: 0.0}
    assert recommendation.rivals == (4,)


def test_one_seed_one_recommendation() -> None:
    columns, labels = made()
    one, other = (recommend(columns, labels, bootstrap=Bootstrap(resamples=50, rng=5)) for _ in range(2))
    assert one == other


def test_a_constant_layer_is_passed_over() -> None:
    columns, labels = made()
    recommendation = recommend(
        {0: np.zeros(len(labels)), 2: columns[2]}, labels, bootstrap=Bootstrap(resamples=50, rng=0)
    )
    assert (recommendation.layer, recommendation.rivals) == (2, ())


def test_what_cannot_be_decided_is_an_error() -> None:
    columns, labels = made()
    with pytest.raises(ValueError, match="labels or scores are constant"):
        recommend(columns, np.ones(len(labels)), bootstrap=Bootstrap(rng=0))
    with pytest.raises(LookupError, match="'kendal'; did you mean 'kendall'"):
        recommend(columns, labels, bootstrap=Bootstrap(rng=0), coefficient="kendal")
    with pytest.raises(ValueError, match="no layers"):
        recommend({}, labels, bootstrap=Bootstrap(rng=0))


TEXTS = ["National Football League", "the NFL", "eleven", "11", "cortex", "in regions of new growth", "Müller", "a"]


def test_a_study_of_layers_has_the_recommendation_and_the_curves_of_its_scores(tiny: Callable[..., Path]) -> None:
    rng = np.random.default_rng(0)
    preds, labels = rng.integers(8, size=40), rng.integers(3, size=40).tolist()
    table = {"answer": TEXTS * 5, "guess": [TEXTS[i] for i in preds], "told": labels}
    metric: Any = answersim.metric("bertscore", model=str(tiny("bert")))
    drawing = Bootstrap(level=0.9, resamples=30, rng=4)
    names = {"gold": "answer", "pred": "guess", "label": "told"}
    study = answersim.layers(table, metric, subset="F1=0", bootstrap=drawing, progress=False, **names)
    mask = subsets(study.judged)["F1=0"]
    expected = recommend(
        {layer: scores.values[mask] for layer, scores in study.scores.items()},
        study.judged.labels[mask],
        bootstrap=Bootstrap(0.9, 30, generator(4, "layers", "F1=0")),
    )
    assert study.recommendation == expected
    best = [one for one in study.points if (one.layer, one.subset) == (expected.layer, "F1=0")]
    assert {one.coefficient: one.value for one in best}["kendall"] == expected.value.value
    assert study.footer() == [f"signature: {study.scores[expected.layer].signature}"]
    with pytest.raises(TypeError, match="label= sets how data are read, but the data are Judgments"):
        answersim.layers(study.judged, metric, label="told")
    with pytest.raises(ValueError, match="metric is 'f1', which compares no layers"):
        answersim.layers(study.judged, "f1")
