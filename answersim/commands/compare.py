"""``answersim compare``: two or more systems on the same questions, and the answers that changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from answersim import catalog, files
from answersim.cli_errors import user_errors
from answersim.commands.judging import BaseUrl, Model, PromptName, RecordFile, Replay, judge_options, receipt
from answersim.commands.shared import (
    Cache,
    Delimiter,
    Encoding,
    Language,
    Profile,
    SkipBad,
    cache_for,
    print_table,
    refuse_given,
)
from answersim.detection import reading

if TYPE_CHECKING:
    from answersim.evaluation.comparison import Comparison, Comparisons
    from answersim.evaluation.inputs import Answers

QUESTION = "question"  # a column of this name must agree in all files, whether the metric reads it or not
_SHOWN = 60  # characters of an answer in the table

Ids = Annotated[str, typer.Option("--id", help="The column of ids that joins the files.")]
Gold = Annotated[str, typer.Option(help="The column of gold answers: a text, or a list of texts that are all correct.")]
GoldFile = Annotated[Path | None, typer.Option(help="A table with ids and gold answers, if the others have none.")]
Pred = Annotated[str, typer.Option(help="The column of predictions.")]
Question = Annotated[
    str | None, typer.Option(help="The column of questions, for a metric that reads them (sas, answersim).")
]
ScoreColumn = Annotated[str | None, typer.Option("--score", help="A column of scores, instead of a metric.")]
MetricName = Annotated[
    str | None,
    typer.Option("--metric", "-m", help="The metric that scores the answers. Default: answersim."),
]
Cut = Annotated[float, typer.Option(help="The score from which an answer counts as right.")]
Noise = Annotated[
    float | None,
    typer.Option(
        help="Differences of scores up to this are noise. Default: the value that was measured for the metric."
    ),
]
Level = Annotated[float, typer.Option(help="Coverage of the intervals.")]
Progress = Annotated[bool, typer.Option(help="Show progress bars on a terminal.")]


def compare(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="A B [C ...]", help="One table of answers per system.")],
    id_: Ids = "id",
    gold: Gold = "gold",
    gold_file: GoldFile = None,
    pred: Pred = "pred",
    question: Question = None,
    label: Annotated[str, typer.Option(help="The column of human labels, 1 or 0. It is optional.")] = "label",
    metric: MetricName = None,
    score: ScoreColumn = None,
    cut: Cut = 0.5,
    noise: Noise = None,
    level: Level = 0.95,
    rows: Annotated[int, typer.Option(min=0, help="How many changed answers are shown for each pair.")] = 10,
    changed: Annotated[Path | None, typer.Option(help="Write the changed answers of the first pair here.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write all numbers here: .json.")] = None,
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
    """Compare systems on the same questions. Print differences, tests, and the answers that changed."""
    with user_errors(), receipt(), reading(encoding, delimiter):
        if len(paths) < 2:
            raise ValueError(f"{len(paths)} file is given, but a comparison needs at least 2; give one per system")
        if score is not None:
            refuse_given(context, ("metric",), "--score names a column of given scores; leave one of them out")
        for target in (changed, output):
            files.refuse_overwriting_input([*paths, gold_file], target)
        check_json(output)
        if changed is not None:
            files.check_place(changed)
        metric = metric or catalog.DEFAULT_METRIC
        answers, found = compared(
            paths,
            Fields(id_, gold, pred, question, label),
            gold_file=gold_file,
            metric=metric,
            score=score,
            how={"cut": cut, "noise": noise, "level": level},
            built={"lang": lang, "profile": profile, "progress": progress},
            asked=(base_url, model, record, replay, prompt),
            cache=cache,
            skip_bad=skip_bad,
        )
        if changed is not None:
            names, listed = _changed(answers, found.pairs[0])
            files.write(files.Table(names, listed), changed)
        if output is not None:
            with files.replacing(output) as draft:
                draft.write_text(files.to_json(_plain(_record(found))) + "\n", encoding="utf-8")
        _show(answers, found, metric if score is None else score, rows)
        for target in (changed, output):
            if target is not None:
                typer.echo(f"written: {target}")


class Fields(NamedTuple):
    """The names of the columns. The questions, or None, are for the metric; labels, if any, are in ``label``."""

    id: str
    gold: str
    pred: str
    question: str | None
    label: str | None = None


def compared(
    paths: Sequence[Path],
    fields: Fields,
    *,
    gold_file: Path | None,
    metric: str,
    score: str | None,
    how: dict[str, Any],
    built: dict[str, Any],
    asked: tuple[str | None, str | None, Path | None, bool, str | None],
    cache: bool,
    skip_bad: bool,
) -> tuple[Answers, Comparisons]:
    """Read one file per system and compare every two.

    Args:
        paths: The files.
        fields: The names of their columns.
        gold_file: As ``references`` of ``read_answers``.
        metric: The name of the metric.
        score: A column of scores instead, or None.
        how: Arguments of ``compare_all``: cut, noise, level.
        built: Arguments of ``compare_all`` for the metric: lang, profile, progress.
        asked: Arguments of ``judge_options``, without the names and settings.
        cache: Whether scores of networks are stored.
        skip_bad: As of ``read_answers``.

    Raises:
        LookupError: If questions are wanted and no file has any, and as ``read_answers`` and ``compare_all``.
        ValueError: If questions are wanted for scores or for a metric that reads none, and as the others.
    """
    from answersim.evaluation import system_columns
    from answersim.evaluation.comparison import compare_all
    from answersim.evaluation.inputs import Columns, read_answers
    from answersim.evaluation.labeling import INCLUSION, STRATUM

    files.check_distinct_columns(**{"--id": fields.id, "--gold": fields.gold, "--pred": fields.pred})
    if score is not None and fields.question is not None:
        raise ValueError("--question and --score are both given, but scores are not computed; leave one out")
    if score is not None and any(asked):
        raise TypeError("--score names a column, so no judge runs; leave the options of a judge out")
    own = [name for name in (fields.label, score) if name] + ([INCLUSION, STRATUM] if fields.label else [])
    columns = Columns(
        fields.gold,
        (fields.pred,),
        fields.question,
        fields.id,
        own=tuple(own),
        agreeing=() if fields.question is not None else (QUESTION,),
    )
    answers = read_answers([Path(path) for path in paths], columns, references=gold_file, skip_bad=skip_bad)
    labels = system_columns.labels(answers, fields.label) if fields.label else None
    if labels is not None and len(labels.labels) < len(paths):
        labels = None  # a file need not have labels
    how = how | {} if labels is None else how | labels._asdict()
    if score is not None:
        return answers, compare_all(system_columns.scores(answers, score), **how)
    scoring: Any = metric
    if options := judge_options([metric], {}, *asked)[metric]:
        place = {name: built[name] for name in ("lang", "profile")}
        scoring = catalog.metric(metric, **place, **options)
        built = built | dict.fromkeys(place)
    return answers, compare_all(
        answers.predictions,
        gold=answers.golds,
        question=answers.questions,
        metric=scoring,
        cache=cache_for([metric], cache),
        **how,
        **built,
    )


def check_json(output: Path | None) -> None:
    """Raise an error before any work if the results cannot be written to this file."""
    if output is None:
        return
    if output.suffix.lower() != ".json":
        raise ValueError(f"{output} has the suffix {output.suffix!r}; the numbers are written as .json")
    if not output.resolve().parent.is_dir():
        raise FileNotFoundError(f"{output} cannot be written: there is no folder {output.resolve().parent}")
    if output.is_dir():
        raise IsADirectoryError(f"{output} cannot be written: it is a folder; give the name of a file")


def _show(answers: Answers, found: Comparisons, metric: str, rows: int) -> None:
    from answersim.agreement.tables import number, printable

    many = len(found.pairs) > 1
    for pair in found.pairs:
        first, *more = pair.lines()
        typer.echo(printable(first))
        for line in more:
            typer.echo(f"  {line}")
        if rows and pair.changed:
            names, listed = _changed(answers, pair)
            typer.echo()
            print_table(
                [*map(printable, names)],
                [[printable(_short(row[name])) for name in names] for row in listed[:rows]],
            )
            if len(listed) > rows:
                typer.echo(f"... and {len(listed) - rows:,} more; --changed FILE writes all, --rows shows more")
        typer.echo()
    if many:
        typer.echo(f"p after Holm's correction over {len(found.pairs)} pairs")
    if found.accuracy == found.accuracy:
        typer.echo(f"soft pairwise accuracy with the human labels: {number(found.accuracy)}")
    signature = found.pairs[0].signature
    typer.echo(printable(f"metric: {metric}" + (f", signature: {signature}" if signature else "")))


def _changed(answers: Answers, pair: Comparison) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    """Return the columns and the rows of the table of changed answers."""
    first, second = pair.names
    names = ("id", "change", f"score {first}", f"score {second}", "gold", first, second)
    listed = []
    for row in pair.changed:
        at = row.row
        texts = (answers.golds[at], answers.predictions[first][at], answers.predictions[second][at])
        listed.append(dict(zip(names, (answers.ids[at], row.change, row.first, row.second, *texts), strict=True)))
    return names, listed


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = " or ".join(value) if isinstance(value, list) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _record(found: Comparisons) -> dict[str, Any]:
    return {"pairs": [pair.to_dict() for pair in found.pairs], "soft_pairwise_accuracy": found.accuracy}


def _plain(value: Any) -> Any:
    """Return a value without nan and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value
