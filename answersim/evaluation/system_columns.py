"""Columns of numbers per system: scores of other tools, human labels, and how labels were drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from answersim.answers.blocks import AnswerBlock
from answersim.evaluation.labeling import INCLUSION, STRATUM, is_open, value_of
from answersim.types import FloatArray


class LabelColumns(NamedTuple):
    """Labels by system, shape (n,) each, nan for no label; probabilities and strata, for systems that have them.

    The probability and the stratum of a row without a label are nan.
    """

    labels: dict[str, FloatArray]
    inclusion: dict[str, FloatArray]
    strata: dict[str, FloatArray]


def scores(answers: AnswerBlock, columns: Mapping[str, str]) -> dict[str, FloatArray]:
    """Return the scores of each system, by the name of its column.

    Raise LookupError if a system has no such column, ValueError if a value is not a finite number.
    """
    found = {}
    for system, column in columns.items():
        own = answers.own[system]
        if column not in own:
            raise LookupError(f"{system} has no column {column!r} of scores")
        values = np.array([_number(value) for value in own[column]])
        if len(bad := np.flatnonzero(~np.isfinite(values))):
            i = int(bad[0])
            raise ValueError(
                f"{system}, id {answers.ids[i]!r}: the score {column!r} is {str(own[column][i])[:40]!r}, but it must "
                f"be a finite number ({len(bad):,} of {len(values):,} values are not)"
            )
        found[system] = values
    return found


def labels(answers: AnswerBlock, columns: Mapping[str, str]) -> LabelColumns:
    """Return the labels of the systems that have their column, and the probabilities of their rows to be labeled.

    Raise ValueError if a value is neither a label nor a probability, or a labeled row has no probability although
    others have one.
    """
    found: dict[str, FloatArray] = {}
    shares: dict[str, FloatArray] = {}
    strata: dict[str, FloatArray] = {}
    for system, column in columns.items():
        own = answers.own[system]
        if column not in own:
            continue
        where = [f"{system}, id {key!r}" for key in answers.ids]
        found[system] = np.array([value_of(value, place) for value, place in zip(own[column], where, strict=True)])
        if INCLUSION in own:
            shares[system] = _inclusion(own, found[system], where)
        if STRATUM in own:
            strata[system] = np.where(np.isnan(found[system]), np.nan, [_number(value) for value in own[STRATUM]])
    given = [{name: values for name, values in by.items() if not np.isnan(values).all()} for by in (shares, strata)]
    return LabelColumns(found, *given)


def _inclusion(own: Mapping[str, list[object]], labeled: FloatArray, where: list[str]) -> FloatArray:
    values = np.full(len(labeled), np.nan)
    given = [not is_open(value) for value in own[INCLUSION]]
    for i in np.flatnonzero(~np.isnan(labeled)).tolist():
        if not given[i] and not any(given):
            continue
        value = own[INCLUSION][i]
        values[i] = _number(value)
        if not 0 < values[i] <= 1:
            raise ValueError(
                f"{where[i]}: the inclusion probability is {str(value)[:40]!r}, but a labeled row needs one above 0 "
                "and at most 1"
            )
    return values


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type] # of any type
    except (TypeError, ValueError, OverflowError):
        return math.nan
