"""The names of the toy set: each once, and by the kind of thing."""

from __future__ import annotations

from itertools import islice

from tools.weights.toy.names import name, stems


def test_stems_are_in_one_order_and_each_occurs_once() -> None:
    first = list(islice(stems(), 1500))
    assert first == list(islice(stems(), 1500))
    assert len(set(first)) == len(first) > 1000
    assert all(stem.isalpha() and stem.islower() for stem in first)


def test_a_name_is_its_stem_with_an_ending_of_its_kind() -> None:
    assert name("town", iter(["brurk"])) in {f"Brurk{ending}" for ending in "wick holm stad mouth aven".split()}
    assert name("animal", iter(["brurk"])) in {f"brurk{ending}" for ending in "ock ipe urn oodle ax".split()}


def test_an_inventor_takes_a_second_stem_as_the_given_name() -> None:
    given, family = name("inventor", iter(["brurk", "mal"])).split()
    assert given == "Mal"
    assert family.startswith("Brurk")
