"""``answersim doctor``: what metrics see and what they do not, for metrics of any library."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from answersim._base.runtime.option_groups import Later, Use, command
from answersim._base.text_tables import json_text
from answersim.commands import options
from answersim.commands.printing import check_output, show, write_page
from answersim.evaluation.doctor.rewards import examine_reward
from answersim.evaluation.doctor.study import examine
from answersim.evaluation.labels.verifiers import imported
from answersim.scoring.reward.reward import Reward

REWARD = "reward"  # instead of metrics: attacks on the reward, and on the verifiers named behind it


@command
def doctor(
    context: typer.Context,
    scoring: Annotated[
        options.Scoring,
        Use(without="metric", defaults={"lang": "en"}, lang="Those of the minimal pairs: en, de, zh or ja."),
    ],
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[
        options.Result,
        Use(
            "rows format output report",
            defaults={"rows": 3},
            rows="Misordered minimal pairs of each metric.",
            output=options.written("a row per metric and kind"),
        ),
    ],
    metrics: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METRIC...",
            help="Names of 'answersim show', or module:function for a function (gold list, pred list) -> numbers. "
            "'reward' attacks answersim.Reward, and each verifier behind it: a metric, 'rules', or module:function "
            "(golds, completions, questions) -> rewards.",
        ),
    ] = None,
    part: Annotated[str, "The part of the minimal pairs: dev, test or all."] = "dev",
    attacked: Annotated[int, typer.Option(min=0, help="Questions used for the attacks (0: none).")] = 60,
    properties: Annotated[bool, Later("Check properties such as symmetry and batches.")] = True,
) -> None:
    """Examine what metrics of any library cannot see. Check minimal pairs, properties and accepted wrong answers."""
    is_reward = (metrics or [""])[0] == REWARD
    check_output(result)
    if not metrics:
        raise ValueError("no metric is given; name one or several")
    if is_reward:
        settings = {"part": None if part == "all" else part, "questions": attacked, "bootstrap": intervals.settings}
        _rewards(metrics[1:] or [REWARD], scoring, result, **settings)
        return
    with redirect_stdout(sys.stderr):  # some libraries print while they load
        report = examine(
            scoring.subjects(metrics) if len(set(metrics)) == len(metrics) else metrics,  # an error if one repeats
            lang=scoring.place["lang"] or "en",
            part=part,  # type: ignore[arg-type] # checked there
            profile=scoring.profile,
            attacked=attacked,
            properties=properties,
            bootstrap=intervals.settings,
            progress=scoring.progress,
            cache=scoring.cache,
        )
    forms = {".md": lambda: report.to_markdown(result.rows)}
    show(report, result, [*report.tables(result.rows), *report.footer()], forms)
    write_page(report, context, result)


def _rewards(names: list[str], scoring: options.Scoring, result: options.Result, **settings: Any) -> None:
    """Run attacks on rewards with these settings. The name "reward" is that of the default."""
    place: Any = {"lang": scoring.place["lang"] or "en"}

    def reward(name: str) -> Any:
        return Reward(None if name == REWARD else name, profile=scoring.profile, **place)

    with redirect_stdout(sys.stderr):
        examinations = [
            examine_reward(imported(name) if ":" in name else reward(name), name=name, **place, **settings)
            for name in names
        ]
    forms = {
        ".json": lambda: json_text([examination.to_dict() for examination in examinations]),
        ".md": lambda: "\n".join(examination.to_markdown() for examination in examinations),
        ".tex": lambda: "\n".join(examination.to_latex() for examination in examinations),
    }
    parts = [*(table for examination in examinations for table in examination.tables()), *map(str, examinations)]
    rows = [row for examination in examinations for row in examination.records()]
    show(examinations[0], result, parts, forms, lambda: rows)
