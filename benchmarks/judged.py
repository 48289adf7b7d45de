"""Metrics against human verdicts on the answers of systems: does a high score mean a correct answer?

    python -m benchmarks.judged --cache runs/scores
    python -m benchmarks.judged --sets evouna-test --metrics f1,recall,answersim --format markdown

TriviaQA (EVOUNA) has the answers of five systems, most of them whole sentences. The answers of EfficientQA are phrases.
A question has several gold answers, and the one that scores highest counts, for every metric alike. A metric that reads
questions has two rows: without the questions and with them. Each table states whether its questions are held out. See
``benchmarks.judged_sets``.

Measures: AUC; the accuracy of .5 as a threshold; and accuracy, Cohen's kappa, MCC and the rates of true positives and
negatives of a cross-fitted threshold. All intervals resample questions with all their answers. Sentinels show how much
a set reveals to a column that ignores the gold answers. Differences from the recommended metric are paired.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

import answersim
from answersim._base.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError, unknown
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.catalog.lookup import entry
from answersim.types import Metric, reads_questions
from benchmarks.judged_costs import costs
from benchmarks.judged_quality import Gap, Quality, SystemOrder, gaps, judged, qualities, system_orders
from benchmarks.judged_scores import QUESTION, columns_of, recorded, sentinels
from benchmarks.judged_sets import JudgedSet, chosen, learned
from benchmarks.judged_tables import tables
from benchmarks.options import FORM, OUTPUT, check_folder, names_in, run_program, write_out
from benchmarks.paper_sets import say
from benchmarks.tables import Format, render, rounded, save

RECOMMENDED = "answersim"


def main(
    metrics: str = typer.Option("", help="Metrics, separated by commas; the default is all."),
    sets: str = typer.Option("", help="Sets, separated by commas; the default is all but the whole of EVOUNA."),
    against: str = typer.Option(RECOMMENDED, help="The column that the others are compared with."),
    cache: Path | None = typer.Option(None, help="A folder that keeps the scores of networks for the next run."),
    profile: str = typer.Option("embedded", help="The weights behind the neural metrics."),
    timed: bool = typer.Option(True, "--costs/--no-costs", help="Measure pairs per second as well."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
    records: Path | None = typer.Option(None, help="A file for all numbers as JSON, with six decimal places."),
) -> None:
    """Compare metrics with human verdicts on answers: AUC, accuracy, kappa, MCC and the order of systems."""
    with user_errors():
        judged_sets = chosen(names_in(sets))
        check_folder(output)
        check_folder(records, "--records")
        built = _built(metrics, profile)
        _check_against(against, built)
        loaded = [(judged_set, judged_set.load()) for judged_set in judged_sets]
        found: list[Quality] = []
        differences: list[Gap] = []
        orders: list[SystemOrder] = []
        for judged_set, answers in loaded:
            answers, published = recorded(answers) if judged_set.recorded_only else (answers, [])
            say(f"{judged_set.name}: {len(answers):,} answers")
            if not answers:
                continue
            columns = columns_of(answers, _untaught(judged_set, built, profile), cache)
            columns += [*published, *sentinels(answers)]
            arrays = judged(judged_set.name, answers)
            found += qualities(arrays, columns)
            differences += gaps(arrays, columns, against)
            orders += system_orders(arrays, columns)
        measured = list(costs(loaded[0][1], built)) if timed else []
        groups: tuple[Sequence[Any], ...] = (found, differences, orders, measured)
        lines = [{"table": type(row).__name__, **row._asdict()} for group in groups for row in group]
        shown = render(list(tables(found, differences, orders, measured, profile)), lines, form.value)
        if records is not None:
            save(_by_table(groups), records)
        write_out(shown, output)


def _untaught(judged_set: JudgedSet, built: Mapping[str, Metric], profile: str) -> dict[str, Metric]:
    """Return the metrics to evaluate on a set: none that was trained on its questions. The others are reported."""
    left_out = [name for name in built if judged_set.taught and learned(name, profile)]
    if left_out:
        say(f"{judged_set.name}: {', '.join(left_out)} left out, because its questions trained them")
    return {name: metric for name, metric in built.items() if name not in left_out}


def _check_against(against: str, built: Mapping[str, Metric]) -> None:
    """Check that the metric to compare with is evaluated. Without the recommended metric, nothing is compared."""
    columns = [*built, *(name + QUESTION for name, metric in built.items() if reads_questions(metric))]
    if against not in columns and against != RECOMMENDED:
        raise unknown("column of --against", against, columns)
    if against not in columns:
        say(f"differences are left out, because {against} is none of the metrics")


def _built(option: str, profile: str) -> dict[str, Metric]:
    """Return the metrics by name. One whose weights or packages are missing is left out and reported."""
    built: dict[str, Metric] = {}
    for name in names_in(option) or answersim.names():
        try:
            built[name] = answersim.metric(name, profile=None if entry(name).kind == "lexical" else profile)
        except (MissingExtraError, CheckpointNotFoundError, ChecksumError, FileNotFoundError) as error:
            say(f"{name} is left out: {error}")
    return built


def _by_table(groups: Sequence[Sequence[Any]]) -> str:
    """Return JSON with the columns and the rows of each table, one row per line; nan and infinity are null."""
    parts = []
    for group in groups:
        if group:
            rows = ",\n".join(json.dumps(rounded(row), ensure_ascii=False) for row in group)
            parts.append(
                f'"{type(group[0]).__name__}": {{"columns": {json.dumps(group[0]._fields)}, "rows": [\n{rows}\n]}}'
            )
    return "{" + ",\n".join(parts) + "}\n"


if __name__ == "__main__":
    run_program(main)
