"""``answersim compare``: two or more systems on the same questions, and the answers that changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base.arguments import between
from answersim._base.io import files, output_files
from answersim._base.runtime.option_groups import Later, Use, command
from answersim.commands import options
from answersim.commands.printing import check_output, end_with, show, write_page
from answersim.evaluation.comparison.compare import compare as compared
from answersim.evaluation.comparison.gating import gate


@command
def compare(
    context: typer.Context,
    paths: Annotated[list[Path], "A table with several columns of predictions, or one table per system."],
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: options.Scoring,
    labels: Annotated[
        options.Labels,
        Use("labels score", several="score", later="score", score=f"It replaces a metric. {options.OF_SYSTEMS}"),
    ],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[
        options.Result,
        Use(
            "rows format output report verbose",
            rows="Changed answers of each pair.",
            output=options.written("a row per pair of systems"),
        ),
    ],
    max_drop: Annotated[
        float | None,
        "Decide whether the second system may replace the first, as an exit status: 0 if a larger drop than this is "
        "excluded, 1 if the drop is larger, 3 if this is undecided. It is a drop of the share of right answers if they "
        "are counted (0.01 is one point), else of the mean score.",
    ] = None,
    noise: Annotated[
        float | None,
        Later("Differences of scores up to this are noise. Default: the value that was measured for the metric."),
    ] = None,
    changes: Annotated[Path | None, "Write the changed answers of the first pair here."] = None,
) -> None:
    """Compare systems on the same questions. Print differences, tests, and the answers that changed.

    If right answers can be counted, their shares decide, else the mean scores.
    """
    check_output(result)
    if changes is not None:
        output_files.check_place(changes)
    data = reading.received(paths, changes, result.output, result.report)
    for target in (changes, result.output, result.report):
        output_files.refuse_overwriting_input(labels.files, target)
    answers = reading.answers(data)
    if max_drop is not None:
        between("max_drop", max_drop, 0, 1, ends=True)
        if (n := len(answers.systems)) > 2:
            raise ValueError(f"--max-drop is for a baseline and a candidate, but there are {n} systems; give two")
    settings = _settings(context, scoring.for_rows(answers), labels, verdict)
    comparison = compared(answers, labels=labels.given, noise=noise, bootstrap=intervals.settings, **settings)
    decision = None if max_drop is None else gate(comparison, max_drop=max_drop)
    if changes is not None:
        files.write(comparison.changes_table(comparison.pairs[0]), changes)
    write_page(comparison, context, result, answers.files)
    parts: list[Any] = []
    for pair in comparison.pairs:
        first, *more = pair.summary() if result.verbose else pair.brief()
        parts += [first, *(f"  {line}" for line in more)]
        if result.rows and pair.changed:
            parts.append(comparison.changes(pair, result.rows))
            if (n := len(pair.changed) - result.rows) > 0:
                parts.append(f"... and {n:,} more; --changes FILE writes all, --rows shows more")
        parts.append("")
    # the summary of each pair states how answers are counted
    parts += comparison.footer()[1:] if result.verbose else [*comparison.remarks(), "more: -v"]
    parts += [f"written: {target}" for target in (changes, result.output) if target is not None]
    show(comparison, result, parts, decision=decision)
    end_with(decision, result)


def _settings(
    context: typer.Context, scoring: options.Scoring, labels: options.Labels, verdict: options.Verdict
) -> dict[str, Any]:
    """Return the arguments of ``compare`` on the scores."""
    settings: dict[str, Any] = {"calibration": verdict.settings, "progress": scoring.progress}
    if labels.score:
        scoring.refuse_beside_scores(context)
        return settings | {"score": list(labels.score)}
    return settings | scoring.of_one(scoring.name_for(verdict)) | {"lang": scoring.first_language}
