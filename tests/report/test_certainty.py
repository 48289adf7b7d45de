"""Labels against certainty: the numbers are those of the plan, and a score that explains more takes fewer labels."""

import math

import pytest

pytest.importorskip("matplotlib", reason="needs the extra `report`")

from answersim.evaluation.sample_size import labels_for_width
from answersim.report import drawing
from answersim.report.certainty import WIDTHS, certainty
from answersim.report.drawing import Gallery
from tests.cases import every

pytestmark = pytest.mark.usefixtures("small_files")


def test_the_table_has_the_numbers_of_the_plan():
    with drawing.inked():
        found = certainty({"f1": 0.2, "recall": 0.6}, 0.8, 100, Gallery(), rows=2000)
    assert found is not None
    assert found.names == ("f1", "recall")
    assert len(found.rows) == len(WIDTHS)
    for width, row in zip(WIDTHS, found.rows, strict=True):
        for name, count in zip((0.2, 0.6), row.counts, strict=False):
            plan = labels_for_width(width, share=0.8, explained=name, rows=2000)
            assert count == ("not enough answers" if plan.labels is None else f"{plan.labels:,}")
        assert row.counts[2] == ("not enough answers" if plan.labels_alone is None else f"{plan.labels_alone:,}")
    assert found.rows[1].width == "10 points"
    assert "recall explains 60\N{NO-BREAK SPACE}% of the variance of the labels" in found.sentence
    assert "100 labels now" in found.figure.svg


@every(("explained", "share"), [({}, 0.5), ({"f1": math.nan}, 0.5), ({"f1": 0.5}, 1.0), ({"f1": 0.5}, 0.0)])
def test_nothing_is_planned_from_labels_of_one_class_or_without_a_score(explained, share):
    with drawing.inked():
        assert certainty(explained, share, 100, Gallery()) is None


def test_a_score_that_explains_all_or_less_than_nothing_is_limited():
    with drawing.inked():
        assert certainty({"all": 1.0, "none": -0.1}, 0.5, 20, Gallery()) is not None
