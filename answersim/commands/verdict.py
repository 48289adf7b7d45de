"""``answersim verdict``: equivalent, unsure or different, for a table of answers or for one pair."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from answersim.calibration.decision import UNSURE
from answersim.calibration.verdicts import VerdictRule, verdict_rule
from answersim.commands.calibrate import (
    Columns,
    cut_words,
    numbers,
    percent,
    read_rows,
    scored,
)
from answersim.commands.judging import OPTIONS, BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    Delimiter,
    Device,
    Encoding,
    MinPrecision,
    Unsure,
    print_table,
    refuse_given,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.signature import column_signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from answersim.calibration.model import Calibration
    from answersim.calibration.scored import CalibratedScores
    from answersim.types import FloatArray


UNLIKE = 0.1  # the largest difference of the mean probability and the share of equivalent pairs without a caution


def verdict(
    context: typer.Context,
    path: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A table of answers.")] = None,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(metavar="GOLD PRED", help="One pair of answers, instead of a table.")
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            "--calibration",
            "-c",
            help="A file written by 'answersim calibrate', or the name of a shipped calibration. Default: that of "
            "answersim. With --question, the calibration that was made with questions.",
        ),
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[
        str | None,
        typer.Option(help="The column of questions (with --pair, the question), for a metric that reads them."),
    ] = None,
    split_gold: Annotated[
        str | None, typer.Option(help="A separator between several references in one gold value.")
    ] = None,
    score_column: Annotated[
        str | None, typer.Option(help="The column of scores, for a calibration that was made from such a column.")
    ] = None,
    unsure: Unsure = UNSURE,
    min_precision: MinPrecision = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table here, with new columns.")
    ] = None,
    prefix: Annotated[str, typer.Option(help="A prefix of the names of the new columns.")] = "",
    base_url: BaseUrl = None,
    model: Model = None,
    record: RecordFile = None,
    replay: Replay = False,
    prompt: PromptName = None,
    device: Device = None,
    batch_tokens: BatchTokens = None,
    cache: Cache = True,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Decide whether answers are equivalent, unsure or different. Print probabilities and the expected errors."""
    from answersim.calibration.storing import find
    from answersim.catalog import lookup

    with user_errors(), receipt(), read_options(encoding, delimiter):
        path = None if path is None else files.buffer_stdin(path)
        if (path is None) == (pair is None):
            raise ValueError("give either a table of answers or --pair GOLD PRED")
        if pair is not None:
            of_tables = ("gold", "pred", "split_gold", "encoding", "delimiter")
            refuse_given(context, of_tables, "it is for a table, and --pair is one pair of answers")
        if score_column is not None:
            unread = ("gold", "pred", "question", "split_gold")
            refuse_given(context, unread, "--score-column supplies the scores; leave it out")
        if output is None:
            refuse_given(context, ("prefix",), "no new columns are written; give --output too, or leave it out")
        calibration = chosen(calibration, question is not None)
        meaning = find(calibration)
        rule = verdict_rule(meaning.signature, calibration=meaning, unsure=unsure, min_precision=min_precision)
        run = _running(meaning, device, batch_tokens)
        if named := meaning.metric.get("name"):
            run |= judge_options([str(named)], {}, base_url, model, record, replay, prompt)[str(named)]
        else:
            refuse_given(context, OPTIONS, "the calibration was made from a column of scores; leave it out")
        if pair is not None:
            _one(pair, question, meaning, score_column, output, run, cache, rule)
            return
        assert path is not None
        files.refuse_overwriting_input([path, Path(calibration)], output)
        if score_column is None:
            files.check_distinct_columns(**{"--gold": gold, "--pred": pred, "--question": question})
        table = read_rows(path)
        name = _name(meaning, score_column)
        may_truncate = not score_column and lookup.entry(name).kind != "lexical"
        new = [f"{prefix}{column}" for column in ([] if score_column else [name]) + ["probability", "verdict"]]
        new += [f"{prefix}truncated"] if may_truncate else []
        if output:  # an output that cannot be written is reported before any work
            files.check_new(table, new)
            files.check_writable(output, table)
        if score_column:
            scores: Any = numbers(table, score_column, path)
        else:
            scores = _scored(table, path, meaning, Columns(gold, pred, question, split_gold), progress, run, cache)
        probabilities = meaning.probability(scores)
        verdicts = meaning.verdicts(scores, unsure=rule.unsure, min_precision=rule.min_precision)
        if output:
            columns = {} if score_column else {new[0]: scores.values.tolist()}
            whole = table.extended(columns | {f"{prefix}probability": probabilities.tolist()})
            whole = _with_texts(whole, f"{prefix}verdict", verdicts.tolist())
            if may_truncate:
                whole = _with_texts(whole, new[-1], ["yes" if cut else "no" for cut in scores.truncated])
            files.write(whole, output)
        _tell(meaning, verdicts, probabilities, rule)
        if may_truncate and scores.truncated.any():
            typer.echo(_cut(int(scores.truncated.sum()), len(verdicts)))
        typer.echo(f"verdicts of every row: {output}" if output else "to keep the verdicts of every row: --output FILE")


def _running(meaning: Calibration, device: str | None, batch_tokens: int | None) -> dict[str, Any]:
    """Return the options of the network of a calibration. Raise TypeError if they are given and it has none."""
    from answersim.catalog import lookup

    names = [str(meaning.metric["name"])] if "name" in meaning.metric else []
    options = lookup.network_options(names, device, None, batch_tokens)  # the precision is the one that was calibrated
    return next(iter(options.values()), {})


