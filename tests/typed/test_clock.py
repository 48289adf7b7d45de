"""Times of day: written and spoken forms in English and German."""

from answersim.typed.clock import Time, compare_times, scan_time
from tests.cases import every
from tests.typed.whole_texts import whole


def read(text: str, lang: str = "en") -> Time | None:
    return whole(scan_time, text, lang)


@every(
    ("text", "lang", "hours", "minutes", "sure"),
    [
        *(("12:00", "en", 12, 0, False), ("1:00", "en", 1, 0, False), ("13:05", "en", 13, 5, True)),
        *(("1 pm", "en", 13, 0, True), ("1 p.m.", "en", 13, 0, True), ("12 am", "en", 0, 0, True)),
        *(("12:30 pm", "en", 12, 30, True), ("noon", "en", 12, 0, True), ("12 noon", "en", 12, 0, True)),
        *(("midnight", "en", 0, 0, True), ("one o'clock", "en", 1, 0, False), ("half past two", "en", 2, 30, False)),
        *(
            ("a quarter to five", "en", 4, 45, False),
            ("ten past six", "en", 6, 10, False),
            ("1.05 pm", "en", 13, 5, True),
        ),
        *(("13 Uhr", "de", 13, 0, True), ("halb drei", "de", 2, 30, False), ("Viertel nach fünf", "de", 5, 15, False)),
        *(
            ("Mitternacht", "de", 0, 0, True),
            ("zwölf Uhr", "de", 12, 0, False),
            ("4 in the afternoon", "en", 16, 0, True),
        ),
    ],
)
def test_a_time_is_read(text, lang, hours, minutes, sure):
    assert read(text, lang) == Time(hours * 3600 + minutes * 60, sure)


@every("text", ["25:00", "1:60", "1:2", "5 to 10", "ten to twenty", "half", "12", "1:00:00:00"])
def test_what_is_no_time_is_not_read(text):
    assert read(text) is None


@every(
    ("gold", "pred", "relation"),
    [
        *(("12:00", "1:00", "different"), ("1 pm", "13:00", "equal"), ("1:00", "13:00", "near")),
        *(("1 am", "1 pm", "different"), ("1:00", "one o'clock", "equal"), ("noon", "midnight", "different")),
        *(("noon", "12:00", "near"), ("2:30", "half past two", "equal")),
    ],
)
def test_times_are_compared(gold, pred, relation):
    one, other = read(gold), read(pred)
    assert compare_times(one, other).relation == relation
    assert compare_times(other, one).relation == relation
