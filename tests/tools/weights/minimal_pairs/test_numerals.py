"""Numbers in words are those of the digits."""

from random import Random

from tools.weights.minimal_pairs.numerals import _forms, near, whole_number


def test_forms_of_a_number() -> None:
    assert _forms(4000, "en")[0] == "4000"
    assert set(_forms(4000, "en")) >= {"4,000", "four thousand"}
    assert set(_forms(1234, "de")) >= {"1.234", "eintausendzweihundertvierunddreißig"}
    assert _forms(21, "ja") == ["21", "二十一", "２１"]


def test_a_neighbor_differs_by_a_step_a_digit_or_a_zero() -> None:
    rng = Random(0)
    neighbors = {near(rng, 437) for _ in range(500)}
    assert neighbors >= {436, 438, 4370, 347, 473}
    assert all(value == 4370 or len(str(value)) == 3 for value in neighbors)


def test_numbers_have_two_to_five_digits() -> None:
    rng = Random(0)
    assert {len(str(whole_number(rng))) for _ in range(300)} == {2, 3, 4, 5}
