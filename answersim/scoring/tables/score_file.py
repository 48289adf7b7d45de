"""score_file: the mean of each metric over a table of answers, and a table with the scores of every row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from answersim._base import arguments
from answersim._base.io import files, output_files
from answersim._base.text_tables import Result, TextTable, counted, json_object
from answersim.answers.tables.reader import LINES, read_answers
from answersim.answers.tables.table import Answers
from answersim.calibration.scores import Scores
from answersim.scoring.cache import CacheLike
from answersim.scoring.languages.by_language import by_language
from answersim.scoring.languages.table_language import AUTO, languages_of
from answersim.scoring.metrics import default_for
from answersim.scoring.score import build, score_answers
from answersim.types import Metric


@dataclass(frozen=True, eq=False)
class FileScores(Result, Mapping[str, Scores]):
    """The scores in each new column of a table, by its name; what ``score_file`` returns."""

    columns: Mapping[str, Scores]  # in the order of the table

    def __getitem__(self, name: str) -> Scores:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __str__(self) -> str:
        return "\n".join(self.summary())

    def summary(self) -> list[str]:
        """Return the mean of each column in a sentence."""
        return [
            f"{row['metric']}: mean {row['mean']:.4f} over {counted(row['n'], 'answer')}, 95 % interval "
            f"{row['low']:.4f} to {row['high']:.4f}"
            for row in self.records()
        ]

    def tables(self) -> list[TextTable]:
        """Return the table with a row per column."""
        rows = [
            (row["metric"], str(row["n"]), f"{row['mean']:.4f}", f"{row['low']:.4f} .. {row['high']:.4f}")
            for row in self.records()
        ]
        return [TextTable("", ("metric", "n", "mean", "95 % interval"), tuple(rows))]

    def footer(self) -> list[str]:
        """Return the signatures."""
        return [f"{name}: {column.signature}" for name, column in self.columns.items()]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per column."""
        return [
            {"metric": name, "n": len(column), "mean": column.mean}
            | dict(zip(("low", "high"), column.ci(), strict=True))
            | {"signature": column.signature}
            for name, column in self.columns.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON values."""
        return json_object({"columns": self.records(), "summary": self.summary(), "footer": self.footer()})


def score_file(
    data: Any,
    metric: str | Metric | Sequence[str | Metric] | Mapping[str, Metric] | None = None,
    output: str | PathLike[str] | None = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    prefix: str = "",
    cache: CacheLike | None = True,
    progress: bool = True,
) -> FileScores:
    """Score every row of a table, and write the table with its new columns.

    If the call is interrupted, the same call finds the scores that a network had computed in the cache. The output is
    complete or absent.

    Args:
        data: What ``answersim.read_answers`` reads or returns. Rows that it leaves out are not in the output either.
        metric: A name, a metric that was built, several of them, or metrics by the names of their new columns.
        output: The table with one more column per metric; with several systems, one per metric and system, which is
            called METRIC:SYSTEM. If None, nothing is written.
        pred: The column of predictions, or several.
        gold: The column of gold answers.
        question: The column of questions.
        prefix: The prefix of the names of the new columns.
        cache: A folder (or a ``ScoreCache``) where the scores of networks are stored and looked up; True for the one of
            the command line. None or False stores nothing.
        progress: Whether progress bars may be shown, which appear on a terminal only.

    Returns:
        The scores of each new column, by its name.

    Raises:
        FileNotFoundError, LookupError, ValueError, TypeError: As ``read_answers`` and ``score_pairs``, and if the
            output cannot be written; before any work.

    >>> table = {"gold": ["Rome", "Oslo"], "pred": ["Rome", "Bergen"]}
    >>> score_file(table, ["f1", "em"])["em"].mean
    0.5
    """
    answers = read_answers(data, pred=pred, gold=gold, question=question)
    metrics = _named(metric, answers)
    place = None if output is None else Path(arguments.path("output", output))
    table, several = answers.table, len(answers.systems) > 1
    names = [
        f"{prefix}{name}:{system}" if several else f"{prefix}{name}" for system in answers.systems for name in metrics
    ]
    if place is not None:
        output_files.refuse_overwriting_input(answers.files, place)
        files.check_new(table, names)
        files.check_writable(place, table, _suffix(place, answers))
    scored = score_answers(answers, list(metrics.values()), cache=cache, progress=progress)
    in_order = [scored[metric.signature] for metric in metrics.values()]
    columns = [
        Scores(scores.values.reshape(len(answers.systems), -1)[i], scores.signature)
        for i in range(len(answers.systems))
        for scores in in_order
    ]
    file_scores = FileScores(dict(zip(names, columns, strict=True)))
    if place is not None:
        new = {name: column.values.tolist() for name, column in file_scores.items()}
        files.write(table, place, new, usual=_suffix(place, answers))
    return file_scores


def _named(metric: Any, answers: Answers) -> dict[str, Metric]:
    """Return the metrics by name, in the language of the answers. Raise ValueError if two have one name."""
    if isinstance(metric, Mapping):
        return dict(metric)
    several = [default_for(None) if metric is None else metric]
    if isinstance(metric, (list, tuple)):
        several = arguments.listed("metric", metric, "names or metrics")
    named = any(isinstance(entry, str) for entry in several)
    codes = languages_of(AUTO, answers) if named else []
    built = [_built(entry, codes) if isinstance(entry, str) else build(entry, None, None, {}) for entry in several]
    names = [entry if isinstance(entry, str) else entry.signature.split("|", 1)[0] for entry in several]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two metrics are called {twice[0]!r}; give them by different names: {{name: metric}}")
    return dict(zip(names, built, strict=True))


def _built(name: str, codes: Sequence[str]) -> Metric:
    """Return the metric of this name in the language of a table, or in those of its rows."""
    if len(codes) == 1:
        return build(name, codes[0], None, {})
    return by_language(name, codes, lambda code: build(name, code, None, {}))


def _suffix(output: Path, answers: Answers) -> str:
    """Return the suffix of the format of the output: its own, or for a pipe or device the one of the input."""
    usual = ".jsonl"
    if answers.origin.format == LINES:
        usual = ".csv"
    elif answers.origin.format is None and len(answers.files) == 1:
        suffix = answers.path.suffix.lower()
        usual = {".json": ".jsonl", ".xlsx": ".csv"}.get(suffix, suffix)
    return output_files.format_of(output, usual)
