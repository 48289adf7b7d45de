"""``answersim label``: draw rows, label them, and estimate the share of correct answers from the labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answersim import catalog, files
from answersim.cli_errors import user_errors
from answersim.commands.compare import Level, MetricName, Progress, ScoreColumn
from answersim.commands.shared import (
    Cache,
    Delimiter,
    Encoding,
    Language,
    Profile,
    SkipBad,
    cache_for,
    refuse_given,
)
from answersim.detection import reading

if TYPE_CHECKING:
    from answersim.evaluation.inputs import Answers
    from answersim.evaluation.labeling import Labels
    from answersim.types import FloatArray


def label(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table of answers.")],
    rows: Annotated[int, typer.Option("--rows", "-n", help="How many rows to label.")] = 100,
    sheet: Annotated[
        Path | None, typer.Option(help="The sheet with the rows to label. Default: FILE.labels.csv.")
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Label on this terminal. A later call resumes.")] = False,
    read: Annotated[bool, typer.Option("--read", help="Read the sheet back and estimate the share.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="With --read: write the table here, with its labels.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="With --read: a column of groups of rows that are alike, such as the question.")
    ] = None,
    rows_of: Annotated[
        Path | None, typer.Option(help="Label the same questions as this sheet of another system, for 'compare'.")
    ] = None,
    metric: MetricName = None,
    score: ScoreColumn = None,
    allocation: Annotated[
        str, typer.Option(help="proportional: the same share of each stratum; equal: as many rows of each.")
    ] = "proportional",
    strata: Annotated[int, typer.Option(help="The number of strata, by score.")] = 5,
    seed: Annotated[int, typer.Option(help="The random seed of the sample.")] = 0,
    level: Level = 0.95,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[str | None, typer.Option(help="The column of questions, if there is one.")] = None,
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
    from answersim.evaluation import labeling
    from answersim.evaluation.asking import ask as ask_labels
    from answersim.evaluation.inputs import Columns, read_answers
    from answersim.evaluation.sources import Source

    with user_errors(), reading(encoding, delimiter):
        metric = metric or catalog.DEFAULT_METRIC
        if ask and read:
            raise ValueError("--ask and --read are both given; label first, then read the sheet")
        if not read:
            refuse_given(context, ("output", "cluster", "level"), "it is for --read; leave it out, or give --read")
        if score is not None:
            refuse_given(context, ("metric",), "--score names a column of given scores; leave one of them out")
        files.check_distinct_columns(**{"--gold": gold, "--pred": pred, "--question": question})
        target = sheet or path.with_suffix(".labels.csv")
        files.refuse_overwriting_input(path, target)
        files.refuse_overwriting_input([path, target], output)
        columns = labeling.Columns(gold, pred, question)
        held = files.read(path)
        table = held.with_fields([gold, pred, question, score], path)
        answers = read_answers(
            Source(table, path), Columns(gold, (pred,), question, own=(score,) if score else ()), skip_bad=skip_bad
        )

        def scores() -> FloatArray:
            return _scores(answers, metric, score, lang, profile, cache, progress)

        if read:
            refuse_given(
                context,
                ("rows", "allocation", "strata", "seed", "rows_of"),
                "the sample is drawn already; leave it out, or draw another without --read",
            )
            given = labeling.labels_of(labeling.read(target), table, columns, path)
            _estimate(held, path, answers, scores(), given, cluster, level, output)
            return
        if target.exists():
            refuse_given(
                context,
                ("rows", "allocation", "strata", "seed", "rows_of"),
                f"the sheet {target} exists already; leave it out to continue with the sheet, or name another one "
                f"with --sheet",
            )
            drawn = labeling.read(target)
            labeling.labels_of(drawn, table, columns, path)  # the sheet must belong to this file
        else:
            files.check_place(target)
            if (plan := labeling.plan_path(target)).exists():
                raise ValueError(
                    f"{plan} is the plan of the sheet {target}, which is missing; restore the sheet to continue with "
                    f"it, or name another one with --sheet"
                )
            if rows_of is not None:
                unused = ("rows", "allocation", "strata", "seed", "metric", "score")
                refuse_given(context, unused, "--rows-of determines the rows; leave one of them out")
                drawn = labeling.sheet_like(labeling.read(rows_of), table, columns, path)
            else:
                sample = labeling.choose(scores(), rows, allocation=allocation, strata=strata, seed=seed)  # type: ignore[arg-type]
                drawn = labeling.sheet_of(table, sample, columns, seed, [number - 1 for number in answers.numbers])
            labeling.write(drawn, target)
        if ask:
            given_now = ask_labels(
                drawn, lambda labels: labeling.save(drawn.labeled(labels), target), _line, typer.echo
            )
            drawn = drawn.labeled(given_now)
        done = len(drawn.rows) - drawn.n_open
        typer.echo(f"{target}: {len(drawn.rows):,} rows to label, {done:,} of them labeled")
        if drawn.n_open:
            typer.echo("to continue: fill in the column 'label' (1: correct, 0: not), or label here with --ask")
        if done:
            typer.echo("to estimate the share of correct answers: --read")


def _line(prompt: str) -> str:
    return input(prompt)


def _scores(
    answers: Answers,
    metric: str,
    score: str | None,
    lang: str,
    profile: str | None,
    cache: bool,
    progress: bool,
) -> FloatArray:
    """Return the scores by which rows are chosen and labels are extended: a column, or a metric."""
    if score is not None:
        from answersim.evaluation import system_columns

        (scores,) = system_columns.scores(answers, score).values()
        return scores
    from answersim.scoring import score_pairs

    asks = answers.questions is not None and catalog.reads_question(metric, lang, profile)
    (preds,) = answers.predictions.values()
    (scored,) = score_pairs(
        list(zip(answers.golds, preds, strict=True)),
        [metric],
        questions=answers.questions if asks else None,
        lang=lang,
        profile=profile,
        progress=progress,
        cache=cache_for([metric], cache),
    ).values()
    return scored.values


def _estimate(
    table: files.Table,
    path: Path,
    answers: Answers,
    scores: FloatArray,
    given: Labels,
    cluster: str | None,
    level: float,
    output: Path | None,
) -> None:
    from answersim.evaluation.correction import corrected
    from answersim.evaluation.labeling import INCLUSION, LABEL, STRATUM

    if cluster is not None and cluster not in table.columns:
        raise LookupError(f"{path} has no column {cluster!r}; its columns are: {', '.join(table.columns)}")
    at = [number - 1 for number in answers.numbers]  # rows without answers were left out
    clusters = None if cluster is None else [str(table.rows[i].get(cluster)) for i in at]
    if output is not None:
        files.check_new(table, [LABEL, INCLUSION] + ([] if given.strata is None else [STRATUM]))
        files.check_place(output)
    strata = None if given.strata is None else given.strata[at]
    found = corrected(
        scores, given.labels[at], clusters=clusters, inclusion=given.inclusion[at], strata=strata, level=level
    )
    if output is not None:
        columns = {LABEL: given.labels, INCLUSION: given.inclusion}
        if given.strata is not None:
            columns[STRATUM] = given.strata
        rows = [
            row | {name: None if values[i] != values[i] else float(values[i]) for name, values in columns.items()}
            for i, row in enumerate(table.rows)
        ]
        files.write(files.Table((*table.columns, *columns), rows), output)
    typer.echo(
        f"{found.value:.1%} of {found.n:,} answers are correct [{found.low:.1%}, {found.high:.1%}], by "
        f"{found.n_labeled:,} labels and a score of each answer"
    )
    alone = found.labels_alone
    typer.echo(f"the labels alone: {alone.value:.1%} [{alone.low:.1%}, {alone.high:.1%}]")
    typer.echo(f"with the scores, the labels are worth {found.labels_worth:,.0f}")
    for note in found.notes:
        typer.echo(f"note: {note}")
    if given.n_open:
        typer.echo(
            f"note: {given.n_open:,} drawn rows have no label. If they were skipped because they are hard, the "
            "estimate is biased"
        )
    if output is not None:
        typer.echo(f"written: {output}")
