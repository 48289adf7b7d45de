"""The figures: they show the numbers they are given, without colour too, and the same ones are the same file."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra `report`")

from answersim.report import drawing, figures
from answersim.report.figures import Bar, Ends
from answersim.report.outcomes import OUTCOMES

COLUMNS = {"f1": np.array([0.0, 0.2, 0.9, 1.0]), "sas": np.array([0.1, 0.3, 0.5, 0.7])}
LABELS = np.array([0.0, 0.0, 2.0, 2.0])
ENDS = [Ends("a", 0.3, 0.1, 0.5), Ends("b", 0.2, 0.15, 0.3)]

ALL: dict[str, Callable[[], object]] = {
    "bars": lambda: figures.bars([Bar("x", 3, 1), Bar("y", 2)], label="pairs", part="low", whole="high"),
    "log_ranges": lambda: figures.log_ranges(ENDS, label="s", names=("ours", "theirs"), beside={"a": 3.0}),
    "ranges": lambda: figures.ranges(ENDS, label="tau-b"),
    "score_spread": lambda: figures.score_spread({"set": COLUMNS, "other": COLUMNS}),
    "scores_by_label": lambda: figures.scores_by_label(COLUMNS, LABELS, 2.0),
    "histograms": lambda: figures.histograms(COLUMNS),
    "reliability": lambda: figures.reliability(ENDS, [0.2, 0.3], label="said", observed="seen"),
}


@pytest.mark.parametrize("name", ALL)
def test_a_figure_is_the_same_file_twice_and_in_a_page_it_has_the_color_of_its_text_and_no_links(name):
    with drawing.inked():
        one, other = (drawing.rendered(ALL[name](), "svg").decode() for _ in range(2))  # type: ignore[arg-type]
    assert one == other
    ElementTree.fromstring(one)
    svg = drawing.on_page(one, 'of "a" & <b>')
    ElementTree.fromstring(svg.replace("xlink:", ""))
    assert 'aria-label="of &quot;a&quot; &amp; &lt;b&gt;"' in svg
    assert "currentColor" in svg
    assert "#010203" not in svg
    assert "#999fa6" not in svg
    assert "font-family" not in svg
    assert not re.findall(r'(?:href|src)="(?!#)', svg)
    assert len(svg) < 100_000


def axes_of(figure: object) -> list[object]:
    return list(figure.axes)  # type: ignore[attr-defined]


def test_bars_show_their_numbers_and_hatch_a_part():
    axes = axes_of(ALL["bars"]())[0]
    assert [text.get_text() for text in axes.texts] == ["3", "2"]  # type: ignore[attr-defined]
    widths = [(patch.get_width(), patch.get_hatch()) for patch in axes.patches]  # type: ignore[attr-defined]
    assert widths == [(2, None), (2, None), (1, "////"), (0, "////")]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["x", "y"]  # type: ignore[attr-defined]


def test_labels_have_the_hatches_of_wrong_and_right_answers():
    panel = axes_of(ALL["scores_by_label"]())[0]
    hatches = [patch.get_hatch() for patch in panel.patches]  # type: ignore[attr-defined]
    assert hatches == [OUTCOMES["wrong"].hatch, OUTCOMES["right"].hatch]
    ticks = [text.get_text() for text in panel.get_xticklabels()]  # type: ignore[attr-defined]
    assert ticks == ["0\nn=2", "2\nn=2"]


def test_outlines_differ_in_their_dashes_and_contain_all_pairs():
    axes = axes_of(ALL["histograms"]())[0]
    outlines = [patch for patch in axes.patches if not patch.get_fill()]  # type: ignore[attr-defined]
    assert [sum(outline.get_data().values) for outline in outlines] == [4, 4]
    assert len({outline.get_linestyle() for outline in outlines}) == 2


def test_an_interval_that_is_not_defined_is_left_out():
    nan = float("nan")
    drawing.rendered(figures.ranges([Ends("a", 0.3, nan, nan)], label="tau-b"), "svg")


def test_an_empty_group_is_an_empty_box():
    drawing.rendered(figures.score_spread({"set": {"f1": np.array([])}}), "svg")
