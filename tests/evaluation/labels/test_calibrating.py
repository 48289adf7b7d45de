"""calibrate: the same calibration from a table, from several columns of predictions, and from arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration import fitting
from tests.cases import every

FEW = answersim.Bootstrap(resamples=20)
RNG = np.random.default_rng(1)
LABELS = RNG.integers(2, size=120)
GOLD = [f"a{i} b{i} c{i}" for i in range(120)]
PRED = [
    " ".join(gold.split()[: 1 + label + (i % 3 == 0)]) if label or i % 4 else "x"
    for i, (gold, label) in enumerate(zip(GOLD, LABELS.tolist(), strict=True))
]
DATA: dict[str, Any] = {"gold": GOLD, "pred": PRED, "label": LABELS.tolist(), "q": [f"q{i // 2}" for i in range(120)]}


def arrays(metric: Any = "recall", **settings: Any) -> answersim.Calibration:
    scores = answersim.score(GOLD, PRED, metric)
    return fitting.calibrate(scores, LABELS, bootstrap=FEW, **settings)


def test_a_table_gives_the_calibration_of_its_scores_and_how_the_metric_is_built() -> None:
    found = answersim.calibrate(DATA, metric="recall", group="q", bootstrap=FEW)
    assert found.curve == arrays().curve
    assert found.provenance.groups == 60
    assert found.metric == {"name": "recall", "lang": "en", "profile": None, "options": {}}
    assert answersim.score("Rome", "in Rome", calibration=found).signature == found.signature


def test_arrays_are_calibrated_as_before() -> None:
    scores = answersim.score(GOLD, PRED, "recall")
    assert answersim.calibrate(scores, LABELS, bootstrap=FEW) == arrays()
    assert answersim.calibrate(scores.values, LABELS, signature=scores.signature, bootstrap=FEW) == arrays()


def test_several_systems_several_gold_answers_and_bad_rows_are_read_as_everywhere() -> None:
    half, nobody = [None] * 60, [""] * 121
    data = {
        "gold": [*(f"nothing|{gold}" for gold in GOLD), None],
        "one": [*PRED, "x"],
        "two": [*PRED, "x"],
        "l1": [*LABELS.tolist()[:60], *half, 1],
        "l2": [*half, *LABELS.tolist()[60:], 1],
        "none": nobody,
    }
    with pytest.warns(UserWarning, match="1 of 121 rows"):
        answers = answersim.read_answers(data, pred=["one", "two"], split_gold="|", skip_bad=True)
    found = answersim.calibrate(answers, ["l1", "l2"], "recall", bootstrap=FEW)
    assert found.curve == arrays().curve
    assert (found.provenance.n, found.metadata["left out"]) == (120, 120)


def test_a_built_metric_and_a_mapping_with_options() -> None:
    built = answersim.calibrate(DATA, metric=answersim.metric("meteor", alpha=0.5), bootstrap=FEW)
    named = answersim.calibrate(DATA, metric={"name": "meteor", "options": {"alpha": 0.5}}, bootstrap=FEW)
    assert built.curve == named.curve
    assert (built.metric, named.metric["options"]) == ({}, {"alpha": 0.5})


def test_an_option_that_changes_no_score_is_not_recorded(tiny: Any) -> None:
    how = {"name": "bi-encoder", "options": {"model": str(tiny()), "device": "cpu"}}
    found = answersim.calibrate(DATA, metric=how, bootstrap=FEW)
    assert found.metric["options"].keys() == {"model"}


def test_a_column_of_scores_needs_no_texts() -> None:
    scores = answersim.score(GOLD, PRED, "recall").values.tolist()
    found = answersim.calibrate({"mine": scores, "label": DATA["label"]}, score="mine", bootstrap=FEW)
    assert (found.signature, found.metric, found.curve) == ("column|name:mine", {"column": "mine"}, arrays().curve)


@every(
    ("given", "error", "message"),
    [
        ({}, ValueError, "give either metric="),
        ({"metric": "f1", "score": "mine"}, ValueError, "give either metric="),
        ({"metric": "f1", "group": "label"}, ValueError, "is the column 'label', which contains labels"),
        ({"data": [0.5, 1.0], "label": [0, 1], "group": "q"}, TypeError, "group names a column, but scores are given"),
    ],
)
def test_arguments_without_effect_are_errors(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        answersim.calibrate(**({"data": DATA} | given))
