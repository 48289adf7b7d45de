"""The figures of an evaluation show the numbers they are given, without color too."""

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra `report`")

from answersim.evaluation.tables import SystemRow
from answersim.report import drawing, system_figures
from answersim.report.system_figures import Series
from answersim.stats.resampling import Estimate

NAN = Estimate(math.nan, math.nan, math.nan)


def row(system: str, right: int, wrong: int, unsure: int) -> SystemRow:
    n = right + wrong + unsure
    share = right / n
    return SystemRow("all", system, n, n, NAN, right, wrong, unsure, Estimate(share, share - 0.05, share + 0.05), NAN)


def bars_of(axes: Any) -> list[tuple[float, float, str | None]]:
    return [(round(bar.get_x(), 6), round(bar.get_width(), 6), bar.get_hatch()) for bar in axes.patches]


def test_verdicts_are_stacked_to_one_hundred_percent_and_hatched():
    with drawing.inked():
        axes = system_figures.verdict_bars([row("a", 8, 1, 1), row("b", 5, 5, 0)]).axes[0]
    assert bars_of(axes) == [
        (0, 80, ""),
        (0, 50, ""),
        (80, 10, "////"),
        (50, 0, "////"),
        (90, 10, "xxxx"),
        (50, 50, "xxxx"),
    ]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a", "b"]
    assert axes.get_xlim() == (0, 100)


def test_one_system_has_its_counts_in_the_legend():
    with drawing.inked():
        figure = system_figures.verdict_bars([row("a", 1000, 1, 20)])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "✓ right (1,000)",
        "? unsure (20)",
        "✗ wrong (1)",
    ]


def test_a_forest_has_a_line_per_name_and_a_marker_per_series():
    series = [
        Series("one", {"a": Estimate(0.5, 0.4, 0.6), "b": Estimate(0.7, math.nan, math.nan)}),
        Series("two", {"b": Estimate(0.6, 0.5, 0.7), "c": NAN}),
    ]
    with drawing.inked():
        axes = system_figures.forest(series, label="share", factor=100, limits=(0.2, 0.9)).axes[0]
    first, second = axes.containers
    assert list(first[0].get_xdata()) == [50, 70]
    assert list(second[0].get_xdata()) == [60]
    assert first[0].get_marker() != second[0].get_marker()
    assert [text.get_text() for text in axes.get_yticklabels()] == ["c", "b", "a"]
    assert axes.get_xlim() == pytest.approx((20, 90))


@pytest.mark.parametrize("limits", [(0.4, 0.43), (0.594, 0.632), (0.2, 0.9)])
def test_an_axis_of_percent_has_whole_numbers(limits):
    with drawing.inked():
        figure = system_figures.forest(
            [Series("one", {"a": Estimate(0.62, 0.6, 0.63)})], label="%", factor=100, limits=limits
        )
        ticks = figure.axes[0].get_xticks()
    assert len(ticks) >= 2
    assert all(tick == round(tick) for tick in ticks)
    assert figure.axes[0].get_xlim()[0] <= 100 * limits[0]
    assert figure.axes[0].get_xlim()[1] >= 100 * limits[1]


def test_limits_contain_all_ends_and_are_not_empty():
    assert system_figures.limits_of([]) == (0, 1)
    low, high = system_figures.limits_of([Estimate(0.5, math.nan, math.nan)])
    assert low < 0.5 < high


def test_every_score_is_counted_once_by_its_verdict():
    scores = {"a": np.array([0.0, 0.0, 0.5, 1.0]), "b": np.array([1.0, 1.0, 1.0, -0.5])}
    calls = {"a": np.array(["wrong", "unsure", "unsure", "right"]), "b": np.array(["right"] * 3 + ["wrong"])}
    with drawing.inked():
        figure = system_figures.scores_by_verdict(scores, calls, "score of f1")
    for axes, system in zip(figure.axes, scores, strict=True):
        counts: dict[str | None, float] = {}
        for bar in axes.patches:
            counts[bar.get_hatch()] = counts.get(bar.get_hatch(), 0) + bar.get_height()  # type: ignore[attr-defined]
        expected = {
            hatch: (calls[system] == call).sum()
            for call, hatch in (("right", ""), ("unsure", "////"), ("wrong", "xxxx"))
        }
        assert counts == expected
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()


def test_curves_of_labels_differ_by_marker_and_dashes():
    curves = {"labels with f1": [(50, 0.2), (200, 0.1)], "labels alone": [(100, 0.2), (400, 0.1)]}
    with drawing.inked():
        axes = system_figures.label_curves(curves, 80).axes[0]
    one, two, now = axes.get_lines()
    assert list(one.get_xdata()) == [50, 200]
    assert list(two.get_ydata()) == pytest.approx([20, 10])
    assert one.get_marker() != two.get_marker()
    assert one.get_linestyle() != two.get_linestyle()
    assert set(now.get_xdata()) == {80}
