"""The comparisons of systems as one table, with a row per pair: for Markdown, LaTeX and CSV."""

from __future__ import annotations

from typing import Any

from answersim.evaluation.comparison import Comparison, Comparisons
from answersim.text_tables import TextTable, latex_table, markdown_table, number

_HEADER = ("first", "second", "n", "right first, %", "right second, %", "points", "p", "mean first", "mean second",
           "difference", "p of scores")  # fmt: skip


def comparison_table(found: Comparisons) -> TextTable:
    """Return the table: right answers first, then mean scores. Below it, how answers are counted and the signature."""
    pair = found.pairs[0]
    notes = [f"{pair.level:.0%} intervals; counted: {pair.rule.sentence}"]
    if len(found.pairs) > 1:
        notes.append(f"p after Holm's correction over {len(found.pairs)} pairs")
    if found.accuracy == found.accuracy:
        notes.append(f"soft pairwise accuracy with the human labels: {number(found.accuracy)}")
    notes += [f"signature: {pair.signature}"] if pair.signature else []
    return TextTable("", _HEADER, tuple(map(_row, found.pairs)), tuple(notes))


def _row(pair: Comparison) -> tuple[str, ...]:
    counted = ("-",) * 4
    if pair.points is not None:
        (one, two), (value, low, high) = pair.points.shares, pair.points.difference
        points = f"{100 * value:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"
        counted = (f"{100 * one.value:.1f}", f"{100 * two.value:.1f}", points, _p(pair.points.p_holm))
    value, low, high = pair.difference
    means = (number(pair.means[0]), number(pair.means[1]), f"{value:+.3f} [{low:+.3f}, {high:+.3f}]")
    return (*pair.names, str(pair.n), *counted, *means, _p(pair.p_holm))


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else number(value)


def comparison_text(found: Comparisons, suffix: str) -> str:
    """Return the table in Markdown (".md") or LaTeX (".tex")."""
    return "\n".join((markdown_table if suffix == ".md" else latex_table)(comparison_table(found)))


def comparison_records(found: Comparisons) -> list[dict[str, Any]]:
    """Return one record per pair with all digits: shares of right answers, None if they are not counted, and means."""
    return [_record(pair) for pair in found.pairs]


def _record(pair: Comparison) -> dict[str, Any]:
    points = pair.points
    estimates = {
        "right_first": None if points is None else points.shares[0],
        "right_second": None if points is None else points.shares[1],
        "difference_right": None if points is None else points.difference,
        "difference": pair.difference,
    }
    record: dict[str, Any] = {"first": pair.names[0], "second": pair.names[1], "n": pair.n}
    for name, estimate in estimates.items():
        value, low, high = (None, None, None) if estimate is None else estimate
        record |= {name: value, f"{name}_low": low, f"{name}_high": high}
    p_right, p_right_holm = (None, None) if points is None else (points.p, points.p_holm)
    means = {"mean_first": pair.means[0], "mean_second": pair.means[1]}
    tests = {"p_right": p_right, "p_right_holm": p_right_holm, "p": pair.p, "p_holm": pair.p_holm}
    return record | means | tests | {"counting": pair.rule.sentence, "signature": pair.signature}
