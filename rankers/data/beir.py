"""Folders in the format of BEIR: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answersim._base.io import files, output_files
from rankers.data.pools import Answer, Group, bm25_pools, shelve
from rankers.data.texts import read_documents, read_queries
from rankers.evaluation import runs, ties
from rankers.types import Questions, Run

QUERIES, CORPUS, QRELS = "queries.jsonl", "corpus.jsonl", "qrels"


def read_beir(
    folder: str | Path,
    split: str = "test",
    *,
    run: Run | None = None,
    depth: int = 100,
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
        depth: The number of candidates per question. A relevant document that is not among them still counts in the
            measures.
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
    grades = runs.read_qrels(qrels)
    documents, queries = read_documents(_file(folder, CORPUS)), read_queries(_file(folder, QUERIES))
    texts = {name: query.text for name, query in queries.items()}
    settings: dict[str, Any] = {"run": run, "depth": depth, "relevant": relevant, "seed": seed, "source": str(folder)}
    return pooled(folder.name, split, documents, texts, grades, **settings)


def pooled(
    corpus: str,
    split: str,
    documents: Mapping[str, str],
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    *,
    run: Run | None = None,
    depth: int = 100,
    relevant: int = 1,
    gains: Mapping[int, int] | None = None,
    seed: int = 0,
    source: str = "",
) -> Questions:
    """Return the graded questions of a collection, each with candidates. See ``read_beir``.

    Documents and queries are texts by id; queries without grades are left out. Grades are by question, then by
    document. A grade without a gain in nDCG is its own gain. A document with an empty text is no candidate.
    """
    where = f"{corpus} ({split})"
    if depth < 1:
        raise ValueError(f"depth is {depth}, but a question needs at least 1 candidate")
    if not grades:
        raise ValueError(f"{where} has no graded question; give qrels with at least one line")
    if without := [question for question in grades if question not in queries]:
        raise ValueError(f"{where}: the question {without[0]!r} has no text; add it to the queries")
    if run is None:
        pools = bm25_pools([queries[question] for question in grades], documents, depth)
    elif any(question in run.scores for question in grades):
        pools = [ties.order(question, run.scores.get(question, {}))[:depth] for question in grades]
    else:
        raise ValueError(f"{where}: the run {run.name!r} ranks none of the graded questions; use its ids")
    groups, judged, n_found, n_right, n_empty = [], {}, 0, 0, 0
    for (question, graded), pool in zip(grades.items(), pools, strict=True):
        right = [name for name, grade in graded.items() if grade >= relevant]
        n_found, n_right = n_found + sum(name in pool for name in right), n_right + len(right)
        if unknown := [name for name in (*pool, *right) if name not in documents]:
            raise ValueError(
                f"{where}: the document {unknown[0]!r} of {question!r} has no text; add it, or remove its id"
            )
        names = [name for name in pool if documents[name].strip()]
        n_empty += len(pool) - len(names)
        answers = tuple(Answer(documents[name], graded.get(name, 0), name) for name in names)
        groups.append(Group(queries[question], answers, question, tuple(documents[name] for name in right)))
        if beyond := {name: grade for name, grade in graded.items() if name not in names}:
            judged[question] = beyond
    recall = n_found / max(n_right, 1)
    notes = [f"the pools hold {n_found:,} of {n_right:,} relevant documents (recall@{depth} {recall:.3f})"]
    if n_empty:
        notes.append(f"{n_empty:,} candidates with an empty text are left out")
    return Questions(
        corpus,
        split,
        shelve(groups, corpus, split, seed),
        relevant=relevant,
        gains={} if gains is None else gains,
        pool=f"{'bm25' if run is None else run.name or 'run'}@{depth}",
        source=source,
        judged=judged,
        notes=tuple(notes),
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
    _write(qrels, ["\t".join(runs.BEIR_HEADER), *lines])


def _file(folder: Path, name: str) -> Path:
    packed = folder / f"{name}.gz"
    return packed if packed.is_file() and not (folder / name).is_file() else folder / name


def _write(path: Path, lines: Sequence[str]) -> None:
    with output_files.atomic_write(path) as draft:
        draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
