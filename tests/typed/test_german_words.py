"""Numbers in one German word."""

import pytest

from answersim.typed.german_words import german_below, german_word
from tests.cases import every


@every(
    ("word", "value", "ordinal"),
    [
        *(("elf", 11, False), ("einundzwanzig", 21, False), ("dreissig", 30, False), ("zwoelf", 12, False)),
        *(("hundert", 100, False), ("zweihundertfünf", 205, False), ("hundertundeins", 101, False)),
        *(("neunzehnhundertvierundachtzig", 1984, False), ("eintausendeins", 1001, False), ("tausend", 1000, False)),
        *(("zweihunderttausenddreihundert", 200_300, False), ("elfte", 11, True), ("siebter", 7, True)),
        *(("einundzwanzigsten", 21, True), ("hundertste", 100, True), ("tausendste", 1000, True)),
    ],
)
def test_a_word_is_read(word, value, ordinal):
    assert german_word(word) == (value, ordinal)


@pytest.mark.parametrize(
    "word", ["", "haus", "einhorn", "hunderthundert", "tausendtausend", "undzwanzig", "hundert" * 99]
)
def test_other_words_are_not(word):
    assert german_word(word) is None


def test_a_limit_and_an_ordinal_are_refused():
    assert german_below("neun", 10) == 9
    assert german_below("neunzig", 10) is None
    assert german_below("neunte", 10) is None
