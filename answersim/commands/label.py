"""``answersim label``: draw rows, label them, and estimate the share of correct answers from the labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from answersim.catalog import lookup
from answersim.commands.expansion import OptionGroup, Use, command, option
from answersim.commands.options import (
    BootstrapOptions,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    VerdictOptions,
    flag_of,
    is_given,
    options_of,
    refuse_given,
)
from answersim.io import files
from answersim.runtime.locks import locked
from answersim.text_tables import counted

if TYPE_CHECKING:
    from answersim.answers.reader import AnswerBlock
    from answersim.calibration.verdicts import Decided, VerdictRule
    from answersim.evaluation.labeling import Labels, Sheet

_READ = "With --read."


@dataclass(frozen=True)
class SampleOptions(OptionGroup):
    """Which rows are drawn."""

    heading: ClassVar[str] = "Sample"

    rows_of: Path | None = option(None, "Label the same questions as this sheet of another system, for 'compare'.")
    allocation: str = option(
        "proportional", "proportional: the same share of each stratum; equal: as many rows of each."
    )
    strata: int = option(5, "The number of strata, by score.")


@command
def label(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table of answers.")],
    reading: Annotated[
        ReadingOptions,
        Use(without=("references",), notes={"id": "The sheet shows it to the annotator.", "group": _READ}),
    ],
    metric: MetricOptions,
    labels: Annotated[LabelOptions, Use(only=("score",), notes={"score": "It replaces a metric."})],
    verdict: VerdictOptions,
    bootstrap: Annotated[BootstrapOptions, Use(only=("level", "seed"))],
    result: Annotated[
        ResultOptions,
        Use(
            only=("rows", "output"),
            defaults={"rows": 100},
            notes={"rows": "Rows to label.", "output": "With --read: the table with its labels."},
        ),
    ],
    sample: SampleOptions,
    judge: JudgeOptions,
    run: RunOptions,
    sheet: Annotated[
        Path | None, typer.Option(help="The sheet with the rows to label. Default: FILE.labels.csv.")
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Label on this terminal. A later call resumes.")] = False,
    read: Annotated[bool, typer.Option("--read", help="Read the sheet back and estimate the share.")] = False,
) -> None:
    """Draw rows to label by hand, and estimate a share from them.

    The rows are shuffled and show neither scores nor verdicts. Label them here with --ask, or in a spreadsheet. Then
    read them back with --read.
    """
    from answersim.answers.sources import Source
    from answersim.answers.sources import read as read_table
    from answersim.evaluation import labeling, sheets
    from answersim.scoring.score import default_for

    column, output, seed = (labels.score[0] if labels.score else None), result.output, bootstrap.seed
    _check(context, column, ask, read)
    columns = _columns(reading)
    target = sheet or path.with_suffix(".labels.csv")
    files.refuse_overwriting_input(path, target)
    files.refuse_overwriting_input([path, target], output)
    held = read_table(path, "the table", reading.log).table
    table = held.with_fields([*columns, column], path)
    source = replace(reading, log=None).answers(Source(table, path)).with_columns(own=(column,) if column else ())
    answers = source.read()

    def decided() -> tuple[Decided, VerdictRule]:
        name = metric.one() or default_for(verdict.calibration)
        return _decided(answers, name, column, metric, verdict, judge, run)

    def drawn() -> Sheet:
        if sample.rows_of is not None:
            unused = ("rows", "allocation", "strata", "seed", "metric", "score")
            refuse_given(context, unused, "--rows-of determines the rows; leave one of them out")
            return labeling.sheet_like(sheets.read(sample.rows_of), table, columns, path)
        how: dict[str, Any] = {"allocation": sample.allocation, "strata": sample.strata}
        rows = labeling.choose(decided()[0].scores, result.rows, rng=seed, **how)
        return labeling.sheet_of(table, rows, columns, seed, [number - 1 for number in answers.numbers], **how)

    def existing() -> Sheet:
        found = sheets.read(target)
        labeling.labels_of(found, table, columns, path)  # the sheet must belong to this file
        how = {"rows": len(found.rows), "allocation": found.allocation, "strata": found.n_strata, "seed": found.seed}
        _check_same(context, how, found, target, sample.rows_of)
        return found

    if read:
        given = labeling.labels_of(existing(), table, columns, path)
        _estimate(held, path, answers, *decided(), given, bootstrap.level, output)
        return
    _label(target, existing, drawn, ask)


def _check(context: typer.Context, column: str | None, ask: bool, read: bool) -> None:
    """Check that the options fit together."""
    if ask and read:
        raise ValueError("--ask and --read are both given; label first, then read the sheet")
    if not read:
        refuse_given(context, ("output", "group", "level"), "it is for --read; leave it out, or give --read")
    if column is not None:
        unread = ("metric", "option", "extract", "extract_gold")
        refuse_given(context, unread, "--score names a column of given scores; leave one of them out")


def _columns(reading: ReadingOptions) -> Any:
    """Return the columns of the sheet. Raise ValueError if two of them are the same."""
    from answersim.evaluation import labeling

    texts = {"--gold": reading.gold, "--pred": reading.one_pred, "--question": reading.question, "--id": reading.id}
    files.check_distinct_columns(**texts, **{"the sheet": labeling.KEY, "the labels": labeling.LABEL})
    return labeling.Columns(reading.gold, reading.one_pred, reading.question, reading.id)


def _label(target: Path, existing: Callable[[], Sheet], drawn: Callable[[], Sheet], ask: bool) -> None:
    """Draw the rows of the sheet if it does not exist, label them if asked for, and print how many are labeled."""
    from answersim.evaluation import sheets

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
        if is_given(context, name) and context.params[name] != value:
            option = flag_of(context, name)
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
    answers: AnswerBlock,
    name: str,
    column: str | None,
    metric: MetricOptions,
    verdict: VerdictOptions,
    judge: JudgeOptions,
    run: RunOptions,
) -> tuple[Decided, VerdictRule]:
    """Return the scores by which rows are chosen, what is decided of them, and by which rule.

    Args:
        answers: The answers of one system.
        name: The name of the metric.
        column: A column of scores instead, or None.
        metric: The options of the metric.
        verdict: The options of the rule.
        judge: The options of a judge.
        run: The options of networks.
    """
    from answersim.calibration.verdicts import scale_of
    from answersim.evaluation import system_columns
    from answersim.evaluation.paired_scores import paired_scores

    (system,) = answers.predictions
    if column is not None:
        scores = system_columns.scores(answers, {system: column})[system]
        rule = verdict.settings.rule("", scale_of([scores]), column)
    else:
        how: dict[str, Any] = {"progress": run.progress, "cache": run.store([name])} | metric.place
        built: Any = name
        if options := options_of([name], metric, run, judge)[name]:
            built = lookup.metric(name, **metric.place, **options)
            how |= {"lang": None, "profile": None}
        found = paired_scores(answers.predictions, built, answers.golds, answers.questions, **how)
        scores = found.scores[system]
        rule = verdict.settings.rule(found.signature, found.scale, name)
    return rule.decide(scores), rule


def _estimate(
    table: files.Table,
    path: Path,
    answers: AnswerBlock,
    decided: Decided,
    rule: VerdictRule,
    given: Labels,
    level: float,
    output: Path | None,
) -> None:
    from answersim.evaluation.human_labels import SystemLabels, check_enough
    from answersim.evaluation.labeled_shares import labeled_shares
    from answersim.evaluation.labeling import INCLUSION, LABEL, STRATUM

    at = [number - 1 for number in answers.numbers]  # rows without answers were left out
    clusters = answers.questions if answers.groups is None else answers.groups
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
    _print_estimate(share, decided, rule, notes, given.n_open)
    if output is not None:
        typer.echo(f"written: {output}")


def _print_estimate(share: Any, decided: Decided, rule: VerdictRule, notes: Sequence[str], n_open: int) -> None:
    """Print the estimated share, what it rests on, and its notes."""
    typer.echo(share)
    alone = share.ppi.labels_alone
    typer.echo(f"the labels alone: {100 * alone.value:.1f} % [{100 * alone.low:.1f}, {100 * alone.high:.1f}]")
    if (right := decided.right()) is not None:
        typer.echo(f"by the scores: {int(right.sum()):,} of {len(right):,} right")
    typer.echo(f"counted: {rule.sentence}")
    for note in notes:
        typer.echo(f"note: {note}")
    if n_open:
        typer.echo(
            f"note: {counted(n_open, 'drawn row')} without a label. Rows that were skipped because they are hard "
            "bias the estimate"
        )
