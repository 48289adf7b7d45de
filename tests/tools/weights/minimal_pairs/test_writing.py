"""Numbers in writing, checked by hand."""

from fractions import Fraction

import pytest

from tools.weights.minimal_pairs.writing import decimal, full_width, ordinal, roman, significant, words


@pytest.mark.parametrize(
    ("value", "language", "text"),
    [
        (13, "en", "thirteen"),
        (1001, "en", "one thousand and one"),
        (13, "de", "dreizehn"),
        (0, "zh", "零"),
        (10, "zh", "十"),
        (12, "zh", "十二"),
        (105, "zh", "一百零五"),
        (110, "zh", "一百一十"),
        (1050, "zh", "一千零五十"),
        (10_500, "zh", "一万零五百"),
        (20_003, "zh", "二万零三"),
        (100_500_000, "zh", "一亿零五十万"),
        (105, "ja", "百五"),
        (1234, "ja", "千二百三十四"),
        (21_000, "ja", "二万一千"),
        (10_000_000, "ja", "一千万"),
    ],
)
def test_words(value: int, language: str, text: str) -> None:
    assert words(value, language) == text


@pytest.mark.parametrize(
    ("value", "language", "text"),
    [
        (1_234_567, "en", "1,234,567"),
        (1_234_567, "de", "1.234.567"),
        (Fraction(-5, 2), "en", "-2.5"),
        (Fraction(1, 8), "de", "0,125"),
        (Fraction(1, 3), "en", None),
        (Fraction(100), "en", "100"),
    ],
)
def test_digits_are_exact_or_none(value: Fraction, language: str, text: str | None) -> None:
    assert decimal(value, language) == text


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [("8.04672", 3, "8.05"), ("12345", 2, "12000"), ("0.0125", 2, "0.013"), ("999.5", 3, "1000"), ("2.5", 1, "3")],
)
def test_rounding_to_significant_digits_is_half_away_from_zero(value: str, digits: int, rounded: str) -> None:
    assert significant(Fraction(value), digits) == Fraction(rounded)


def test_roman_numerals_and_ordinals() -> None:
    assert [roman(value) for value in (4, 9, 14, 40, 90, 1969, 3999)] == "IV IX XIV XL XC MCMLXIX MMMCMXCIX".split()
    assert [ordinal(value) for value in (1, 2, 3, 4, 11, 12, 13, 21, 111)] == (
        "1st 2nd 3rd 4th 11th 12th 13th 21st 111th".split()
    )
    assert full_width("15:30, x") == "１５：３０， ｘ"
