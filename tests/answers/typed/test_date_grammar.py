"""Dates in all common forms, in English and German."""

import pytest

from answersim.answers.typed.date import Date, Day
from answersim.answers.typed.date_grammar import scan_date
from tests.answers.typed.whole_texts import whole
from tests.cases import every

DAY = Day(1865, 3, 4)
SAME_DAY = {
    "en": (
        *("March 4, 1865", "March 4 1865", "Mar. 4, 1865", "4 March 1865", "4th March 1865", "March 4th, 1865"),
        *("the 4th of March, 1865", "the fourth of March 1865", "1865-03-04", "4-Mar-1865"),
    ),
    "de": (
        "4. März 1865",
        "der 4. März 1865",
        "04.03.1865",
        "4.3.1865",
        "4. Maerz 1865",
        "vierter März 1865",
        "1865-03-04",
    ),
}


def read(text: str, lang: str = "en") -> Date | None:
    return whole(scan_date, text, lang)


@every(("text", "lang"), [(text, lang) for lang, texts in SAME_DAY.items() for text in texts])
def test_a_day_is_read_in_all_its_forms(text, lang):
    assert read(text, lang) == Date((DAY,))


@every(
    ("text", "lang", "day"),
    [
        *(("1865", "en", Day(1865)), ("March 1865", "en", Day(1865, 3)), ("March 4", "en", Day(None, 3, 4))),
        *(
            ("44 BC", "en", Day(-44)),
            ("44 B.C.", "en", Day(-44)),
            ("AD 79", "en", Day(79)),
            ("79 n. Chr.", "de", Day(79)),
        ),
        *(("44 v. Chr.", "de", Day(-44)), ("August", "en", Day(None, 8)), ("nineteen eighty-four", "en", Day(1984))),
        *(("Monday", "en", Day(weekday=0)), ("Sonntag", "de", Day(weekday=6)), ("Mai 1945", "de", Day(1945, 5))),
        *(("Monday, March 4, 1865", "en", Day(1865, 3, 4, 0)), ("13/04/2021", "en", Day(2021, 4, 13))),
        *(("03/04/2021", "de", Day(2021, 4, 3)), ("29 February 1900", "en", Day(1900, 2, 29))),
    ],
)
def test_a_part_of_a_date_is_read(text, lang, day):
    assert read(text, lang) == Date((day,))


@pytest.mark.parametrize(
    ("text", "lang", "years"),
    [
        *(("1980s", "en", (1980, 1989)), ("the 1900s", "en", (1900, 1999)), ("19th century", "en", (1801, 1900))),
        *(("the nineteenth century", "en", (1801, 1900)), ("1980er", "de", (1980, 1989))),
        *(("19. Jahrhundert", "de", (1801, 1900)), ("5th century BC", "en", (-500, -401))),
    ],
)
def test_a_decade_and_a_century_are_read(text, lang, years):
    assert read(text, lang) == Date((), years)


@every(
    "text", ["may", "31 February", "March 32", "2021-13-01", "99/99/2021", "12345", "11", "1.2.3.4", "0000", "1/2/3/4"]
)
def test_what_is_no_date_is_not_read(text):
    assert read(text) is None


def test_both_orders_of_day_and_month_are_kept():
    date = read("03/04/2021")
    assert set(date.readings) == {Day(2021, 4, 3), Day(2021, 3, 4)}