def _one(
    pair: tuple[str, str],
    question: str | None,
    meaning: Calibration,
    score_column: str | None,
    output: Path | None,
    run: Mapping[str, Any],
    cache: bool,
    rule: VerdictRule,
) -> None:
    if score_column or output:
        raise ValueError("--score-column and --output are for a table, but --pair is one pair of answers")
    _name(meaning, None)
    table = files.Table(("gold", "pred", "question"), [{"gold": pair[0], "pred": pair[1], "question": question or ""}])
    columns = Columns("gold", "pred", "question" if question else None)
    scores = _scored(table, Path("--pair"), meaning, columns, False, run, cache)
    typer.echo(f"verdict      {meaning.verdicts(scores, unsure=rule.unsure, min_precision=rule.min_precision)[0]}")
    typer.echo(f"probability  {meaning.probability(scores)[0]:.4f}")
    typer.echo(f"score        {scores.values[0]:.4f}")
    typer.echo(f"signature    {scores.signature}")
    if scores.truncated[0]:
        typer.echo(_cut(1, 1))
    typer.echo(_basis(meaning, rule))


def _cut(count: int, n: int) -> str:
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
    read_options = f"{name}-question"
    if not with_question or (calibration is not None and read_options not in shipped()):
        return name
    if read_options not in shipped():
        raise LookupError(f"no calibration of {name} was made with questions; leave --question out")
    return read_options


def _scored(
    table: files.Table,
    path: Path,
    meaning: Calibration,
    columns: Columns,
    progress: bool,
    run: Mapping[str, Any],
    cache: bool,
) -> CalibratedScores:
    """Return the scores for the calibration. Raise ValueError before any work if the metric has changed."""
    from answersim.catalog import lookup
    from answersim.scoring.score import signed

    how = dict(meaning.metric)
    settings = {name: value for name, value in run.items() if name in OPTIONS}
    how["options"] = {**how["options"], **settings}
    built = lookup.metric(how["name"], lang=how["lang"], profile=how["profile"], **how["options"])
    has_questions = columns.question is not None and any(table.answers(columns.question, path))
    meaning.check(signed(built, has_questions))
    return cast("CalibratedScores", scored(table, path, how, columns, progress, run, cache, meaning))


def _name(meaning: Calibration, score_column: str | None) -> str:
    """Return the name of the metric, or of the column. Raise ValueError if the calibration is for another one."""
    made_of = meaning.metric.get("column")
    if score_column is not None:
        if made_of is None:
            raise ValueError(
                f"the calibration is for the metric {meaning.signature!r}, but the column {score_column!r} may "
                f"contain other scores; leave --score-column out to compute them"
            )
        meaning.check(column_signature(score_column))
        return score_column
    if made_of is not None:
        raise ValueError(f"the calibration was made from a column of scores; name it: --score-column {made_of}")
    if not {"name", "lang", "profile", "options"} <= meaning.metric.keys():
        raise ValueError(
            f"the calibration does not contain how the metric {meaning.signature!r} is built; make it with "
            "'answersim calibrate', or give answersim.calibrate metric={'name': ..., 'lang': ..., 'profile': ..., "
            "'options': {}}"
        )
    return str(meaning.metric["name"])


def _with_texts(table: files.Table, name: str, texts: list[str]) -> files.Table:
    """Return the same table with this column of texts after the others."""
    rows = [row | {name: text} for row, text in zip(table.rows, texts, strict=True)]
    arrow = table.arrow
    if arrow is not None:
        import pyarrow

        arrow = arrow.append_column(name, pyarrow.array(texts, "string"))
    return files.Table((*table.columns, name), rows, arrow)


def _tell(meaning: Calibration, verdicts: NDArray[np.str_], probabilities: FloatArray, rule: VerdictRule) -> None:
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
            side = {"equivalent": meaning.equivalent, "different": meaning.different}.get(name)
            shares.append("" if side is None else percent(side.right))
        rows.append((name, str(counts[name]), f"{counts[name] / n:.1%}", *shares))
    header = ("verdict", "n", "share", "expected right")
    print_table(header if rule.min_precision is None else (*header, "promised ones right on held-out pairs"), rows)
    typer.echo()
    typer.echo(
        f"mean probability {mean:.4f}: the expected share of equivalent pairs, if they are like the data of the "
        "calibration"
    )
    made_of = meaning.provenance.equivalent / meaning.provenance.n
    if abs(mean - made_of) > UNLIKE:
        typer.echo(
            f"caution: in the data of the calibration, {made_of:.1%} were equivalent. If this share differs, so does "
            "the share of correct verdicts; "
            "label some pairs and make your own calibration: answersim calibrate"
        )
    typer.echo(f"signature: {printable(meaning.signature)}")
    typer.echo(_basis(meaning, rule))


def _basis(meaning: Calibration, rule: VerdictRule) -> str:
    """Return the lines on the data of the calibration, and on the rule for the verdicts."""
    from answersim.calibration.wording import basis, decision, sides

    lines = [basis(meaning), decision(meaning, rule.unsure)]
    if rule.min_precision is not None:
        cuts = f"equivalent {cut_words('from', meaning.equivalent)}, different {cut_words('below', meaning.different)}"
        lines += [f"of these verdicts, only those that are also promised are given: {cuts}", *sides(meaning)]
    return "\n".join(lines)
