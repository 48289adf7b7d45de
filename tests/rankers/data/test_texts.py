from __future__ import annotations

import gzip

import pytest

import rankers
from rankers.data.texts import QueryText, needed_ids, read_documents, read_queries, with_texts
from rankers.evaluation.qrels import Qrels
from rankers.types import Run


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("corpus.jsonl", '{"_id": "1", "title": "T", "text": "a \\"b\\""}\n\n{"_id": "2", "title": "", "text": ""}\n'),
        ("lines.jsonl", '{"docno": 1, "contents": "a \\"b\\""}\n{"id": "2", "passage": ""}\n'),
        ("collection.tsv", '1\ta "b"\n2\t\n'),
        ("table.tsv", 'pid\tpassage\n1\t"a ""b"""\n2\t\n'),
        ("table.csv", 'DocID,more,Text\r\n1,x,"a ""b"""\r\n2,y,\r\n'),
    ],
)
def test_the_usual_formats_are_read_plain_and_gzipped(name, content, tmp_path):
    (tmp_path / name).write_bytes(content.encode())
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content.encode()))
    assert read_documents(tmp_path / name) == {"1": 'a "b"', "2": ""}
    assert read_documents(tmp_path / f"{name}.gz") == {"1": 'a "b"', "2": ""}
    assert read_documents(tmp_path / name, {"2", "3"}) == {"2": ""}
    (tmp_path / "a.tsv").write_bytes("1\tone\r two\u2028three\n".encode())  # what ends a line elsewhere
    assert read_documents(tmp_path / "a.tsv") == {"1": "one\r two\u2028three"}


def test_questions_have_gold_answers_if_the_file_does(tmp_path):
    (tmp_path / "q.jsonl").write_text(
        '{"_id": "1", "text": "Who?", "golds": ["Ann", ""]}\n{"_id": "2", "text": "When?"}\n'
    )
    assert read_queries(tmp_path / "q.jsonl") == {"1": QueryText("Who?", ("Ann",)), "2": QueryText("When?")}
    (tmp_path / "q.tsv").write_text("qid\tquery\tanswers\n1\tWho?\tAnn\n")
    assert read_queries(tmp_path / "q.tsv") == {"1": QueryText("Who?", ("Ann",))}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.txt", b"", "texts are read from"),
        ("a.jsonl", b"", "contains no line"),
        ("a.tsv", b"", "contains no line"),
        ("a.csv", b"id,text\n", "contains no line"),
        ("a.jsonl", b'{"_id": "1"}', "line 1: there is no column of texts among '_id'"),
        ("a.jsonl", b'{"text": "x"}', "line 1: there is no column of ids among 'text'"),
        ("a.jsonl", b'{"_id": "1", "text": 3}', "line 1: 'text' is 3"),
        ("a.jsonl", b'{"_id": "1 2", "text": "x"}', "line 1: '_id' is '1 2'"),
        ("a.jsonl", b'{"_id": "1", "text": "\\ud800"}', "line 1: 'text' is"),
        ("a.jsonl", b"[]", "line 1: it is of type list"),
        ("a.jsonl", b'{"docid": "1", "docno": "2", "text": "x"}', "'docid' and 'docno' both name"),
        ("a.tsv", b"1\ta\n2\n", "line 2: no tab"),
        ("a.tsv", b"1\ta\n1\tb\n", "line 2: the document '1' has another text here"),
        ("a.csv", b'id,text\n1,"a\n', "line"),
        ("a.tsv", b"1\t\xff\n", "is not UTF-8"),
        ("a.tsv.gz", b"1\ta\n", "is damaged"),
    ],
)
def test_wrong_input_is_an_error_with_its_line(name, content, says, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises((ValueError, LookupError)) as caught:
        read_documents(tmp_path / name)
    assert says in str(caught.value)
    with pytest.raises(FileNotFoundError, match=r"none\.jsonl; give a file of ids and texts"):
        read_queries(tmp_path / "none.jsonl")


GRADES = Qrels({"q1": {"a": 0, "b": 2, "c": 1}, "q2": {"d": 2}, "q3": {"e": 2}}, relevant=2)
RUN = Run("ours", {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "other": {"y": 1.0}})
TEXTS = {"a": "in Rome", "b": "Rome", "d": "Paris", "e": "Oslo", "x": "the Paris"}


def test_only_relevant_and_first_documents_need_a_text():
    assert needed_ids([RUN], GRADES) == {"a", "b", "d", "e", "x"}


def test_a_run_is_evaluated_with_the_texts():
    questions = with_texts([RUN], GRADES, TEXTS)
    assert [question.id for question in questions] == ["q1", "q2", "q3"]
    evaluation = rankers.evaluate(RUN, questions, ["P@1"], ["f1"], qrels=GRADES)
    assert evaluation.values["P@1"].tolist() == [0.0, 0.0, 0.0]
    assert evaluation.values["f1"].tolist() == [pytest.approx(2 / 3), 1.0, 0.0]  # q3 is not in the run: an empty answer
    assert evaluation.semantic["f1"].false_negatives[0].choice_id == "x"


def test_gold_answers_take_the_place_of_relevant_documents():
    queries = {"q1": QueryText("Where?", ("in Rome",)), "q2": QueryText("Where?"), "q3": QueryText("Where?")}
    evaluation = rankers.evaluate(RUN, with_texts([RUN], GRADES, TEXTS, queries), ["P@1"], ["f1"], qrels=GRADES)
    assert evaluation.values["f1"].tolist() == [1.0, 1.0, 0.0]
    with pytest.raises(LookupError, match="1 of 3 questions of the grades have no text, such as 'q3'"):
        with_texts([RUN], GRADES, TEXTS, {name: query for name, query in queries.items() if name != "q3"})


def test_a_missing_text_is_an_error_or_leaves_its_question_out():
    texts = {name: text for name, text in TEXTS.items() if name not in ("x", "e")}
    with pytest.raises(LookupError, match="2 of the documents that are ranked first or relevant have no text, such as"):
        with_texts([RUN], GRADES, texts)
    questions = with_texts([RUN], GRADES, texts, skip_missing=True)
    evaluation = rankers.evaluate(RUN, questions, ["P@1"], ["f1"], qrels=GRADES)
    assert [None if value != value else value for value in evaluation.values["f1"].tolist()] == [
        pytest.approx(2 / 3),
        None,  # its first document has no text
        None,  # its only relevant document has no text
    ]
    assert evaluation.values["P@1"].tolist() == [0.0, 0.0, 0.0]
    assert questions.notes == ("2 texts are missing: 2 of 3 questions are left out of the metrics",)
