"""The page on the data, models and figures of the SAS paper: its published numbers, and ours where they must agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import sas_paper


@pytest.mark.data
def test_table_1_is_exact_but_for_the_repetitions(data_home: Path) -> None:
    rows = [row for row in sas_paper.table_1().rows if "repeated" not in str(row[1])]
    assert len(rows) == 3 * 7
    for title, what, ours, published in rows:
        assert round(float(str(ours))) == round(float(str(published))), (title, what)
        if "characters" not in str(what):
            assert float(str(ours)) == float(str(published)), (title, what)


def test_table_6_has_the_published_settings_and_those_of_our_base() -> None:
    table = sas_paper.table_6()
    published = [row for row in table.rows if row[1] == "paper"]
    assert len(published) == 6
    assert all(len(row) == 2 + len(sas_paper.CONFIG) for row in table.rows)
    assert ("bert-base-uncased", "paper", "768", "3072", "512", "bert", "12", "12", "30522") in published


@pytest.mark.data
def test_figure_2_has_the_means_of_the_recorded_scores(data_home: Path) -> None:
    import numpy as np

    from benchmarks import figures

    low = figures.low_scores()
    table = sas_paper.figure_2(metrics=("f1",))
    by_name = {row[0]: row for row in table.rows}
    assert by_name["all"][1:3] == (154, 62)
    spatial = [pair.sas for pair in low if pair.category == "Spatial"]
    assert by_name["Spatial"][1:4] == (20, 8, pytest.approx(np.mean(spatial)))
    assert sum(int(str(row[1])) for row in table.rows[:-1]) == 154
