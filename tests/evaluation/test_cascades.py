"""fit_cascade: too few labels are an error, the rule takes the cheapest cuts, and the chosen cuts are used."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim.composite.cascade import Cascade
from answersim.composite.stages import EVERY, Stage
from answersim.evaluation.cascades import DOUBTS, NEVER, CascadeFit, TooFewLabelsError, choose_cuts, with_cuts
from answersim.stats.risk import rows_needed, upper_bound
from answersim.types import Pair
from tests.cases import every
from tests.table_metric import Table

RISK, CONFIDENCE = 0.02, 0.9


def fit_cascade(metric, gold, pred, labels=None, *, question=None, groups=None, **how) -> CascadeFit:  # type: ignore[no-untyped-def]
    """Choose the cuts on answers in columns."""
    columns = {"gold": gold, "pred": pred, "label": labels, "question": question, "group": groups}
    data = {name: values for name, values in columns.items() if values is not None}
    named = {name: name for name in ("question", "group") if name in data}
    return answersim.fit_cascade(metric, data, "label" if "label" in data else None, **named, **how)


def cascade(cheap: Table, last: Table) -> Cascade:
    return Cascade((Stage("cheap", cheap, 0.05, 0.95, raw=True), Stage("last", last, *EVERY, raw=True)))


def sample(n: int, size: int, alike: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return probabilities by a cheap stage that is too sure, by a last stage, labels and groups of n questions.

    Args:
        n: The number of groups.
        size: Answers per group.
        alike: How alike the answers of a group are, from 0 to 1.
        rng: Where they are drawn from.
    """
    groups = np.repeat(np.arange(n), size)
    shared = rng.normal(size=n)[groups]
    total = np.sqrt(alike) * shared + np.sqrt(1 - alike) * rng.normal(size=n * size)
    truth = 1 / (1 + np.exp(-4 * total))  # the probability that the answer is correct
    labels = rng.random(n * size) < truth
    cheap = 1 / (1 + np.exp(-5 * total))
    other = np.sqrt(alike) * rng.normal(size=n)[groups] + np.sqrt(1 - alike) * rng.normal(size=n * size)
    last = np.where(other < 1.7, labels, ~labels).astype(np.float64)  # 4.5 % of its verdicts are errors
    return cheap, last, labels, groups


def fitted(cheap, last, labels, groups, risk=RISK, confidence=CONFIDENCE, exact=False):
    none, first = Table("none", {}), np.arange(len(cheap))
    return choose_cuts(cascade(none, none), [cheap, last], first, labels, groups, risk, confidence, exact=exact)


def test_the_chosen_cuts_are_the_last_ones_before_the_risk() -> None:
    fit = fitted(*sample(3000, 1, 0.0, np.random.default_rng(2)))
    kept = [step for step in fit.steps if step.kept]
    assert fit.chosen == kept[-1]
    assert fit.steps[: len(kept)] == tuple(kept)
    assert len(fit.steps) == 1 + len(DOUBTS)
    assert fit.steps[0][:4] == (*NEVER, 0.0, 0.0)
    assert fit.steps[0].added == 0.0
    assert all(step.bound <= RISK for step in kept)
    added = np.array([step.added for step in fit.steps])
    assert [step.bound for step in fit.steps] == pytest.approx(upper_bound(3000 * added, 3000, CONFIDENCE))
    assert fit.steps[len(kept)].bound > RISK
    assert [step.saved for step in fit.steps] == sorted(step.saved for step in fit.steps)
    stage = fit.metric.stages[0]
    assert (stage.low, stage.high) == (fit.chosen.low, fit.chosen.high)
    assert fit.summary()[0].startswith(
        f"a stage decides from p {stage.high:g} on and up to p {stage.low:g}: at most 2 %"
    )


