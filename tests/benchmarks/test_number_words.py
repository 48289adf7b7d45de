"""Numbers in digits, in words and as Roman numerals."""

from decimal import Decimal

import pytest

from benchmarks.number_words import roman_numeral, spellings
from tests.cases import every

pytest.importorskip("num2words")


@every(
    ("kind", "value", "language", "digits", "words"),
    [
        ("cardinal", "0", "en", ["0"], ["zero"]),
        ("cardinal", "1001", "en", ["1001", "1,001"], ["one thousand and one", "one thousand one"]),
        ("cardinal", "1100", "de", ["1100", "1.100"], ["eintausendeinhundert", "tausendeinhundert"]),
        ("cardinal", "2000000", "de", ["2000000", "2.000.000"], ["zwei Millionen"]),
        ("ordinal", "21", "en", ["21st"], ["twenty-first"]),
        ("ordinal", "21", "de", ["21."], ["einundzwanzigste"]),
        ("year", "1984", "en", ["1984"], ["nineteen eighty-four"]),
        ("year", "1905", "en", ["1905"], ["nineteen oh-five"]),
        ("year", "1984", "de", ["1984"], ["neunzehnhundertvierundachtzig"]),
        ("decimal", "3.5", "en", ["3.5"], ["three point five"]),
        ("decimal", "0.05", "de", ["0,05"], ["null Komma null fünf"]),
        ("roman", "14", "en", ["XIV"], ["14", "fourteen"]),
    ],
)
def test_a_number_is_written_so(kind, value, language, digits, words):
    written = spellings(kind, (Decimal(value),), language)
    assert (list(written.digits), list(written.words)) == (digits, words)


def test_a_range_is_written_so():
    ends = Decimal(10), Decimal(20)
    assert spellings("range", ends, "en") == (("10-20", "10–20", "10 to 20"), ("ten to twenty",))
    assert spellings("range", ends, "de") == (("10-20", "10–20", "10 bis 20"), ("zehn bis zwanzig",))


@every(("number", "numeral"), [(1, "I"), (4, "IV"), (9, "IX"), (40, "XL"), (1984, "MCMLXXXIV"), (3999, "MMMCMXCIX")])
def test_roman_numerals(number, numeral):
    assert roman_numeral(number) == numeral


@every("number", [0, 4000, -1])
def test_what_has_no_roman_numeral(number):
    with pytest.raises(ValueError, match="no Roman numeral"):
        roman_numeral(number)
