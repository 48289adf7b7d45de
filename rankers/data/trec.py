"""Retrieved candidates: a TREC run with the texts of its passages and topics, and any graded dataset of ir_datasets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from answersim._base.errors import MissingExtraError
from rankers.data.beir import pooled
from rankers.data.corpus import Corpus, Option, Request
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
    found = runs.read_trec(run)
    grades = {question: {} for question in found.scores} if qrels is None else runs.read_qrels(qrels)
    wanted = {name for graded in grades.values() for name, grade in graded.items() if grade >= relevant}
    places = {
        question: {name: i for i, name in enumerate(ties.order(question, found.scores.get(question, {}))[:depth])}
        for question in grades
    }
    wanted.update(*places.values())
    texts = {name: query.text for name, query in read_queries(topics).items()}
    questions = pooled(
        Path(run).name.split(".")[0],
        "run",
        read_documents(passages, wanted),
        texts,
        grades,
        run=found,
        depth=depth,
        relevant=relevant,
        gains=gains,
        source=str(run),
    )
    items = tuple(
        item._replace(candidates=tuple(sorted(item.candidates, key=lambda one: places[item.id][one.id])))
        for item in questions
    )
    return replace(questions, items=items, notes=() if qrels is None else questions.notes)


def _read(request: Request) -> Questions:
    """Return the first documents of the given run of BM25, shuffled as in every corpus."""
    queries, passages, ranked, qrels = map(request.path, TRECDL19.files[request.split])
    grades = runs.read_qrels(qrels)
    request.expect(qrels, "judged questions", len(grades), 43)
    request.expect(qrels, "judgments", sum(map(len, grades.values())), 3_983)
    depth = request.options["depth"]
    # Of the four grades of TREC, 2 is officially the lowest relevant one.
    found = read_trec(ranked, passages, queries, qrels, depth=depth, relevant=2)
    groups = [
        Group(one.text, tuple(Answer(*candidate[1:3], candidate.id) for candidate in one.candidates), one.id, one.golds)
        for one in found
    ]
    pool = f"bm25@{depth}"
    return request.questions(ranked, groups, relevant=2, pool=pool, judged=found.judged, notes=found.notes)


TRECDL19 = Corpus(
    name="trecdl19",
    # BM25's nDCG@10 is .5093 with these judgments, and .5058, as published, with all 9,260.
    about="43 web questions, the first 100 of BM25 re-ranked; grades 0-3 (2 and 3 relevant) of passages that have text",
    files={
        "test": tuple(
            f"ranking/trecdl19/{name}"
            for name in ("queries.tsv", "passages.tsv", "run.bm25.txt", "qrels.with_text.txt")
        )
    },
    source="github castorini/rank_llm, anserini-tools (Craswell et al. 2020)",
    license="MS MARCO terms: research only",
    read=_read,
    options={"depth": Option(100, "how many passages of the run are candidates")},
)


def read_ir_dataset(
    dataset: str | Any,
    *,
    run: Run | None = None,
    depth: int = 100,
    inject_positives: bool = False,
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
        inject_positives: Whether a relevant document that was not found becomes a candidate too.
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
    for part in ("docs", "queries", "qrels"):
        if not getattr(dataset, f"has_{part}")():
            raise ValueError(f"the dataset {name!r} has no {part}; choose a part that has them, such as {name}/test")
    grades: dict[str, dict[str, int]] = {}
    for row in dataset.qrels_iter():
        grades.setdefault(str(row.query_id), {})[str(row.doc_id)] = int(row.relevance)
    queries = {str(query.query_id): _text(query, "title") for query in dataset.queries_iter()}
    if run is None and dataset.has_scoreddocs():
        run = _first_stage(dataset, name)
    if run is None:
        documents = {str(document.doc_id): _text(document, "title") for document in dataset.docs_iter()}
    else:
        wanted = {name for graded in grades.values() for name, grade in graded.items() if grade >= relevant}
        for question in grades:
            wanted.update(ties.order(question, run.scores.get(question, {}))[:depth])
        found = dataset.docs_store().get_many(sorted(wanted))
        documents = {str(document_id): _text(document, "title") for document_id, document in found.items()}
    corpus, _, split = name.rpartition("/")
    return pooled(
        corpus or name,
        split if corpus else "all",
        documents,
        queries,
        grades,
        run=run,
        depth=depth,
        inject_positives=inject_positives,
        relevant=relevant,
        gains=gains,
        seed=seed,
        source=f"ir_datasets {name}",
    )


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


def _first_stage(dataset: Any, name: str) -> Run:
    """Return the run of the dataset."""
    scores: dict[str, dict[str, float]] = {}
    for row in dataset.scoreddocs_iter():
        scores.setdefault(str(row.query_id), {})[str(row.doc_id)] = float(row.score)
    return Run("scoreddocs", scores)


def _text(row: Any, other: str) -> str:
    """Return the text of a document or question: its field ``text``, else ``other``, else its default text."""
    for field in ("text", other):
        if isinstance(value := getattr(row, field, None), str):
            return value
    return str(row.default_text())