def test_too_few_labels_name_how_many_are_needed() -> None:
    needed = rows_needed(0.01)
    preds = [f"p{i}" for i in range(needed)]
    metric = cascade(Table("a", dict.fromkeys(preds, 0.999)), Table("b", dict.fromkeys(preds, 1.0)))
    answers = ["gold"] * needed, preds, [1] * needed
    assert fit_cascade(metric, *answers).chosen.saved == 1.0
    with pytest.raises(TooFewLabelsError, match="there are 298 answers, but to promise at most 1 %") as raised:
        fit_cascade(metric, *(column[1:] for column in answers))
    assert raised.value.needed == 299
    assert "label at least 299 answers such as these" in str(raised.value)
    assert pickle.loads(pickle.dumps(raised.value)).needed == 299
    with pytest.raises(
        TooFewLabelsError, match=r"there are 299 answers of 150 groups, but .* at least 299 groups"
    ) as raised:
        fit_cascade(metric, *answers, groups=[i // 2 for i in range(needed)])
    assert raised.value.needed == 597  # 299 groups of this size
    with pytest.raises(TooFewLabelsError, match="there are 0 answers"):
        fit_cascade(metric, ["a"], ["a"], [None])


def test_an_exact_bound_counts_groups_and_is_never_below_the_other() -> None:
    drawn = sample(300, 5, 0.5, np.random.default_rng(4))
    plain, exact = fitted(*drawn), fitted(*drawn, exact=True)
    assert (plain.exact, exact.exact, exact.groups, exact.independent) == (False, True, 300, 300.0)
    assert all(one.bound <= other.bound for one, other in zip(plain.steps, exact.steps, strict=True))
    assert [step[:6] for step in plain.steps] == [step[:6] for step in exact.steps]
    surer = fitted(*drawn, confidence=0.99)
    assert all(one.bound < other.bound for one, other in zip(plain.steps, surer.steps, strict=True))
    assert plain.summary()[2].endswith("independent ones, by an approximation")
    assert exact.summary()[2].endswith("1,500 answers of 300 groups count as 300 independent ones")
    alone = sample(1500, 1, 0.0, np.random.default_rng(4))
    assert replace(fitted(*alone, exact=True), metric=plain.metric) == replace(fitted(*alone), metric=plain.metric)
    assert fitted(*alone).exact


def test_questions_are_the_groups_by_default() -> None:
    preds = [f"p{i}" for i in range(800)]
    rng = np.random.default_rng(0)
    metric = cascade(
        Table("a", dict(zip(preds, rng.random(800).tolist(), strict=True))),
        Table("b", 1.0),
    )
    questions = [f"q{i // 4}" for i in range(800)]
    fit = fit_cascade(metric, ["g"] * 800, preds, [1] * 800, question=questions, risk=0.1)
    assert (fit.n, fit.groups) == (800, 200)
    assert fit.summary()[2].startswith("answers of one group are alike: 800 answers of 200 groups count as ")
    assert fit_cascade(metric, ["g"] * 800, preds, [1] * 800, groups=questions, risk=0.1) == fit
    assert fit_cascade(metric, ["g"] * 800, preds, [1] * 800, risk=0.1).groups == 800


def test_without_labels_errors_are_disagreements_with_the_last_stage() -> None:
    rng = np.random.default_rng(3)
    preds = [f"p{i}" for i in range(600)]
    cheap, last, labels, _ = sample(600, 1, 0.0, rng)
    metric = cascade(
        Table("a", dict(zip(preds, cheap.tolist(), strict=True))),
        Table("b", dict(zip(preds, last.tolist(), strict=True))),
    )
    answers = ["g"] * 600, preds
    unlabeled = fit_cascade(metric, *answers, risk=0.05)
    assert not unlabeled.labeled
    assert "disagreements with last alone" in unlabeled.summary()[0]
    assert unlabeled.steps == fit_cascade(metric, *answers, (last >= 0.5).astype(int), risk=0.05).steps
    labeled = fit_cascade(metric, *answers, labels.astype(int), risk=0.05)
    at = 1 + DOUBTS.index(0.1)
    verdicts = np.where((cheap <= 0.1) | (cheap >= 0.9), cheap, last) >= 0.5
    assert labeled.steps[at].added == ((verdicts != labels) & ((last >= 0.5) == labels)).mean()
    assert labeled.steps[at].repaired == ((verdicts == labels) & ((last >= 0.5) != labels)).mean()
    assert unlabeled.steps[at].added == (verdicts != (last >= 0.5)).mean()


def test_the_last_stage_alone_is_that_of_all_gold_answers() -> None:
    preds = [f"p{i}" for i in range(400)]
    last = Table("b", 0.0)
    fit = fit_cascade(cascade(Table("a", 0.5), last), [["g", "h"]] * 400, preds, [0] * 400)
    assert len(last.called) == 800
    assert (fit.chosen.saved, fit.chosen.early) == (0.0, 0.0)
    assert fit.chosen.high == round(1 - DOUBTS[-1], 3)


def test_rules_that_add_errors_are_named() -> None:
    judge = Table("judge", {"eleven": 0.0})
    metric = Cascade(
        (
            Stage("typed", None, *EVERY),
            Stage("cheap", judge, 0.05, 0.95, raw=True),
            Stage("judge", judge, *EVERY, raw=True),
        )
    )
    with pytest.raises(ValueError, match=r"the rules of typed values alone add 100\.00 % errors .* leave 'typed' out"):
        fit_cascade(metric, ["11"] * 400, ["eleven"] * 400, [0] * 400)
    assert fit_cascade(metric, ["12"] * 400, ["eleven"] * 400, [0] * 400).chosen.early == 1.0


def test_real_metrics_use_the_cache(tmp_path: Path) -> None:
    metric = answersim.metric("cascade", stages="typed,recall,answersim")
    assert isinstance(metric, Cascade)
    golds, preds = ["Rome", "Oslo"] * 30, ["in Rome", "Bergen"] * 30
    fit = fit_cascade(metric, golds, preds, [1, 0] * 30, risk=0.2, cache=tmp_path)
    assert fit == fit_cascade(metric, golds, preds, [1, 0] * 30, risk=0.2)
    chosen = fit.metric
    assert chosen.stages[0] == metric.stages[0]
    assert chosen.stages[2] == metric.stages[2]
    assert chosen == with_cuts(metric, fit.chosen.low, fit.chosen.high)
    assert chosen == answersim.metric("cascade", low=fit.chosen.low, high=fit.chosen.high)
    assert chosen([Pair("Rome", "in Rome")])[0] > 0.9


def test_several_systems_with_labels_of_some_answers() -> None:
    preds = [f"p{i}" for i in range(400)]
    metric = cascade(Table("a", dict.fromkeys(preds, 0.999)), Table("b", dict.fromkeys(preds, 1.0)))
    data = {"gold": ["g"] * 400, "x": preds, "y": preds, "lx": [1] * 400, "ly": [None] * 100 + [1] * 300}
    fit = answersim.fit_cascade(metric, data, ["lx", "ly"], pred=["x", "y"])
    assert (fit.n, fit.left_out) == (700, 100)
    assert fit.summary()[-1] == "100 of 800 rows have no label and are left out"


@every(
    ("change", "error", "message"),
    [
        ({"labels": [1] * 3}, ValueError, "the columns have different lengths"),
        ({"labels": [2] * 400}, ValueError, "labels contain 2, but a label is 0 or 1"),
        ({"groups": [1]}, ValueError, "the columns have different lengths"),
        ({"risk": 0.0}, ValueError, "risk is 0"),
        ({"confidence": 1.0}, ValueError, "confidence is 1"),
        ({"metric": answersim.metric("f1")}, TypeError, "metric is f1.*, but it must be a cascade"),
        ({"metric": "cascade"}, TypeError, "metric is 'cascade'"),
        (
            {"metric": answersim.metric("cascade", stages="recall")},
            ValueError,
            "the cascade has one stage, 'recall', so it has no cuts",
        ),
    ],
)
def test_settings_outside_their_range_are_refused(
    change: dict[str, object], error: type[Exception], message: str
) -> None:
    preds = [f"p{i}" for i in range(400)]
    given: dict[str, object] = {
        "metric": cascade(Table("a", dict.fromkeys(preds, 0.9)), Table("b", dict.fromkeys(preds, 1.0))),
        "labels": [1] * 400,
    }
    given |= change
    metric, labels = given.pop("metric"), given.pop("labels")
    with pytest.raises(error, match=message):
        fit_cascade(metric, ["g"] * 400, preds, labels, **given)
