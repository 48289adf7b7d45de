"""Scores of a file of any size: piece by piece in constant memory, resumed after a kill, written whole or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from answersim import chunks, files
from answersim.cache import ScoreCache
from answersim.chunks import Piece
from answersim.errors import TruncationWarning, deferred_warnings, renumbered, warn_user
from answersim.partial_results import Frame, PartialResults, open_partial_results
from answersim.progress import bar, progress
from answersim.scoring import score_pairs, signed
from answersim.types import FloatArray, Interval, Metric, Scores

_KEPT = 10_000  # scores whose interval is the bootstrap's, as Scores.ci has it; for more it is the normal one


class Request(NamedTuple):
    """What is to be scored.

    Attributes:
        path: A table, or a text file with one gold answer a line.
        pred_path: In that case, the text file with one prediction a line.
        gold: The column of gold answers.
        pred: The column of predictions.
        question: The column of questions, or None.
        split_gold: What separates several references in one gold value, or None.
        prefix: Goes before the names of the new columns.
    """

    path: Path
    pred_path: Path | None = None
    gold: str = "gold"
    pred: str = "pred"
    question: str | None = None
    split_gold: str | None = None
    prefix: str = ""


class Running:
    """The mean of numbers that come in pieces, and its interval; equal pieces in equal order give equal digits.

    Attributes:
        signature: The line that says what decides the numbers.
        n: How many there are.
    """

    def __init__(self, signature: str) -> None:
        self.signature, self.n = signature, 0
        self._mean = self._squares = 0.0
        self._values: list[FloatArray] = []

    def add(self, values: FloatArray) -> None:
        """Take in these numbers, by the parallel formula of Chan, Golub & LeVeque (1979, eq. 2.1)."""
        if not len(values):
            return
        if self.n <= _KEPT:
            self._values.append(values)
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
        return self._scores().mean if self.n <= _KEPT else self._mean

    def ci(self, level: float = 0.95) -> Interval:
        """The interval that ``Scores.ci`` gives."""
        if self.n <= _KEPT:
            return self._scores().ci(level)
        half = NormalDist().inv_cdf((1 + level) / 2) * (self._squares / self.n) ** 0.5 / self.n**0.5
        return Interval(self._mean - half, self._mean + half)

    def _scores(self) -> Scores:
        return Scores(np.concatenate(self._values) if self._values else np.empty(0), self.signature)


def score_file(
    request: Request,
    metrics: Mapping[str, Metric],
    output: Path | None = None,
    *,
    cache: ScoreCache | None = None,
    allowed: bool = True,
) -> dict[str, Running]:
    """The mean of each metric over the answers of a file, and the scores of every row in another; memory is constant.

    The scores are appended, piece by piece, to a draft beside ``output``. A run that was broken off at any moment, or
    ended by a flaw in the middle of the file, goes on from there when it is asked for again: a piece whose answers
    are as they were keeps its scores, and the output is the same to the byte. When all are there, the file is read
    once more and written with its new columns; the output appears whole or not at all.

    Args:
        request: What is to be scored.
        metrics: By the name of its new column, each metric.
        output: The table with one more column a metric; for None, nothing is written and nothing kept.
        cache: Where the scores of metrics that run a network are looked up and kept.
        allowed: Whether bars may be shown; only ever on a terminal.

    Raises:
        FileNotFoundError, LookupError, ValueError, TypeError: What ``files`` and ``score_pairs`` refuse. What the
            beginning of the file shows is said before any work; a flaw further on is said with its row when the
            reading comes to it, and what was scored before is kept.
        BlockingIOError: If another run is writing the same output.
    """
    check(request, output)
    names = [f"{request.prefix}{name}" for name in metrics]
    running = {name: Running(metric.signature) for name, metric in metrics.items()}
    target = None if output is None else _Target(request, output, names)
    cut: dict[str, int] = {}
    has_questions = False
    with progress(allowed), open_partial_results(output, [metric.signature for metric in metrics.values()]) as draft:
        with bar(0, "+".join(metrics), "pair") as shown:
            for piece in _pieces(request, None if target is None else target.columns):
                if not piece.table.rows:
                    raise ValueError(f"{request.path} has no rows, so there is nothing to score")
                answers = _answers(piece, request)
                has_questions = has_questions or any(answers.questions or ())
                if target is not None:
                    target.check(piece)
                    target.state = piece.state
                frame = draft.recall(answers.digest)
                if frame is None:
                    with renumbered(piece.first - 1):
                        frame = _scored(answers, list(metrics.values()), cache, allowed)
                    draft.append(frame)
                for column, running_mean in zip(frame.columns.T, running.values(), strict=True):
                    running_mean.add(np.ascontiguousarray(column))
                for what, count in frame.cut.items():
                    cut[what] = cut.get(what, 0) + count
                shown.total = round((piece.first - 1 + len(answers.pairs)) / piece.share) if piece.share else None
                shown.update(len(answers.pairs))
        if target is not None:
            target.write(draft)
    for what, count in cut.items():
        kind, _, metric = what.partition(" ")
        warn_user(TruncationWarning(count, kind, metric))
    for name, running_mean in running.items():  # has_questions is of the whole file: a single piece may have none
        running_mean.signature = signed(metrics[name], has_questions)
    return running


class _Answers(NamedTuple):
    """The answers of a piece, checked, and what stands for them."""

    pairs: list[tuple[Any, str]]
    questions: list[str] | None
    digest: bytes


def check(request: Request, output: Path | None) -> None:
    """Nothing, where files and settings are sound as far as can be said before reading; raises as ``score_file``."""
    if request.split_gold == "":
        raise ValueError("--split-gold is empty; give the text that separates references, such as '|'")
    if request.pred_path is not None:
        for file in (request.path, request.pred_path):
            if file.suffix.lower() in files.READABLE:
                raise ValueError(f"{file} is a table, but two files are read as plain lines; give one table alone")
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
            raise ValueError(f"{request.path} and {request.pred_path} are one file; give golds and predictions")
    else:
        files.check_readable(request.path)
    files.check_distinct_columns(**{"--gold": request.gold, "--pred": request.pred, "--question": request.question})
    if output is not None:
        files.check_place(output)
        files.refuse_overwriting_input([request.path, request.pred_path], output)


def _pieces(request: Request, columns: Sequence[str] | None, *, keep: bool = False) -> Iterator[Piece]:
    if request.pred_path is not None:
        return chunks.line_pieces(request.path, request.pred_path, request.gold, request.pred)
    return chunks.pieces(request.path, columns, keep=keep)


def _asked(request: Request) -> list[str]:
    """The columns that scoring reads."""
    return [request.gold, request.pred, *([request.question] if request.question is not None else [])]


def _answers(piece: Piece, request: Request) -> _Answers:
    table, path, first = piece.table, request.path, piece.first
    golds = table.answers(request.gold, path, several=True, first=first)
    preds = table.answers(request.pred, path, first=first)
    questions = None if request.question is None else table.answers(request.question, path, first=first)
    if request.split_gold:
        golds = [answer.split(request.split_gold) if isinstance(answer, str) else answer for answer in golds]
    texts = json.dumps([golds, preds, questions], ensure_ascii=False).encode()
    return _Answers(list(zip(golds, preds, strict=True)), questions, blake2b(texts, digest_size=16).digest())


def _scored(answers: _Answers, metrics: list[Metric], cache: ScoreCache | None, allowed: bool) -> Frame:
    """The scores of a piece; what was cut is counted, to be told once at the end."""
    with deferred_warnings() as collected:
        scores = score_pairs(answers.pairs, metrics, questions=answers.questions, progress=allowed, cache=cache)
    cut: dict[str, int] = {}
    for warning in collected:
        if isinstance(warning, TruncationWarning):
            what = f"{warning.what} {warning.signature}"
            cut[what] = cut.get(what, 0) + warning.count
        else:
            warn_user(warning)
    columns = np.stack([scores[metric.signature].values for metric in metrics], axis=1)
    return Frame(answers.digest, columns, cut)


class _Target:
    """The table that is to be written: what it can hold is checked while scores are made, then it is written."""

    def __init__(self, request: Request, output: Path, names: list[str]) -> None:
        self.request, self.output, self.names = request, output, names
        source = request.path.suffix.lower()
        self.suffix = files.format_of(output, ".csv" if request.pred_path is not None else source)
        self.json = request.pred_path is None and source in (".jsonl", ".ndjson")
        self.parquet = request.pred_path is None and source == ".parquet"
        self.found: tuple[str, ...] = ()  # the columns of the table, all that were seen
        self.types = chunks.Types() if self.suffix == ".parquet" and self.json else None
        self.columns = _asked(request)
        self.state = b""  # of the file when its last piece was scored
        files.check_writable(output, files.Table(("gold",), []), self.suffix)  # also: is there what the format needs?
        if self.parquet and self.suffix != ".parquet":
            for field in chunks.schema_of(request.path):
                if "binary" in str(field.type):
                    raise ValueError(
                        f"{output} cannot hold this table: the column {field.name!r} is bytes, not text; "
                        "leave that column out, or write .parquet"
                    )

    def check(self, piece: Piece) -> None:
        """ValueError where the output could not hold this piece; before it is scored."""
        self.found = piece.table.columns
        files.check_new(piece.table, self.names)
        if self.json and self.suffix in (".csv", ".tsv"):
            files.check_writable(self.output, piece.table, self.suffix)
        if self.types is not None:
            try:
                self.types.add(piece.table)
            except ValueError as error:
                raise ValueError(f"{self.output} cannot hold this table: {error}") from error

    def schema(self) -> Any:
        """The types of the columns, where the output has any."""
        if self.suffix != ".parquet":
            return None
        return (
            chunks.schema_of(self.request.path) if self.parquet else (self.types or chunks.Types()).schema(self.found)
        )

    def write(self, draft: PartialResults) -> None:
        """The table, with the scores of the draft, in one step."""
        draft.tell()
        arrow = self.parquet and self.suffix == ".parquet"
        name = None if draft.path is None else f"{draft.path.name}.out"
        with (
            files.replacing(self.output, name) as place,
            chunks.appending(place, self.suffix, self.found, self.names, self.schema()) as append,
            bar(draft.rows, f"writing {self.output.name}", "row") as shown,
        ):
            frames, rows, state = draft.frames(), 0, b""
            for piece in _pieces(self.request, self.columns if arrow else None, keep=arrow):
                frame = next(frames, None)
                if frame is None or frame.digest != _answers(piece, self.request).digest:
                    raise self._changed()
                append(piece.table, frame.columns.tolist())
                rows, state = rows + len(frame.columns), piece.state
                shown.update(len(frame.columns))
            if rows != draft.rows or state != self.state:  # cut between two pieces, or changed in another column
                raise self._changed()
        draft.done = True

    def _changed(self) -> ValueError:
        return ValueError(
            f"{self.request.path} has changed while it was scored; run the command again: answers that are as they "
            "were keep their scores"
        )
