"""The table of claims: made again it is the same, and each of its numbers is in its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import claims
from benchmarks.claims_overview import SAS, ClaimRow
from rankers.systems import catalog
from tests.benchmarks.programs import invoke


@pytest.fixture(scope="module")
def published() -> claims.Published:
    return claims.published_numbers()


@pytest.fixture(scope="module")
def rows() -> list[ClaimRow]:
    return claims.claim_rows()


def test_the_command_writes_the_table_and_the_overview_of_the_tree(tmp_path: Path) -> None:
    arguments = ["--table", str(tmp_path / "t.csv"), "--output", str(tmp_path / "o.md")]
    assert invoke("claims", *arguments).exit_code == 0
    remedy = "run python -m benchmarks.claims"
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == claims.TABLE.read_text(encoding="utf-8"), remedy
    assert (tmp_path / "o.md").read_text(encoding="utf-8") == claims.OVERVIEW.read_text(encoding="utf-8"), remedy


def test_published_numbers_are_of_systems_that_the_catalog_has(published: claims.Published) -> None:
    systems = {name for paper, _, _, name in published if paper != SAS}
    assert systems <= set(catalog.names())
    assert all(-1 <= value <= 1 for value in published.values())
    assert published["SCAN", "wikiqa", "MAP", "scan"] == 0.9164  # Table 2
    assert published["Xu et al. 2019", "insuranceqa-test2", "P@1", "iggsa-multihop"] == 0.7140  # Table 5
    assert published["SAS paper", "nq-open F1!=0, no digits", "kendall", "sas"] == 0.351  # Table 7


def test_each_claim_is_listed_once_with_the_numbers_of_its_page(rows: list[ClaimRow]) -> None:
    keys = [(*row[:6], row.scores) for row in rows]
    assert len(set(keys)) == len(keys) > 700
    for row in rows:
        if row.run and row.paper != SAS:
            page = (claims.RESULTS / row.run).read_text(encoding="utf-8")
            line = next(
                line for line in page.splitlines()
                if line.startswith(f"| {row.source} | {row.better} | {row.other} | {row.measure} |")
                and f" {row.difference} " in line and f"[{row.low}, {row.high}]" in line
            )  # fmt: skip
            assert f" {row.p} " in line


def test_a_claim_whose_systems_are_on_no_page_is_listed_as_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "SOURCES", tuple(one for one in claims.SOURCES if one.published != "fiqa"))
    found = claims.ranking_rows("Gupta & Carvalho 2019", claims.published_numbers())
    on_fiqa = [row for row in found if row.set == "FiQA"]
    assert len(on_fiqa) > 20
    assert {(row.verdict, row.difference) for row in on_fiqa} == {("not tested", "")}


def test_a_page_without_the_table_is_an_error() -> None:
    with pytest.raises(LookupError, match="absent"):
        claims.rows_below("**other**\n\n| a |\n| --- |\n| b |\n", "absent")
