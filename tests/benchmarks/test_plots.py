"""The figures: they show the numbers they are given, without colour too, and the same ones are the same file."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need it")

from answersim.stats.resampling import Estimate
from benchmarks import plots
from benchmarks.plots import OUTCOMES, Bar, Ends

COLUMNS = {"f1": np.array([0.0, 0.2, 0.9, 1.0]), "sas": np.array([0.1, 0.3, 0.5, 0.7])}
LABELS = np.array([0.0, 0.0, 2.0, 2.0])
ENDS = [Ends("a", 0.3, 0.1, 0.5), Ends("b", 0.2, 0.15, 0.3)]

ALL: dict[str, Callable[[], object]] = {
    "bars": lambda: plots.bars([Bar("x", 3, 1), Bar("y", 2)], label="pairs", part="low", whole="high"),
    "log_ranges": lambda: plots.log_ranges(ENDS, label="s", names=("ours", "theirs"), beside={"a": 3.0}),
    "score_spread": lambda: plots.score_spread({"set": COLUMNS, "other": COLUMNS}),
    "scores_by_label": lambda: plots.scores_by_label(COLUMNS, LABELS, 2.0),
    "histograms": lambda: plots.histograms(COLUMNS),
    "forest": lambda: plots.forest({"one": {"a": Estimate(0.5, 0.4, 0.6)}}, label="share"),
}


@pytest.mark.parametrize("name", ALL)
def test_a_figure_is_the_same_file_twice(name, tmp_path):
    for file in ("one.png", "other.png"):
        plots.save(ALL[name](), tmp_path / file)  # type: ignore[arg-type]
    content = (tmp_path / "one.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert content == (tmp_path / "other.png").read_bytes()


def test_two_colors_differ_for_readers_who_see_no_difference_of_red_and_green():
    """Colors as dichromats see them (Vienot, Brettel and Mollon 1999), apart by a distance in linear RGB."""
    rgb = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in plots.COLORS]) ** 2.2
    for kind in ([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
                 [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]):  # fmt: skip
        seen = rgb @ np.array(kind).T
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=-1)[np.triu_indices(len(plots.COLORS), 1)]
        assert apart.min() > 0.1  # the default colors of matplotlib: 0.028


def axes_of(figure: object) -> list[object]:
    return list(figure.axes)  # type: ignore[attr-defined]


def test_labels_have_the_hatches_of_wrong_and_right_answers():
    panel = axes_of(ALL["scores_by_label"]())[0]
    hatches = [patch.get_hatch() for patch in panel.patches]  # type: ignore[attr-defined]
    assert hatches == [OUTCOMES["wrong"][1], OUTCOMES["right"][1]]
    ticks = [text.get_text() for text in panel.get_xticklabels()]  # type: ignore[attr-defined]
    assert ticks == ["0\nn=2", "2\nn=2"]


def test_a_forest_has_a_line_per_name_and_a_marker_per_series():
    series = {
        "one": {"a": Estimate(0.5, 0.4, 0.6), "b": Estimate(0.7, 0.6, 0.9)},
        "two": {"b": Estimate(0.6, 0.5, 0.7)},
    }
    axes = plots.forest(series, label="share").axes[0]
    first, second = axes.containers
    assert list(first[0].get_xdata()) == [0.5, 0.7]
    assert list(second[0].get_xdata()) == [0.6]
    assert first[0].get_marker() != second[0].get_marker()
    assert [text.get_text() for text in axes.get_yticklabels()] == ["b", "a"]
