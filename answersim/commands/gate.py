"""``answersim gate``: may a candidate replace the baseline? The exit status gives the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim import catalog, files
from answersim.cli_errors import user_errors
from answersim.commands.compare import (
    Cut,
    Fields,
    Gold,
    GoldFile,
    Ids,
    Level,
    MetricName,
    Noise,
    Pred,
    Progress,
    Question,
    ScoreColumn,
    check_json,
    compared,
)
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, receipt
from answersim.commands.shared import Cache, Delimiter, Encoding, Language, Profile, SkipBad, refuse_given
from answersim.detection import reading


def gate(
    context: typer.Context,
    baseline: Annotated[Path, typer.Argument(help="The table of answers of the baseline.")],
    candidate: Annotated[Path, typer.Argument(help="The table of answers of the candidate, with the same ids.")],
    max_drop: Annotated[float, typer.Option(help="The largest drop of the mean score that is acceptable.")] = 0.01,
    metric: MetricName = None,
    score: ScoreColumn = None,
    id_: Ids = "id",
    gold: Gold = "gold",
    gold_file: GoldFile = None,
    pred: Pred = "pred",
    question: Question = None,
    cut: Cut = 0.5,
    noise: Noise = None,
    level: Level = 0.95,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the decision here: .json.")] = None,
    lang: Language = "en",
    profile: Profile = None,
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
    """Decide whether a candidate is worse than a baseline, for CI.

    The exit status is 0 if the candidate is not worse, 1 if it is worse, and 3 if this is undecided. The interval of
    the paired difference decides. With status 0, it excludes a drop of max-drop or more. With status 1, it excludes a
    drop of max-drop or less. With status 3, it excludes neither. Status 2 reports an error, such as ids that repeat or
    are missing. A summary in Markdown is printed.
    """
    from answersim.evaluation.gating import gate as decide
    from answersim.evaluation.gating import markdown

    with user_errors(), receipt(), reading(encoding, delimiter):
        files.refuse_overwriting_input([baseline, candidate, gold_file], output)
        check_json(output)
        if score is not None:
            refuse_given(context, ("metric",), "--score names a column of given scores; leave one of them out")
        metric = metric or catalog.DEFAULT_METRIC
        answers, found = compared(
            [baseline, candidate],
            Fields(id_, gold, pred, question),
            gold_file=gold_file,
            metric=metric,
            score=score,
            how={"cut": cut, "noise": noise, "level": level},
            built={"lang": lang, "profile": profile, "progress": progress},
            asked=(base_url, model, record, replay, prompt),
            cache=cache,
            skip_bad=skip_bad,
        )
        first, second = answers.predictions.values()
        decision = decide(found.pairs[0], max_drop, identical=first == second and score is None)
        typer.echo(markdown(decision, metric if score is None else score), nl=False)
        if output is not None:
            pair = decision.comparison
            content = {
                "status": decision.status,
                "verdict": decision.verdict,
                "reason": decision.reason,
                "max_drop": max_drop,
                **{name: value for name, value in pair.to_dict().items() if name != "labeled"},
                "changed": [row._asdict() | {"id": answers.ids[row.row]} for row in pair.changed],
            }
            with files.replacing(output) as draft:
                draft.write_text(files.to_json(content) + "\n", encoding="utf-8")
    raise typer.Exit(decision.status)
