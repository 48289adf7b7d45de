"""Scores of the answers that a command reads as a whole, and the files of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from answersim.commands.options import RunOptions

if TYPE_CHECKING:
    from answersim.answers.stacked import StackedAnswers
    from answersim.calibration.model import Calibration
    from answersim.types import Scores


def scored(
    answers: StackedAnswers,
    how: Mapping[str, Any],
    options: Mapping[str, Any],
    run: RunOptions,
    calibration: Calibration | None = None,
) -> Scores:
    """Score answers with a metric.

    Args:
        answers: The answers.
        how: The name, the language, the profile and the options of the metric.
        options: Options for the network and the judge of the metric.
        run: Whether scores are stored and long work may show a progress bar.
        calibration: The calibration that converts the scores to probabilities and verdicts.
    """
    from answersim.scoring.score import score

    return score(
        answers.golds,
        answers.preds,
        how["name"],
        calibration=calibration,
        question=answers.questions,
        lang=how["lang"],
        profile=how["profile"],
        progress=run.progress,
        cache=run.store([how["name"]]),
        **{**how["options"], **options},  # the precision is in both: it is signed
    )


def labeled(answers: StackedAnswers, label: str, what: str) -> tuple[StackedAnswers, list[float]]:
    """Return the answers with a label, and the labels.

    Args:
        answers: The answers.
        label: The column of labels.
        what: What counts each label once, for the message of labels that were drawn with unequal probabilities.
    """
    from answersim.answers.sources import Source
    from answersim.evaluation.human_labels import check_uniform

    labels = answers.numbers_in(label, empty=True)
    kept = [i for i, value in enumerate(labels) if value == value]
    check_uniform(Source(answers.table, answers.path), kept, what)
    return answers.at(kept), [labels[i] for i in kept]


def print_left_out(labels: Sequence[float], n: int) -> None:
    """Print how many of n rows have no label."""
    if left_out := n - len(labels):
        typer.echo(f"{left_out:,} of {n:,} rows have no label and are left out")


def label_files(texts: Sequence[str]) -> list[Path] | dict[str, Path]:
    """Return the files of labels, by the name of the system if one is stated."""
    named: dict[str, Path] = {}
    unnamed: list[Path] = []
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            unnamed.append(Path(text))
        elif name in named:
            raise ValueError(f"--labels gives labels of {name!r} twice; give one table per system")
        else:
            named[name] = Path(file)
    if named and unnamed:
        raise ValueError(f"--labels {unnamed[0]} names no system, but another one does; give NAME=FILE for all")
    return named or unnamed
