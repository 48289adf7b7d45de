"""No row repeats a pair of a labeled or training set."""

import pytest

from answersim.data.datasets import DatasetNotFoundError
from answersim.data.minimal_pairs import ProbeRow, rows
from tools.weights.minimal_pairs.family import Family
from tools.weights.minimal_pairs.overlap import digest, excluded, labeled_pairs, repeated
from tools.weights.minimal_pairs.table import repeats

ROW = ProbeRow("en", "place-name", "en-place-name-001", "dev", "", "Foo", "Bar", 1)


def test_order_and_case_do_not_count() -> None:
    assert repeated([ROW], [("bar", "FOO")]) == [ROW]
    assert repeated([ROW], [("bar", "foo bar")]) == []
    assert digest("Foo", "Bar") == digest("bar", "foo") != digest("foo", "foo")


def test_a_family_with_an_excluded_pair_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    family = Family("", "gold", "same", "different")
    assert not repeats(family)
    monkeypatch.setattr("tools.weights.minimal_pairs.table.excluded", lambda: {digest("gold", "different")})
    assert repeats(family)


def test_no_shipped_row_is_excluded() -> None:
    assert len(excluded()) > 20
    assert [row for row in rows() if digest(row.gold, row.candidate) in excluded()] == []


@pytest.mark.data
@pytest.mark.slow
def test_no_row_is_a_pair_of_a_labeled_set() -> None:
    try:
        pairs = list(labeled_pairs())
    except DatasetNotFoundError:
        pytest.skip("needs the labeled sets, the number pairs and the name pairs below $ANSWERSIM_DATA")
    assert len(pairs) > 10_000
    assert repeated(rows(), pairs) == []
