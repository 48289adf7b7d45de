"""The table of comparisons: its cells with and without counts of right answers, and its records."""

from __future__ import annotations

from answersim.evaluation.comparison_tables import comparison_records, comparison_table, comparison_text

from answersim.evaluation.comparison import compare_all

VERDICTS = {"old": [1, 0, 1, 0] * 20, "new": [1, 1, 1, 0] * 20, "third": [0, 0, 1, 0] * 20}
FRACTIONS = {name: [value / 2 for value in values] for name, values in VERDICTS.items()}


def test_a_row_has_the_shares_the_points_and_the_means() -> None:
    found = compare_all(VERDICTS)
    table = comparison_table(found)
    low, high = found.pairs[0].points.difference[1:]
    assert table.rows[0][:6] == ("old", "new", "80", "50.0", "75.0", f"+25.0 [{100 * low:+.1f}, {100 * high:+.1f}]")
    assert table.rows[0][7:9] == (".500", ".750")
    assert len(table.rows) == 3
    assert "p after Holm's correction over 3 pairs" in table.notes


def test_answers_that_are_not_counted_have_no_share() -> None:
    found = compare_all(FRACTIONS)
    assert comparison_table(found).rows[0][3:9] == ("-", "-", "-", "-", ".250", ".375")
    (record, *_) = comparison_records(found)
    assert (record["right_first"], record["p_right"]) == (None, None)
    assert (record["difference"], record["difference_high"]) == found.pairs[0].difference[::2]
    assert "so answers are not counted" in comparison_text(found, ".md")


def test_latex_has_a_line_per_pair() -> None:
    assert comparison_text(compare_all(VERDICTS), ".tex").count(r"\\") == 4 + 2
