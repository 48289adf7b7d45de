"""The drawings of the ranking figures: marks, names and panels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")
from benchmarks import figures_ranking, ranking_drawings
from benchmarks.ranking_drawings import Placed, Point, Tau, Weighed
from tests.benchmarks.drawn_results import SYSTEMS, found


def texts(axes: Any) -> set[str]:
    return {text.get_text() for text in axes.texts}


def test_systems_are_drawn_at_their_means_with_their_names() -> None:
    drawn = dict(figures_ranking.of_results(found(), ["P@1"], ["sas where P@1=0"]))
    (axes,) = drawn["P@1-sas-where-P@1=0"].axes
    assert texts(axes) == set(SYSTEMS)
    places = {tuple(np.round(line.get_xydata()[0], 6)) for line in axes.lines if len(line.get_xydata()) == 1}  # type: ignore[index] # an array
    assert {(round(0.1 * i, 6), round(0.1 * i, 6)) for i in range(len(SYSTEMS))} <= places
    assert "P@1" in axes.get_xlabel()
    assert "P@1=0" in axes.get_ylabel()


def test_families_differ_in_their_markers_and_circular_systems_are_hollow() -> None:
    point = Point(0.5, 0.4, 0.6)
    placed = [Placed("a", "one", point, point), Placed("b", "two", point, point, True)]
    (axes,) = ranking_drawings.systems(placed, across="x", up="y").axes
    drawn = [line for line in axes.lines if line.get_marker() in ("o", "s")]
    assert len({line.get_marker() for line in drawn}) == 2
    assert [line.get_markerfacecolor() == "none" for line in drawn] == [False, True]


def test_many_systems_are_drawn_as_numbers_with_a_list() -> None:
    point = Point(0.5, 0.4, 0.6)
    many = [Placed(f"system-{i}", "one", point, point) for i in range(ranking_drawings.NUMBERED + 1)]
    (axes,) = ranking_drawings.systems(many, across="x", up="y").axes
    assert {"1", "13"} <= texts(axes)
    assert any("13 system-12" in text for text in texts(axes))


def test_taus_are_drawn_with_their_intervals_the_first_on_top() -> None:
    taus = [Tau("MAP and sas", 0.5, -0.1, 0.8), Tau("MAP and f1", 0.9, 0.7, 1.0)]
    (axes,) = ranking_drawings.taus(taus).axes
    shown = dict(zip((label.get_text() for label in axes.get_yticklabels()), axes.get_yticks(), strict=True))
    assert shown["MAP and sas"] > shown["MAP and f1"]
    segments = np.vstack([np.array(collection.get_segments()[0]) for collection in axes.collections])  # type: ignore[attr-defined] # lines
    assert {-0.1, 0.8, 0.7, 1.0} == set(segments[:, 0].round(6))


def test_an_order_without_a_tau_is_left_out() -> None:
    (axes,) = dict(figures_ranking.of_results(found()))["orders"].axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["MAP and sas, 1 circular left out"]


def test_a_sweep_has_a_panel_per_setting_with_the_default_value() -> None:
    drawn = dict(figures_ranking.of_results(found()))
    (axes,) = drawn["MAP-sweeps"].axes
    assert axes.get_xlabel() == "ADDAX, alpha"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "5", "10"]
    values = next(line.get_ydata() for line in axes.lines if line.get_linestyle() == "-" and len(line.get_ydata()) == 3)
    np.testing.assert_allclose(np.asarray(values, dtype=float), [0.4, 0.3, 0.5])


def test_weights_are_drawn_by_rate_in_three_panels() -> None:
    rows = [Weighed(rate, 1 - rate, 1 + rate, 40 - rate, 40, 2.0, 2.0 - rate) for rate in (0.1, 0.2)]
    drawn = ranking_drawings.weights({"one": rows, "two": rows})
    first, second, third = drawn.axes
    np.testing.assert_allclose(second.lines[0].get_ydata(), [39.9 / 40, 39.8 / 40])
    np.testing.assert_allclose(third.lines[0].get_ydata(), [0.95, 0.9])
    styles = {(line.get_linestyle(), line.get_marker()) for line in second.lines[:2]}
    assert len(styles) == 2
    assert all(axes.get_xscale() == "log" for axes in drawn.axes)
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["one", "two"]


def test_heat_maps_have_a_row_per_word_piece() -> None:
    drawn = ranking_drawings.heat_maps({"one": (["an", "##swer"], np.zeros((2, 5))), "two": (["a"], np.ones((1, 5)))})
    first, second = (axes for axes in drawn.axes if axes.images)
    assert [label.get_text() for label in first.get_yticklabels()] == ["an", "##swer"]
    assert second.images[0].get_array().shape == (1, 5)
