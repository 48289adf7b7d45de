"""Benchmarks that a language model grades: the parsers of its replies and the tables, which need no judge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from answersim.metrics.official.squad_rules import Results, Rows, total

_GRADE = re.compile("(A|B|C)")
_VERDICT = re.compile(r"correct: (yes|no)")
_CONFIDENCE = re.compile(r"confidence:\s*(\d+)")
_BIN = 100  # answers in a bin of the calibration error of HLE


def simpleqa(golds: list[str], pred: str) -> dict[str, Any]:
    """Read the grade of SimpleQA from the reply of the judge: its first A, B or C, else C (not attempted).

    "CORRECT", typed out, therefore reads as C. ``golds``: not used; the judge has seen them.

    Source: ``simpleqa_eval.py`` (Wei et al. 2024).
    """
    match = _GRADE.search(pred)
    grade = match.group(0) if match else "C"
    names = zip("ABC", ("is_correct", "is_incorrect", "is_not_attempted"), strict=True)
    return {"grade": grade} | {name: grade == letter for letter, name in names}


def simpleqa_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the shares of the grades, the accuracy among attempted questions, and the harmonic mean of both."""
    table: dict[str, Any] = _shares(results, "is_correct", "is_incorrect", "is_not_attempted")
    correct = table["is_correct"]
    attempted = table["is_given_attempted"] = correct + table["is_incorrect"]
    of_attempted = table["accuracy_given_attempted"] = correct / attempted if attempted > 0 else 0
    table["f1"] = 2 * of_attempted * correct / (of_attempted + correct) if of_attempted + correct > 0 else 0
    return table


def browsecomp(golds: list[str], pred: str) -> dict[str, Any]:
    """Read the verdict of BrowseComp as published: the whole match "correct: yes" is compared with "yes".

    Every graded answer is therefore neither correct nor incorrect. ``browsecomp_mended`` compares the word.
    """
    match = _VERDICT.search(pred)
    return _verdict(match.group(0) if match else "no")


def browsecomp_mended(golds: list[str], pred: str) -> dict[str, Any]:
    """Read the verdict that the judge of BrowseComp wrote; "no" without one. This is not the published rule."""
    match = _VERDICT.search(pred)
    return _verdict(match.group(1) if match else "no")


def _verdict(grade: str) -> dict[str, Any]:
    return {"grade": grade, "is_correct": grade == "yes", "is_incorrect": grade == "no"}


def browsecomp_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return the shares of correct and incorrect answers."""
    return _shares(results, "is_correct", "is_incorrect")


def _shares(results: Results, *keys: str) -> dict[str, float]:
    return {key: total(results, key) / len(results) for key in keys}


def hle(golds: list[str], pred: str) -> dict[str, Any]:
    """Read the verdict and the confidence of HLE from the reply of the judge; confidence 100 without one."""
    match, confidence = _VERDICT.search(pred), _CONFIDENCE.search(pred)
    return {
        "correct": bool(match and match.group(1) == "yes"),
        "confidence": int(confidence.group(1)) if confidence else 100,
    }


def hle_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return accuracy and the half-width of its normal interval in percent, and the calibration error of bins of 100.

    The table follows a description of the benchmark. The owner's code was not run and may bin otherwise. A question
    without a prediction is wrong. The calibration error is the root of the mean squared difference between confidence
    and accuracy over bins of 100 answers of like confidence; the last bin takes what is left. It is None for fewer than
    100 answers.
    """
    graded = [result for result in results if result]
    accuracy = round(100 * sum(result["correct"] for result in graded) / len(results), 2)
    half = round(1.96 * (accuracy * (100 - accuracy) / len(results)) ** 0.5, 2)
    return {"accuracy": accuracy, "half_width": half, "calibration_error": _calibration_error(graded)}


def _calibration_error(graded: Sequence[Mapping[str, Any]]) -> float | None:
    if len(graded) < _BIN:
        return None
    confidence = np.array([result["confidence"] for result in graded]) / 100
    correct = np.array([result["correct"] for result in graded], dtype=np.float64)
    order = np.argsort(confidence, kind="stable")
    starts = [i * _BIN for i in range(len(graded) // _BIN)]
    bins = np.split(order, starts[1:])
    squared = sum(len(rows) * (confidence[rows].mean() - correct[rows].mean()) ** 2 for rows in bins)
    return float(100 * (squared / len(graded)) ** 0.5)
