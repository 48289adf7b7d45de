"""``answersim label``: draw rows, label them, and estimate the share of correct answers from the labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.calibration.decision import UNSURE
from answersim.commands.compare import Level, MetricName, Progress
from answersim.commands.shared import (
    Cache,
    CalibrationName,
    Cut,
    Delimiter,
    Encoding,
    Language,
    MinPrecision,
    Profile,
    Question,
    SkipBad,
    SplitGold,
    Unsure,
    cache_for,
    option_of,
    refuse_given,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.runtime.locks import locked
from answersim.text_tables import counted

if TYPE_CHECKING:
    from answersim.answers.reader import AnswerBlock
    from answersim.calibration.verdicts import Decided, VerdictRule
    from answersim.evaluation.labeling import Labels, Sheet


def label(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table of answers.")],
    n: Annotated[int, typer.Option("-n", help="How many rows to label.")] = 100,
    sheet: Annotated[
        Path | None, typer.Option(help="The sheet with the rows to label. Default: FILE.labels.csv.")
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Label on this terminal. A later call resumes.")] = False,
    read: Annotated[bool, typer.Option("--read", help="Read the sheet back and estimate the share.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="With --read: write the table here, with its labels.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="With --read: a column of groups of rows that are alike, if it is not the question."),
    ] = None,
    rows_of: Annotated[
        Path | None, typer.Option(help="Label the same questions as this sheet of another system, for 'compare'.")
    ] = None,
    metric: MetricName = None,
    score: Annotated[str | None, typer.Option("--score", help="A column of scores, instead of a metric.")] = None,
    calibration: CalibrationName = "shipped",
    unsure: Unsure = UNSURE,
    min_precision: MinPrecision = None,
    cut: Cut = None,
    allocation: Annotated[
        str, typer.Option(help="proportional: the same share of each stratum; equal: as many rows of each.")
    ] = "proportional",
    strata: Annotated[int, typer.Option(help="The number of strata, by score.")] = 5,
    seed: Annotated[int, typer.Option(help="The random seed of the sample.")] = 0,
    level: Level = 0.95,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Question = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="A column that identifies a row. The sheet shows it to the annotator.")
    ] = None,
    split_gold: SplitGold = None,
    lang: Language = "en",
    profile: Profile = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    cache: Cache = True,
    progress: Progress = True,
) -> None:
    """Draw rows to label by hand, and estimate a share from them.

    The rows are shuffled and show neither scores nor verdicts. Label them here with --ask, or in a spreadsheet. Then
    read them back with --read.
    """
    from answersim.answers.reader import read_answers
    from answersim.answers.sources import Source
    from answersim.evaluation import labeling, sheets
    from answersim.scoring.score import default_for

    with user_errors(), read_options(encoding, delimiter):
        metric = metric or default_for(calibration)
        if ask and read:
            raise ValueError("--ask and --read are both given; label first, then read the sheet")
        if not read:
            refuse_given(context, ("output", "cluster", "level"), "it is for --read; leave it out, or give --read")
        if score is not None:
            refuse_given(context, ("metric",), "--score names a column of given scores; leave one of them out")
        texts = {"--gold": gold, "--pred": pred, "--question": question, "--id": id_column}
        files.check_distinct_columns(**texts, **{"the sheet": labeling.KEY, "the labels": labeling.LABEL})
        target = sheet or path.with_suffix(".labels.csv")
        files.refuse_overwriting_input(path, target)
        files.refuse_overwriting_input([path, target], output)
        columns = labeling.Columns(gold, pred, question, id_column)
        held = files.read(path)
        table = held.with_fields([gold, pred, question, id_column, score], path)
        own = (score,) if score else ()
        source = read_answers(
            Source(table, path),
            pred=pred,
            gold=gold,
            question=question,
            id=id_column,
            split_gold=split_gold,
            skip_bad=skip_bad,
        )
        answers = source.with_columns(own=own).read()
        how = {"calibration": calibration, "unsure": unsure, "min_precision": min_precision, "cut": cut}

        def decided() -> tuple[Decided, VerdictRule]:
            return _decided(answers, metric, score, how, lang=lang, profile=profile, cache=cache, progress=progress)

        def drawn() -> Sheet:
            if rows_of is not None:
                unused = ("n", "allocation", "strata", "seed", "metric", "score")
                refuse_given(context, unused, "--rows-of determines the rows; leave one of them out")
                return labeling.sheet_like(sheets.read(rows_of), table, columns, path)
            sample = labeling.choose(decided()[0].scores, n, allocation=allocation, strata=strata, rng=seed)  # type: ignore[arg-type]
            positions = [number - 1 for number in answers.numbers]
            return labeling.sheet_of(table, sample, columns, seed, positions, allocation=allocation, strata=strata)

        def existing() -> Sheet:
            found = sheets.read(target)
            labeling.labels_of(found, table, columns, path)  # the sheet must belong to this file
            how = {"n": len(found.rows), "allocation": found.allocation, "strata": found.n_strata, "seed": found.seed}
            _check_same(context, how, found, target, rows_of)
            return found

        if read:
            given = labeling.labels_of(existing(), table, columns, path)
            _estimate(held, path, answers, *decided(), given, cluster, level, output)
            return
        files.check_place(target)
        busy = f"another 'answersim label' has the sheet {target} open; wait for it, or name another one with --sheet"
        with locked(sheets.lock_path(target), busy):
            if target.exists():
                rows = existing()
            elif (plan := sheets.plan_path(target)).exists():
                raise ValueError(
                    f"{plan} is the plan of the sheet {target}, which is missing; restore the sheet to continue with "
                    f"it, or name another one with --sheet"
                )
            else:
                rows = drawn()
                sheets.write(rows, target)
            if ask:
                from answersim.evaluation.asking import ask as ask_labels

                rows = ask_labels(rows, sheets.LabelWriter(target).save, _line, typer.echo)
        done = len(rows.rows) - rows.n_open
        typer.echo(f"{target}: {counted(len(rows.rows), 'row')} to label, {done:,} of them labeled")
        if rows.n_open:
            typer.echo("to continue: fill in the column 'label' (1: correct, 0: not), or label here with --ask")
        if done:
            typer.echo("to estimate the share of correct answers: --read")


def _check_same(
    context: typer.Context, how: Mapping[str, Any], sheet: Sheet, target: Path, rows_of: Path | None
) -> None:
    """Check that the sheet was drawn as the options say that are given, so that a command can be repeated."""
    from answersim.evaluation import sheets

    for name, value in how.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT" and context.params[name] != value:
            option = option_of(context, name)
            raise ValueError(
                f"{option} is {context.params[name]}, but the sheet {target} was drawn with {option} {value}; leave it "
                "out to continue with the sheet, or name another one with --sheet"
            )
    if rows_of is not None and set(sheets.read(rows_of).positions) != set(sheet.positions):
        raise ValueError(
            f"--rows-of is {rows_of}, but the sheet {target} has other rows; leave it out to continue with the sheet, "
            "or name another one with --sheet"
        )


def _line(prompt: str) -> str:
    return input(prompt)


def _decided(
    answers: AnswerBlock, metric: str, score: str | None, how: dict[str, Any], *, cache: bool, **built: Any
) -> tuple[Decided, VerdictRule]:
    """Return the scores by which rows are chosen, what is decided of them, and by which rule.

    Args:
        answers: The answers of one system.
        metric: The name of the metric.
        score: A column of scores instead, or None.
        how: Arguments of ``verdict_rule``.
        cache: Whether scores of networks are stored.
        built: ``lang``, ``profile`` and ``progress`` of ``paired_scores``.
    """
    from answersim.calibration.verdicts import scale_of, verdict_rule
    from answersim.evaluation import system_columns
    from answersim.evaluation.paired_scores import paired_scores

    (system,) = answers.predictions
    if score is not None:
        scores = system_columns.scores(answers, {system: score})[system]
        rule = verdict_rule("", scale=scale_of([scores]), name=score, **how)
    else:
        kept = cache_for([metric], cache)
        found = paired_scores(answers.predictions, metric, answers.golds, answers.questions, cache=kept, **built)
        scores = found.scores[system]
        rule = verdict_rule(found.signature, scale=found.scale, name=metric, **how)
    return rule.decide(scores), rule


def _estimate(
    table: files.Table,
    path: Path,
    answers: AnswerBlock,
    decided: Decided,
    rule: VerdictRule,
    given: Labels,
    cluster: str | None,
    level: float,
    output: Path | None,
) -> None:
    from answersim.evaluation.human_labels import SystemLabels, check_enough
    from answersim.evaluation.labeled_shares import labeled_shares
    from answersim.evaluation.labeling import INCLUSION, LABEL, STRATUM

    if cluster is not None and cluster not in table.columns:
        raise LookupError(f"{path} has no column {cluster!r}; its columns are: {', '.join(table.columns)}")
    at = [number - 1 for number in answers.numbers]  # rows without answers were left out
    clusters = answers.questions if cluster is None else [str(table.rows[i].get(cluster)) for i in at]
    if output is not None:
        files.check_new(table, [LABEL, INCLUSION, STRATUM])
        files.check_place(output)
    (system,) = answers.predictions
    labels = SystemLabels(given.labels[at], given.inclusion[at], given.strata[at])
    check_enough(int((labels.labels == labels.labels).sum()), system)
    (share,), notes = labeled_shares({system: labels}, {system: decided}, clusters, level)
    if output is not None:
        columns = {LABEL: given.labels, INCLUSION: given.inclusion, STRATUM: given.strata}
        rows = [
            row | {name: None if values[i] != values[i] else float(values[i]) for name, values in columns.items()}
            for i, row in enumerate(table.rows)
        ]
        files.write(files.Table((*table.columns, *columns), rows), output)
    typer.echo(share)
    alone = share.ppi.labels_alone
    typer.echo(f"the labels alone: {100 * alone.value:.1f} % [{100 * alone.low:.1f}, {100 * alone.high:.1f}]")
    if (right := decided.right()) is not None:
        typer.echo(f"by the scores: {int(right.sum()):,} of {len(right):,} right")
    typer.echo(f"counted: {rule.sentence}")
    for note in notes:
        typer.echo(f"note: {note}")
    if given.n_open:
        typer.echo(
            f"note: {counted(given.n_open, 'drawn row')} without a label. Rows that were skipped because they are hard "
            "bias the estimate"
        )
    if output is not None:
        typer.echo(f"written: {output}")
