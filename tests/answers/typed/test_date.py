"""Dates: ambiguous ones, and what each pair of precisions means."""

import pytest

from answersim.answers.relation import relate
from answersim.answers.typed.date import Date, Day, compare_dates
from tests.cases import cases_of, every
from tests.pairwise import pairwise

CASES = cases_of(__file__)

DAY = Day(1865, 3, 4)
AMBIGUOUS = Date((Day(2021, 4, 3), Day(2021, 3, 4)))


@pytest.mark.parametrize(
    ("other", "relation"),
    [
        (Date((Day(2021, 4, 3),)), "near"),
        (Date((Day(2021),)), "near"),
        (Date((Day(2021, 4),)), "none"),
        (Date((Day(2021, 5, 3),)), "different"),
        (Date((Day(2020),)), "different"),
        (AMBIGUOUS, "equal"),
    ],
)
def test_an_ambiguous_date_is_marked(other, relation):
    assert AMBIGUOUS.ambiguous
    for result in (compare_dates(AMBIGUOUS, other), compare_dates(other, AMBIGUOUS)):
        assert result.relation == relation
        if relation == "none":
            assert "ambiguous: it means April 3 2021 or March 4 2021" in result.reason


@pytest.mark.parametrize(("gold", "pred", "relation"), CASES["bounds_and_several_meanings_are_not_the_date_itself"])
def test_bounds_and_several_meanings_are_not_the_date_itself(gold, pred, relation):
    for one, other in ((gold, pred), (pred, gold)):
        assert relate(one, other).relation == relation


def test_an_approximate_year_is_different_only_from_a_far_one():
    about = Date((Day(1500),), hedge="~")
    relations = [compare_dates(about, Date((Day(year),))).relation for year in (1500, 1510, 1600)]
    assert relations == ["near", "none", "different"]


@every(
    ("kept", "change", "swapped"),
    pairwise(
        [("year",), ("year", "month"), ("year", "month", "day"), ("month", "day")],
        [None, "year", "month", "day"],
        [0, 1],
    ),
)
def test_a_coarser_date_is_compatible_and_another_one_different(kept, change, swapped):
    other = Day(**{name: getattr(DAY, name) + (name == change) for name in kept})
    dates = [Date((DAY,)), Date((other,))]
    result = compare_dates(dates[swapped], dates[1 - swapped])
    expected = "different" if change in kept else "equal" if other == DAY else "near"
    assert result.relation == expected


def test_dates_that_share_no_part_are_not_comparable():
    assert compare_dates(Date((Day(2020),)), Date((Day(None, 9, 10),))).relation == "none"


@pytest.mark.parametrize(
    ("gold", "pred", "relation"),
    [
        *(((1980, 1989), 1985, "near"), ((1980, 1989), 1990, "different")),
        *(((1901, 2000), (1980, 1989), "near"), ((1980, 1989), (1980, 1989), "equal")),
    ],
)
def test_a_period_contains_its_years(gold, pred, relation):
    other = Date((), pred) if isinstance(pred, tuple) else Date((Day(pred),))
    assert compare_dates(Date((), gold), other).relation == relation
