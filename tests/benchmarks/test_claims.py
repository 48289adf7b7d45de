"""The pages of claims: made again they are the same, and each of their numbers is in its source."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import claim_pages, claims
from benchmarks.claim_papers import PAPERS
from rankers.systems import catalog

DOCS = Path(claims.__file__).parents[1] / "docs"
RANKING = [paper.name for paper in PAPERS[1:]]


@pytest.fixture(scope="module")
def published() -> claims.Published:
    return claims.published_numbers()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return claims.pages()


def test_the_pages_made_again_are_the_same(pages: dict[str, str]) -> None:
    assert set(pages) == {path.name for path in DOCS.glob("claims*.md")}
    for name, text in pages.items():
        assert text == (DOCS / name).read_text(encoding="utf-8"), name


def test_the_first_page_is_read_in_a_minute_and_links_to_all_others(pages: dict[str, str]) -> None:
    first = pages["claims.md"]
    assert len(first.split()) <= 1500
    assert all(f"]({name})" in first for name in pages if name != "claims.md")


def test_the_command_writes_the_overview_and_the_details_beside_it(tmp_path: Path, pages: dict[str, str]) -> None:
    import typer

    app = typer.Typer()
    app.command()(claims.main)
    assert CliRunner().invoke(app, ["--output", str(tmp_path / "first.md")]).exit_code == 0
    assert (tmp_path / "first.md").read_text(encoding="utf-8") == pages["claims.md"]
    assert (tmp_path / "claims-scan.md").read_text(encoding="utf-8") == pages["claims-scan.md"]
    assert CliRunner().invoke(app, []).stdout == pages["claims.md"]


def test_published_numbers_are_of_systems_that_the_catalog_has(published: claims.Published) -> None:
    systems = {name for paper, _, _, name in published if paper != "SAS paper"}
    assert systems <= set(catalog.names())
    assert all(-1 <= value <= 1 for value in published.values())
    assert published["SCAN", "wikiqa", "MAP", "scan"] == 0.9164  # Table 2
    assert published["Xu et al. 2019", "insuranceqa-test2", "P@1", "iggsa-multihop"] == 0.7140  # Table 5
    assert published["SAS paper", "nq-open F1!=0, no digits", "kendall", "sas"] == 0.351  # Table 7


@pytest.mark.parametrize("paper", RANKING)
def test_each_claim_is_listed_once_with_the_numbers_of_its_page(paper: str, published: claims.Published) -> None:
    rows = list(claims.ranking_rows(paper, published))
    keys = [(row.source, row.better, row.other, row.dataset, row.measure) for row in rows]
    assert rows
    assert len(set(keys)) == len(keys)
    page = claim_pages.detail_page(next(entry for entry in PAPERS if entry.name == paper), rows)
    assert sum(line.startswith("| On ") for line in page.splitlines()) == len(rows)
    for row in rows:
        assert row.sentence in page
        if row.details:
            source = (DOCS / row.details.partition("(")[2].rstrip(")")).read_text(encoding="utf-8")
            assert f"| {row.better} | {row.other} | {row.measure} |" in source


def test_a_row_has_the_published_numbers_beside_ours(published: claims.Published) -> None:
    scan = next(claims.ranking_rows("SCAN", published))
    assert (scan.better, scan.other) == ("scan", "tanda")
    assert scan.sentence == "On WikiQA, SCAN has a higher MAP than TANDA."
    assert scan.published == "+0.022 (0.916, 0.894)"


def test_controls_are_on_the_pages_of_their_papers_and_not_counted_as_claims(published: claims.Published) -> None:
    rows = {paper: list(claims.ranking_rows(paper, published)) for paper in RANKING}
    controls = [row for row in rows["SCAN"] if claim_pages.is_control(row)]
    assert controls
    page = claim_pages.overview({PAPERS[0].name: list(claims.sas_rows(published)), **rows})
    assert f"(claims-scan.md) | {len(rows['SCAN']) - len(controls)} |" in page


def test_both_origins_of_scores_test_the_same_claims_of_the_sas_paper(published: claims.Published) -> None:
    rows = list(claims.sas_rows(published))
    keys = {origin: [claim_pages.claim_key(row) for row in rows if row.scores == origin]
            for origin in ("recorded", "computed")}  # fmt: skip
    assert keys["recorded"] == keys["computed"]
    assert len(set(keys["recorded"])) == len(keys["recorded"])


def test_a_published_claim_is_tested_where_both_systems_were_trained_and_else_listed_as_not_run() -> None:
    published = claims.published_numbers()
    rows = [row for row in claims.ranking_rows("Xu et al. 2019", published) if row.dataset == "YahooCQA"]
    states = {(f"{row.better} > {row.other}", row.source.rpartition(" ")[2], row.measure): row.limit for row in rows}
    assert len(states) == len(rows)
    assert states["ggsa-att-pointwise > ctrn-pointwise", "6", "P@1"] != "not run here"
    assert states["ggsa > ggsa-pointwise", "7", "P@1"] != "not run here"
    rows = list(claims.ranking_rows("Gupta & Carvalho 2019", published))
    private = [row for row in rows if row.dataset == "Tax (private)"]
    assert len(private) == 18
    assert {(row.verdict, row.limit, row.ours) for row in private} == {("not tested", "not run here", "")}
    assert [row for row in rows if row.verdict == "not tested"] == private


def test_a_claim_whose_systems_are_on_no_page_is_listed_as_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "SOURCES", tuple(one for one in claims.SOURCES if one.published != "fiqa"))
    rows = claims.ranking_rows("Gupta & Carvalho 2019", claims.published_numbers())
    on_fiqa = [row for row in rows if row.dataset == "FiQA"]
    assert len(on_fiqa) > 20
    assert {(row.verdict, row.limit, row.ours) for row in on_fiqa} == {("not tested", "not run here", "")}


def test_a_page_without_the_table_is_an_error() -> None:
    with pytest.raises(LookupError, match="no table is called 'absent'"):
        claims.rows_below("**other**\n\n| a |\n| --- |\n| b |\n", "absent")
