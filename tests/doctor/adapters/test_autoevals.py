"""The adapter of autoevals; run where autoevals is installed."""

import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

pytest.importorskip("autoevals", reason="the libraries of adapters are tested in environments of their own")


@pytest.mark.parametrize(
    ("metric", "same", "other"), [("Levenshtein", 1.0, 0.5), ("ExactMatch", 1.0, 0.0), ("JSONDiff", 1.0, 0.5)]
)
def test_each_pair_has_its_own_number(metric, same, other):
    assert as_subject(f"autoevals:{metric}")([Pair("abcd", "abcd"), Pair("abcd", "abxy")]) == pytest.approx(
        [same, other]
    )
