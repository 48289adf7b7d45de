"""Yes and no as answers, in several languages."""

from answersim.answers.typed.answer_words import YesNo, compare_yes_no, read_yes_no
from tests.cases import every


@every(
    ("text", "lang", "value"),
    [
        *(("yes", "en", True), ("yeah", "en", True), ("no", "en", False), ("true", "en", True), ("false", "en", False)),
        *(("yes, it is", "en", True), ("no. it was not", "en", False), ("ja", "de", True), ("nein", "de", False)),
        *(("of course", "en", True), ("not at all", "en", False), ("keineswegs", "de", False), ("没错", "zh", True)),
        *(("nein, nie", "de", False), ("stimmt", "de", True), ("はい", "en", True), ("нет", "en", False)),
    ],
)
def test_yes_and_no_are_read(text, lang, value):
    assert read_yes_no(text, lang).value is value


@every("text", ["norway", "no one", "yesterday", "no man's land", "na", "null", "none", "true grit", "right, left"])
def test_other_words_are_not(text):
    assert read_yes_no(text, "en") is None


def test_yes_and_no_are_different():
    assert compare_yes_no(YesNo(True), YesNo(True, emphatic=True)).relation == "equal"
    assert compare_yes_no(YesNo(True, emphatic=True), YesNo(True, emphatic=True)).relation == "none"
    assert compare_yes_no(YesNo(True, emphatic=True), YesNo(False, emphatic=True)).relation == "different"
    assert compare_yes_no(YesNo(True), YesNo(True)).relation == "equal"
    assert compare_yes_no(YesNo(True), YesNo(False)).relation == "different"
