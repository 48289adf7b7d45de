"""``answersim plan``: labels for a width, questions for a difference, and a plan from labels that exist."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from answersim.evaluation import labeling
from answersim.evaluation.correction import estimate_mean
from answersim.evaluation.sample_size import labels_for_width, questions_for_difference
from tests.command_line import combined


def test_the_table_has_the_numbers_of_the_library() -> None:
    status, output = combined("plan", "--width", "0.1,0.05", "--share", 0.7, "--explained", 0.6, "--scored", 900)
    assert status == 0
    for width in (0.1, 0.05):
        found = labels_for_width(width, share=0.7, explained=0.6, rows=900)
        line = next(line for line in output.splitlines() if line.startswith(f"{width:g} "))
        assert (
            line.split()[-2:] == [str(found.labels), str(found.labels_alone)] if found.labels_alone else "not" in line
        )


def test_a_width_that_needs_more_rows_is_stated() -> None:
    _, output = combined("plan", "--width", "0.02", "--scored", 500)
    assert "not enough rows: with all 500 labeled, the interval is 0.070 wide" in output


def test_a_comparison_is_planned() -> None:
    status, output = combined("plan", "--drop", 0.02, "--differing", 0.1)
    assert status == 0
    assert output.startswith(f"{questions_for_difference(0.02, differing=0.1):,} questions")


def test_labels_that_were_drawn_with_unequal_probabilities_are_weighted(tmp_path: Path) -> None:
    """The share is that of ``estimate_mean`` with both columns of ``label --read -o``, and not that of the sample."""
    rng = np.random.default_rng(1)
    scores = np.where(rng.random(3000) < 0.9, 0.0, rng.random(3000))
    right = rng.random(3000) < np.where(scores == 0, 0.07, 0.3 + 0.65 * scores)
    drawn = labeling.choose(scores, 200, allocation="equal")
    labels, inclusion, strata = (np.full(3000, np.nan) for _ in range(3))
    labels[drawn.rows], inclusion[drawn.rows], strata[drawn.rows] = (
        right[drawn.rows],
        drawn.inclusion[drawn.rows],
        drawn.strata[drawn.rows],
    )
    columns = {"s": scores, "label": labels, "inclusion": inclusion, "stratum": strata}
    rows = [
        {name: None if np.isnan(value[i]) else float(value[i]) for name, value in columns.items()} for i in range(3000)
    ]
    path = tmp_path / "labeled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = estimate_mean(scores, labels, inclusion=inclusion, strata=strata)
    status, output = combined("plan", path, "--score", "s", "--width", "0.1")
    assert status == 0
    assert f"if it is {found.value:.0%} and the score explains {found.explained:.0%}" in output
    assert "the labels are weighted by the column 'inclusion' of the file" in output
    assert abs(found.value - right.mean()) < 0.05 < np.nanmean(labels) - right.mean()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--width", "wide"], "width is 'wide' (str), but it must be a number"),
        (["--drop", "0.1", "--scored", "9"], "--scored is given, but --drop plans a comparison"),
        (["--power", "0.9"], "--power is given, but it is for a comparison"),
        (["--score", "s"], "--score is given, but there is no FILE"),
        (["gone.csv", "--score", "s"], "no file at"),
        (["gone.csv"], "is given without --score"),
        (["gone.csv", "--score", "s", "--share", "0.5"], "--share is given, but FILE decides it"),
    ],
)
def test_bad_input_ends_with_one_line_and_status_2(words: list[str], message: str) -> None:
    status, output = combined("plan", *words)
    assert status == 2
    assert message in output
    assert len(output.strip().splitlines()) == 1
