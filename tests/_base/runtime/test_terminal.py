"""Tables in the width of a terminal: no line is wider, no number is cut, and no text is lost."""

import unicodedata

from answersim._base.runtime.terminal import text_table
from answersim._base.text_tables import TextTable
from tests.cases import every

TABLE = TextTable("A & B", ("name", "n", "share"), (("x_1", "1,200", "83 % [80, 86]"), ("y|z", "-", "-")), ("note #1",))
NAMES = ("gpt-4o-2024-08-06-with-retrieval-and-reranker-v2", "a name of words " * 6, "x" * 70, "東京" * 20)


def test_a_table_that_fits_is_as_wide_as_necessary():
    assert text_table(TABLE, 40) == [
        "A & B",
        "name   n       share",
        "─" * 28,
        "x_1    1,200   83 % [80, 86]",
        "y|z    -       -",
        "note #1",
    ]
    assert text_table(TABLE, 26)[3] == "x_1   1,200  83 % [80, 86]"


@every("width", [48, 60, 76, 120])
def test_no_line_is_wider_than_the_terminal_no_number_is_cut_and_no_text_is_lost(width: int):
    numbers = ("1,234,567", "-0.075 [-0.295, +0.152]", "70 % [53, 83]", "0.100 to 0.250")
    header = ("system", "n", f"score of {NAMES[0]}", "share right", "interval", "prediction")
    table = TextTable("t", header, tuple((name, *numbers, name[::-1]) for name in NAMES), ("note",))
    lines = text_table(table, width)
    assert all(sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line) <= width for line in lines)
    for number in numbers:
        assert sum(number in line for line in lines) == len(NAMES)
    assert sum(line.count("東") for line in lines) >= 2 * 20
    assert all(lines.count(title) == 1 for title in ("t", "note"))


def test_texts_are_parted_between_words_else_behind_punctuation_else_anywhere():
    assert text_table(TextTable("", ("system",), tuple((name,) for name in NAMES)), 30)[2:] == [
        "gpt-4o-2024-08-06-with-",
        "retrieval-and-reranker-v2",
        *["a name of words a name of", "words a name of words a name", "of words a name of words a", "name of words"],
        *["x" * 30, "x" * 30, "x" * 10],
        *["東京" * 7 + "東", "京東" * 7 + "京", "東京" * 5],
    ]


def test_each_part_of_a_split_table_has_the_columns_that_identify_a_row():
    rows = tuple(
        (subset, metric, "1" * 20, "2" * 20, "3" * 20) for subset in ("all", "F1=0") for metric in ("f1", "em")
    )
    lines = text_table(TextTable("", ("subset", "metric", "one", "two", "three"), rows), 60)
    starts = [line.split()[:2] for line in lines if "1" * 20 in line or "3" * 20 in line]
    assert starts == [[*row[:2]] for row in rows] * 2


def test_a_table_without_rows_or_with_one_wide_column_is_printed():
    assert text_table(TextTable("", ("name", "value"), ()), 40) == ["name   value", "─" * 12]
    assert text_table(TextTable("", ("name",), (("a" * 40,),)), 4)[2:] == ["a" * 16, "a" * 16, "a" * 8]
