"""``answersim evaluate``: how many answers of each system are right, how sure that is, and which ones are wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim._base.arguments import between
from answersim._base.errors import unknown
from answersim._base.io import files, output_files
from answersim._base.runtime.option_groups import Later, Use, command, listed, refuse_given
from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.commands import options
from answersim.commands.printing import FORMATS, check_output, end_with, is_document, show, write_page
from answersim.evaluation.comparison.gating import gate
from answersim.evaluation.systems.systems import KEPT
from answersim.evaluation.systems.systems import evaluate as evaluated

if TYPE_CHECKING:
    from answersim.evaluation.comparison.gating import Decision
    from answersim.evaluation.systems.results import Evaluation


@command
def evaluate(
    context: typer.Context,
    paths: Annotated[list[Path], "A table, or one table per system, joined by id. - is standard input."],
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: options.Scoring,
    labels: Annotated[options.Labels, Use("labels")],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[
        options.Result,
        Use(without="prefix", later="rows", rows="Listed answers.", output=options.written("all listed answers")),
    ],
    keep: Annotated[
        list[str] | None, Later("List only these answers: wrong, unsure, right, not attempted, separated by commas.")
    ] = None,
    unsure_by: Annotated[
        str | None,
        Later(
            "Give the unsure answers to this second metric, such as judge, which decides them. NAME=FILE for a metric "
            "and its calibration."
        ),
    ] = None,
    verifier: options.Verifier = None,
    min_right: Annotated[
        float | None,
        "Decide whether the share of right answers is large enough, as an exit status: 0 if it is above this, such as "
        "0.8, 1 if it is below, 3 if this is undecided.",
    ] = None,
) -> None:
    """Count the right answers of systems, with intervals. List the wrong and the unsure answers.

    An interrupted command finds the scores that a network had computed in the score cache.
    """
    verdicts_listed: list[Any] = listed(keep) or list(KEPT)
    output = result.output
    rows, report = None if is_document(output) else output, result.report
    _check(context, paths, reading, result, verdicts_listed)
    data = reading.received(paths, output, report)
    for target in (output, report):
        output_files.refuse_overwriting_input(labels.files, target)
    answers = reading.answers(data)
    if min_right is not None:
        between("min_right", min_right, 0, 1, ends=True)
        if len(answers.systems) > 1:
            raise ValueError(f"--min-right is for one system, but there are {len(answers.systems)}; give one")
    written = ("" if output is None else output.suffix.lower(), FORMATS[result.format])
    has_all = rows is not None or ".json" in written  # else only what is printed
    verdicts: Any = verdicts_listed if has_all else dict.fromkeys(verdicts_listed, result.rows)
    scoring = scoring.for_rows(answers)
    metrics = _metrics(scoring, verdict, unsure_by, verifier)
    with nullcontext() if verifier is None else redirect_stdout(sys.stderr):  # some verifiers print
        evaluation = evaluated(
            answers,
            by=result.by,
            labels=labels.given,
            calibration=verdict.settings,
            keep=verdicts if report is None else ANSWER_VERDICTS,
            lang=scoring.first_language,
            bootstrap=intervals.settings,
            cache=scoring.cache,
            progress=scoring.progress,
            **metrics,
        )
    decision = None
    if min_right is not None:
        decision = gate(evaluation, min_right=min_right)
    if report is not None:
        write_page(evaluation, context, result, answers.files)
        listed_answers = evaluation.only(*verdicts_listed)
        evaluation = replace(evaluation, answers=listed_answers, n_listed=len(listed_answers))
    if rows is not None:
        files.write(evaluation.answers_table(), rows)
    _show(evaluation, result, decision)
    end_with(decision, result)


def _check(
    context: typer.Context,
    paths: Sequence[Path],
    reading: options.Reading,
    result: options.Result,
    verdicts_listed: Sequence[str],
) -> None:
    """Check the options and the outputs before any work."""
    check_output(result)
    if result.format == "json":
        refuse_given(context, ("rows",), "JSON contains all listed answers; leave it out")
    if reading.references is not None and len(paths) == 1:
        raise ValueError("--references is for several files, one per system; here it is one file")
    for verdict in verdicts_listed:
        if verdict not in ANSWER_VERDICTS:
            raise unknown("verdict of an answer", verdict, ANSWER_VERDICTS)


def _metrics(
    scoring: options.Scoring, verdict: options.Verdict, unsure_by: str | None, verifier: str | None
) -> dict[str, Any]:
    """Return the metric, and the one for its unsure answers with its calibration, built with their options."""
    name = scoring.name_for(verdict)
    if unsure_by is None:
        return {"metric": scoring.built(name) if verifier is None else scoring.verifier(verifier)}
    second, equals, calibration = unsure_by.partition("=")
    if equals and not calibration:
        raise ValueError(f"--unsure-by is {unsure_by!r}, but NAME=FILE names a calibration; give NAME alone, or a file")
    built = scoring.built(*dict.fromkeys((name, second) if verifier is None else (second,)))
    unsure = {second: built[second]}
    metric = {name: built[name]} if verifier is None else scoring.verifier(verifier)
    return {"metric": metric, "unsure": (unsure, calibration) if equals else unsure}


def _show(evaluation: Evaluation, result: options.Result, decision: Decision | None) -> None:
    """Write the evaluation if the output is a document, and print it; to standard error beside a table on output."""
    table = None if result.output is None or is_document(result.output) else result.output
    where = "" if table is None else str(table)
    forms = {
        ".json": partial(evaluation.to_json, where),
        ".md": partial(evaluation.to_markdown, result.rows, where),
        ".tex": partial(evaluation.to_latex, where),
    }
    parts: list[Any] = evaluation.brief(result.rows, where)
    if result.verbose:
        parts = [*evaluation.summary(where), *evaluation.tables(result.rows), *evaluation.footer()]
    with redirect_stdout(sys.stderr) if table is not None and output_files.is_stdout(table) else nullcontext():
        printed = result if table is None else replace(result, output=None)
        show(evaluation, printed, parts, forms, decision=decision)
        if result.format == "text" and evaluation.n_listed and table is None:
            typer.echo(f"to keep all listed answers: --output FILE{'' if result.verbose else '; more: -v'}")
