"""``answersim calibrate``: learn probabilities and verdicts of a metric from a table with human labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from answersim.catalog import lookup
from answersim.commands.judging import (
    OPTIONS,
    BaseUrl,
    Model,
    PromptName,
    RecordFile,
    Replay,
    judge_options,
    receipt,
    without_places,
)
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    Delimiter,
    Device,
    Encoding,
    Language,
    MetricOptions,
    Precision,
    Profile,
    cache_for,
    network_options,
    print_table,
    refuse_given,
    setting,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.signature import column_signature

if TYPE_CHECKING:
    from answersim.calibration.model import Calibration
    from answersim.calibration.parts import VerdictThreshold
    from answersim.stats.resampling import Estimate
    from answersim.types import Scores


def calibrate(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table with labels.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the calibration here, as JSON.")],
    label: Annotated[str, typer.Option(help="The column of labels. Rows without a label are left out.")] = "label",
    cut: Annotated[
        float | None, typer.Option(help="Labels of at least this value are equivalent. Required for grades.")
    ] = None,
    metric: Annotated[str | None, typer.Option("--metric", "-m", help="The metric to calibrate.")] = None,
    score_column: Annotated[str | None, typer.Option(help="Calibrate the scores in this column instead.")] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[
        str | None,
        typer.Option(help="The column of questions, for a metric that reads them. The signature records it."),
    ] = None,
    split_gold: Annotated[
        str | None, typer.Option(help="A separator between several references in one gold value.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="The column that dependent pairs have in common, such as the question.")
    ] = None,
    target: Annotated[float, typer.Option(help="The share of correct verdicts that is promised.")] = 0.95,
    target_different: Annotated[
        float | None, typer.Option(help="The promised share for the verdict 'different', if it differs from --target.")
    ] = None,
    recall: Annotated[float, typer.Option(help="The minimum recall of the threshold for a precision.")] = 0.0,
    method: Annotated[str, typer.Option(help="The curve: isotonic, logistic or auto.")] = "auto",
    lang: Language = "en",
    profile: Profile = None,
    option: MetricOptions = None,
    seed: Annotated[int, typer.Option(help="The random seed of folds and resamples.")] = 0,
    base_url: BaseUrl = None,
    model: Model = None,
    record: RecordFile = None,
    replay: Replay = False,
    prompt: PromptName = None,
    device: Device = None,
    precision: Precision = None,
    batch_tokens: BatchTokens = None,
    cache: Cache = True,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Learn from labels what scores mean. Write probabilities, thresholds and verdicts to a file."""
    from answersim.answers.sources import Source
    from answersim.calibration.fitting import calibrate as fit
    from answersim.calibration.storing import write
    from answersim.evaluation.human_labels import check_uniform

    with user_errors(), receipt(), read_options(encoding, delimiter):
        path = files.buffer_stdin(path)
        if (metric is None) == (score_column is None):
            raise ValueError("give either --metric, to score the answers, or --score-column, to use existing scores")
        if score_column is not None:
            unread = ("gold", "pred", "question", "split_gold", "lang", "profile", "option", *OPTIONS)
            why = "--score-column supplies the scores; leave it out, or give --metric instead"
            refuse_given(context, unread, why)
        if output.suffix.lower() != ".json":
            raise ValueError(f"--output is {output}, but a calibration is a JSON file; give a name that ends in .json")
        files.check_writable(output.with_suffix(".jsonl"), files.Table((), []))
        files.refuse_overwriting_input(path, output)
        if score_column is not None:
            files.check_distinct_columns(**{"--label": label, "--score-column": score_column})
        else:
            roles = {"--gold": gold, "--pred": pred, "--question": question, "--label": label}
            files.check_distinct_columns(**roles)
        if group in (label, score_column) and group is not None:
            raise ValueError(
                f"--group is the column {group!r}, which contains labels or scores; name the column of what pairs "
                f"have in common, such as the question"
            )
        table = read_rows(path)
        labels = numbers(table, label, path, empty=True)
        judged = [i for i, grade in enumerate(labels) if grade == grade]
        check_uniform(Source(table, path), judged, "a calibration")
        table = files.Table(table.columns, [table.rows[i] for i in judged])
        groups = None if group is None else values(table, group, path)
        how: dict[str, Any]
        settings = dict(setting(item) for item in option or [])
        ways = network_options([metric] if metric else [], settings, device, precision, batch_tokens)
        if score_column is not None:
            scores: Any = numbers(table, score_column, path)
            how, signature = {"column": score_column}, column_signature(score_column)
        else:
            signed = {name: value for name, value in ways[str(metric)].items() if name == "precision"}
            asked = judge_options([str(metric)], settings, base_url, model, record, replay, prompt)[str(metric)]
            how = {"name": metric, "lang": lang, "profile": profile, "options": settings | signed | asked}
            scores = scored(
                table, path, how, Columns(gold, pred, question, split_gold), progress, ways[str(metric)], cache
            )
            if lookup.calls_service(str(metric)):
                how["options"] = without_places(how["options"])
            signature = scores.signature
        calibration = fit(
            scores,
            [labels[i] for i in judged],
            cut=cut,
            groups=groups,
            signature=signature,
            method=method,  # type: ignore[arg-type] # checked there
            target=target,
            target_different=target_different,
            recall=recall,
            rng=seed,
            metric=how,
            metadata={"file": path.name, "label": label, "left out": len(labels) - len(judged), "seed": seed},
        )
        write(calibration, output)
        tell(calibration)
        if left_out := len(labels) - len(judged):
            typer.echo(f"{left_out:,} of {len(labels):,} rows have no label and are left out")
        typer.echo(f"calibration: {output}")


