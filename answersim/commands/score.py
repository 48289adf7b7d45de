"""``answersim score``: the scores of every row of a table, of two text files, or of one pair; and verdicts."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from answersim._base.io import files, output_files
from answersim._base.runtime.option_groups import Use, command, refuse_given
from answersim.commands import options
from answersim.commands.printing import print_parts
from answersim.commands.verdicts import print_pair, print_verdicts
from answersim.metrics.catalog import lookup

_VERDICTS = ("low", "high", "score")


@command
def score(
    context: typer.Context,
    reading: Annotated[
        options.Reading,
        options.systems(
            "id group references",
            gold="Without FILE: the text of the gold answer.",
            question="Without FILE: the text of the question.",
        ),
    ],
    scoring: Annotated[options.Scoring, Use(several="metric")],
    verdict: Annotated[
        options.Verdict,
        Use(
            without="threshold",
            first="calibration",
            defaults={"calibration": None},
            calibration="With one, each row gets a probability and a verdict. Default: none, but for one pair shipped.",
        ),
    ],
    labels: Annotated[options.Labels, Use("score", score="For a calibration that was made from such a column.")],
    result: Annotated[options.Result, Use("output prefix", output="A table with new columns.")],
    path: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A table, or a text file with one gold answer per line.")
    ] = None,
    pred_path: Annotated[
        Path | None, typer.Argument(metavar="PRED_FILE", help="A text file with one prediction per line.")
    ] = None,
) -> None:
    """Score the rows of a table or of two text files, or one pair.

    Of one pair, --gold TEXT and --pred TEXT are the two answers. A table is CSV, TSV, JSON, JSON lines, Parquet or
    Excel. An interrupted command finds the scores that a network had computed in the score cache.

    With --calibration, each answer is equivalent, unsure or different. Probabilities and the expected errors are
    printed.
    """
    if path is None:
        print_pair(context, reading, scoring, verdict)
        return
    if result.output is None:
        refuse_given(context, ("prefix",), "no new columns are written; give --output too, or leave it out")
    if verdict.calibration is not None:
        if pred_path is not None:
            raise ValueError(f"{pred_path} is given, but verdicts are for a table; put both columns into one table")
        print_verdicts(context, path, reading, scoring, verdict, labels, result)
        return
    refuse_given(context, _VERDICTS, "it is for verdicts; give --calibration too, or leave it out")
    if reading.log is not None:
        refuse_given(context, ("pred_path",), "a log has its own format; leave it out")
    _scores(path, pred_path, reading, scoring, result)


def _scores(
    path: Path, pred_path: Path | None, reading: options.Reading, scoring: options.Scoring, result: options.Result
) -> None:
    """Score the rows, and print the summary."""
    from answersim.answers.tables.reader import LINES, read_answers
    from answersim.scoring.score_file import score_file

    path = files.buffer_stdin(path)
    names = scoring.metric or (lookup.DEFAULT_METRIC,)
    if pred_path is None:
        answers = reading.answers(path)
    else:
        names_of = {"gold": reading.gold, "pred": reading.one_pred, "question": reading.question}
        answers = read_answers([path, pred_path], **names_of, skip_bad=reading.skip_bad, format=LINES)  # type: ignore[arg-type]
    built = scoring.for_rows(answers).built(*names)
    file_scores = score_file(
        answers, built, result.output, prefix=result.prefix, cache=scoring.cache, progress=scoring.progress
    )
    table_on_stdout = result.output is not None and output_files.is_stdout(result.output)
    with redirect_stdout(sys.stderr) if table_on_stdout else nullcontext():
        print_parts([*file_scores.tables(), *file_scores.footer()])
        place = f"scores of every row: {result.output}"
        typer.echo(place if result.output else "to keep the scores of every row: --output FILE")
