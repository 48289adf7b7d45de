"""Runs: computed by a ranker, and read from and written to TREC files, as are judgments (qrels)."""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from answersim._base.arguments import is_unicode
from answersim._base.io.output_files import atomic_write
from rankers.evaluation import ties
from rankers.types import FloatArray, Questions, Ranker, Run

BEIR_HEADER = ["query-id", "corpus-id", "score"]


def run(ranker: Ranker, questions: Questions, name: str = "") -> Run:
    """Return the scores of this ranker for every candidate of these questions.

    The ranker is called once, for all questions with candidates, and builds its own batches. The default name is the
    first word of its signature. Raise the errors of ``check_questions`` and ``finite``.
    """
    check_questions(questions)
    with_candidates = [question for question in questions if question.candidates]
    columns = ranker.score(
        [question.text for question in with_candidates],
        [[candidate.text for candidate in question.candidates] for question in with_candidates],
    )
    if len(columns) != len(with_candidates):
        raise ValueError(
            f"{ranker.signature} scored {len(columns)} questions of {len(with_candidates)}; it must return one array "
            f"for each"
        )
    scores: dict[str, dict[str, float]] = {question.id: {} for question in questions}
    for question, column in zip(with_candidates, columns, strict=True):
        names = [candidate.id for candidate in question.candidates]
        checked = finite(column, ranker.signature, question.id, names)
        scores[question.id] = dict(zip(names, checked.tolist(), strict=True))
    return Run(name or ranker.signature.split("|", 1)[0], scores, ranker.signature)


def read_trec(path: str | Path) -> Run:
    """Return the run in this TREC file (``question Q0 document rank score name``, one per line, fields by white space).

    Only the score counts, as in trec_eval. The rank is not read. The name of the run is that of the first line. The
    file may be compressed with gzip. Raise FileNotFoundError if there is no such file. Raise ValueError if a line lacks
    six fields, a score is not finite, a document is twice in a question, or there is no line at all. The message names
    the line.
    """
    path, name = Path(path), ""
    scores: dict[str, dict[str, float]] = {}
    for where, fields in _lines(path, 6, "question Q0 document rank score name"):
        question, _, document, _, score, tag = fields
        name = name or tag
        _put(scores.setdefault(question, {}), document, _score(score, where), question, where)
    if not scores:
        raise ValueError(f"{path} contains no line; a run has at least one, 'question Q0 document rank score name'")
    return Run(name, scores)


def write_trec(run: Run, path: str | Path, *, ties_seed: int = 0) -> None:
    """Write this run as a TREC file, best document first; it is written completely or not at all.

    Scores are written with all digits, so the same numbers are read back. Ranks count from 1, and equal scores have the
    order of the measures of this package. trec_eval breaks ties differently. A question without scores has no line, and
    the signature has no place in the format. Raise ValueError if a name or an id is empty or contains white space, or a
    score is not finite.
    """
    _check_word("the name of the run", run.name)
    lines = [
        line for question, scores in run.scores.items() for line in _trec_lines(run.name, question, scores, ties_seed)
    ]
    with atomic_write(Path(path)) as draft:
        _write(draft, lines, Path(path))


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """Return the grades in this TREC file (``question iteration document grade``), by question and document.

    A .tsv file is that of a BEIR folder: ``question document grade``, with or without its header.
    Grades below 0, which TREC gives to spam and unjudged documents, stay unchanged. The file may be compressed with
    gzip. Raise FileNotFoundError if there is no such file. Raise ValueError if a line lacks four fields, a grade is not
    whole, a document is twice in a question, or there is no line at all. The message names the line.
    """
    path = Path(path)
    grades: dict[str, dict[str, int]] = {}
    shape = "question document grade" if ".tsv" in path.suffixes else "question iteration document grade"
    for where, fields in _lines(path, len(shape.split()), shape):
        if fields == BEIR_HEADER:
            continue
        question, *_, document, grade = fields
        try:
            number = int(grade)
        except ValueError:
            raise ValueError(f"{where}: the grade is {grade!r}, but it must be a whole number") from None
        _put(grades.setdefault(question, {}), document, number, question, where)
    if not grades:
        raise ValueError(f"{path} contains no line; qrels have at least one, '{shape}'")
    return grades


def write_qrels(grades: Mapping[str, Mapping[str, int]], path: str | Path) -> None:
    """Write these grades as a TREC qrels file, completely or not at all. A question without grades has no line.

    Raise ValueError if an id is empty or contains white space, which the format cannot represent.
    """
    lines = []
    for question, documents in grades.items():
        _check_word("a question's id", question)
        for document, grade in documents.items():
            _check_word("a document's id", document)
            lines.append(f"{question} 0 {document} {int(grade)}\n")
    with atomic_write(Path(path)) as draft:
        _write(draft, lines, Path(path))