def tell(calibration: Calibration) -> None:
    """Print a summary of a calibration."""
    from answersim.agreement.tables import printable
    from answersim.calibration.wording import promises

    provenance, shown = calibration.provenance, calibration.reliability
    typer.echo(printable(calibration.signature))
    of = "" if provenance.groups == provenance.n else f" of {provenance.groups:,} groups"
    typer.echo(
        f"{provenance.n:,} pairs{of}, {provenance.equivalent / provenance.n:.1%} equivalent (label: {provenance.label})"
    )
    typer.echo(
        f"AUC {calibration.quality.auc:.3f}; curve: {calibration.method}; "
        f"numbers below on pairs held out ({provenance.folds} folds)"
    )
    typer.echo()
    print_table(
        (
            "threshold for",
            "score from",
            "95 %" if provenance.level == 0.95 else f"{provenance.level:.0%}",
            "accuracy",
            "precision",
            "recall",
        ),
        [
            (
                {"accuracy": "best accuracy", "f1": "best F1"}.get(threshold.rule, f"precision {provenance.target:g}"),
                number(threshold.cut.value),
                f"{number(threshold.cut.low)} .. {number(threshold.cut.high)}",
                *map(percent, (threshold.accuracy, threshold.precision, threshold.recall)),
            )
            for threshold in calibration.thresholds
        ],
    )
    typer.echo()
    print_table(
        ("verdict", "score", "given to", "right", ""),
        [_side("equivalent", "from", calibration.equivalent), _side("different", "below", calibration.different)],
    )
    for line in promises(calibration):
        typer.echo(line)
    if "best cut" in (calibration.equivalent.kind, calibration.different.kind):
        typer.echo(
            "to promise less: --target, --target-different. A target that is chosen after this result is kept with "
            "less confidence"
        )
    typer.echo()
    print_table(
        ("pairs", "probability", "are equivalent"),
        [(str(row.n), f"{row.probability:.3f}", percent(row.share)) for row in shown.bins],
    )
    typer.echo()
    error, brier = shown.error, shown.brier
    typer.echo(
        f"calibration error {error.value:.3f} [{error.low:.3f}, {error.high:.3f}], by chance alone "
        f"{shown.by_chance:.3f}; Brier {brier.value:.3f} [{brier.low:.3f}, {brier.high:.3f}], "
        f"of a constant {calibration.quality.constant:.3f}"
    )


