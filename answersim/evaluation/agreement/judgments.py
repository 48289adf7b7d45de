"""Labeled pairs with scores: the input of every study of a metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arguments import names, one_or_several, texts
from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import unknown, warn_user
from answersim._base.io.files import Table
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.sources import Source
from answersim.answers.tables.table import Answers, Columns
from answersim.calibration.scores import Scores
from answersim.evaluation.data.labeled import LabeledPairs
from answersim.scoring.cache import CacheLike
from answersim.scoring.languages.table_language import table_language
from answersim.scoring.metrics import options_of_each
from answersim.scoring.score import build, score_pairs
from answersim.stats.few_labels.stratified import INCLUSION, STRATUM
from answersim.types import Metric, OneOrSeveral, Pair, reads_questions

SYSTEM = "system"  # the column that names systems


@dataclass(frozen=True, eq=False)
class Judgments(LabeledPairs):
    """Labeled pairs with the scores of metrics, the labels of each rater and the other columns of a file.

    Labels are never nan. The label of several raters is their mean. The fields of ``LabeledPairs`` are here too.
    """

    # by the name of the metric, or of the column of a file: one number per pair, with its signature ("" for numbers of
    # unknown origin)
    scores: Mapping[str, Scores] = field(default_factory=dict, kw_only=True)
    # if several annotators gave labels: by the name of the column, float64 of shape (n,), nan for no label
    raters: Mapping[str, FloatArray] = field(default_factory=dict, kw_only=True)
    # the other columns of a file by name, one value per pair, which can define subsets
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict, kw_only=True)
    # all gold answers of each pair, if some have several: metrics use the best of them
    golds: Sequence[Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("scores", "raters", "columns"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        super().__post_init__()
        if not np.isfinite(self.labels).all():
            at = int(np.flatnonzero(~np.isfinite(self.labels))[0])
            raise ValueError(
                f"{self.name}: the label of pair {at + 1} is {self.labels[at]}; leave out pairs without a label"
            )

    def __repr__(self) -> str:
        return f"Judgments({self.name!r}, lang={self.lang!r}, n={len(self)}, scores={list(self.scores)})"

    def _columns(self) -> dict[str, Sized]:
        return {**super()._columns(), **self.scores, **self.raters, **self.columns}

    def _taken(self, at: list[int]) -> dict[str, Any]:
        return super()._taken(at) | {
            "scores": {
                name: Scores(scores.values[at], scores.signature, scores.references[at])
                for name, scores in self.scores.items()
            },
            "raters": {name: labels[at] for name, labels in self.raters.items()},
            "columns": {name: [values[i] for i in at] for name, values in self.columns.items()},
            "golds": None if self.golds is None else [self.golds[i] for i in at],
        }

    def scored(
        self,
        metric: OneOrSeveral,
        *,
        profile: str | None = None,
        device: str | Device | None = None,
        progress: bool = True,
        cache: CacheLike | None = None,
    ) -> Judgments:
        """Return the same pairs with the scores of these metrics added, under the names given here.

        Existing scores of such a name, from a column of a file, are renamed ``NAME (file)``. Metrics that read
        questions get those of the set. The options of networks are those of ``answersim.score_pairs``. Raise
        LookupError if no metric has this name, TypeError if a device is given and no metric runs a network.
        """
        by_name = metric if isinstance(metric, Mapping) else None
        metrics: list[str | Metric] = one_or_several("metric", metric if by_name is None else list(by_name.values()))
        if profile is not None and not metrics:
            raise TypeError(f"profile is {profile!r}, but no metric is given by name; leave it out, or name one")
        built = [
            # The language is also that of the data, so a metric that is already built may have its own.
            build(metric, self.lang if isinstance(metric, str) else None, profile, options)
            for metric, options in zip(metrics, options_of_each(metrics, device), strict=True)
        ]
        pairs: Any = self.pairs
        if self.golds is not None:
            pairs = [(golds, pair.pred) for golds, pair in zip(self.golds, self.pairs, strict=True)]
        questions = self.questions if any(map(reads_questions, built)) else None
        scores = score_pairs(pairs, built, question=questions, progress=progress, cache=cache)
        names = [metric if isinstance(metric, str) else metric.signature.split("|", 1)[0] for metric in metrics]
        names = names if by_name is None else list(by_name)
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"two metrics are called {twice[0]!r}; a study needs different names")
        computed = {name: scores[metric.signature] for name, metric in zip(names, built, strict=True)}
        return replace(self, scores=_beside(self.scores, computed))


def judgments(
    data: Any,
    *,
    label: str | Sequence[str] = "label",
    gold: str = "gold",
    pred: str | Sequence[str] = "pred",
    question: str | None = None,
    scores: Sequence[str] | None = None,
    columns: Sequence[str] = (),
    lang: str = "auto",
) -> Judgments:
    """Return the labeled pairs of a table: its answers, labels and scores.

    Args:
        data: What ``answersim.read_answers`` reads or returns: a file, a ``pandas.DataFrame``, columns by name, ...
            Answers of several systems are studied together, and the column "system" has the name of each.
        label: The column of the labels, or the columns of several raters, whose mean is then the label. Of one table
            with several columns of predictions, one column per system.
        gold: The column of the gold answers. A value may be a list of references (JSON lines, Parquet). Metrics use
            the best of them, and the pair keeps the reference that shares most words with the prediction.
        pred: The column of the predictions.
        question: The column of the questions, if there is one.
        scores: The columns with the scores of other tools. By default, all further columns in which every value is a
            finite number, except those without a name and those called "id", "index", "inclusion" or "stratum".
        columns: Columns of numbers that are not scores and that define subsets.
        lang: The language of the answers, as of ``answersim.evaluate``.

    Returns:
        The labeled rows, in order. The set has the name of the file. Rows without any label are left out, with a
        warning that counts them. Columns that contain no answers, labels, questions or scores are in ``columns``.

    Raises:
        LookupError: If no column or language has this name.
        ValueError: If a value is not an answer, label or score (the message gives the row), or no row has a label.
        TypeError: If data is of another type.

    >>> judged = judgments(
    ...     {"gold": ["Rome", "Oslo"], "pred": ["rome", "Bergen"], "label": [1, 0], "other": [0.9, 0.4]}
    ... )
    >>> {name: scores.values.tolist() for name, scores in judged.scored("em").scores.items()}
    {'other': [0.9, 0.4], 'em': [1.0, 0.0]}
    """
    answers = read_answers(data, pred=pred, gold=gold, question=question)
    lang = table_language(lang, answers)
    roles = _roles(answers.columns, label, scores, columns)
    return _labeled(answers, roles, lang)


class _Roles(NamedTuple):
    """The names of the columns by role. See ``judgments``."""

    answers: list[str]
    raters: list[str]
    scores: list[str] | None
    subsets: list[str]


def _roles(columns: Columns, label: str | Sequence[str], scores: Any, subsets: Sequence[str]) -> _Roles:
    """Return the names of columns. Raise an error if one has two roles."""
    raters = names("label", label)
    if not raters:
        raise ValueError("label names no column; give the column of the labels, or those of several raters")
    question = [] if columns.question is None else [columns.question]
    roles = _Roles(
        [columns.gold, *columns.preds, *question],
        raters,
        None if scores is None else texts("scores", scores),
        texts("columns", subsets),
    )
    named = [*roles.answers, *raters, *(roles.scores or ())]
    if twice := [column for column in named if named.count(column) > 1]:
        raise ValueError(
            f"the column {twice[0]!r} is requested twice; each column has only one role (gold, pred, label, score ...)"
        )
    if both := [column for column in roles.subsets if column in named]:
        raise ValueError(
            f"the column {both[0]!r} contains answers, labels or scores, so it cannot also define subsets; "
            "name another column"
        )
    return roles


def _labeled(answers: Answers, roles: _Roles, lang: str) -> Judgments:
    """Return the answers of all systems that have a label, one row per answer, system by system."""
    source, rows = _stacked(answers, roles), len(answers.systems) * len(answers.ids)
    own = 1 if len(answers.columns.preds) > 1 else None  # of one column per system, the rows have the first name
    ratings = {rater: np.array(source.numbers(rater, empty=True)) for rater in roles.raters[:own]}
    at = np.flatnonzero(~np.isnan(np.stack(list(ratings.values()))).all(axis=0)).tolist()
    if not at:
        raise ValueError(f"{answers.path} has {rows} rows and none has a label; a study needs labeled pairs")
    if len(at) < rows:
        warn_user(UserWarning(f"{answers.path}: {rows - len(at)} of {rows} rows have no label and are left out"))
    ratings = {rater: column[at] for rater, column in ratings.items()}
    source = source.at(at)
    scores = None if roles.scores is None else roles.scores[:own]
    score_columns = _score_columns(source, [*roles.answers, *roles.raters, *roles.subsets], scores)
    taken = {*roles.answers, *roles.raters, *score_columns}
    all_pairs, questions = answers.pairs, answers.questions
    pairs = [all_pairs[i] for i in at]
    return Judgments(
        answers.name if answers.files else "judgments",
        lang,
        tuple(_nearest(golds, pred, lang) for golds, pred in pairs),
        np.nanmean(np.stack(list(ratings.values())), axis=0),
        questions=None if questions is None else tuple(questions[i % len(questions)] for i in at),
        scores={heading: Scores(column) for heading, column in score_columns.items()},
        raters=ratings if len(ratings) > 1 else {},
        columns={
            heading: [row.get(heading) for row in source.table.rows]
            for heading in source.table.columns
            if heading not in taken
        },
        golds=None if all(isinstance(golds, str) for golds, _ in pairs) else [golds for golds, _ in pairs],
    )


def _stacked(answers: Answers, roles: _Roles) -> Source:
    """Return the columns of all systems below each other; of several systems, also the column "system"."""
    preds, several = answers.columns.preds, len(answers.systems) > 1
    held = answers.table.columns
    shared = {name: answers.values(name) for name in roles.subsets}
    rows: list[dict[str, Any]] = []
    for i, system in enumerate(answers.systems):
        table = answers.tables[system]
        sources = dict(pair for names in (roles.raters, roles.scores or ()) for pair in _sources(names, i, len(preds)))
        for source in sources.values():
            if not table.has(source):
                raise unknown(f"column of {answers.path}", source, [name for name in held if name])
        values = shared | {name: table.values(source) for name, source in sources.items()}
        if several:
            values[SYSTEM] = [system] * len(answers.ids)
        else:
            values = {name: column for name, column in values.items() if name not in held}
        own_rows = answers.table.rows
        rows += (
            [row | {name: values[name][j] for name in values} for j, row in enumerate(own_rows)] if values else own_rows
        )
    dropped = {*preds, *roles.raters, *(roles.scores or ())}.difference(sources) if len(preds) > 1 else set()
    names = dict.fromkeys([*held, *shared, *sources, *([SYSTEM] if several else ())])
    table_of_all = Table(tuple(name for name in names if name not in dropped), rows)
    return Source(table_of_all, answers.path, rows=list(answers.numbers) * len(answers.systems))


def _sources(names: Sequence[str], i: int, n: int) -> list[tuple[str, str]]:
    """Return the columns of a role of system i of n in one table, by the names that they get."""
    if n == 1 or not names:
        return [(name, name) for name in names]
    if len(names) != n:
        columns = "1 column is" if len(names) == 1 else f"{len(names)} columns are"
        raise ValueError(
            f"{columns} given for {n} systems in one table ({', '.join(names)}); give one column per system, in the "
            "order of the systems"
        )
    return [(names[0], names[i])]


def _number(value: Any) -> float | None:
    """Return this value as a number, or None if it is none."""
    try:
        return float(value.strip() if isinstance(value, str) else value)
    except OverflowError:
        return math.inf  # an integer beyond the range of a float
    except (TypeError, ValueError):
        return None


def _score_columns(source: Source, excluded: Sequence[str], chosen: Any) -> dict[str, FloatArray]:
    """Return the score columns of other tools: the chosen ones, or all of finite numbers; warn of those with gaps."""
    table = source.table
    score_columns: dict[str, FloatArray] = {}
    names = [name for name in table.columns if name not in excluded] if chosen is None else list(chosen)
    for column in names:
        if chosen is None and column.strip().lower() in ("", "id", "index", "unnamed: 0", INCLUSION, STRATUM):
            continue
        values = [row.get(column) for row in table.rows]
        numbers = [_number(value) for value in values]
        flawed = [i for i, number in enumerate(numbers) if number is None or not math.isfinite(number)]
        if not flawed:
            score_columns[column] = np.array(numbers, dtype=np.float64)
            continue
        first = flawed[0]
        line = (
            f"{source.path}, row {source.numbered[first]}: the score {column!r} is {repr(values[first])[:60]}, but it "
            "must be a finite number"
        )
        if chosen is not None:
            raise ValueError(f"{line}; leave that row or that column out")
        unread = ["" if values[i] is None else str(values[i]).strip() for i in flawed if numbers[i] is None]
        if len(flawed) < len(numbers) and not any(unread):
            warn_user(UserWarning(f"{line}; the column is not studied as scores"))
    return score_columns


def _nearest(references: Any, pred: str, lang: str) -> Pair:
    """Return the prediction with its reference. Of several, choose the first one that shares most words with it."""
    if isinstance(references, str):
        return Pair(references, pred)
    pairs = [(reference, pred) for reference in references]
    shared = score_pairs(pairs, ["f1"], lang=lang, progress=False)["f1"].values
    return Pair(references[int(shared.argmax())], pred)


def _beside(held: Mapping[str, Scores], computed: Mapping[str, Scores]) -> dict[str, Scores]:
    renamed = [f"{name} (file)" if name in computed else name for name in held]
    names = [*renamed, *computed]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two columns of scores would be called {twice[0]!r}; rename that column of the file")
    return dict(zip(renamed, held.values(), strict=True)) | dict(computed)
