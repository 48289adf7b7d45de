from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rankers.data.texts import QueryText, read_documents, read_queries


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
def test_the_usual_formats_are_read_plain_and_gzipped(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content.encode())
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content.encode()))
    assert read_documents(tmp_path / name) == {"1": 'a "b"', "2": ""}
    assert read_documents(tmp_path / f"{name}.gz") == {"1": 'a "b"', "2": ""}
    assert read_documents(tmp_path / name, {"2", "3"}) == {"2": ""}


def test_a_text_of_two_columns_may_hold_what_ends_a_line_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes("1\tone\r two\u2028three\n".encode())
    assert read_documents(tmp_path / "a.tsv") == {"1": "one\r two\u2028three"}


def test_questions_have_gold_answers_if_the_file_does(tmp_path: Path) -> None:
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
def test_wrong_input_is_an_error_with_its_line(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises((ValueError, LookupError)) as found:
        read_documents(tmp_path / name)
    assert says in str(found.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.jsonl; give a file of ids and texts"):
        read_queries(tmp_path / "none.jsonl")