def _side(verdict: str, where: str, side: VerdictThreshold) -> tuple[str, str, str, str, str]:
    from answersim.calibration.wording import kind_of

    if side.kind == "never":
        return verdict, "never", "", "", ""
    return verdict, cut_words(where, side), percent(side.share), percent(side.right), kind_of(side)


def cut_words(where: str, side: VerdictThreshold) -> str:
    """Describe where a verdict begins: "from 0.5720", or "always" or "never" for a cut beyond all scores."""
    if math.isinf(side.cut):
        return "always" if where == "below" and side.cut > 0 else "never"
    return f"{where} {number(side.cut)}"


def percent(estimate: Estimate) -> str:
    """Return a share with its interval, in percent; "never" if it is undefined."""
    if estimate.value != estimate.value:
        return "never"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def number(value: float) -> str:
    """Format a score; "none" for infinity, which no score reaches."""
    return "none" if value in (float("inf"), float("-inf")) else f"{value:.4f}"


class Columns(NamedTuple):
    """Which columns of a table are scored.

    Attributes:
        gold: The column of gold answers.
        pred: The column of predictions.
        question: The column of questions, or None.
        split: The text that separates several references in one gold value, or None.
    """

    gold: str
    pred: str
    question: str | None = None
    split: str | None = None


def scored(
    table: files.Table,
    path: Path,
    how: dict[str, Any],
    columns: Columns,
    progress: bool,
    run: Mapping[str, Any],
    cache: bool = True,
    calibration: Calibration | None = None,
) -> Scores:
    """Score the answers of a table with a metric.

    Args:
        table: The answers.
        path: The name of the table in error messages.
        how: The name, the language, the profile and the options of the metric.
        columns: The columns of the answers.
        progress: Whether long work may show a progress bar.
        run: Options for the network of the metric.
        cache: Whether the scores of a neural metric are looked up and stored on disk.
        calibration: The calibration that converts the scores to probabilities and verdicts.
    """
    from answersim.scoring.score import score

    if columns.split == "":
        raise ValueError("--split-gold is empty; give the text that separates references, such as '|'")
    golds, preds = table.answers(columns.gold, path, several=True), table.answers(columns.pred, path)
    golds = files.split_references(golds, columns.split, path)
    questions = None if columns.question is None else table.answers(columns.question, path)
    return score(
        golds,
        preds,
        how["name"],
        calibration=calibration,
        question=questions,
        lang=how["lang"],
        profile=how["profile"],
        progress=progress,
        cache=cache_for([how["name"]], cache),
        **{**how["options"], **run},  # the precision is in both: it is signed
    )


def values(table: files.Table, name: str, path: Path) -> list[Any]:
    """Return the values of a column as texts."""
    return [str(value) for value in table.values(name, path)]


def read_rows(path: Path) -> files.Table:
    """Read a table. Raise ValueError if it has no rows."""
    table = files.read(path)
    if not table.rows:
        raise ValueError(f"{path} has no rows; give a table with at least one pair of answers")
    return table


def numbers(table: files.Table, name: str, path: Path, *, empty: bool = False) -> list[float]:
    """Return the numbers of a column; with ``empty``, nan for a cell that is empty or nan.

    Raises:
        LookupError: If the table has no such column.
        ValueError: If a cell is not a finite number. The message names the row.
    """
    column = []
    for i, cell in enumerate(table.values(name, path), start=1):
        if empty and (cell is None or (isinstance(cell, str) and not cell.strip())):
            column.append(float("nan"))
            continue
        try:
            number = float(cell)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{path}, row {i}: {name!r} is {repr(cell)[:60]}, but it must be a number") from None
        if math.isinf(number) or (math.isnan(number) and not empty):
            raise ValueError(f"{path}, row {i}: {name!r} is {repr(cell)[:60]}, but it must be a finite number")
        column.append(number)
    return column
