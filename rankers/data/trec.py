"""Retrieved candidates: a TREC run with the texts of its passages and topics, and any graded dataset of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from answersim._base.errors import MissingExtraError
from rankers.data.beir import pooled
from rankers.data.corpus import Option, Request, described
from rankers.data.pools import Answer, Group
from rankers.data.texts import read_documents, read_queries
from rankers.evaluation import runs, ties
from rankers.types import Questions, Run


def read_trec(
    run: str | Path,
    passages: str | Path,
    topics: str | Path,
    qrels: str | Path | None = None,
    *,
    depth: int = 100,
    relevant: int = 1,
    gains: Mapping[int, int] | None = None,
) -> Questions:
    """Return the questions of a run. Its first documents are their candidates, in the order of the run.

    Args:
        run: A TREC run, also gzipped.
        passages: Their texts by id: JSON lines, CSV or TSV, as for ``read_documents``. Only the needed ones are kept.
        topics: The texts of the questions by id, as for ``read_queries``, such as the TSV files of TREC Deep Learning.
        qrels: The grades. Only graded questions are then returned. Without them, every grade is 0.
        depth: The maximum number of candidates per question.
        relevant: The lowest grade that counts as relevant, for example 2 for TREC Deep Learning.
        gains: The gain of each grade in nDCG. A grade that is not given is its own gain.

    Raises:
        FileNotFoundError: If a file does not exist.
        LookupError: If the passages or topics have no column of ids or texts.
        ValueError: If a file is malformed, an id has no text, no question is in run and qrels, or depth is below 1.
    """
    ranked = runs.read_trec(run)
    grades = {question: {} for question in ranked.scores} if qrels is None else runs.read_qrels(qrels)
    places = {question: {name: i for i, name in enumerate(pool)} for question, pool in _pools(ranked, grades, depth)}
    passage_texts = read_documents(passages, _needed(places, grades, relevant))
    texts = {name: query.text for name, query in read_queries(topics).items()}
    settings: dict[str, Any] = {"depth": depth, "relevant": relevant, "gains": gains, "source": str(run)}
    questions = pooled(Path(run).name.split(".")[0], "run", passage_texts, texts, grades, run=ranked, **settings)
    items = tuple(
        item._replace(candidates=tuple(sorted(item.candidates, key=lambda candidate: places[item.id][candidate.id])))
        for item in questions
    )
    left = sum(max(len(scores) - depth, 0) for scores in ranked.scores.values())
    notes = (f"{left:,} documents of {run} are left out: those after the first {depth} of a question",) if left else ()
    return replace(questions, items=items, notes=notes if qrels is None else questions.notes)


def _pools(run: Run, grades: Mapping[str, Mapping[str, int]], depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each graded question with its first documents in the run."""
    for question in grades:
        yield question, ties.order(question, run.scores.get(question, {}))[:depth]


def _needed(pools: Mapping[str, Iterable[str]], grades: Mapping[str, Mapping[str, int]], relevant: int) -> set[str]:
    """Return the ids of the candidates and of the relevant documents."""
    right = {name for graded in grades.values() for name, grade in graded.items() if grade >= relevant}
    return right.union(*pools.values())


def _read(request: Request) -> Questions:
    """Return the first documents of the given run of BM25, shuffled as in every corpus."""
    queries, passages, ranked, qrels = request.paths()
    grades = runs.read_qrels(qrels)
    request.expect(qrels, "judged questions", len(grades), 43)
    request.expect(qrels, "judgments", sum(map(len, grades.values())), 3_983)
    depth = request.options["depth"]
    # Of the four grades of TREC, 2 is officially the lowest relevant one.
    read = read_trec(ranked, passages, queries, qrels, depth=depth, relevant=2)
    groups = [
        Group(item.text, tuple(Answer(c.text, c.grade, c.id) for c in item.candidates), item.id, item.golds)
        for item in read
    ]
    pool = f"bm25@{depth}"
    return request.questions(ranked, groups, relevant=2, pool=pool, judged=read.judged, notes=read.notes)


# BM25's nDCG@10 is .5093 with these judgments, and .5058, as published, with all 9,260.
TRECDL19 = described("trecdl19", _read, options={"depth": Option(100, "how many passages of the run are candidates")})


def read_ir_dataset(
    dataset: str | Any,
    *,
    run: Run | None = None,
    depth: int = 100,
    relevant: int = 1,
    gains: dict[int, int] | None = None,
    seed: int = 0,
) -> Questions:
    """Return the graded questions of a dataset of ir_datasets, each with candidates.

    The candidates are the first documents of ``run``, else those of the run that the dataset has (``scoreddocs``), else
    those of BM25 over all of its documents, which needs memory for the whole collection. ir_datasets downloads missing
    files, or names the page from which they must be fetched.

    Args:
        dataset: A name, such as "antique/test", or an object of ir_datasets with documents, queries and qrels.
        run: A run with the ids of the dataset.
        depth: The number of candidates per question.
        relevant: The lowest grade that counts as relevant, for example 3 for ANTIQUE. See the page of the dataset.
        gains: The gain of each grade in nDCG. A grade that is not given is its own gain.
        seed: The random seed of the order of the candidates.

    Raises:
        LookupError: If ir_datasets has no dataset of this name.
        MissingExtraError: If ir_datasets is not installed, or if BM25 is needed and bm25s is not installed.
        ValueError: If the dataset lacks documents, queries or qrels, an id has no text, or depth is below 1.
    """
    if isinstance(dataset, str):
        dataset = _named(dataset)
    name = str(dataset.dataset_id()) if hasattr(dataset, "dataset_id") else "dataset"
    for kind in ("docs", "queries", "qrels"):
        if not getattr(dataset, f"has_{kind}")():
            raise ValueError(f"the dataset {name!r} has no {kind}; choose a part that has them, such as {name}/test")
    grades: dict[str, dict[str, int]] = {}
    for row in dataset.qrels_iter():
        grades.setdefault(str(row.query_id), {})[str(row.doc_id)] = int(row.relevance)
    queries = {str(query.query_id): _text(query) for query in dataset.queries_iter()}
    if run is None and dataset.has_scoreddocs():
        scores: dict[str, dict[str, float]] = {}
        for row in dataset.scoreddocs_iter():
            scores.setdefault(str(row.query_id), {})[str(row.doc_id)] = float(row.score)
        run = Run("scoreddocs", scores)
    if run is None:
        documents = {str(document.doc_id): _text(document) for document in dataset.docs_iter()}
    else:
        needed = _needed(dict(_pools(run, grades, depth)), grades, relevant)
        stored = dataset.docs_store().get_many(sorted(needed))
        documents = {str(document_id): _text(document) for document_id, document in stored.items()}
    corpus, _, split = name.rpartition("/")
    settings: dict[str, Any] = {"run": run, "depth": depth, "relevant": relevant, "gains": gains, "seed": seed}
    place = (corpus, split) if corpus else (name, "all")
    return pooled(*place, documents, queries, grades, **settings, source=f"ir_datasets {name}")


def _named(name: str) -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        raise MissingExtraError("a dataset of ir_datasets", "ir-datasets", error.name or "ir_datasets") from error
    try:
        return ir_datasets.load(name)
    except KeyError:
        raise LookupError(
            f"ir_datasets has no dataset {name!r}; https://ir-datasets.com lists all datasets, such as 'antique/test'"
        ) from None


def _text(row: Any) -> str:
    """Return the text of a document or question: its field ``text``, else ``title``, else its default text."""
    for field in ("text", "title"):
        if isinstance(value := getattr(row, field, None), str):
            return value
    return str(row.default_text())
