"""Folders in the format of BEIR: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from answersim._base.io import files, output_files
from rankers.data.pools import bm25_pools, retrieve, shelve
from rankers.data.tables import plain
from rankers.data.texts import read_documents, read_queries
from rankers.types import Questions, Run

QUERIES, CORPUS, QRELS = "queries.jsonl", "corpus.jsonl", "qrels"
_HEADER = ["query-id", "corpus-id", "score"]


def read_beir(
    folder: str | Path,
    split: str = "test",
    *,
    run: Run | None = None,
    depth: int = 100,
    inject_positives: bool = False,
    relevant: int = 1,
    seed: int = 0,
) -> Questions:
    """Return the questions of a split of a BEIR folder, each with its candidates.

    The text of a document is its field ``text``. A title is not read, because it is not part of an answer.

    Args:
        folder: A folder with ``corpus.jsonl``, ``queries.jsonl`` (also .gz) and ``qrels/SPLIT.tsv``.
        split: The name of a file in ``qrels``.
        run: A run whose first documents are the candidates. If None, they are the first documents of BM25 over the
            whole corpus.
        depth: The number of candidates per question.
        inject_positives: Whether a relevant document that was not found becomes a candidate too. If not, it still
            counts as relevant in the metrics.
        relevant: The lowest grade that counts as relevant.
        seed: Decides the order of the candidates.

    Raises:
        FileNotFoundError: If a file does not exist. The message names it.
        MissingExtraError: If BM25 is needed and bm25s is not installed.
        ValueError: If a file is malformed, an id has no text, or depth is below 1. The message names the line.
    """
    folder = Path(folder)
    qrels = folder / QRELS / f"{split}.tsv"
    if not qrels.is_file():
        there = sorted(path.stem for path in (folder / QRELS).glob("*.tsv"))
        raise FileNotFoundError(
            f"no file at {qrels}; the folder has the splits: {', '.join(there) or '(none)'}. A BEIR folder has "
            f"{CORPUS}, {QUERIES} and {QRELS}/SPLIT.tsv"
        )
    grades = _grades(qrels)
    documents, queries = read_documents(_file(folder, CORPUS)), read_queries(_file(folder, QUERIES))
    texts = {name: query.text for name, query in queries.items()}
    return pooled(
        folder.name,
        split,
        documents,
        texts,
        grades,
        run=run,
        depth=depth,
        inject_positives=inject_positives,
        relevant=relevant,
        seed=seed,
        source=str(folder),
    )


def pooled(
    corpus: str,
    split: str,
    documents: Mapping[str, str],
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    *,
    run: Run | None = None,
    depth: int = 100,
    inject_positives: bool = False,
    relevant: int = 1,
    gains: Mapping[int, int] | None = None,
    seed: int = 0,
    source: str = "",
) -> Questions:
    """Return the graded questions of a collection, each with candidates. See ``read_beir``.

    Documents and queries are texts by id; queries without grades are left out. Grades are by question, then by
    document. A grade without a gain in nDCG is its own gain.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}, but a question needs at least 1 candidate")
    if not grades:
        raise ValueError(f"{corpus} ({split}) has no graded question; give qrels with at least one line")
    for question in grades:
        if question not in queries:
            raise ValueError(f"{corpus} ({split}): the question {question!r} has no text; add it to the queries")
    if run is not None and not any(question in run.scores for question in grades):
        raise ValueError(f"{corpus} ({split}): the run {run.name!r} ranks none of the graded questions; use its ids")
    candidates = retrieve(
        _pools(documents, queries, grades, run, depth),
        documents,
        queries,
        grades,
        depth=depth,
        inject_positives=inject_positives,
        relevant=relevant,
        where=f"{corpus} ({split})",
    )
    kind = "bm25" if run is None else run.name or "run"
    return Questions(
        corpus,
        split,
        shelve(candidates.groups, corpus, split, seed),
        relevant=relevant,
        gains={} if gains is None else gains,
        pool=f"{kind}@{depth}" + ("+positives" if inject_positives else ""),
        source=source,
        judged=candidates.judged,
        notes=candidates.notes,
    )


def write_beir(questions: Questions, folder: str | Path) -> None:
    """Write questions as a BEIR folder: each candidate is a document of the corpus.

    ``queries.jsonl`` has the gold answers in ``golds``, if the questions have any. Grades of 0 are written too, so that
    the pools can be read back from the qrels.

    Raises:
        ValueError: If one document id has two texts, or an id is malformed.
        FileExistsError: If the folder has one of these files already.
    """
    folder = Path(folder)
    qrels = folder / QRELS / f"{questions.split}.tsv"
    for path in (folder / CORPUS, folder / QUERIES, qrels):
        if path.exists():
            raise FileExistsError(f"{path} exists already; give another folder, or remove it")
    texts: dict[str, str] = {}
    for question in questions:
        for candidate in question.candidates:
            if texts.setdefault(candidate.id, candidate.text) != candidate.text:
                raise ValueError(
                    f"the document {candidate.id!r} of {question.id!r} has another text than in another question, but "
                    "a BEIR corpus has one text per id; rename it"
                )
    qrels.parent.mkdir(parents=True, exist_ok=True)
    _write(folder / CORPUS, [files.to_json({"_id": name, "title": "", "text": text}) for name, text in texts.items()])
    rows = [
        {"_id": question.id, "text": question.text} | ({"golds": list(question.golds)} if question.golds else {})
        for question in questions
    ]
    _write(folder / QUERIES, list(map(files.to_json, rows)))
    grades = [(question.id, candidate) for question in questions for candidate in question.candidates]
    lines = [f"{name}\t{candidate.id}\t{candidate.grade}" for name, candidate in grades]
    _write(qrels, ["\t".join(_HEADER), *lines])


def _grades(path: Path) -> dict[str, dict[str, int]]:
    """Return the grades of a qrels file of BEIR. The header is optional."""
    grades: dict[str, dict[str, int]] = {}
    for line in plain(path, 3):
        question, document, value = line.cells
        if line.cells == _HEADER:
            continue
        try:
            number = int(value)
        except ValueError:
            raise ValueError(f"{line.where}: the grade is {value!r}, but it must be a whole number") from None
        if document in grades.setdefault(question, {}):
            raise ValueError(f"{line.where}: {document!r} occurs twice under question {question!r}; keep one")
        grades[question][document] = number
    return grades


def _pools(
    documents: Mapping[str, str],
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    run: Run | None,
    depth: int,
) -> dict[str, list[str]]:
    """Return the ids of the candidates of each question."""
    from rankers.evaluation import ties

    if run is None:
        found: Sequence[Sequence[str]] = bm25_pools([queries[question] for question in grades], documents, depth)
        return {question: list(pool) for question, pool in zip(grades, found, strict=True)}
    return {question: ties.order(question, run.scores.get(question, {}))[:depth] for question in grades}


def _file(folder: Path, name: str) -> Path:
    packed = folder / f"{name}.gz"
    return packed if packed.is_file() and not (folder / name).is_file() else folder / name


def _write(path: Path, lines: Sequence[str]) -> None:
    with output_files.atomic_write(path) as draft:
        draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
