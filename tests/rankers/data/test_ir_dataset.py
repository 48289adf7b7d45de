"""Datasets of ir_datasets: a made object, and where the library is installed, a dataset that it makes of files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankers.data.trec import read_ir_dataset
from rankers.types import Run
from tests.cases import every

DOCUMENTS = {"d1": "the kettle is in the kitchen", "d2": "a harp stands in the garden", "d3": "the boat is on the lake"}
QUERIES = {"q1": "where is the kettle", "q2": "where is the harp"}
QRELS = [("q1", "d1", 2), ("q1", "d3", 0), ("q2", "d2", 1)]


class Made:
    """What a dataset of ir_datasets offers, as its documentation has it."""

    def __init__(self, scored: list[tuple[str, str, float]] | None = None, without: str = "") -> None:
        self.scored, self.without = scored, without

    def dataset_id(self) -> str:
        return "made/test"

    def has_docs(self) -> bool:
        return self.without != "docs"

    def has_queries(self) -> bool:
        return self.without != "queries"

    def has_qrels(self) -> bool:
        return self.without != "qrels"

    def has_scoreddocs(self) -> bool:
        return self.scored is not None

    def docs_iter(self) -> Any:
        return (SimpleNamespace(doc_id=name, text=text, title="not read") for name, text in DOCUMENTS.items())

    def docs_store(self) -> Any:
        return SimpleNamespace(
            get_many=lambda names: {
                name: SimpleNamespace(doc_id=name, text=DOCUMENTS[name]) for name in names if name in DOCUMENTS
            }
        )

    def queries_iter(self) -> Any:
        return (SimpleNamespace(query_id=name, title=text) for name, text in QUERIES.items())

    def qrels_iter(self) -> Any:
        return (SimpleNamespace(query_id=q, doc_id=d, relevance=grade) for q, d, grade in QRELS)

    def scoreddocs_iter(self) -> Any:
        return (SimpleNamespace(query_id=q, doc_id=d, score=score) for q, d, score in self.scored or [])


def pools(questions: Any) -> dict[str, dict[str, int]]:
    return {question.text: {c.text: c.grade for c in question.candidates} for question in questions}


def test_candidates_are_those_of_bm25_of_the_run_of_the_dataset_or_of_a_given_run() -> None:
    pytest.importorskip("bm25s")
    kettle, harp = QUERIES.values()
    assert pools(read_ir_dataset(Made(), depth=1)) == {kettle: {DOCUMENTS["d1"]: 2}, harp: {DOCUMENTS["d2"]: 1}}
    scored = [("q1", "d3", 2.0), ("q1", "d1", 1.0), ("q2", "d2", 1.0)]
    own = read_ir_dataset(Made(scored), depth=1)
    assert pools(own) == {kettle: {DOCUMENTS["d3"]: 0}, harp: {DOCUMENTS["d2"]: 1}}
    assert (own.corpus, own.split, own.pool, own.judged) == ("made", "test", "scoreddocs@1", {"q1": {"d1": 2}})
    run = Run("mine", {"q1": {"d1": 1.0}, "q2": {"d3": 2.0, "d2": 1.0}})
    assert pools(read_ir_dataset(Made(scored), run=run, depth=1)) == {
        kettle: {DOCUMENTS["d1"]: 2},
        harp: {DOCUMENTS["d3"]: 0},
    }


@every("part", ["docs", "queries", "qrels"])
def test_a_dataset_without_a_part_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match=f"the dataset 'made/test' has no {part}"):
        read_ir_dataset(Made(without=part))


def test_a_document_without_text_is_named() -> None:
    with pytest.raises(ValueError, match="the document 'd9' of 'q1' has no text"):
        read_ir_dataset(Made([("q1", "d9", 1.0)]))


def test_a_dataset_that_the_library_makes_of_files_is_read(tmp_path: Path) -> None:
    ir_datasets: Any = pytest.importorskip("ir_datasets", reason="needs ir_datasets")
    pytest.importorskip("bm25s")
    (tmp_path / "docs.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in DOCUMENTS.items()))
    (tmp_path / "queries.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in QUERIES.items()))
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in QRELS))
    dataset = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels.txt"),
    )
    assert pools(read_ir_dataset(dataset, depth=1)) == pools(read_ir_dataset(Made(), depth=1))
    run = Run("mine", {"q1": {"d1": 1.0}, "q2": {"d3": 2.0}})
    assert pools(read_ir_dataset(dataset, run=run)) == pools(read_ir_dataset(Made(), run=run))
    assert ir_datasets.load("antique/test").has_qrels()
    with pytest.raises(LookupError, match="ir_datasets has no dataset 'antique/tset'"):
        read_ir_dataset("antique/tset")
