"""How far "expected right" is from the labeled share on systems and sets that a calibration was not made from.

    python -m tools.weights.transfer --metrics recall,answersim --scores runs/calibration-scores --format markdown

A calibration is made from TriviaQA (EVOUNA), NQ (EVOUNA) and DIVER-QA, parts test. The share of right answers of each
of their systems is predicted by a calibration from the two other sets, and the share on EfficientQA by the calibration
from all three. The table states whether the interval of a population contains its labeled share. The error of transfer
is then that of all sets but its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.calibration.transfer import transfer
from benchmarks.options import check_folder, names_in
from benchmarks.tables import Column, Format, Table, render, save
from tools.weights.calibrations import calibration_sets, check_sets, columns_for, make_checked
from tools.weights.populations import BASIS, Population, differences, without_set

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    metrics: str = typer.Option("recall", help="Metrics, separated by commas."),
    scores: Path | None = typer.Option(None, help="A folder that keeps scores for later runs."),
    form: Format = typer.Option(Format.text, "--format", help="The format of the tables."),
    output: Path | None = typer.Option(None, help="A file to write to, instead of the terminal."),
) -> None:
    """Compare the expected share of right answers with the labeled one on other systems and sets."""
    with user_errors():
        check_folder(output)
        names = names_in(metrics)
        own, others = list(calibration_sets()), [judged for judged in check_sets() if judged.systems is not None]
        found = []
        for name in names:
            scored = [
                [(judged, columns_for(judged, [name], scores)[name]) for judged in sets] for sets in (own, others)
            ]
            found.append(table(name, make_checked(name, *scored).populations))
        shown = render(found, [], form.value)
        if output is None:
            sys.stdout.write(shown)
        else:
            save(shown, output)


def table(metric: str, found: Sequence[Population]) -> Table:
    """Return the populations of a metric with their intervals, with and without the error of transfer."""
    lines, covered, alone = [], [], []
    for one in found:
        wide = without_set(found, one.set).widened(one.expected, 0.95)
        covered.append(wide.low <= one.share <= wide.high)
        alone.append(one.expected.low <= one.share <= one.expected.high)
        expected = f"{one.expected.value:.3f} [{wide.low:.3f}, {wide.high:.3f}]"
        narrow = f"[{one.expected.low:.3f}, {one.expected.high:.3f}]"
        lines.append((one.set, one.name, one.n, one.share, expected, "yes" if covered[-1] else "no", narrow))
    names = ("set", "system or source", "answers", "labeled", "expected", "covered", "without transfer")
    notes = (
        f"the interval contains the labeled share in {sum(covered)} of {len(found)} populations; without the error of "
        f"transfer in {sum(alone)}",
        f"error of transfer from all populations: {transfer(differences(found), BASIS)}",
        "the interval of a population uses the error of transfer on the other sets only",
    )
    return Table(f"Expected right by {metric}", tuple(map(Column, names)), tuple(lines), notes)


if __name__ == "__main__":
    app(prog_name="python -m tools.weights.transfer")
