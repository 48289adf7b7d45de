"""The readings of an answer: its kind, what is added around it, and hostile texts."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answersim.answers.typed.number import Number
from answersim.answers.typed.reading import readings
from answersim.answers.typed.tokens import LONGEST_ANSWER
from tests.cases import cases_of, every
from tests.fuzz.typed import PIECES, calls, growth
from tests.pairwise import pairwise

CASES = cases_of(__file__)

VALUES = {
    ("11", "en"): "number", ("eleven", "en"): "number", ("elf", "de"): "number", ("1,5 Millionen", "de"): "number",
    ("21st", "en"): "ordinal", ("einundzwanzigste", "de"): "ordinal", ("12 liters", "en"): "quantity",
    ("12 Liter", "de"): "quantity", ("90 minutes", "en"): "duration", ("drei Jahre", "de"): "duration",
    ("50 %", "en"): "percentage", ("50 Prozent", "de"): "percentage", ("$5 million", "en"): "money",
    ("5 Mio. Euro", "de"): "money", ("March 4, 1865", "en"): "date", ("4. März 1865", "de"): "date",
    ("12:30", "en"): "time", ("13 Uhr", "de"): "time", ("10 to 20", "en"): "range", ("10 bis 20", "de"): "range",
}  # fmt: skip


@every(("value", "before", "after"), pairwise(list(VALUES), ["", "the ", "about ", " "], ["", ".", " \n", "?"]))
def test_what_adds_nothing_is_left_out(value, before, after):
    text, lang = value
    if lang == "de":
        before = before.replace("the ", "die ").replace("about ", "etwa ")
    result = readings(f"{before}{text}{after}", lang)
    assert result, (before, text, after)
    assert VALUES[value] in {entry.kind for entry in result}


@every(("text", "lang"), VALUES)
def test_quotation_marks_around_a_value_are_left_out(text, lang):
    assert readings(f'"{text}"', lang) == readings(text, lang)
    assert readings(f"„{text}“", lang) == readings(text, lang)


@every(("text", "lang", "kind"), CASES["a_kind_is_found"])
def test_a_kind_is_found(text, lang, kind):
    assert readings(text, lang)[0].kind == kind


@every(
    "text",
    [
        *("North Korea", "Paris", "more than", "over a river", "7 Eleven", "12 Angry Men", "two or three", "The Who"),
        *("100 °C (boiling)", "one of them", "C++", "A1B", "+", "$", "...", "not 11", "may", "11 (eleven", "1.2.3"),
    ],
)
def test_what_is_no_typed_value_has_no_reading(text):
    assert readings(text, "en") == ()


def test_a_german_number_with_a_period_may_be_an_ordinal():
    assert [value.kind for value in readings("53.", "de")] == ["number", "ordinal"]
    assert [value.kind for value in readings("53.", "en")] == ["number"]


HOSTILE = (
    *("1" * 1000, "1" * 199, "1," * 99, "1,111" * 39, "5 m" + "/s" * 95, "-" * 200, "and " * 49, "twenty " * 28),
    *(
        "one hundred and " * 12,
        "(" * 99 + ")" * 99,
        "5 (" * 40 + ")" * 40,
        "million " * 25,
        "1 to " * 39,
        "hundert" * 28,
    ),
    *("March 4, " * 22, "1/" * 99, "1:" * 99, "½" * 200, "$€£" * 66, "\ufdfa" * 200, "²" * 200, "J. " * 66, "a;" * 99),
    *(
        "②③" * 99,
        "March ②, ③",
        "Louis ②",
        "⓷ May",
        "②:③②",
        "1 000" * 39,
        "ein" * 66,
        "'" * 200,
        "a." * 99,
        "M" * 200,
        "e" * 200,
        "1e" * 99,
        "#" * 200,
        "the " * 49,
    ),
)


def operations(text: str, lang: str) -> int:
    """How many calls of Python functions reading this text makes."""
    return calls(lambda: readings(text, lang))


@every("lang", ["en", "de"])
@every("text", HOSTILE)
def test_hostile_texts_need_few_operations(text, lang):
    assert operations(text, lang) < 60 * LONGEST_ANSWER


@every("piece", [*PIECES, "one ", "point oh ", "the square of 3 ", "red, ", "- ", "5 \u00a0", "' "])
def test_a_long_prediction_is_searched_in_linear_time(piece):
    gold, lang = (("12", "en"), ("12 liters", "de"), ("July 4, 1776", "en"))[len(piece) % 3]
    assert growth(piece, gold, lang) == ""


def test_a_long_text_is_not_read_at_all():
    assert readings("1" * (LONGEST_ANSWER + 1), "en") == ()
    assert operations("11 " * 10**6, "en") < 10


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), st.sampled_from(["en", "de"]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_read_without_an_error(text, lang):
    for value in readings(text, lang):
        assert str(value)
        assert value.kind
        if isinstance(value, Number):
            assert abs(value.value) < 10**80
