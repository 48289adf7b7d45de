"""A family is drawn from two values without a sign of which candidate is right."""

from collections import Counter
from random import Random

from tools.weights.minimal_pairs.family import draw, in_context, twins


def test_both_candidates_are_written_in_the_same_way() -> None:
    rng = Random(0)
    for _ in range(50):
        family = draw(rng, ["23", "twenty-three"], ["32", "thirty-two"])
        assert family is not None
        assert family.gold.isdigit() is not family.same.isdigit()
        assert family.same.isdigit() is family.different.isdigit()


def test_each_value_is_the_gold_answer_about_as_often() -> None:
    rng = Random(1)
    golds = Counter(draw(rng, ["a", "A1"], ["b", "B1"]).gold[0].lower() for _ in range(1000))
    assert 430 < golds["a"] < 570


def test_values_that_can_be_written_alike_give_no_family() -> None:
    assert draw(Random(0), ["ten", "10"], ["TEN", "11"]) is None
    assert draw(Random(0), ["ten", "Ten"], ["eleven", "Eleven"]) is None


def test_values_of_different_numbers_of_forms_are_drawn_each_for_itself() -> None:
    family = draw(Random(0), ["1", "one", "uno"], ["2", "two"])
    assert family is not None
    assert len({family.gold, family.same, family.different}) == 3


def test_twins_exchange_what_is_right() -> None:
    first, second = twins("NASA", "the space agency", "NOAA", "the weather agency", "Who flies?", "Who forecasts?")
    assert first == ("Who flies?", "NASA", "the space agency", "the weather agency")
    assert second == ("Who forecasts?", "NOAA", "the weather agency", "the space agency")


def test_a_context_is_the_same_for_all_texts() -> None:
    assert in_context(Random(0), [("How many?", "{} eggs")], ["2", "two"]) == ("How many?", ["2 eggs", "two eggs"])
