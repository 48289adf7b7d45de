"""The page of claims: made again it is the same, and each of its numbers is in its source."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import claims
from rankers.systems import catalog

PAGE = Path(claims.__file__).parents[1] / "docs" / "claims.md"


def test_the_page_made_again_is_the_same() -> None:
    assert claims.page() == PAGE.read_text(encoding="utf-8")


def test_published_numbers_are_of_systems_that_the_catalog_has() -> None:
    published = claims.published_numbers()
    systems = {name for paper, _, _, name in published if paper != "SAS paper"}
    assert systems <= set(catalog.names())
    assert all(-1 <= value <= 1 for value in published.values())
    assert published["SCAN", "wikiqa", "MAP", "scan"] == 0.9164  # Table 2
    assert published["Xu et al. 2019", "insuranceqa-test2", "P@1", "iggsa-multihop"] == 0.7140  # Table 5
    assert published["SAS paper", "nq-open F1!=0, no digits", "kendall", "sas"] == 0.351  # Table 7


def test_each_tested_claim_is_listed_once_with_the_numbers_of_its_page() -> None:
    published = claims.published_numbers()
    for paper in claims.PAPERS:
        rows = list(claims.ranking_rows(paper, published))
        keys = [(row[0], row[1], row[2], row[3]) for row in rows]
        assert rows
        assert len(set(keys)) == len(keys)
    scan = next(claims.ranking_rows("SCAN", published))
    assert scan[0] == "scan > tanda"
    assert scan[9] == "+0.022 (0.916, 0.894)"


def test_a_published_claim_is_tested_where_both_systems_were_trained_and_else_listed_as_not_run() -> None:
    rows = [row for row in claims.ranking_rows("Xu et al. 2019", claims.published_numbers()) if row[2] == "YahooCQA"]
    states = {(row[0], row[1].rpartition(" ")[2], row[3]): row[4] for row in rows}
    assert len(states) == len(rows)
    assert states["ggsa-att-pointwise > ctrn-pointwise", "6", "P@1"] == "not run here"
    assert states["ggsa-pointwise > ctrn-pointwise", "6", "P@1"] != "not run here"
    assert states["ggsa > ggsa-pointwise", "7", "P@1"] != "not run here"


def test_a_page_without_the_table_is_an_error() -> None:
    with pytest.raises(LookupError, match="no table is called 'absent'"):
        claims.rows_below("**other**\n\n| a |\n| --- |\n| b |\n", "absent")
