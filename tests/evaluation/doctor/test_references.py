"""Several gold answers: the best one counts, in any order."""

from typing import Any

import pytest

from answersim.evaluation.doctor import references
from answersim.evaluation.doctor.subject import as_subject
from tests.cases import every


def f1(gold: str, pred: str) -> float:
    import answersim

    return float(answersim.score(gold, pred, metric="f1"))


def best(golds: list[Any], preds: list[str]) -> list[float]:
    listed = [[gold] if isinstance(gold, str) else gold for gold in golds]
    return [max(f1(gold, pred) for gold in several) for several, pred in zip(listed, preds, strict=True)]


def any_counts_as_one(golds: list[Any], preds: list[str]) -> list[float]:
    """A harness that scores each gold answer and turns any credit into 1, if there are several of them."""
    return [
        f1(gold, pred) if isinstance(gold, str) else float(any(f1(entry, pred) for entry in gold))
        for gold, pred in zip(golds, preds, strict=True)
    ]


def first_counts(golds: list[Any], preds: list[str]) -> list[float]:
    return [f1(gold if isinstance(gold, str) else gold[0], pred) for gold, pred in zip(golds, preds, strict=True)]


def strings_only(golds: list[str], preds: list[str]) -> list[float]:
    return [f1(gold.strip(), pred) for gold, pred in zip(golds, preds, strict=True)]


def test_the_best_reference_in_any_order_holds():
    for subject in (as_subject(best), as_subject("f1"), as_subject("rouge-l")):
        assert references.best(subject, 1e-4).holds
        assert references.order(subject, 1e-4).holds


def test_a_harness_that_turns_a_part_into_one_is_found():
    finding = references.best(as_subject(any_counts_as_one), 1e-4)
    assert finding.holds is False
    assert finding.largest > 0.4
    assert "have 1, the best gold answer alone 0." in finding.detail


def test_a_metric_that_reads_the_first_reference_only_is_found():
    assert references.order(as_subject(first_counts), 1e-4).holds is False
    assert references.best(as_subject(first_counts), 1e-4).holds is False


@every("check", [references.best, references.order])
def test_a_function_that_refuses_lists_is_not_judged(check):
    finding = check(as_subject(strings_only), 1e-4)
    assert finding.holds is None
    assert "one gold answer only (AttributeError)" in finding.detail
    assert check(as_subject(strings_only, references=False), 1e-4).holds is None


@every("check", [references.best, references.order])
def test_a_function_that_claims_to_accept_lists_must(check):
    with pytest.raises(AttributeError):
        check(as_subject(strings_only, references=True), 1e-4)
