"""The curves of a coefficient by layer are those of scipy, with intervals around them, and their figure shows each."""

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("matplotlib", reason="needs the extra `report`")
from benchmarks import layers

RNG = np.random.default_rng(1)
LABELS = RNG.integers(3, size=60).astype(float)
COLUMNS = {layer: layer * LABELS + RNG.normal(size=60) for layer in range(3)}
HALF = np.arange(60) < 30


def test_each_point_is_the_coefficient_of_its_layer_over_its_rows():
    points = layers.curves(COLUMNS, LABELS, {"half": HALF, "all": HALF | ~HALF}, 0)
    assert len(points) == 3 * 2 * 3
    compute = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for point in points:
        rows = slice(30) if point.subset == "half" else slice(60)
        expected = compute[point.coefficient](COLUMNS[point.layer][rows], LABELS[rows]).statistic
        assert point.value == pytest.approx(expected, abs=1e-12)
        assert np.isnan(point.low)  # no resamples, no interval
    for point in layers.curves(COLUMNS, LABELS, {"all": HALF | ~HALF}, 200):
        assert point.low < point.value < point.high


def test_the_figure_has_a_panel_per_subset_and_coefficient_and_a_line_per_encoder():
    points = layers.curves(COLUMNS, LABELS, {"half": HALF, "all": HALF | ~HALF}, 0)
    figure = layers.draw({"one": points, "two": points})
    assert len(figure.axes) == 6
    for panel in figure.axes:
        one, two = panel.get_lines()
        assert list(one.get_xdata()) == [0, 1, 2]
        assert one.get_marker() != two.get_marker()
        assert one.get_linestyle() != two.get_linestyle()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]
