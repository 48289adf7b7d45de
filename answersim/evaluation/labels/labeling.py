"""label: draw the rows to label by hand, stratified by their scores, and write them to a sheet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from answersim._base import arguments
from answersim._base.arrays import FloatArray
from answersim._base.io import files, output_files
from answersim.answers.tables import system_columns
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Answers
from answersim.evaluation.labels import sheets
from answersim.evaluation.labels.human_labels import LABEL, HumanLabels, shown
from answersim.evaluation.labels.label_sources import read_labels
from answersim.evaluation.labels.sheets import KEY, Drawing, Sheet, ShownColumns
from answersim.evaluation.labels.verifiers import VerifierMetric, resolved
from answersim.metrics.composite.extracted import ExtractedMetric
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import score as scored
from answersim.stats.few_labels.stratified import Drawn, strata_of, stratified
from answersim.stats.intervals.resampling import generator
from answersim.types import Metric, OneNamed, reads_questions

ROWS, STRATA = 100, 5
FINAL_ANSWER = "final answer"


def label(
    data: Any,
    sheet: str | PathLike[str],
    metric: OneNamed = None,
    *,
    pred: str = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    score: str | None = None,
    like: Any = None,
    rows: int | None = None,
    allocation: Literal["proportional", "equal"] | None = None,
    strata: int | None = None,
    rng: int | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
) -> Sheet:
    """Draw rows to label, stratified by their scores, and write them to a sheet; or return the sheet that exists.

    The rows are in random order and show neither scores nor verdicts. Fill in the column "label" in a spreadsheet
    program, or on a terminal with ``answersim label --ask``. The sheet is then ``labels=`` of ``answersim.evaluate``,
    ``compare``, ``plan`` and ``calibrate``.

    Args:
        data: What ``answersim.read_answers`` reads or returns, with the answers of one system.
        sheet: The file of the sheet. Its plan is written beside it. If it exists, no rows are drawn, and the arguments
            that are given must be those that it was drawn with.
        metric: The metric whose scores make the strata: as for ``answersim.evaluate``, also a verifier.
        pred: The column of the predictions.
        gold: The column of the gold answers.
        question: The column of the questions.
        id: A column that identifies a row. The sheet shows it.
        score: A column of scores, instead of a metric.
        like: Labels, or a sheet, of another system. Its questions are drawn, as ``compare`` needs them.
        rows: How many rows to draw; by default 100.
        allocation: "proportional", the default, or "equal", the default for a verifier, so that both its verdicts have
            labels. See ``choose``, also for the others.
        strata: The number of strata; by default 5.
        rng: The seed of the sample; by default 0.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: Where the scores of networks are stored and looked up.

    Raises:
        ValueError: If there are several systems, the sheet belongs to other answers or was drawn in another way, or an
            argument is outside its range or has no effect.
        FileNotFoundError, LookupError, TypeError: As ``answersim.read_answers`` and ``answersim.score``.
        BlockingIOError: If another process has the sheet open.
    """
    path = Path(arguments.path("sheet", sheet))
    drawing = {"rows": rows, "allocation": allocation, "strata": strata, "rng": rng}
    if like is not None:
        refused = {**drawing, "metric": metric, "score": score}
        arguments.refuse(refused, "like= (--rows-of) determines the rows; leave one of them out")
    if score is not None:
        arguments.refuse({"metric": metric}, "score= names a column of given scores; leave one of them out")
    answers = _of_one_system(read_answers(data, pred=pred, gold=gold, question=question, id=id))
    output_files.refuse_overwriting_input(answers.files, path)
    output_files.check_place(path)
    earlier = None if like is None else read_labels(like, answers.columns.id or "id")
    with sheets.alone(path):
        if path.exists():
            return _existing(path, answers, drawing, earlier)
        if (plan := sheets.plan_path(path)).exists():
            raise ValueError(
                f"{plan} is the plan of the sheet {path}, which is missing; restore the sheet to continue with it, or "
                "name another one"
            )
        if earlier is not None:
            return sheets.write(_like(earlier, answers), path)
        return sheets.write(_drawn(answers, *_scores(answers, metric, score, progress, cache), drawing), path)


def choose(
    scores: Any,
    n: int,
    *,
    allocation: Literal["proportional", "equal"] = "proportional",
    strata: int = STRATA,
    rng: int | np.random.Generator = 0,
) -> Drawn:
    """Choose rows to label, stratified by their scores. A seed gives the same rows for the same scores each time.

    ``scores``: one finite number per row, shape (N,). Equal scores are in one stratum. ``allocation``: "proportional"
    takes the same share of each stratum, so every row has the same probability and the labels need no weights
    elsewhere. "equal" takes the same number from each, and so more of the rare scores: the intervals of
    ``answersim.estimate_mean`` became 7 to 10 % narrower (``benchmarks/results/coverage.md``).
    """
    column = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(column).all():
        at = int(np.flatnonzero(~np.isfinite(column))[0])
        raise ValueError(f"the score of row {at + 1} is {column[at]}, but rows are chosen by finite scores")
    if arguments.whole("n", n, 1) > len(column):
        raise ValueError(
            f"n is {n:,}, but the file has {len(column):,} row{'s' if len(column) != 1 else ''} to draw from; give a "
            "smaller n"
        )
    # The scores are part of the seed, so that the samples of two files are independent.
    rng = generator(arguments.seed("rng", rng), sha256(column.tobytes()).hexdigest())
    return stratified(strata_of(column, arguments.whole("strata", strata, 1)), n, allocation, rng)


def key_of(id_: str, texts: Sequence[Any], seed: int) -> str:
    """Return the key of a row. It reveals neither the id nor the score, and changes with the texts.

    It begins with a letter, so that no spreadsheet program takes it for a number.
    """
    content = json.dumps([seed, id_, list(texts)], ensure_ascii=True, default=str)
    return f"k{sha256(content.encode()).hexdigest()[:12]}"


def _of_one_system(answers: Answers) -> Answers:
    """Return these answers. Raise ValueError if there are several systems."""
    if len(answers.systems) > 1:
        raise ValueError(
            f"there are {len(answers.systems)} systems ({', '.join(answers.systems)}), but a sheet is of one; give one "
            "column of predictions (--pred, pred=)"
        )
    own = answers.columns
    names = {"gold": own.gold, "pred": own.preds[0], "question": own.question, "id": own.id}
    files.check_distinct_columns(**names, **{"the sheet": KEY, "the labels": LABEL})
    return answers


def _scores(
    answers: Answers, metric: OneNamed, column: str | None, progress: bool, cache: CacheLike | None
) -> tuple[FloatArray, Metric | None]:
    """Return the scores of the metric, shape (n,), and it; or those of a column, and None."""
    ((system, preds),) = answers.predictions.items()
    if column is not None:
        return system_columns.scores(answers, {system: arguments.text("score", column)})[system], None
    built = resolved(metric).metric
    questions = answers.questions if reads_questions(built) else None
    return scored(answers.golds, preds, built, question=questions, progress=progress, cache=cache).values, built


def _drawn(answers: Answers, scores: FloatArray, metric: Metric | None, drawing: Mapping[str, Any]) -> Sheet:
    """Return a sheet of rows that are drawn by their scores. ``drawing``: arguments of ``label``, or None."""
    allocation = "equal" if isinstance(metric, VerifierMetric) else "proportional"
    usual: dict[str, Any] = {"rows": ROWS, "allocation": allocation, "strata": STRATA, "rng": 0}
    stated = {name: usual[name] if value is None else value for name, value in drawing.items()}
    how_drawn = Drawing(**stated, table=len(answers.ids) + len(answers.left_out))
    rng = arguments.whole("rng", how_drawn.rng, 0)
    settings: dict[str, Any] = {"allocation": how_drawn.allocation, "strata": how_drawn.strata}  # checked there
    drawn = choose(scores, how_drawn.rows, **settings, rng=rng)
    chances = [(answers.ids[i], float(drawn.inclusion[i]), float(drawn.strata[i])) for i in drawn.rows.tolist()]
    return _sheet(answers, chances, how_drawn, metric)


def _sheet(
    answers: Answers, drawn: list[tuple[str, float, float]], drawing: Drawing, metric: Metric | None = None
) -> Sheet:
    """Return the sheet of the drawn rows, with the final answers that the metric reads."""
    own = answers.columns
    (preds,) = answers.predictions.values()
    extractor = metric.extractor if isinstance(metric, ExtractedMetric) else None
    question = None if answers.questions is None else own.question
    columns = ShownColumns(own.id, question, own.gold, own.preds[0], FINAL_ANSWER if extractor is not None else None)
    rows, places = [], {key: i for i, key in enumerate(answers.ids)}
    for i in (places[key] for key, *_ in drawn):
        texts = [*([answers.questions[i]] if answers.questions is not None else []), shown(answers.golds[i]), preds[i]]
        cells = [*([answers.ids[i]] if own.id else []), *texts, *([extractor(preds[i]).text] if extractor else [])]
        key = key_of(answers.ids[i], texts, drawing.rng)
        rows.append({KEY: key, **dict(zip(columns.names, cells, strict=True)), LABEL: ""})
    return Sheet(rows, drawn, columns, drawing)


def _like(earlier: HumanLabels, answers: Answers) -> Sheet:
    """Return a sheet for the questions of other labels, with their probabilities, in another order."""
    replace(earlier, texts={key: texts._replace(pred=None) for key, texts in earlier.texts.items()}).owners(answers)
    drawing = Drawing(len(earlier.labels), "as another sheet", STRATA, 0, len(answers.ids) + len(answers.left_out))
    drawn = [(key, label.inclusion, label.stratum) for key, label in earlier.labels.items()]
    sheet = _sheet(answers, drawn, drawing)
    order = sorted(range(len(drawn)), key=lambda i: str(sheet.rows[i][KEY]))  # keys are digests: a random order
    return replace(sheet, rows=[sheet.rows[i] for i in order], drawn=[drawn[i] for i in order])


def _existing(path: Path, answers: Answers, drawing: Mapping[str, Any], earlier: HumanLabels | None) -> Sheet:
    """Return the sheet. Raise ValueError if it belongs to other answers, or was drawn in another way."""
    sheet = sheets.read(path)
    sheet.labels.owners(answers)
    sheet.check_drawing(**drawing)
    if earlier is not None and set(earlier.labels) != set(sheet.labels.labels):
        raise ValueError(
            f"like (--rows-of) is {earlier.name}, but the sheet {path} has other rows; leave it out to continue with "
            "the sheet, or name another one"
        )
    return sheet
