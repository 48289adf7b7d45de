"""Score a file of any size: block by block in constant memory, resumed after a kill, with a complete output or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from answersim import arguments
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import LINES, Answers, read_answers
from answersim.io import chunks, files, output_files
from answersim.io.partial_results import PartialResults, open_partial_results
from answersim.runtime.progress import bar
from answersim.runtime.progress import progress as bars
from answersim.scoring.blocks import BlockScorer
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import default_for, signed
from answersim.scoring.score import build
from answersim.stats.bounded_mean import BINS, binned, mean_of_bins
from answersim.stats.score_mean import MANY, t_interval
from answersim.text_tables import Result, TextTable, counted, json_object
from answersim.types import FloatArray, Interval, Metric, Scores


class RunningMean:
    """The mean of numbers that arrive in pieces, and its interval; equal pieces in equal order give equal digits.

    Attributes:
        signature: The signature of the scores.
        n: The count of the numbers so far.
    """

    def __init__(self, signature: str) -> None:
        self.signature, self.n = signature, 0
        self._mean = self._squares = 0.0
        self._bins: FloatArray | None = np.zeros((2, BINS))  # None if a number is outside 0 to 1
        self._values: list[FloatArray] = []

    def add(self, values: FloatArray) -> None:
        """Add these numbers, by the parallel formula of Chan, Golub & LeVeque (1979, eq. 2.1)."""
        if not len(values):
            return
        if self.n <= MANY:
            self._values.append(values)
        if self._bins is not None:
            within = bool(((values >= 0) & (values <= 1)).all())
            self._bins = self._bins + binned(values) if within else None
        n, mean = len(values), float(values.mean())
        apart, both = mean - self._mean, self.n + n
        self._squares += float(((values - mean) ** 2).sum()) + apart**2 * self.n * n / both
        self._mean += apart * n / both
        self.n = both

    def __len__(self) -> int:
        return self.n

    @property
    def mean(self) -> float:
        """The arithmetic mean; nan for no numbers."""
        return self._scores().mean if self.n <= MANY else self._mean

    def ci(self, level: float = 0.95) -> Interval:
        """Return the interval as ``Scores.ci``."""
        if self.n <= MANY:
            return self._scores().ci(level)
        if self._bins is None:
            return t_interval(self.n, self._mean, self._squares, level)
        found = mean_of_bins(self._bins, level)
        return Interval(found.low, found.high)

    def _scores(self) -> Scores:
        return Scores(np.concatenate(self._values) if self._values else np.empty(0), self.signature)


@dataclass(frozen=True, eq=False)
class FileScores(Result, Mapping[str, RunningMean]):
    """The mean of each new column of a file, by its name; what ``score_file`` returns."""

    columns: Mapping[str, RunningMean]  # in the order of the file

    def __getitem__(self, name: str) -> RunningMean:
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
    cache: CacheLike | None = None,
    progress: bool = True,
) -> FileScores:
    """Compute the mean of each metric over a file, and write the scores of every row to another, in constant memory.

    The scores are appended, block by block, to a draft beside ``output``. After an interruption, or an error in the
    middle of the file, the same call resumes from there: a block with unchanged answers keeps its scores, and the
    output is the same to the byte. When all rows are scored, the file is read once more and written with its new
    columns. The output is complete or absent.

    Args:
        data: What ``answersim.read_answers`` reads or returns. Rows that it leaves out are not in the output either.
        metric: A name, a metric that was built, several of them, or metrics by the names of their new columns.
        output: The table with one more column per metric; with several systems, one per metric and system, which is
            called METRIC:SYSTEM. If None, nothing is written or stored.
        pred: The column of predictions, or several.
        gold: The column of gold answers.
        question: The column of questions.
        prefix: The prefix of the names of the new columns.
        cache: As for ``answersim.score_pairs``.
        progress: Whether progress bars may be shown, which appear on a terminal only.

    Returns:
        The mean of each new column, by its name.

    Raises:
        FileNotFoundError, LookupError, ValueError, TypeError: As ``read_answers`` and ``score_pairs``. Errors that the
            beginning of the file reveals are raised before any work. An error in a later row is raised with the row
            when it is read, and the scores before it are stored.
        BlockingIOError: If another process is writing the same output.

    >>> table = {"gold": ["Rome", "Oslo"], "pred": ["Rome", "Bergen"]}
    >>> score_file(table, ["f1", "em"])["em"].mean
    0.5
    """
    answers = read_answers(data, pred=pred, gold=gold, question=question)
    metrics = _named(metric)
    place = None if output is None else Path(arguments.path("output", output))
    columns = _columns(answers.systems, metrics)
    names = [f"{prefix}{name}" for name in columns]
    target = None if place is None else _Target(answers, place, names)
    several = [*metrics.values()] * len(answers.systems)
    running = {name: RunningMean(one.signature) for name, one in zip(columns, several, strict=True)}
    keys = [metric.signature for metric in metrics.values()]
    if len(answers.systems) > 1:
        keys = [f"{system} {key}" for system in answers.systems for key in keys]
    rows = 0
    with bars(arguments.flag("progress", progress)), open_partial_results(place, keys) as draft:
        scorer = BlockScorer(list(metrics.values()), draft, cache=cache, progress=progress)
        with bar(0, "+".join(metrics), "pair") as shown:
            for block in answers:
                if target is not None:
                    target.check(block)
                scores = np.concatenate([*scorer.scores(block).values()], axis=1)
                for column, mean in zip(scores.T, running.values(), strict=True):
                    mean.add(np.ascontiguousarray(column))
                rows += len(block.ids)
                shown.total = round(rows / block.share) if block.share else None
                shown.update(len(block.ids))
        if target is not None:
            target.write(draft, scorer.reads)
    scorer.warn()
    answers.warn()
    for mean, metric in zip(running.values(), several, strict=True):
        mean.signature = signed(metric, scorer.has_questions)  # of the whole file: a single block may have none
    return FileScores(running)


def _named(metric: Any) -> dict[str, Metric]:
    """Return the metrics by name. Raise ValueError if two have one name."""
    if isinstance(metric, Mapping):
        return dict(metric)
    several = [default_for(None) if metric is None else metric]
    if isinstance(metric, (list, tuple)):
        several = arguments.listed("metric", metric, "names or metrics")
    built = [build(one, None, None, {}) for one in several]
    names = [one if isinstance(one, str) else one.signature.split("|", 1)[0] for one in several]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two metrics are called {twice[0]!r}; give them by different names: {{name: metric}}")
    return dict(zip(names, built, strict=True))


def _columns(systems: Sequence[str], metrics: Mapping[str, Metric]) -> list[str]:
    """Return the names of the new columns, without a prefix."""
    if len(systems) == 1:
        return list(metrics)
    return [f"{name}:{system}" for system in systems for name in metrics]


class _Target:
    """The output table: each block is checked before it is scored, and the table is written at the end."""

    def __init__(self, answers: Answers, output: Path, names: list[str]) -> None:
        self.answers, self.output, self.names = answers, output, names
        output_files.check_place(output)
        output_files.refuse_overwriting_input(answers.files, output)
        source, self.json = _kind(answers)
        self.parquet = source == ".parquet"
        self.suffix = output_files.format_of(output, source)
        self.found: tuple[str, ...] = ()  # all columns of the table that were read so far
        self.types = chunks.Types() if self.suffix == ".parquet" and not self.parquet and self.json else None
        self.state = b""  # of the file when its last block was scored
        files.check_writable(
            output, files.Table(("gold",), []), self.suffix
        )  # also checks that the package for the format is installed
        if self.parquet and self.suffix != ".parquet":
            for field in chunks.schema_of(answers.path):
                if "binary" in str(field.type):
                    raise ValueError(
                        f"{output} cannot contain this table: the column {field.name!r} is bytes, not text; "
                        "leave that column out, or write .parquet"
                    )

    def check(self, block: AnswerBlock) -> None:
        """Raise ValueError if the output cannot contain this block, before it is scored."""
        self.found, self.state = block.table.columns, block.state
        files.check_new(block.table, self.names)
        if self.json and self.suffix in (".csv", ".tsv"):
            files.check_writable(self.output, block.table, self.suffix)
        if self.types is not None:
            try:
                self.types.add(block.table)
            except ValueError as error:
                raise ValueError(f"{self.output} cannot contain this table: {error}") from error

    def schema(self) -> Any:
        """Return the types of the columns if the output is Parquet, else None."""
        if self.suffix != ".parquet":
            return None
        if self.parquet:
            return chunks.schema_of(self.answers.path)
        return (self.types or chunks.Types()).schema(self.found)

    def write(self, draft: PartialResults, has_questions: bool) -> None:
        """Write the table with the scores of the draft, completely or not at all."""
        draft.tell()
        arrow = self.parquet and self.suffix == ".parquet"
        name = None if draft.path is None else f"{draft.path.name}.out"
        with (
            output_files.atomic_write(self.output, name) as place,
            chunks.appending(place, self.suffix, self.found, self.names, self.schema()) as append,
            bar(draft.rows, f"writing {self.output.name}", "row") as shown,
        ):
            frames, rows, state = draft.frames(), 0, b""
            for block in self.answers.blocks(all_columns=not arrow, keep=arrow):
                frame = next(frames, None)
                if frame is None or frame.digest != block.digest(has_questions):
                    raise self._changed()
                append(block.table, frame.columns.tolist())
                rows, state = rows + len(frame.columns), block.state
                shown.update(len(frame.columns))
            if rows != draft.rows or state != self.state:  # truncated between two blocks, or changed in another column
                raise self._changed()
        draft.done = True

    def _changed(self) -> ValueError:
        return ValueError(
            f"{self.answers.path} has changed while it was scored; run the command again; unchanged answers keep "
            f"their scores"
        )


def _kind(answers: Answers) -> tuple[str, bool]:
    """Return the usual suffix of an output, and whether the values may be of any type of JSON."""
    if answers.format == LINES:
        return ".csv", False
    if answers.file is None or answers.format is not None:
        return ".jsonl", True
    suffix = answers.path.suffix.lower()
    return {".json": ".jsonl", ".xlsx": ".csv"}.get(suffix, suffix), suffix in (".jsonl", ".ndjson", ".json")
