"""The questions of qrels with the texts that semantic scores of runs need, for runs of other systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rankers.data.texts import QueryText
from rankers.evaluation import ties
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.semantic import FLOOR, drawn_wrong
from rankers.types import Candidate, Question, Questions, Run


def wanted_ids(runs: Sequence[Run], qrels: Qrels, ties_seed: int = 0) -> set[str]:
    """Return the ids of ``needed_ids``, and those of irrelevant documents for the floors of metrics."""
    floors = {document for question in qrels.grades for document in _wrong(runs, qrels, question)}
    return needed_ids(runs, qrels, ties_seed) | floors


def needed_ids(runs: Iterable[Run], qrels: Qrels, ties_seed: int = 0) -> set[str]:
    """Return the ids of the documents whose texts the semantic scores of these runs need.

    They are the relevant documents of each question, and the document that each run ranks first for it.
    """
    names = {
        document
        for documents in qrels.grades.values()
        for document, grade in documents.items()
        if grade >= qrels.relevant
    }
    for run in runs:
        names.update(_first(run, question, ties_seed) for question in qrels.grades if run.scores.get(question))
    return names


def with_texts(
    runs: Sequence[Run],
    qrels: Qrels,
    documents: Mapping[str, str],
    queries: Mapping[str, QueryText] | None = None,
    *,
    name: str = "",
    skip_missing: bool = False,
    ties_seed: int = 0,
) -> Questions:
    """Return the questions of qrels with the texts that the semantic scores of these runs need.

    The result has the relevant documents of a question, the first document of each run, and a few irrelevant documents
    of the runs as its candidates, and no others. Use it for ``rankers.evaluate(run, questions, ..., qrels=qrels)``, not
    to rank.

    Args:
        runs: The runs to evaluate.
        qrels: The grades. The questions keep the order of the qrels.
        documents: Texts by id, as ``read_documents`` returns them.
        queries: Texts and gold answers by the ids of the questions. A question with gold answers is compared with
            these, any other with the texts of its relevant documents. If None, all texts of questions are empty.
        name: The name of the data.
        skip_missing: Leave a question out of the semantic scores if the text of a first document is missing, and a
            relevant document if its own text is, instead of raising an error. The notes count both.
        ties_seed: The seed of the order of equal scores, as of the evaluation.

    Raises:
        LookupError: If a text is missing. The message names the first id and gives the number of missing texts.
    """
    missing = sorted(needed_ids(runs, qrels, ties_seed) - documents.keys())
    if missing and not skip_missing:
        raise LookupError(
            f"{len(missing):,} of the documents that are ranked first or relevant have no text, such as "
            f"{missing[0]!r}; add their texts, use the ids of the run there, or leave these questions out: "
            "skip_missing=True (--skip-missing)"
        )
    if queries is not None and (unknown := [question for question in qrels.grades if question not in queries]):
        raise LookupError(
            f"{len(unknown):,} of {len(qrels.grades):,} questions of the grades have no text, such as {unknown[0]!r}; "
            "add them to the file of queries, or leave that file out"
        )
    items, left_out = [], 0
    for question, grades in qrels.grades.items():
        first = [_first(run, question, ties_seed) for run in runs if run.scores.get(question)]
        right = [document for document, grade in grades.items() if grade >= qrels.relevant]
        query = queries[question] if queries is not None else QueryText("")
        is_left_out = any(document not in documents for document in first)
        left_out += is_left_out or (bool(right) and not query.golds and not any(name in documents for name in right))
        candidates = tuple(
            # A question that is left out keeps no relevant candidate, so that it has no gold answer.
            Candidate(document, documents.get(document, ""), 0 if is_left_out else grades.get(document, 0))
            for document in dict.fromkeys([*first, *right, *_wrong(runs, qrels, question)])
            if document in documents or document in first
        )
        items.append(Question(question, query.text, candidates, () if is_left_out else query.golds))
    notes = []
    if missing:
        notes.append(
            f"{len(missing):,} texts are missing: {left_out:,} of {len(items):,} questions are left out of the metrics"
        )
    return Questions(name, "", tuple(items), qrels.relevant, qrels.gains, pool="run", notes=tuple(notes))


def _wrong(runs: Sequence[Run], qrels: Qrels, question: str) -> list[str]:
    """Return a few irrelevant documents that the runs rank for a question, for the floors of metrics."""
    grades = qrels.grades[question]
    ranked = {document for run in runs for document in run.scores.get(question, {})}
    return drawn_wrong(question, (name for name in ranked if grades.get(name, 0) < qrels.relevant), FLOOR)


def _first(run: Run, question: str, seed: int) -> str:
    return ties.order(question, run.scores[question], seed)[0]
