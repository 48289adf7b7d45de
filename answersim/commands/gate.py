"""``answersim gate``: may a candidate replace the baseline? The exit status gives the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.calibration.decision import UNSURE
from answersim.commands.compare import (
    Gold,
    Level,
    MetricName,
    Noise,
    Progress,
    ScoreColumns,
    compared,
    metric_name,
)
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    Cache,
    CalibrationName,
    Cut,
    Delimiter,
    Encoding,
    IdColumn,
    Language,
    MetricOptions,
    MinPrecision,
    Preds,
    Profile,
    Question,
    References,
    SkipBad,
    SplitGold,
    Unsure,
    cache_for,
    check_result,
    listed,
    metric_settings,
    write_result,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors
from answersim.text_tables import json_values

if TYPE_CHECKING:
    from answersim.evaluation.gating import Decision

SUFFIXES = (".json", ".md")


def gate(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="BASELINE CANDIDATE",
            help="The answers of the baseline and of the candidate: two tables with the same ids, or one table with "
            "--pred BASELINE,CANDIDATE. With --min-right, the table of the candidate is enough.",
        ),
    ],
    max_drop: Annotated[
        float | None,
        typer.Option(
            help="The largest acceptable drop: of the share of right answers if they are counted (0.01 is one point), "
            "else of the mean score. Default with a baseline: 0.01."
        ),
    ] = None,
    min_right: Annotated[
        float | None, typer.Option(help="The share of right answers that the candidate must have, such as 0.8.")
    ] = None,
    metric: MetricName = None,
    score: ScoreColumns = None,
    id_: IdColumn = None,
    gold: Gold = "gold",
    references: References = None,
    split_gold: SplitGold = None,
    pred: Preds = None,
    question: Question = None,
    calibration: CalibrationName = "shipped",
    unsure: Unsure = UNSURE,
    min_precision: MinPrecision = None,
    cut: Cut = None,
    noise: Noise = None,
    level: Level = 0.95,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the decision here: .json, or .md (the summary).")
    ] = None,
    lang: Language = "en",
    profile: Profile = None,
    option: MetricOptions = None,
    base_url: BaseUrl = None,
    model: Model = None,
    record: RecordFile = None,
    replay: Replay = False,
    prompt: PromptName = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    cache: Cache = True,
    progress: Progress = True,
) -> None:
    """Decide whether a candidate passes, for CI.

    It passes if it is not worse than a baseline and has enough right answers.

    The exit status is 0 if the candidate passes, 1 if it fails, and 3 if this is undecided. Intervals decide: that of
    the paired difference for --max-drop, and that of the share of right answers for --min-right. With both, both must
    pass. Status 2 reports an error, such as ids that repeat or are missing. A summary in Markdown is printed.
    """
    from answersim.evaluation.gating import markdown

    given = dict(locals())
    with user_errors(), receipt(), read_options(encoding, delimiter):
        check_result(output, SUFFIXES)
        alone = len(paths) == 1 and len(listed(pred)) < 2
        decision, ids = _alone(given) if alone else _compared(given)
        summary = markdown(decision, metric_name(given))
        typer.echo(summary, nl=False)
        if output is not None:
            numbers = files.to_json(json_values(_record(decision, ids))) + "\n"
            write_result(output, lambda suffix: numbers if suffix == ".json" else summary)
    raise typer.Exit(decision.status)


def _compared(given: dict[str, Any]) -> tuple[Decision, list[str]]:
    """Return the decision on a candidate against a baseline, and the ids of the rows."""
    from answersim.evaluation.gating import gate_tables

    found = compared(given)
    bars = {name: given[name] for name in ("max_drop", "min_right")}
    return gate_tables(found, **bars, scores=given["score"] is not None), found.answers.ids


def _alone(given: dict[str, Any]) -> tuple[Decision, list[str]]:
    """Return the decision on a candidate without a baseline."""
    from answersim.evaluation.gating import gate as decide
    from answersim.evaluation.systems import evaluate

    if given["min_right"] is None or given["max_drop"] is not None:
        raise ValueError(
            "one table with one column of predictions is given, so there is no baseline; give a second table or "
            "--pred BASELINE,CANDIDATE, or --min-right alone"
        )
    if given["score"] is not None:
        raise ValueError("--score needs a baseline too; give a second table, or a metric")
    (path,), name = given["paths"], metric_name(given)
    files.refuse_overwriting_input(path, given["output"])
    settings = metric_settings(given["option"], [name])
    asked = [given[option] for option in ("base_url", "model", "record", "replay", "prompt")]
    names = ("gold", "question", "references", "split_gold", "calibration", "unsure", "min_precision", "cut", "level",
             "lang", "profile", "skip_bad", "encoding", "delimiter", "progress")  # fmt: skip
    found = evaluate(
        files.buffer_stdin(path),
        given["metric"],
        pred=listed(given["pred"]) or "pred",
        id=given["id_"],
        cache=cache_for([name], given["cache"]),
        listed=0,
        **{option: given[option] for option in names},
        **settings,
        **judge_options([name], settings, *asked)[name],
    )
    return decide(found, min_right=given["min_right"]), []


def _record(decision: Decision, ids: list[str]) -> dict[str, Any]:
    """Return the decision as JSON values."""
    found = decision.comparison
    content = {
        "status": decision.status,
        "verdict": decision.verdict,
        "reason": decision.reason,
        "bars": [bar._asdict() for bar in decision.bars],
        "candidate": decision.candidate,
        "share": decision.share,
        "counting": decision.counting,
    }
    if found is None:
        return content
    numbers = {name: value for name, value in found.to_dict().items() if name != "labeled"}
    return content | numbers | {"changed": [row._asdict() | {"id": ids[row.row]} for row in found.changed]}
