"""Tables in Markdown, LaTeX and HTML: texts of users are escaped, and columns stay columns."""

from answersim._base.text_tables import (
    TextTable,
    escaped,
    html_table,
    latex_escaped,
    latex_table,
    markdown_table,
    printable,
)
from tests.cases import every

TABLE = TextTable("A & B", ("name", "n", "share"), (("x_1", "1,200", "83 % [80, 86]"), ("y|z", "-", "-")), ("note #1",))


def test_markdown_has_one_line_per_row():
    assert markdown_table(TABLE) == [
        "## A &amp; B",
        "",
        "| name | n | share |",
        "| --- | --- | --- |",
        r"| x_1 | 1,200 | 83 % \[80, 86\] |",
        r"| y\|z | - | - |",
        "",
        "- note #1",
        "",
    ]


def test_latex_aligns_numbers_to_the_right_and_escapes():
    assert latex_table(TABLE) == [
        r"\paragraph{A \& B}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"name & n & share \\",
        r"\midrule",
        r"x\_1 & 1,200 & 83 \% [80, 86] \\",
        r"y\textbar{}z & - & - \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"note \#1\\",
        "",
    ]


def test_a_latex_table_without_rows_has_a_header():
    assert r"name & n \\" in latex_table(TextTable("", ("name", "n"), ()))


@every(
    ("text", "expected"),
    [("\\input{x}", r"\textbackslash{}input\{x\}"), ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c")],
)
def test_latex_commands_are_texts(text, expected):
    assert latex_escaped(text) == expected


def test_html_is_escaped():
    table = html_table(TABLE._replace(title="<b>", rows=(("<script>", "&", "\x1b"),)))
    assert "<script>" not in table
    assert "<caption>&lt;b&gt;</caption>" in table
    assert "\\x1b" in table


def test_control_characters_are_shown():
    assert printable("a\u202eb\n") == "a\\u202eb\\n"
    assert escaped("_a_ <b>") == r"\_a\_ &lt;b>"
