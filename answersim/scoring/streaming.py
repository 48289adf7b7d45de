"""Score a file of any size: piece by piece in constant memory, resumed after a kill, with a complete output or none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim.errors import (
    DetectedLanguageWarning,
    SkippedRowsWarning,
    TruncationWarning,
    deferred_warnings,
    renumbered,
    warn_user,
)
from answersim.io import chunks, files
from answersim.io.chunks import Piece
from answersim.io.detection import text_format
from answersim.io.partial_results import Frame, PartialResults, open_partial_results
from answersim.logs import formats
from answersim.runtime.progress import bar, progress
from answersim.scoring.cache import ScoreCache
from answersim.scoring.score import score_pairs, signed, warn_of_language
from answersim.stats.bounded_mean import BINS, binned, mean_of_bins
from answersim.stats.score_mean import MANY, t_interval
from answersim.types import FloatArray, Interval, Metric, Scores, reads_questions


class Request(NamedTuple):
    """The files and columns to score.

    Attributes:
        path: A table, or a text file with one gold answer per line.
        pred_path: In the second case, the text file with one prediction per line.
        gold: The column of gold answers.
        pred: The column of predictions.
        question: The column of questions, or None.
        split_gold: The separator between several references in one gold value, or None.
        prefix: The prefix of the names of the new columns.
        skip_bad: Whether rows without a gold answer or a prediction are left out, of the output too, instead of being
            an error. A warning counts them.
        log: The format of a log of another tool, as in ``logs.formats``, or None for a table. Its columns are question,
            gold and pred.
    """

    path: Path
    pred_path: Path | None = None
    gold: str = "gold"
    pred: str = "pred"
    question: str | None = None
    split_gold: str | None = None
    prefix: str = ""
    skip_bad: bool = False
    log: str | None = None


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


def score_file(
    request: Request,
    metrics: Mapping[str, Metric],
    output: Path | None = None,
    *,
    cache: ScoreCache | None = None,
    allowed: bool = True,
) -> dict[str, RunningMean]:
    """Compute the mean of each metric over a file, and write the scores of every row to another, in constant memory.

    The scores are appended, piece by piece, to a draft beside ``output``. After an interruption, or an error in the
    middle of the file, the same call resumes from there: a piece with unchanged answers keeps its scores, and the
    output is the same to the byte. When all rows are scored, the file is read once more and written with its new
    columns. The output is complete or absent.

    Args:
        request: The files and columns to score.
        metrics: The metrics by the names of their new columns.
        output: The table with one more column per metric. If None, nothing is written or stored.
        cache: Where the scores of metrics that run a network are looked up and stored.
        allowed: Whether progress bars may be shown, which appear on a terminal only.

    Raises:
        FileNotFoundError, LookupError, ValueError, TypeError: As ``files`` and ``score_pairs``. Errors that the
            beginning of the file reveals are raised before any work. An error in a later row is raised with the row
            when it is read, and the scores before it are stored.
        BlockingIOError: If another process is writing the same output.
    """
    check(request, output)
    names = [f"{request.prefix}{name}" for name in metrics]
    running = {name: RunningMean(metric.signature) for name, metric in metrics.items()}
    target = None if output is None else _Target(request, output, names)
    cut: dict[str, int] = {}
    bad: dict[int, str] = {}  # by the number of the row, why it cannot be scored
    rows = 0
    first, has_questions = True, False
    with progress(allowed), open_partial_results(output, [metric.signature for metric in metrics.values()]) as draft:
        with bar(0, "+".join(metrics), "pair") as shown:
            for whole in _pieces(request, None if target is None else target.columns):
                if not whole.table.rows:
                    raise ValueError(f"{request.path} has no rows, so there is nothing to score")
                rows = whole.first - 1 + len(whole.table.rows)
                flaws = _flaws(whole, request)
                bad |= flaws
                piece = _without(whole, flaws)
                if (bad and not request.skip_bad) or not piece.table.rows:
                    continue  # the rest of the file is only searched for more of them
                answers = _answers(piece, request)
                if first:  # the first block decides, so that there is one warning
                    warn_of_language(metrics.values(), answers.pairs, answers.questions)
                    first = False
                has_questions = has_questions or any(answers.questions or ())
                if target is not None:
                    target.check(piece)
                    target.state = piece.state
                frame = draft.recall(answers.digest)
                if frame is None:
                    with renumbered(_positions(whole, flaws)):
                        frame = _scored(answers, list(metrics.values()), cache, allowed)
                    draft.append(frame)
                for column, running_mean in zip(frame.columns.T, running.values(), strict=True):
                    running_mean.add(np.ascontiguousarray(column))
                for what, count in frame.cut.items():
                    cut[what] = cut.get(what, 0) + count
                shown.total = round(rows / piece.share) if piece.share else None
                shown.update(len(answers.pairs))
        if bad and not request.skip_bad:
            raise files.flawed_rows(request.path, bad, "leave them out with --skip-bad")
        if bad and len(bad) == rows:
            raise ValueError(f"{request.path}: no row can be scored: {files.listed_rows(bad)}")
        if target is not None:
            target.write(draft)
    for what, count in cut.items():
        kind, _, metric = what.partition(" ")
        warn_user(TruncationWarning(count, kind, metric))
    if bad:
        warn_user(SkippedRowsWarning(len(bad), rows, files.listed_rows(bad)))
    for name, running_mean in running.items():  # has_questions is of the whole file: a single piece may have none
        running_mean.signature = signed(metrics[name], has_questions)
    return running


class _Answers(NamedTuple):
    """The checked answers of a piece, and their digest."""

    pairs: list[tuple[Any, str]]
    questions: list[str] | None
    digest: bytes


def check(request: Request, output: Path | None) -> None:
    """Check files and settings as far as possible before reading. Raises: As ``score_file``."""
    if request.split_gold == "":
        raise ValueError("--split-gold is empty; give the text that separates references, such as '|'")
    if request.pred_path is not None:
        if (delimiter := text_format().delimiter) is not None:
            raise ValueError(f"--delimiter is {delimiter!r}, but two files of plain lines have none; leave it out")
        for file in (request.path, request.pred_path):
            if file.suffix.lower() in files.READABLE:
                raise ValueError(f"{file} is a table, but two files are read as plain text lines; give the table alone")
        one, other = chunks.count_lines(request.path), chunks.count_lines(request.pred_path)
        if one != other:
            raise ValueError(
                f"{request.path} has {one} lines and {request.pred_path} has {other}; they must correspond"
            )
        if request.question is not None:
            raise ValueError(
                "--question names a column of a table, but two files of plain lines have none; give one table"
            )
        if request.path.samefile(request.pred_path):
            raise ValueError(
                f"{request.path} and {request.pred_path} are the same file; give a file of gold answers and a file of "
                "predictions"
            )
    elif request.log is not None:
        formats.resolved(request.log, request.path)
    else:
        files.check_readable(request.path)
    files.check_distinct_columns(**{"--gold": request.gold, "--pred": request.pred, "--question": request.question})
    if output is not None:
        files.check_place(output)
        files.refuse_overwriting_input([request.path, request.pred_path], output)


def _pieces(request: Request, columns: Sequence[str] | None, *, keep: bool = False) -> Iterator[Piece]:
    if request.pred_path is not None:
        return chunks.line_pieces(request.path, request.pred_path, request.gold, request.pred)
    if request.log is not None:
        return formats.pieces(request.path, request.log)
    return chunks.pieces(request.path, columns, keep=keep)


def _asked(request: Request) -> list[str]:
    """Return the columns that scoring reads."""
    return [request.gold, request.pred, *([request.question] if request.question is not None else [])]


def _flaws(piece: Piece, request: Request) -> dict[int, str]:
    """Return, by the number of the row, why rows of a piece contain no answers."""
    flaws: dict[int, str] = {}
    for name in _asked(request):
        try:
            column = piece.table.values(name, request.path)
        except LookupError:
            if piece.first == 1 or "." not in name:
                raise
            column = [None] * len(piece.table.rows)  # no row of this piece has the field
        flaws = files.flaws_of(name, column, several=name == request.gold) | flaws  # the first flaw of a row counts
    return {piece.first + i: flaws[i] for i in sorted(flaws)}


def _without(piece: Piece, flaws: Mapping[int, str]) -> Piece:
    """Return a piece without the rows of these numbers."""
    if not flaws:
        return piece
    kept = [i for i in range(len(piece.table.rows)) if piece.first + i not in flaws]
    return piece._replace(table=piece.table.at(kept))


def _positions(piece: Piece, flaws: Mapping[int, str]) -> int | list[int]:
    """Return the positions in the file of the rows that are scored."""
    start = piece.first - 1
    if not flaws:
        return start
    return [start + i for i in range(len(piece.table.rows)) if piece.first + i not in flaws]


def _answers(piece: Piece, request: Request) -> _Answers:
    table, path, first = piece.table, request.path, piece.first
    golds = table.answers(request.gold, path, several=True, first=first)
    preds = table.answers(request.pred, path, first=first)
    questions = None if request.question is None else table.answers(request.question, path, first=first)
    golds = files.split_references(golds, request.split_gold, path, range(first, first + len(golds)))
    texts = json.dumps([golds, preds, questions], ensure_ascii=False).encode()
    return _Answers(list(zip(golds, preds, strict=True)), questions, blake2b(texts, digest_size=16).digest())


def _scored(answers: _Answers, metrics: list[Metric], cache: ScoreCache | None, allowed: bool) -> Frame:
    """Return the scores of a piece. Truncated texts are counted, for one warning at the end."""
    with deferred_warnings() as collected:
        questions = answers.questions if any(map(reads_questions, metrics)) else None
        scores = score_pairs(answers.pairs, metrics, question=questions, progress=allowed, cache=cache)
    cut: dict[str, int] = {}
    for warning in collected:
        if isinstance(warning, TruncationWarning):
            what = f"{warning.what} {warning.signature}"
            cut[what] = cut.get(what, 0) + warning.count
        elif not isinstance(warning, DetectedLanguageWarning):  # the first block decides that
            warn_user(warning)
    columns = np.stack([scores[metric.signature].values for metric in metrics], axis=1)
    return Frame(answers.digest, columns, cut)


class _Target:
    """The output table: each piece is checked before it is scored, and the table is written at the end."""

    def __init__(self, request: Request, output: Path, names: list[str]) -> None:
        self.request, self.output, self.names = request, output, names
        source = request.path.suffix.lower() if request.log is None else ".jsonl"
        usual = {".json": ".jsonl", ".xlsx": ".csv"}.get(source, source)
        self.suffix = files.format_of(output, ".csv" if request.pred_path is not None else usual)
        self.json = request.pred_path is None and source in (".jsonl", ".ndjson", ".json")
        self.parquet = request.pred_path is None and source == ".parquet"
        self.found: tuple[str, ...] = ()  # all columns of the table that were read so far
        self.types = chunks.Types() if self.suffix == ".parquet" and self.json else None
        self.columns = _asked(request)
        self.state = b""  # of the file when its last piece was scored
        files.check_writable(
            output, files.Table(("gold",), []), self.suffix
        )  # also checks that the package for the format is installed
        if self.parquet and self.suffix != ".parquet":
            for field in chunks.schema_of(request.path):
                if "binary" in str(field.type):
                    raise ValueError(
                        f"{output} cannot contain this table: the column {field.name!r} is bytes, not text; "
                        "leave that column out, or write .parquet"
                    )

    def check(self, piece: Piece) -> None:
        """Raise ValueError if the output cannot contain this piece, before it is scored."""
        self.found = piece.table.columns
        files.check_new(piece.table, self.names)
        if self.json and self.suffix in (".csv", ".tsv"):
            files.check_writable(self.output, piece.table, self.suffix)
        if self.types is not None:
            try:
                self.types.add(piece.table)
            except ValueError as error:
                raise ValueError(f"{self.output} cannot contain this table: {error}") from error

    def schema(self) -> Any:
        """Return the types of the columns if the output is Parquet, else None."""
        if self.suffix != ".parquet":
            return None
        return (
            chunks.schema_of(self.request.path) if self.parquet else (self.types or chunks.Types()).schema(self.found)
        )

    def write(self, draft: PartialResults) -> None:
        """Write the table with the scores of the draft, completely or not at all."""
        draft.tell()
        arrow = self.parquet and self.suffix == ".parquet"
        name = None if draft.path is None else f"{draft.path.name}.out"
        with (
            files.atomic_write(self.output, name) as place,
            chunks.appending(place, self.suffix, self.found, self.names, self.schema()) as append,
            bar(draft.rows, f"writing {self.output.name}", "row") as shown,
        ):
            frames, rows, state = draft.frames(), 0, b""
            for whole in _pieces(self.request, self.columns if arrow else None, keep=arrow):
                piece = _without(whole, _flaws(whole, self.request)) if self.request.skip_bad else whole
                if not piece.table.rows:
                    continue
                frame = next(frames, None)
                if frame is None or frame.digest != _answers(piece, self.request).digest:
                    raise self._changed()
                append(piece.table, frame.columns.tolist())
                rows, state = rows + len(frame.columns), piece.state
                shown.update(len(frame.columns))
            if rows != draft.rows or state != self.state:  # truncated between two pieces, or changed in another column
                raise self._changed()
        draft.done = True

    def _changed(self) -> ValueError:
        return ValueError(
            f"{self.request.path} has changed while it was scored; run the command again; unchanged answers keep "
            f"their scores"
        )
