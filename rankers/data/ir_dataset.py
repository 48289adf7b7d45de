"""Any graded dataset of ir_datasets as questions with candidates."""

from __future__ import annotations

from typing import Any

from answersim._base.errors import MissingExtraError
from rankers.data.beir import pooled
from rankers.evaluation import ties
from rankers.types import Questions, Run


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
