"""The table of claims: made again it is the same, and each of its numbers is in its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import claims
from benchmarks.claims_overview import COMPUTED, RECORDED, SAS, ClaimRow
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


def test_a_row_has_the_published_numbers_and_ours(rows: list[ClaimRow]) -> None:
    scan = next(row for row in rows if row.paper == "SCAN")
    assert (scan.better, scan.other, scan.set, scan.measure) == ("scan-rate-1", "tanda", "WikiQA", "MAP")
    assert (scan.published, scan.published_better, scan.published_other) == ("+0.022", "0.916", "0.894")


def test_both_origins_of_scores_test_the_same_claims_of_the_sas_paper(rows: list[ClaimRow]) -> None:
    keys = [[row[:6] for row in rows if row.paper == SAS and row.scores == origin] for origin in (RECORDED, COMPUTED)]
    assert keys[0] == keys[1]
    assert len(keys[0]) == 58


def test_a_claim_is_tested_only_if_both_systems_were_trained(
    rows: list[ClaimRow],
) -> None:
    yahoo = {(f"{row.better} > {row.other}", row.source.rpartition(" ")[2], row.measure): row.verdict
             for row in rows if (row.paper, row.set) == ("Xu et al. 2019", "YahooCQA")}  # fmt: skip
    assert yahoo["ggsa-att-pointwise > ctrn-pointwise", "6", "P@1"] != "not tested"
    assert yahoo["ggsa > ggsa-pointwise", "7", "P@1"] != "not tested"
    untested = [row for row in rows if row.verdict == "not tested"]
    assert len(untested) == 18
    assert {(row.set, row.difference, row.run) for row in untested} == {("Tax (private)", "", "")}


def test_a_claim_whose_systems_are_on_no_page_is_listed_as_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "SOURCES", tuple(one for one in claims.SOURCES if one.published != "fiqa"))
    found = claims.ranking_rows("Gupta & Carvalho 2019", claims.published_numbers())
    on_fiqa = [row for row in found if row.set == "FiQA"]
    assert len(on_fiqa) > 20
    assert {(row.verdict, row.difference) for row in on_fiqa} == {("not tested", "")}


def test_a_page_without_the_table_is_an_error() -> None:
    with pytest.raises(LookupError, match="absent"):
        claims.rows_below("**other**\n\n| a |\n| --- |\n| b |\n", "absent")


def test_repetitions_and_networks_that_did_not_learn_are_not_counted(rows: list[ClaimRow]) -> None:
    chance = {name for row in rows for name in row.at_chance.split(", ") if row.set == "YahooCQA" and name}
    assert {"ctrn-pointwise", "ggsa-pointwise", "iggsa-pointwise"} <= chance
    assert "ggsa" not in chance
    pointwise = [row for row in rows if row.set.startswith("YahooCQA") and "-pointwise" in row.better + row.other]
    assert {(row.verdict, row.is_counted) for row in pointwise} == {("withdrawn", False)}
    assert {row.set for row in pointwise} == {"YahooCQA", "YahooCQA, published settings"}
    assert [row for row in rows if row.verdict == "withdrawn"] == pointwise
    repeated = [row for row in rows if row.same_as and (row.better, row.other) == ("ggsa", "global")]
    assert repeated
    assert not any(row.is_counted for row in repeated)