def check_questions(questions: object, argument: str = "questions") -> None:
    """Check that questions can be ranked or learned from: texts, unique ids, whole grades.

    Raise TypeError if they are not ``Questions``, or a text or a grade has another type. Raise ValueError if a text is
    empty or contains half a surrogate pair, a grade is below 0, or two questions, or two candidates of one question,
    have the same id. The message names question and candidate.
    """
    if not isinstance(questions, Questions):
        raise TypeError(f"{argument} is {questions!r:.60}, but it must be a split of a corpus: rankers.data.load(...)")
    _check_unique("questions", [question.id for question in questions])
    for question in questions:
        check_text(f"the text of question {question.id!r}", question.text, "leave the question out")
        _check_unique(f"candidates of {question.id!r}", [candidate.id for candidate in question.candidates])
        for candidate in question.candidates:
            where = f"candidate {candidate.id!r} of question {question.id!r}"
            check_text(f"the text of {where}", candidate.text, "leave the candidate out")
            if isinstance(candidate.grade, bool) or not isinstance(candidate.grade, int | np.integer):
                raise TypeError(f"the grade of {where} is {candidate.grade!r:.60}, but it must be a whole number")
            if candidate.grade < 0:
                raise ValueError(f"the grade of {where} is {candidate.grade}, but it must be 0 (not relevant) or more")


def _check_unique(things: str, ids: list[str]) -> None:
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise ValueError(f"two {things} have the id {twice!r}, so a run could contain only one of them; rename one")


def check_text(name: str, text: object, remedy: str = "") -> None:
    """Check that this is a text of characters. Raise TypeError or ValueError if not, or if it is empty.

    An empty text is allowed if there is no remedy for it.
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} is {text!r:.60} ({type(text).__name__}), but it must be a text")
    if remedy and not text.strip():
        raise ValueError(f"{name} is {text!r:.60}, but an empty text cannot be ranked; {remedy}")
    if not is_unicode(text):
        raise ValueError(
            f"{name} contains half a surrogate pair, which is not a character; repair it where it was decoded"
        )


def finite(column: object, ranker: str, question: str, candidates: Sequence[str]) -> FloatArray:
    """Check and return the scores of the candidates of one question, float64, (candidates,).

    The signature of the ranker and the ids or texts of question and candidates are for messages. Raise TypeError if the
    scores are not numbers. Raise ValueError if there is not one per candidate, or one is not finite.
    """
    try:
        scores = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{ranker} returned {column!r:.60} for {question!r:.60}, but scores must be numbers") from None
    if scores.shape != (len(candidates),):
        shape = f"{len(scores)} scores" if scores.ndim == 1 else f"scores of shape {scores.shape}"
        raise ValueError(
            f"{ranker} returned {shape} for the {len(candidates)} candidates of {question!r:.60}; it must return one "
            "per candidate"
        )
    if len(wrong := np.flatnonzero(~np.isfinite(scores))):
        i = int(wrong[0])
        raise ValueError(
            f"{ranker} gave {scores[i]} to candidate {i} of question {question!r:.60}, {candidates[i]!r:.60}, but "
            f"only finite scores can be ranked; check its training, or the text"
        )
    return scores


def _trec_lines(name: str, question: str, scores: Mapping[str, float], seed: int) -> Iterator[str]:
    _check_word("a question's id", question)
    for rank, document in enumerate(ties.order(question, scores, seed), start=1):
        _check_word("a document's id", document)
        score = float(scores[document])
        if not math.isfinite(score):
            raise ValueError(f"the score of {document!r} for question {question!r} is {score}, but it must be finite")
        yield f"{question} Q0 {document} {rank} {score!r} {name}\n"


def _check_word(name: str, word: str) -> None:
    if word.encode().split() != [word.encode()]:  # bytes: only the white space that separates fields in the file counts
        raise ValueError(f"{name} is {word!r}, but in a TREC file it must not contain white space; rename it")


def _lines(path: Path, fields: int, shape: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the place of each line and its fields; empty lines are skipped."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}; give a TREC file of lines '{shape}'")
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else path.open("rb") as lines:
        try:
            for number, line in enumerate(lines, start=1):
                where = f"{path}, line {number}"
                parts = line.removeprefix(b"\xef\xbb\xbf").split()  # the file may begin with a byte order mark
                if parts and len(parts) != fields:
                    raise ValueError(f"{where}: {len(parts)} fields, but it must be '{shape}'")
                if parts:
                    yield where, [_decoded(field, where) for field in parts]
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{path} is damaged: {error}; fetch it again") from error


def _decoded(field: bytes, where: str) -> str:
    try:
        return field.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{where}: not UTF-8; convert the file first") from None


def _score(score: str, where: str) -> float:
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{where}: the score is {score!r}, but it must be a finite number")
    return number


def _put(into: dict[str, float] | dict[str, int], document: str, number: float, question: str, where: str) -> None:
    if document in into:
        raise ValueError(f"{where}: {document!r} occurs twice under question {question!r}; keep one of the lines")
    into[document] = number  # type: ignore[assignment] # whole numbers into grades, floats into scores


def _write(draft: Path, lines: list[str], path: Path) -> None:
    text = "".join(lines).encode()
    draft.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
