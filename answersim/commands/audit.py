"""``answersim audit``: how far any verifier can be trusted, from few labels."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands import options
from answersim.commands.printing import check_output, show, write_page
from answersim.runtime.option_groups import Use, command

if TYPE_CHECKING:
    pass


@command
def audit(
    context: typer.Context,
    verifier: Annotated[
        str,
        "module:function (golds, completions, questions) -> rewards; a column of recorded verdicts; the "
        "address of a server (http://...); a metric, such as a judge with its record; or 'reward' or 'rules' for "
        "answersim.Reward.",
    ],
    paths: Annotated[list[Path], "A table of answers, or one per system."],
    reading: Annotated[options.Reading, options.systems()],
    scoring: Annotated[options.Scoring, Use(without="metric extract_gold")],
    labels: Annotated[options.Labels, Use("labels", labels="NAME=FILE for one of several systems. May be repeated.")],
    verdict: Annotated[options.Verdict, Use("calibration threshold")],
    intervals: Annotated[options.Intervals, Use("level seed")],
    result: Annotated[
        options.Result,
        Use(
            "by rows format output report",
            defaults={"rows": 100},
            rows="Rows to label with --draw; else attacks.",
            output=options.written("a row per subset"),
        ),
    ],
    attacked: Annotated[int | None, typer.Option(min=0, help="Questions used for the attacks (0: none).")] = None,
    draw: Annotated[Path | None, "Draw rows to label by the verdicts, and write this sheet."] = None,
) -> None:
    """Measure the errors of a verifier from about 100 labels.

    It accepts wrong answers and rejects right ones, each in a share with an interval.

    First draw the rows to label with --draw. Then label them, and give the sheet with --labels.
    """
    from answersim.doctor.audit import audit as audited
    from answersim.doctor.audit import draw as drawn_sheet

    check_output(result)
    answers = reading.read(paths, result.output, result.report, draw)
    lang = scoring.lang or "en"
    how: dict[str, Any] = {"calibration": verdict.calibration, "threshold": verdict.threshold, "lang": lang}
    with redirect_stdout(sys.stderr):  # some verifiers print
        subject = _verifier(verifier, scoring)
        if draw is not None:
            drawn = drawn_sheet(subject, answers, draw, rows=result.rows, rng=intervals.seed, **how)
        else:
            given = labels.files or None
            more: dict[str, Any] = {"by": result.by, "attacked": attacked, "bootstrap": intervals.settings}
            found = audited(subject, answers, given, **more, **how)
    if draw is not None:
        typer.echo(drawn)
        typer.echo(f"to continue: fill in the column 'label' (1: correct, 0: not), then --labels {draw}")
        return
    parts = [*found.summary(), *found.tables(result.rows), *found.footer()]
    show(found, result, parts)
    write_page(found, context, result, answers.files)


def _verifier(name: str, scoring: options.Scoring) -> Any:
    """Return the metric of this name with its options, or the name if it is something else."""
    if name in (*lookup.names(), *lookup.plug_ins()):
        is_plain = scoring.place == options.Metric().place and not scoring.options_of([name])[name]
        return name if is_plain else scoring.built(name)  # a name is refused if it is a column, too
    scoring.refuse_for(name)
    return name
