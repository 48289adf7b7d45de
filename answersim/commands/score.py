"""``answersim score``: the scores of every row of a table, of two text files, or of one pair; and verdicts."""

from __future__ import annotations

import math
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim._base.io import files, output_files
from answersim._base.runtime.option_groups import Use, command, is_given, refuse_given
from answersim.answers.tables.reader import LINES, read_answers
from answersim.calibration.storing import find
from answersim.commands import options
from answersim.commands.printing import print_lines, print_parts
from answersim.metrics.catalog import lookup
from answersim.scoring.score import score as scored
from answersim.scoring.tables.row_verdicts import calibration_for, calibration_in, row_verdicts
from answersim.scoring.tables.score_file import score_file

if TYPE_CHECKING:
    from answersim.calibration.model.model import Calibration
    from answersim.calibration.scores import Score


_OF_TABLES = ("skip_bad", "log", "encoding", "delimiter", "score", "output", "prefix")
_OF_ANSWERS = ("gold", "pred", "question", "split_gold", "skip_bad")
_VERDICTS = ("low", "high", "score")
_OF_METRICS = ("profile", "option", "extract", "extract_gold")


def _print_pair(
    context: typer.Context, reading: options.Reading, scoring: options.Scoring, verdict: options.Verdict
) -> None:
    """Print the scores of one pair of texts, and their verdicts if there is a calibration."""
    preds = context.params["pred"] or []  # as typed: a text may contain commas
    if not (is_given(context, "gold") and is_given(context, "pred")):
        context.fail("Missing argument 'FILE'; for one pair of texts give both: --gold TEXT --pred TEXT")
    if len(preds) != 1:
        raise ValueError(f"--pred is given {len(preds)} times, but without FILE it is one text; give it once")
    refuse_given(context, _OF_TABLES, "it is for a table, and there is no FILE; leave it out")
    golds = reading.gold.split(reading.split_gold) if reading.split_gold else [reading.gold]
    question = {"question": reading.question} if reading.question else {}
    if verdict.calibration is not None:
        columns = {"gold": [golds], "pred": preds, **{name: [text] for name, text in question.items()}}
        answers = options.Reading(question="question" if question else None).answers(columns)
        calibration, settings = _verdict_settings(
            context, scoring, verdict, reading.question, scoring.place["lang"] or "en"
        )
        verdicts = row_verdicts(answers, calibration, **settings)
        print_lines([*_described(verdicts.scores[0]), *verdicts.basis(), *verdicts.cautions()])
        return
    refuse_given(context, ("low", "high"), "it is for a calibration; give --calibration too, or leave it out")
    settings = {"progress": scoring.progress, "cache": scoring.cache, **question}
    for name, metric in scoring.built(*(scoring.metric or (lookup.DEFAULT_METRIC,))).items():
        try:
            score = scored(golds, preds[0], metric, calibration="shipped", **settings)
        except LookupError:  # no calibration ships for this metric
            score = scored(golds, preds[0], metric, **settings)
        print_lines([f"metric       {name}", *_described(score)])


def _described(score: Score) -> list[str]:
    """Return the lines about the score of one pair."""
    lines = [] if score.verdict is None else [f"verdict      {score.verdict}"]
    if score.probability is not None and not math.isnan(score.probability):  # a metric of 0 and 1 has none
        lines.append(f"probability  {score.probability:.4f}")
    return [*lines, f"score        {float(score):.4f}", f"signature    {score.signature}"]


def _print_verdicts(
    context: typer.Context,
    path: Path,
    reading: options.Reading,
    scoring: options.Scoring,
    verdict: options.Verdict,
    labels: options.Labels,
    result: options.Result,
) -> None:
    """Print and write the verdicts on the rows of a table."""
    column = labels.score[0] if labels.score else None
    if column is not None:
        refuse_given(context, _OF_ANSWERS, "--score supplies the scores; leave it out")
    path = files.buffer_stdin(path)
    data: Any = path
    lang = "en"
    if not column:
        data = answers = reading.answers(path)
        lang = str(scoring.for_table(answers).lang)
    calibration, settings = _verdict_settings(context, scoring, verdict, reading.question, lang)
    settings |= {"score": column, "output": result.output, "prefix": result.prefix}
    output_files.refuse_overwriting_input([path, Path(str(verdict.calibration))], result.output)
    verdicts = row_verdicts(data, calibration, **settings)
    place = (
        f"verdicts of every row: {result.output}"
        if result.output
        else "to keep the verdicts of every row: --output FILE"
    )
    print_parts([*verdicts.summary(), *verdicts.tables(), *verdicts.footer(), place])


def _verdict_settings(
    context: typer.Context, scoring: options.Scoring, verdict: options.Verdict, question: str | None, lang: str
) -> tuple[Calibration, dict[str, Any]]:
    """Return the calibration that the options choose, and the settings of its verdicts."""
    is_shipped, asks = verdict.calibration == "shipped", question is not None
    unread = _OF_METRICS if is_shipped else ("lang", *_OF_METRICS)
    refuse_given(context, unread, "the calibration states how its metric is built; leave it out")
    name = scoring.one()
    if name is not None and not is_shipped:
        raise ValueError(
            f"--metric {name} is given, but the calibration {verdict.calibration} states its metric; leave it out, or "
            "give --calibration shipped"
        )
    if is_shipped and lang != "en":
        calibration = calibration_in(lang, name, asks)
    else:
        calibration = find(calibration_for(name if is_shipped else verdict.calibration, asks))
    decides = str(calibration.metric.get("name") or "")
    of_metric = scoring.networks_of([decides] if decides else [], {}).get(decides, {})
    if decides:
        of_metric |= scoring.judges_of([decides], {})[decides]
    else:
        refuse_given(context, options.JUDGE, "the calibration was made from a column of scores; leave it out")
    settings = {"low": verdict.low, "high": verdict.high, "progress": scoring.progress, "cache": scoring.cache}
    return calibration, {**settings, "options": of_metric}


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
        _print_pair(context, reading, scoring, verdict)
        return
    if result.output is None:
        refuse_given(context, ("prefix",), "no new columns are written; give --output too, or leave it out")
    if verdict.calibration is not None:
        if pred_path is not None:
            raise ValueError(f"{pred_path} is given, but verdicts are for a table; put both columns into one table")
        _print_verdicts(context, path, reading, scoring, verdict, labels, result)
        return
    refuse_given(context, _VERDICTS, "it is for verdicts; give --calibration too, or leave it out")
    if reading.log is not None:
        refuse_given(context, ("pred_path",), "a log has its own format; leave it out")
    _scores(path, pred_path, reading, scoring, result)


def _scores(
    path: Path, pred_path: Path | None, reading: options.Reading, scoring: options.Scoring, result: options.Result
) -> None:
    """Score the rows, and print the summary."""
    path = files.buffer_stdin(path)
    names = scoring.metric or (lookup.DEFAULT_METRIC,)
    if pred_path is None:
        answers = reading.answers(path)
    else:
        names_of = {"gold": reading.gold, "pred": reading.pred[0], "question": reading.question}
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
