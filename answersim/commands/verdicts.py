"""``answersim score --calibration``: equivalent, unsure or different, for a table of answers or for one pair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.commands.calibrated import cut_words, percent
from answersim.commands.columns import scored
from answersim.commands.options import (
    JUDGE,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    VerdictOptions,
    refuse_given,
)
from answersim.commands.printing import print_table
from answersim.io import files
from answersim.signature import column_signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from answersim.answers.stacked import StackedAnswers
    from answersim.calibration.model import Calibration
    from answersim.calibration.scored import CalibratedScores
    from answersim.types import FloatArray

UNLIKE = 0.1  # the largest difference of the mean probability and the share of equivalent pairs without a caution
_OF_TABLES = ("gold", "pred", "split_gold", "skip_bad", "log", "encoding", "delimiter")
_OF_ANSWERS = ("gold", "pred", "question", "split_gold", "skip_bad")
_OF_METRICS = ("lang", "profile", "option", "extract", "extract_gold", "precision")


def print_verdict(
    context: typer.Context,
    path: Path | None,
    pair: tuple[str, str],
    reading: ReadingOptions,
    metric: MetricOptions,
    verdict: VerdictOptions,
    labels: LabelOptions,
    result: ResultOptions,
    judge: JudgeOptions,
    run: RunOptions,
) -> None:
    """Print the verdict on one pair of answers."""
    if path is not None:
        raise ValueError("give either a table of answers or --pair GOLD PRED")
    refuse_given(context, _OF_TABLES, "it is for a table, and --pair is one pair of answers")
    if labels.score or result.output:
        raise ValueError("--score and --output are for a table, but --pair is one pair of answers")
    calibration, rule = _calibration(context, metric, verdict, reading.question)
    options = _options(context, calibration, judge, run)
    _name(calibration, None)
    question = reading.question or ""
    table = {"gold": [pair[0]], "pred": [pair[1]], "question": [question]}
    answers = ReadingOptions(question="question" if question else None).stacked(table)
    scores = _scored(answers, calibration, options, run)
    decided = calibration.verdicts(scores, unsure=rule.unsure, min_precision=rule.min_precision)
    typer.echo(f"verdict      {decided[0]}")
    typer.echo(f"probability  {calibration.probability(scores)[0]:.4f}")
    typer.echo(f"score        {scores.values[0]:.4f}")
    typer.echo(f"signature    {scores.signature}")
    if scores.truncated[0]:
        typer.echo(_truncation(1, 1))
    typer.echo(_basis(calibration, rule))


def print_verdicts(
    context: typer.Context,
    path: Path | None,
    pred_path: Path | None,
    reading: ReadingOptions,
    metric: MetricOptions,
    verdict: VerdictOptions,
    labels: LabelOptions,
    result: ResultOptions,
    judge: JudgeOptions,
    run: RunOptions,
) -> None:
    """Print and write the verdicts on the rows of a table."""
    if path is None:
        raise ValueError("give either a table of answers or --pair GOLD PRED")
    if pred_path is not None:
        raise ValueError(f"{pred_path} is given, but verdicts are for a table; put both columns into one table")
    column = labels.score[0] if labels.score else None
    if column is not None:
        refuse_given(context, _OF_ANSWERS, "--score supplies the scores; leave it out")
    path, output = files.buffer_stdin(path), result.output
    calibration, rule = _calibration(context, metric, verdict, reading.question)
    options = _options(context, calibration, judge, run)
    files.refuse_overwriting_input([path, Path(str(verdict.calibration))], output)
    if column is None:
        reading.columns()
    answers, name = reading.stacked(path, score=labels.score), _name(calibration, column)
    table = answers.table
    new = _new_columns(name, column, result.prefix)
    if output:  # an output that cannot be written is reported before any work
        files.check_new(table, list(new.values()))
        files.check_writable(output, table)
    if column:
        scores: Any = answers.numbers_in(column)
    else:
        scores = _scored(answers, calibration, options, run)
    probabilities = calibration.probability(scores)
    decided = calibration.verdicts(scores, unsure=rule.unsure, min_precision=rule.min_precision)
    if output:
        values = {"score": None if column else scores.values.tolist(), "probability": probabilities.tolist()}
        texts = {"verdict": decided.tolist()}
        if "truncated" in new:
            texts["truncated"] = ["yes" if is_cut else "no" for is_cut in scores.truncated]
        files.write(_extended(table, new, values, texts), output)
    _print_summary(calibration, decided, probabilities, rule)
    if "truncated" in new and scores.truncated.any():
        typer.echo(_truncation(int(scores.truncated.sum()), len(decided)))
    typer.echo(f"verdicts of every row: {output}" if output else "to keep the verdicts of every row: --output FILE")


def _calibration(
    context: typer.Context, metric: MetricOptions, verdict: VerdictOptions, question: str | None
) -> tuple[Calibration, VerdictRule]:
    """Return the calibration that the options choose, and the rule for verdicts."""
    from answersim.calibration.storing import find

    refuse_given(context, _OF_METRICS, "the calibration states how its metric is built; leave it out")
    name = metric.one()
    if name is not None and verdict.calibration != "shipped":
        raise ValueError(
            f"--metric {name} is given, but the calibration {verdict.calibration} states its metric; leave it out, or "
            "give --calibration shipped"
        )
    calibration = find(chosen(name if verdict.calibration == "shipped" else verdict.calibration, question is not None))
    rule = verdict_rule(
        calibration.signature,
        calibration=calibration,
        unsure=verdict.unsure,
        min_precision=verdict.min_precision,
    )
    return calibration, rule


def _options(context: typer.Context, calibration: Calibration, judge: JudgeOptions, run: RunOptions) -> dict[str, Any]:
    """Return the options of the network and the judge. Raise TypeError if they are given and it has none."""
    from answersim.catalog import lookup

    named = calibration.metric.get("name")
    names = [str(named)] if named else []
    # the precision is the one that was calibrated
    options = next(iter(lookup.network_options(names, run.device, None, run.batch_tokens).values()), {})
    if named:
        return options | judge.of(names, {})[str(named)]
    refuse_given(context, JUDGE, "the calibration was made from a column of scores; leave it out")
    return options


def _new_columns(name: str, column: str | None, prefix: str) -> dict[str, str]:
    """Return the names of the new columns by what they contain."""
    from answersim.catalog import lookup

    new = {} if column else {"score": name}
    new |= {"probability": "probability", "verdict": "verdict"}
    if not column and lookup.entry(name).kind != "lexical":
        new["truncated"] = "truncated"
    return {content: f"{prefix}{text}" for content, text in new.items()}


def _extended(
    table: files.Table, new: Mapping[str, str], values: Mapping[str, Any], texts: Mapping[str, list[str]]
) -> files.Table:
    """Return the table with new columns of numbers and of texts."""
    whole = table.extended({new[content]: column for content, column in values.items() if column is not None})
    for content, column in texts.items():
        rows = [row | {new[content]: text} for row, text in zip(whole.rows, column, strict=True)]
        arrow = whole.arrow
        if arrow is not None:
            import pyarrow

            arrow = arrow.append_column(new[content], pyarrow.array(column, "string"))
        whole = files.Table((*whole.columns, new[content]), rows, arrow)
    return whole


def _truncation(count: int, n: int) -> str:
    """Return the caution that some texts were too long for the metric."""
    verdicts = "the verdict is" if n == 1 else f"{count:,} of {n:,} verdicts are"
    return f"caution: {verdicts} of a part of the text only, because it is too long for the metric"


def chosen(calibration: str | None, with_question: bool) -> str:
    """Return the calibration to use: the given one, or the shipped one of the default metric.

    With questions, the shipped one that was made with questions is used instead.

    Raises:
        LookupError: If questions are given, and no shipped calibration of this metric was made with any.
    """
    from answersim.calibration.storing import shipped
    from answersim.catalog.lookup import DEFAULT_METRIC

    name = DEFAULT_METRIC if calibration is None else calibration
    reading = f"{name}-question"
    if not with_question or (calibration is not None and reading not in shipped()):
        return name
    if reading not in shipped():
        raise LookupError(f"no calibration of {name} was made with questions; leave --question out")
    return reading


def _scored(
    answers: StackedAnswers, calibration: Calibration, options: Mapping[str, Any], run: RunOptions
) -> CalibratedScores:
    """Return the scores for the calibration. Raise ValueError before any work if the metric has changed."""
    from answersim.catalog import lookup
    from answersim.scoring.score import signed

    how = dict(calibration.metric)
    settings = {name: value for name, value in options.items() if name in JUDGE}
    how["options"] = {**how["options"], **settings}
    built = lookup.metric(how["name"], lang=how["lang"], profile=how["profile"], **how["options"])
    calibration.check(signed(built, any(answers.questions or ())))
    return cast("CalibratedScores", scored(answers, how, options, run, calibration))


def _name(calibration: Calibration, column: str | None) -> str:
    """Return the name of the metric, or of the column. Raise ValueError if the calibration is for another one."""
    made_of = calibration.metric.get("column")
    if column is not None:
        if made_of is None:
            raise ValueError(
                f"the calibration is for the metric {calibration.signature!r}, but the column {column!r} may "
                f"contain other scores; leave --score out to compute them"
            )
        calibration.check(column_signature(column))
        return column
    if made_of is not None:
        raise ValueError(f"the calibration was made from a column of scores; name it: --score {made_of}")
    if not {"name", "lang", "profile", "options"} <= calibration.metric.keys():
        raise ValueError(
            f"the calibration does not contain how the metric {calibration.signature!r} is built; make it with "
            "'answersim calibrate', or give answersim.calibrate metric={'name': ..., 'lang': ..., 'profile': ..., "
            "'options': {}}"
        )
    return str(calibration.metric["name"])


def _print_summary(
    calibration: Calibration, verdicts: NDArray[np.str_], probabilities: FloatArray, rule: VerdictRule
) -> None:
    from answersim.agreement.tables import printable
    from answersim.calibration.decision import VERDICTS

    n, mean = len(verdicts), float(probabilities.mean())
    counts = {name: int((verdicts == name).sum()) for name in VERDICTS}
    typer.echo(
        f"{counts['equivalent']:,} of {n:,} equivalent, {counts['equivalent'] / n:.0%}; {counts['different']:,} "
        f"different, {counts['unsure']:,} unsure"
    )
    typer.echo()
    rows = []
    for name in VERDICTS:
        expected = probabilities[verdicts == name] if name == "equivalent" else 1 - probabilities[verdicts == name]
        shares = [f"{expected.mean():.1%}" if len(expected) and name != "unsure" else ""]
        if rule.min_precision is not None:
            side = {"equivalent": calibration.equivalent, "different": calibration.different}.get(name)
            shares.append("" if side is None else percent(side.right))
        rows.append((name, str(counts[name]), f"{counts[name] / n:.1%}", *shares))
    header = ("verdict", "n", "share", "expected right")
    print_table(header if rule.min_precision is None else (*header, "promised ones right on held-out pairs"), rows)
    typer.echo()
    typer.echo(
        f"mean probability {mean:.4f}: the expected share of equivalent pairs, if they are like the data of the "
        "calibration"
    )
    made_of = calibration.provenance.equivalent / calibration.provenance.n
    if abs(mean - made_of) > UNLIKE:
        typer.echo(
            f"caution: in the data of the calibration, {made_of:.1%} were equivalent. If this share differs, so does "
            "the share of correct verdicts; "
            "label some pairs and make your own calibration: answersim calibrate"
        )
    typer.echo(f"signature: {printable(calibration.signature)}")
    typer.echo(_basis(calibration, rule))


def _basis(calibration: Calibration, rule: VerdictRule) -> str:
    """Return the lines on the data of the calibration, and on the rule for the verdicts."""
    from answersim.calibration.wording import basis, decision, sides

    lines = [basis(calibration), decision(calibration, rule.unsure)]
    if rule.min_precision is not None:
        cuts = cut_words("from", calibration.equivalent), cut_words("below", calibration.different)
        promised = "equivalent {}, different {}".format(*cuts)
        lines += [f"of these verdicts, only those that are also promised are given: {promised}", *sides(calibration)]
    return "\n".join(lines)
