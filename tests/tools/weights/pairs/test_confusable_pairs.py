"""Confusable pairs: their labels by kind, their splits, and that the form alone decides nothing."""

import re
from decimal import Decimal

import numpy as np
import pytest

from tools.weights.pairs.confusable_pairs import KINDS, UNITS, WRAPPED, confusable_pairs


def items(kind, n=600):
    rng = np.random.default_rng(0)
    return [KINDS[kind](rng) for _ in range(n)]


def test_quantities_are_equal_if_labeled_so():
    """Recomputed from the tables: number times size of the unit; conversions are rounded to four digits."""
    sizes = {name: (kind, Decimal(size)) for kind, units in UNITS.items() for names, size in units for name in names}
    checked = 0
    for label, *texts in items("quantity", 2000):
        parsed = [re.fullmatch(r"([\d,.]+) (.+)", text) for text in texts]
        if all(parsed):
            kinds, values = zip(
                *((sizes[match[2]][0], Decimal(match[1].replace(",", "")) * sizes[match[2]][1]) for match in parsed),
                strict=True,
            )
            assert kinds[0] == kinds[1]
            assert (abs(values[0] / values[1] - 1) < Decimal("0.006")) == bool(label), texts
            checked += 1
    assert checked > 800


@pytest.mark.parametrize(
    ("kind", "value"),
    [("grouped", lambda text: Decimal(re.sub(r"[ ,]", "", text))), ("numbered", lambda text: text.split()[-1])],
)
def test_texts_in_the_same_signs_are_equal_if_labeled_so(kind, value):
    compared = 0
    for label, gold, pred in items(kind, 2000):
        if kind == "grouped" and re.fullmatch(r"[\d, ]+", pred):
            assert (value(gold) == value(pred)) == bool(label)
            compared += 1
        elif kind == "numbered" and re.fullmatch(r"[IVXL]+", value(pred)):
            assert not label
            compared += 1
    assert compared > 200


def test_sentences_are_as_frequent_among_positives_as_among_negatives():
    built = confusable_pairs(6000, "train", rng=np.random.default_rng(2))
    shares = [np.mean([pair.second.endswith(".") for pair in built if pair.label == label]) for label in (0.0, 1.0)]
    assert abs(shares[0] - shares[1]) < 0.05
    assert WRAPPED * 0.7 < shares[0] < WRAPPED * 1.2


def test_a_number_with_million_has_the_label_of_its_value() -> None:
    powers = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
    checked, rng = 0, np.random.default_rng(0)
    for _ in range(3000):
        label, gold, pred = KINDS["grouped"](rng)
        number, _, name = pred.partition(" ")
        if name in powers and number[0].isdigit():
            value = Decimal(number) * powers[name]
            assert label == float(value == Decimal(gold.replace(",", ""))), (gold, pred)
            checked += 1
    assert checked > 500
