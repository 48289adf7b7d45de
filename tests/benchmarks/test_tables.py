"""How a table looks in each format, on small tables."""

import json
import math

import pytest

from benchmarks.tables import Column, Table, render

TABLE = Table(
    title="Rank_100 & more",
    columns=(
        Column("metric"),
        Column("n"),
        Column("r", "F1=0 (n=3)"),
        Column("tau", "F1=0 (n=3)"),
        Column("tau", "F1!=0 (n=2)"),
    ),
    rows=(("f1", 942, 0.59361, -0.25, math.nan), ("[bold]|x|", 7, 1.0, None, -0.0001)),
    notes=("f1|text:en|v:0.2.0",),
)
RECORDS = [{"metric": "f1", "n": 942, "pearson": 0.5936123456789012, "kendall": math.nan}]


def test_text():
    assert render([TABLE], [], "text") == (
        "Rank_100 & more\n"
        "\n"
        "          |     | F1=0 (n=3) |        | F1!=0 (n=2)\n"
        "metric    |   n |          r |    tau |         tau\n"
        "----------+-----+------------+--------+------------\n"
        "f1        | 942 |      0.594 | -0.250 |         nan\n"
        "[bold]|x| |   7 |      1.000 |        |       0.000\n"
        "\n"
        "  f1|text:en|v:0.2.0\n"
    )


def test_markdown():
    assert render([TABLE], [], "markdown") == (
        "**Rank_100 & more**\n"
        "\n"
        "| metric | n | F1=0 (n=3) r | F1=0 (n=3) tau | F1!=0 (n=2) tau |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| f1 | 942 | 0.594 | -0.250 | nan |\n"
        "| [bold]\\|x\\| | 7 | 1.000 |  | 0.000 |\n"
        "\n"
        "- `f1|text:en|v:0.2.0`\n"
    )


def test_csv():
    other = Table.of("Other", ("n", "file", "n"), ((1, 'a, "b"', 2),))
    assert render([TABLE, other], [], "csv") == (
        "table,metric,n,F1=0 (n=3) r,F1=0 (n=3) tau,F1!=0 (n=2) tau,file,n 2,note\n"
        "Rank_100 & more,f1,942,0.594,-0.250,nan,,,\n"
        "Rank_100 & more,[bold]|x|,7,1.000,,0.000,,,\n"
        "Rank_100 & more,,,,,,,,f1|text:en|v:0.2.0\n"
        'Other,,1,,,,"a, ""b""",2,\n'
    )


def test_json_has_the_records_unrounded_and_null_for_nan():
    shown = render([TABLE], RECORDS, "json")
    assert json.loads(shown) == [{"metric": "f1", "n": 942, "pearson": 0.5936123456789012, "kendall": None}]
    assert "NaN" not in shown


def test_a_table_without_groups_has_one_line_of_headings():
    plain = Table("Plain", (Column("category"), Column("bertscore-trained")), (("dates", 0.5),))
    assert render([plain], [], "text").splitlines()[2:5] == [
        "         | bertscore-",
        "category |    trained",
        "---------+-----------",
    ]


def test_a_row_has_a_cell_a_column():
    with pytest.raises(ValueError, match="a row of 1 cells for 2 columns"):
        Table("T", (Column("a"), Column("b")), (("x",),))


def test_an_unknown_format_is_an_error():
    with pytest.raises(LookupError, match="no format is called 'html'"):
        render([], [], "html")
