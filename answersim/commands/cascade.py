"""``answersim cascade``: choose the cuts of a cascade from labels, with a stated risk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    Delimiter,
    Device,
    Encoding,
    Language,
    Precision,
    Profile,
    cache_for,
    network_options,
    print_table,
    setting,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors

if TYPE_CHECKING:
    from answersim.evaluation.cascades import CascadeFit, CutStep


def cascade(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table of answers with human labels.")],
    label: Annotated[
        str | None,
        typer.Option(help="The column of labels, 0 or 1. By default, the verdicts of the last stage count as labels."),
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    question: Annotated[
        str | None, typer.Option(help="The column of questions: for the stages that read them, and as groups.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="The column that dependent answers have in common, if it is not the question.")
    ] = None,
    split_gold: Annotated[
        str | None, typer.Option(help="A separator between several references in one gold value.")
    ] = None,
    risk: Annotated[float, typer.Option(help="The largest share of errors that the cascade may add.")] = 0.01,
    confidence: Annotated[float, typer.Option(help="The confidence that the cascade adds no more errors.")] = 0.95,
    exact: Annotated[
        bool, typer.Option("--exact", help="Count each group as one answer, so that the bound is not an approximation.")
    ] = False,
    lang: Language = "en",
    profile: Profile = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="A setting NAME=VALUE of the cascade, such as stages=NAMES. May be repeated."),
    ] = None,
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
    """Choose from labels where the stages of a cascade decide. The fast stages then add few errors to the last one."""
    from answersim.catalog import lookup
    from answersim.commands.calibrate import read_rows, values
    from answersim.evaluation.cascades import fit_cascade

    with user_errors(), receipt(), read_options(encoding, delimiter):
        path = files.buffer_stdin(path)
        columns = {"--gold": gold, "--pred": pred, "--question": question, "--label": label}
        files.check_distinct_columns(**columns)
        if split_gold == "":
            raise ValueError("--split-gold is empty; give the text that separates references, such as '|'")
        settings = dict(setting(item) for item in option or [])
        if fixed := [name for name in ("low", "high") if name in settings]:
            raise ValueError(f"--option {fixed[0]} is given, but this command chooses it; leave it out")
        asked = judge_options([lookup.CASCADE], settings, base_url, model, record, replay, prompt)[lookup.CASCADE]
        how = network_options([lookup.CASCADE], settings, device, precision, batch_tokens)[lookup.CASCADE]
        built = lookup.metric(lookup.CASCADE, lang=lang, profile=profile, **settings, **how, **asked)
        table = read_rows(path)
        table, labels = (table, None) if label is None else _labeled(table, label, path)
        golds: Any = table.answers(gold, path, several=True)
        golds = files.split_references(golds, split_gold, path)
        fit = fit_cascade(
            built,
            golds,
            table.answers(pred, path),
            labels,
            question=None if question is None else table.answers(question, path),
            groups=None if group is None else values(table, group, path),
            risk=risk,
            confidence=confidence,
            exact=exact,
            progress=progress,
            cache=cache_for([lookup.CASCADE], cache),
        )
        _tell(fit, settings, asked)


def _labeled(table: files.Table, label: str, path: Path) -> tuple[files.Table, list[float]]:
    """Return the rows with a label, and the labels. Print how many rows have none."""
    from answersim.answers.sources import Source
    from answersim.commands.calibrate import numbers
    from answersim.evaluation.human_labels import check_uniform

    labels = numbers(table, label, path, empty=True)
    kept = [i for i, value in enumerate(labels) if value == value]
    check_uniform(Source(table, path), kept, "the risk of a cascade")
    if left_out := len(labels) - len(kept):
        typer.echo(f"{left_out:,} of {len(labels):,} rows have no label and are left out")
    return table.at(kept), [labels[i] for i in kept]


def _tell(fit: CascadeFit, settings: dict[str, Any], asked: dict[str, Any]) -> None:
    """Print the settings of the cuts that were tested, the result, and how to use it."""
    print_table(
        ("different up to", "equivalent from", "decided early", "calls saved", "added", "bound", ""),
        [_row(step, fit.chosen) for step in _telling(fit)],
    )
    typer.echo()
    for line in fit.summary():
        typer.echo(line)
    typer.echo(f"signature: {fit.metric.signature}")
    given = settings | {"low": fit.chosen.low, "high": fit.chosen.high}
    options = " ".join(f"--option {name}={value}" for name, value in given.items())
    for name, value in asked.items():
        options += f" --{name.replace('_', '-')}" + ("" if value is True else f" {value}")
    typer.echo(f"to score with these cuts: answersim score FILE -m cascade {options}")


def _telling(fit: CascadeFit) -> list[CutStep]:
    """Return the steps up to the first one that is not kept, without those that change nothing."""
    shown: list[CutStep] = []
    for step in fit.steps:
        if shown and step.kept and step[2:] == shown[-1][2:]:
            shown.pop()  # the later one of two equal steps is chosen
        shown.append(step)
        if not step.kept:
            break
    return shown


def _row(step: CutStep, chosen: CutStep) -> tuple[str, ...]:
    low, high = (f"{step.low:g}", f"{step.high:g}") if step.high <= 1 else ("never", "never")
    mark = "chosen" if step == chosen else "" if step.kept else "too many"
    return low, high, *(f"{100 * share:.2f} %" for share in (step.early, step.saved, step.added, step.bound)), mark
