"""The page on the data, models and figures of the SAS paper: its published numbers, and ours where they must agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import sas_paper
from benchmarks.tables import Table
from tests.benchmarks.programs import invoke

PAGE = Path(sas_paper.__file__).parent / "results" / "sas-paper-data.md"


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


def test_a_section_of_the_page_has_its_figures_and_its_table() -> None:
    table = Table("Made", (), ())
    text = sas_paper.page([("Figure 3: layers", "figure-3 figure-3-computed", table), ("Table 1", "", table)])
    assert text.index("## Figure 3: layers") < text.index("![Figure 3: layers](sas-paper/figure-3.png)")
    assert "(sas-paper/figure-3-computed.png)" in text
    assert text.count("![") == 2


def test_the_page_in_the_tree_has_every_section_and_figure() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for heading, images, _ in sas_paper.SECTIONS:
        assert f"## {heading}\n" in text
        for image in images.split():
            assert (PAGE.parent / "sas-paper" / f"{image}.png").is_file()


@pytest.mark.data
def test_the_page_has_no_text_of_the_data_sets(data_home: Path) -> None:
    from answersim.data import load

    text = PAGE.read_text(encoding="utf-8") + (PAGE.parent / "sas-paper-relabeling.md").read_text(encoding="utf-8")
    answers = {answer for name in sas_paper.PAPER_SETS for pair in load(name, cleaning="none").pairs for answer in pair}
    assert not [answer for answer in answers if len(answer) > 25 and answer in text]


@pytest.mark.data
def test_the_command_prints_json(data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    monkeypatch.setattr(sas_paper, "SECTIONS", (("Table 1", "", sas_paper.table_1),))
    result = invoke("sas_paper", "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)[0]["published"] == "56.7"
