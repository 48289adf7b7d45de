"""All checks run, whatever one of them does."""

from typing import Any

import numpy as np

from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.evaluation.doctor.checks import NAMES, findings
from answersim.evaluation.doctor.subject import as_subject

SAMPLE = minimal_pairs("en", "dev")[:6]
SEEN = np.array([0.0, 1.0])


def by_name(function: Any) -> dict[str, Any]:
    return {finding.property: finding for finding in findings(as_subject(function), SAMPLE, SEEN, 1e-4)}


def test_every_property_is_checked_once():
    results = [finding.property for finding in findings(as_subject("sas"), SAMPLE, SEEN, 1e-4)]
    assert results == list(NAMES)
    without = [finding.property for finding in findings(as_subject("f1"), SAMPLE, SEEN, 1e-4)]
    assert without == [name for name in NAMES if "question" not in name]


def test_an_error_is_a_finding_and_stops_no_other_check():
    def fragile(golds: list[str], preds: list[str]) -> list[float]:
        if not golds:
            raise IndexError("no pairs at all")
        return [float(gold == pred) for gold, pred in zip(golds, preds, strict=True)]

    result = by_name(fragile)
    assert (result["no pairs"].holds, result["no pairs"].detail) == (False, "IndexError: no pairs at all")
    assert result["symmetry"].holds
    assert result["white space"].holds is False


def test_pairs_without_a_score_break_odd_input_and_nothing_else():
    def no_empty_text(golds: list[str], preds: list[str]) -> list[float]:
        if not all(preds):
            raise ValueError("an empty answer")
        return [float(gold.split() == pred.split()) for gold, pred in zip(golds, preds, strict=True)]

    result = by_name(no_empty_text)
    assert [name for name, finding in result.items() if finding.holds is False] == ["odd input"]


def test_a_wrong_number_of_scores_is_a_finding():
    result = by_name(lambda golds, preds: [0.0] * (len(golds) + 1))
    assert result["symmetry"].detail.startswith("one number per pair")
