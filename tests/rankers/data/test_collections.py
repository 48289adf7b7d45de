"""Documents, queries and grades as questions: BEIR folders, TREC runs, and datasets of ir_datasets."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import rankers
from rankers import data
from rankers.data import read_beir, read_ir_dataset, read_trec, write_beir
from rankers.evaluation.runs import read_trec as run_of
from rankers.evaluation.runs import write_trec
from rankers.types import Questions, Run
from tests.cases import every
from tests.rankers.commands.command_line import called

DOCUMENTS = {"d1": "the kettle is in the kitchen", "d2": "the harp is in the garden", "d3": "the boat is on the lake"}
QUERIES = {"q1": "where is the kettle", "q2": "where is the harp"}
QRELS = [("q1", "d1", 1), ("q1", "d3", 0), ("q2", "d2", 2)]
RUN = Run("first", {"q1": {"d3": 2.0, "d2": 1.0}, "q2": {"d2": 1.0, "d1": 1.5}})
FILES = {  # as BEIR has them (beir.datasets.data_loader.GenericDataLoader), and the grades of TREC
    "corpus.jsonl": "\n".join(json.dumps({"_id": name, "title": "T", "text": t}) for name, t in DOCUMENTS.items()),
    "queries.jsonl": "\n".join(json.dumps({"_id": name, "text": text}) for name, text in QUERIES.items()),
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{grade}\n" for q, d, grade in QRELS),
    "qrels.trec": "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in QRELS),
}


class Dataset:
    """What a dataset of ir_datasets offers, as its documentation has it."""

    def __init__(self, scored: Run | None = None, without: str = "", **others: Any) -> None:
        self.scored, self.without = scored, without
        self.has_docs, self.has_queries, self.has_qrels = (
            lambda kind=kind: self.without != kind for kind in ("docs", "queries", "qrels")
        )

    def dataset_id(self):
        return "made/test"

    def has_scoreddocs(self):
        return self.scored is not None

    def docs_iter(self):
        return (SimpleNamespace(doc_id=name, text=text, title="not read") for name, text in DOCUMENTS.items())

    def docs_store(self):
        rows = {row.doc_id: row for row in self.docs_iter()}
        return SimpleNamespace(get_many=lambda names: {name: rows[name] for name in names if name in rows})

    def queries_iter(self):
        return (SimpleNamespace(query_id=name, title=text) for name, text in QUERIES.items())

    def qrels_iter(self):
        return (SimpleNamespace(query_id=q, doc_id=d, relevance=grade) for q, d, grade in QRELS)

    def scoreddocs_iter(self):
        rows = ((q, *row) for q, scores in self.scored.scores.items() for row in scores.items())
        return (SimpleNamespace(query_id=q, doc_id=d, score=score) for q, d, score in rows)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("made/qrels").mkdir(parents=True)
    for name, text in FILES.items():
        Path("made", name).write_text(text)
    write_trec(RUN, Path("first.trec"))
    return Path("made")


def of_trec(run: Run | None = RUN, qrels: str | None = "made/qrels.trec", **settings: Any) -> Questions:
    write_trec(run, Path("first.trec"))
    return read_trec("first.trec", "made/corpus.jsonl", "made/queries.jsonl", qrels, **settings)


READERS = {
    "beir": lambda **settings: read_beir("made", **settings),
    "trec": of_trec,
    "ir": lambda scored=None, without="", **settings: read_ir_dataset(Dataset(scored, without), **settings),
}


def pools(questions: Questions) -> dict[str, dict[str, int]]:
    return {question.text: {c.text: c.grade for c in question.candidates} for question in questions}


def pool(*grades: tuple[str, int]) -> dict[str, int]:
    return {DOCUMENTS[name]: grade for name, grade in grades}


KETTLE, HARP = QUERIES.values()


@every(("kind", "corpus"), [("beir", "made"), ("trec", "first"), ("ir", "made")])
def test_candidates_are_those_of_a_run_and_what_it_missed_counts(kind, corpus, home):
    questions = READERS[kind](run=RUN, depth=2)
    assert pools(questions) == {KETTLE: pool(("d3", 0), ("d2", 0)), HARP: pool(("d2", 2), ("d1", 0))}
    assert (questions.corpus, questions.judged) == (corpus, {"q1": {"d1": 1}})
    assert (questions.pool, questions.split) == ("first@2", "run" if kind == "trec" else "test")
    assert questions.notes == ("the pools hold 1 of 2 relevant documents (recall@2 0.500)",)
    assert rankers.evaluate(RUN, questions, ["R@2"]).mean("R@2") == 0.5  # the document that was not found counts
    assert pools(READERS[kind](run=RUN, depth=1)) == {KETTLE: pool(("d3", 0)), HARP: pool(("d1", 0))}


@every("kind", ["beir", "ir"])
def test_else_candidates_are_the_first_documents_of_bm25(kind, home):
    pytest.importorskip("bm25s")
    questions = READERS[kind](depth=1)
    assert pools(questions) == {KETTLE: pool(("d1", 1)), HARP: pool(("d2", 2))}
    assert (questions.pool, questions.judged) == ("bm25@1", {"q1": {"d3": 0}})
    assert questions.notes == ("the pools hold 2 of 2 relevant documents (recall@1 1.000)",)


def test_candidates_of_trec_have_the_order_of_the_run_and_grade_0_without_qrels(home):
    questions = of_trec(qrels=None)
    assert {q.id: [(c.id, c.grade) for c in q.candidates] for q in questions} == {
        "q1": [("d3", 0), ("d2", 0)],
        "q2": [("d1", 0), ("d2", 0)],
    }
    assert (questions.notes, questions.items[1].text) == ((), HARP)
    graded = of_trec(relevant=2, gains={2: 1})
    assert (graded.relevant, graded.gains) == (2, {2: 1})


def test_a_dataset_may_have_a_run_of_its_own():
    questions = READERS["ir"](scored=RUN, depth=1)
    assert pools(questions) == {KETTLE: pool(("d3", 0)), HARP: pool(("d1", 0))}
    assert questions.pool == "scoreddocs@1"
    other = Run("mine", {"q1": {"d1": 1.0}, "q2": {"d3": 2.0}})
    assert pools(READERS["ir"](scored=RUN, run=other)) == {KETTLE: pool(("d1", 1)), HARP: pool(("d3", 0))}


def test_a_dataset_that_the_library_makes_of_files_is_read(home):
    ir_datasets: Any = pytest.importorskip("ir_datasets", reason="needs ir_datasets")
    pytest.importorskip("bm25s")
    for name, rows in (("docs", DOCUMENTS), ("queries", QUERIES)):
        Path(f"{name}.tsv").write_text("".join(f"{key}\t{text}\n" for key, text in rows.items()))
    dataset = ir_datasets.create_dataset(docs_tsv="docs.tsv", queries_tsv="queries.tsv", qrels_trec="made/qrels.trec")
    for settings in ({"depth": 1}, {"run": RUN}):
        assert pools(read_ir_dataset(dataset, **settings)) == pools(read_ir_dataset(Dataset(), **settings))
    assert ir_datasets.load("antique/test").has_qrels()
    with pytest.raises(LookupError, match="ir_datasets has no dataset 'antique/tset'"):
        read_ir_dataset("antique/tset")


def test_what_is_written_can_be_read_back(tmp_path):
    toy = data.load("toy", "dev")
    write_beir(toy, tmp_path / "toy")
    run = Run("all", {q.id: {c.id: 1.0 for c in q.candidates} for q in toy})
    back = read_beir(tmp_path / "toy", "dev", run=run, relevant=2)
    contents = [[(q.id, q.text, sorted(q.candidates)) for q in entry] for entry in (toy, back)]
    assert contents[0] == contents[1]
    assert (tmp_path / "toy" / "qrels" / "dev.tsv").read_text().splitlines()[0] == "query-id\tcorpus-id\tscore"
    with pytest.raises(FileExistsError, match="exists already"):
        write_beir(toy, tmp_path / "toy")


OTHER = Run("r", {"q9": {"d1": 1.0}})


@pytest.mark.parametrize(
    ("kind", "changed", "settings", "says"),
    [
        ("beir", {}, {"split": "dev"}, "the folder has the splits: test"),
        ("beir", {}, {"depth": 0}, "depth is 0"),
        (
            "beir",
            {"qrels/test.tsv": "query-id\tcorpus-id\tscore\n"},
            {},
            "contains no line; qrels have at least one, 'question document",
        ),
        ("beir", {"qrels/test.tsv": "q1\td1\tx\n"}, {}, "line 1: the grade is 'x'"),
        ("beir", {"qrels/test.tsv": "q1\td1\t1\nq1\td1\t0\n"}, {}, "line 2: 'd1' occurs twice"),
        ("beir", {"qrels/test.tsv": "q9\td1\t1\n"}, {}, "the question 'q9' has no text; add it"),
        ("beir", {"qrels/test.tsv": "q1\td9\t1\n"}, {}, "the document 'd9' of 'q1' has no text"),
        ("beir", {"corpus.jsonl": '{"_id": "d1"}'}, {}, "there is no column of texts"),
        ("beir", {}, {"run": OTHER}, "the run 'r' ranks none of the graded questions"),
        ("trec", {"corpus.jsonl": '{"docid": "d1", "text": "a"}'}, {}, "the document 'd3' of 'q1' has no text"),
        ("trec", {"queries.jsonl": '{"_id": "q1", "text": "who"}'}, {}, "the question 'q2' has no text"),
        *(("ir", {}, {"without": part}, f"'made/test' has no {part}") for part in ("docs", "queries", "qrels")),
        ("ir", {}, {"run": Run("r", {"q1": {"d9": 1.0}})}, "the document 'd9' of 'q1' has no text"),
    ],
)
def test_wrong_input_is_an_error_that_names_it(kind, changed, settings, says, home):
    pytest.importorskip("bm25s")
    for name, text in changed.items():
        (home / name).write_text(text)
    with pytest.raises((ValueError, LookupError, FileNotFoundError)) as caught:
        READERS[kind](**settings)
    assert says in str(caught.value)


def test_the_command_ranks_a_run_again(home):
    line = "rank first.trec --texts made/corpus.jsonl --queries made/queries.jsonl --model word-overlap -o again.trec"
    result = called(line)
    assert result.exit_code == 0, result.stderr
    scores = run_of("again.trec").scores
    assert {question: max(row, key=row.__getitem__) for question, row in scores.items()} == {"q1": "d3", "q2": "d2"}
    assert set(scores["q1"]) == {"d2", "d3"}
    assert "a TREC file has ids only; give --texts and --queries" in called("rank first.trec").stderr
    Path("table.jsonl").write_text('{"question": "who", "candidates": ["ann", "bob"]}')
    assert "--texts and --queries belong to a TREC run" in called("rank table.jsonl --texts passages.jsonl").stderr
