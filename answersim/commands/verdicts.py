"""``answersim score --calibration``: equivalent, unsure or different, for a table of answers or for one pair."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from answersim.commands import options
from answersim.commands.printing import print_lines, print_parts
from answersim.io import files, output_files
from answersim.runtime.option_groups import refuse_given

if TYPE_CHECKING:
    from answersim.calibration.model import Calibration

_OF_TABLES = ("gold", "pred", "split_gold", "skip_bad", "log", "encoding", "delimiter")
_OF_ANSWERS = ("gold", "pred", "question", "split_gold", "skip_bad")
_OF_METRICS = ("lang", "profile", "option", "extract", "extract_gold", "precision")


def print_verdicts(
    context: typer.Context,
    path: Path | None,
    pair: tuple[str, str] | None,
    reading: options.Reading,
    scoring: options.Scoring,
    verdict: options.Verdict,
    labels: options.Labels,
    result: options.Result,
) -> None:
    """Print the verdict on one pair; or print and write those on the rows of a table."""
    from answersim.scoring.row_verdicts import row_verdicts

    if (path is None) == (pair is None):
        raise ValueError("give either a table of answers or --pair GOLD PRED")
    column = labels.score[0] if labels.score else None
    if column is not None:
        refuse_given(context, _OF_ANSWERS, "--score supplies the scores; leave it out")
    if pair is not None:
        refuse_given(context, _OF_TABLES, "it is for a table, and --pair is one pair of answers")
        if column or result.output:
            raise ValueError("--score and --output are for a table, but --pair is one pair of answers")
    calibration = _calibration(context, scoring, verdict, reading.question)
    how: dict[str, Any] = {
        "score": column,
        "low": verdict.low,
        "high": verdict.high,
        "options": _options(context, calibration, scoring),
        "output": result.output,
        "prefix": result.prefix,
        "progress": scoring.progress,
        "cache": scoring.cache,
    }
    if pair is not None:
        asked = {"question": [reading.question]} if reading.question else {}
        answers = options.Reading(question="question" if asked else None).answers(
            {"gold": [pair[0]], "pred": [pair[1]], **asked}
        )
        found = row_verdicts(answers, calibration, **how)
        score = found.scores[0]
        lines = [f"verdict      {score.verdict}", f"probability  {score.probability:.4f}"]
        lines += [f"score        {float(score):.4f}", f"signature    {score.signature}"]
        print_lines([*lines, *found.basis(), *found.cautions()])
        return
    path = files.buffer_stdin(Path(str(path)))
    output_files.refuse_overwriting_input([path, Path(str(verdict.calibration))], result.output)
    found = row_verdicts(path if column else reading.answers(path), calibration, **how)
    kept = (
        f"verdicts of every row: {result.output}"
        if result.output
        else "to keep the verdicts of every row: --output FILE"
    )
    print_parts([*found.summary(), *found.tables(), *found.footer(), kept])


def _calibration(
    context: typer.Context, scoring: options.Scoring, verdict: options.Verdict, question: str | None
) -> Calibration:
    """Return the calibration that the options choose."""
    from answersim.calibration.storing import find
    from answersim.scoring.row_verdicts import calibration_for

    refuse_given(context, _OF_METRICS, "the calibration states how its metric is built; leave it out")
    name = scoring.one()
    if name is not None and verdict.calibration != "shipped":
        raise ValueError(
            f"--metric {name} is given, but the calibration {verdict.calibration} states its metric; leave it out, or "
            "give --calibration shipped"
        )
    return find(
        calibration_for(name if verdict.calibration == "shipped" else verdict.calibration, question is not None)
    )


def _options(context: typer.Context, calibration: Calibration, scoring: options.Scoring) -> dict[str, Any]:
    """Return the options of the network and the judge. Raise TypeError if they are given and it has none."""
    from answersim.catalog import lookup

    named = calibration.metric.get("name")
    names = [str(named)] if named else []
    # the precision is the one that was calibrated
    given = next(iter(lookup.network_options(names, scoring.device, None, scoring.batch_tokens).values()), {})
    if named:
        return given | scoring.judges_of(names, {})[str(named)]
    refuse_given(context, options.JUDGE, "the calibration was made from a column of scores; leave it out")
    return given
