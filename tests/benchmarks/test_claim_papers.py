"""The main claims of the papers: each is about systems that are compared, and each selects rows of its own."""

from __future__ import annotations

import pytest

from benchmarks.claim_papers import PAPERS, Headline
from benchmarks.ranking_claims import CLAIMS
from benchmarks.study import claims as sas_claims

HEADLINES = [headline for paper in PAPERS for headline in paper.headlines]


@pytest.mark.parametrize("headline", HEADLINES, ids=lambda headline: headline.text)
def test_a_main_claim_is_among_the_claims_that_are_tested(headline: Headline) -> None:
    if headline.statement:
        assert len({claim.statement for claim in sas_claims() if claim.statement.startswith(headline.statement)}) == 1
    else:
        assert set(headline.pairs) <= {(claim.better, claim.other) for claim in CLAIMS}


def test_each_paper_has_two_to_seven_main_claims_and_a_page_of_its_own() -> None:
    assert all(2 <= len(paper.headlines) <= 7 for paper in PAPERS)
    assert len({paper.page for paper in PAPERS}) == len(PAPERS)
