"""Amounts of money, read back."""

import re
from fractions import Fraction

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.money import COINS, CURRENCIES, _large, _parts, _whole_forms

SCALES = {"million": 10**6, "billion": 10**9, "m": 10**6, "bn": 10**9, "": 1}


def test_forms_of_an_amount() -> None:
    dollar, euro = CURRENCIES["en"][0], CURRENCIES["de"][0]
    assert set(_whole_forms(4350, dollar, "en")) >= {"$4,350", "USD 4,350", "4,350 dollars"}
    assert set(_whole_forms(4350, euro, "de")) >= {"4.350 €", "EUR 4.350", "4.350,- €"}


def test_coins_of_the_united_states() -> None:
    assert dict(COINS) == {"a quarter": 25, "a dime": 10, "a nickel": 5, "a half-dollar": 50, "a penny": 1}


def test_large_amounts_agree() -> None:
    found = list(families(_large, "en"))
    assert len(found) > 100
    for family in found:
        gold, same, different = map(amount, family[1:])
        assert gold == same != different, family


def amount(text: str) -> tuple[str, Fraction]:
    """Return the currency and the number of an amount in English."""
    number, scale = re.search(r"([\d,.]*\d) ?(million|billion|m\b|bn\b|)", text).groups()
    for currency in CURRENCIES["en"]:
        if text.startswith((currency.symbol, f"{currency.code} ")) or text.endswith(f" {currency.name}"):
            if currency.name == "dollars" and "Australian" in text:
                continue
            return currency.code, Fraction(number.replace(",", "")) * SCALES[scale]
    raise ValueError(text)


def test_cents_are_hundredths() -> None:
    texts = [family[1:3] for family in families(_parts, "en")]
    whole = [(a, b) for a, b in texts if a.endswith(" cents") and b.startswith(("$", "€")) and " and " not in a]
    assert whole
    assert all(int(a.split()[0]) == Fraction(b[1:]) * 100 for a, b in whole)
