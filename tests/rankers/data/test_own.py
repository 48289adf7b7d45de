from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankers.data import Columns, read_csv, read_jsonl
from rankers.data.own import chosen, header
from rankers.types import Questions

ROWS = [("q1", "who?", "a", "Ann", 1), ("q2", "when?", "b", "now", 0), ("q1", "who?", "c", "Bob", 0)]
IDS = Columns(question_id="qid", candidate_id="cid")


def content(questions: Questions) -> dict[str, set[tuple[str, int]]]:
    return {question.text: {(c.text, c.grade) for c in question.candidates} for question in questions}


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    def write(*rows: Any) -> Path:
        path = tmp_path / "mine.jsonl"
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return write


def objects() -> list[dict[str, Any]]:
    return [dict(zip(("qid", "question", "cid", "candidate", "label"), row, strict=True)) for row in ROWS]


EXPECTED = {"who?": {("Ann", 1), ("Bob", 0)}, "when?": {("now", 0)}}


def test_rows_of_one_text_are_one_question(jsonl: Callable[..., Path]) -> None:
    questions = read_jsonl(jsonl(*objects()))
    assert content(questions) == EXPECTED
    assert (questions.corpus, questions.split, questions.relevant) == ("mine", "all", 1)


def test_ids_of_the_file_are_kept(jsonl: Callable[..., Path]) -> None:
    questions = read_jsonl(jsonl(*objects()), columns=IDS)
    assert [question.id for question in questions] == ["q1", "q2"]
    assert {c.id for c in questions.items[0].candidates} == {"a", "c"}


def test_an_id_distinguishes_questions_of_one_text(jsonl: Callable[..., Path]) -> None:
    rows = [row | {"question": "same"} for row in objects()]
    assert [len(question.candidates) for question in read_jsonl(jsonl(*rows), columns=IDS)] == [2, 1]
    assert [len(question.candidates) for question in read_jsonl(jsonl(*rows))] == [3]


def test_contiguous_rows_alone_are_of_one_question_when_asked(jsonl: Callable[..., Path]) -> None:
    assert [len(question.candidates) for question in read_jsonl(jsonl(*objects()), contiguous=True)] == [1, 1, 1]


def test_golds_are_a_text_or_texts_each_once(jsonl: Callable[..., Path]) -> None:
    rows = [row | {"gold": gold} for row, gold in zip(objects(), (["Ann", "Annie"], "today", "Ann"), strict=True)]
    questions = read_jsonl(jsonl(*rows), columns=Columns(golds="gold"))
    assert [question.golds for question in questions] == [("Ann", "Annie"), ("today",)]


def test_relevance_and_gains_can_be_set(jsonl: Callable[..., Path]) -> None:
    questions = read_jsonl(jsonl(*objects()), relevant=2, gains={1: 0}, corpus="c", split="dev")
    assert (questions.relevant, questions.gains, questions.corpus, questions.split) == (2, {1: 0}, "c", "dev")


def test_the_seed_decides_the_order(jsonl: Callable[..., Path]) -> None:
    path = jsonl(*({"question": "q", "candidate": str(i), "label": 0} for i in range(30)))
    first, again, other = (read_jsonl(path, seed=seed).items for seed in (0, 0, 1))
    assert first == again != other


GOOD = {"question": "q", "candidate": "a", "label": 0, "qid": "1", "cid": "1"}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: it is of type list, but every line must be an object"),
        ({"question": "q", "candidate": "a", "qid": "1", "cid": "2"}, "line 2: there is no 'label' among: question"),
        (GOOD | {"label": "good", "cid": "2"}, "line 2: the label is 'good'"),
        (GOOD | {"candidate": 7, "cid": "2"}, "line 2: 'candidate' is 7, but it must be text"),
        (GOOD | {"candidate": "\ud800"}, "line 2: 'candidate' contains half a surrogate pair"),
        (GOOD | {"question": "  "}, "line 2: 'question' is '  ', but it must be text and not empty"),
        (GOOD | {"cid": "a b"}, "line 2: 'cid' is 'a b', but an id must not be empty or contain white space"),
        (GOOD | {"cid": ""}, "line 2: 'cid' is '', but an id"),
        (GOOD | {"cid": None}, "line 2: 'cid' is None, but an id"),
        (GOOD | {"cid": 1.5}, r"line 2: 'cid' is 1\.5, but an id"),
        ('{"question": "q", "candidate": "a", "label": 1, "label": 0}', r"line 2: not JSON .*'label' is in it twice"),
        ('{"question": "q", "candidate": "a", "label": 1, "x": {"y": 1, "y": 0}}', "line 2: .*'y' is in it twice"),
        ("[" * 100_000, "line 2: not JSON"),
        (GOOD, "line 2: the candidate '1' occurs twice for this question"),
        (GOOD | {"question": "r", "cid": "2"}, "line 2: the question '1' has another text here than before"),
    ],
)
def test_a_bad_line_is_named(jsonl: Callable[..., Path], line: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"mine\.jsonl, {complaint}"):
        read_jsonl(jsonl(GOOD, line), columns=IDS)


def test_an_id_with_scattered_rows_is_no_block(jsonl: Callable[..., Path]) -> None:
    with pytest.raises(ValueError, match="contiguous=True"):
        read_jsonl(jsonl(*objects()), columns=IDS, contiguous=True)


@pytest.mark.parametrize("read", [read_csv, read_jsonl])
def test_a_file_without_rows_or_no_file_is_an_error(tmp_path: Path, read: Callable[..., Questions]) -> None:
    (tmp_path / "empty.csv").write_text("question,candidate,label\n" if read is read_csv else "\n")
    with pytest.raises(ValueError, match="contains no rows"):
        read(tmp_path / "empty.csv")
    with pytest.raises(FileNotFoundError, match=r"no file at .*question, candidate and label"):
        read(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.csv", 'question,candidate,label\nwho?,Ann,1\nwhen?,"now",0\nwho?,Bob,0\n', {}),
        ("a.tsv", "label\tquestion\tcandidate\n1\twho?\tAnn\n0\twhen?\tnow\n0\twho?\tBob\n", {}),
        ("a.txt", "who?;Ann;1\nwhen?;now;0\nwho?;Bob;0\n", {"header": Columns()[:3], "delimiter": ";"}),
        ("a.csv", "Q,A,y\nwho?,Ann,1\nwhen?,now,0\nwho?,Bob,0\n", {"columns": Columns("Q", "A", "y")}),
    ],
)
def test_csv_and_tsv_give_the_same_questions(tmp_path: Path, name: str, text: str, options: dict[str, Any]) -> None:
    (tmp_path / name).write_text(text)
    assert content(read_csv(tmp_path / name, **options)) == EXPECTED


@pytest.mark.parametrize(
    "columns",
    [
        Columns(question="q", candidate="a", label="y", golds="a"),
        Columns(question="a", candidate="a", label="y"),
        Columns(question="q", candidate="a", label="y", question_id="q"),
    ],
)
def test_one_column_has_one_role(columns: Columns, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("q,a,y\nwho?,Ann,1\n")
    with pytest.raises(ValueError, match="is given for both"):
        read_csv(tmp_path / "a.csv", columns=columns)
    (tmp_path / "a.jsonl").write_text('{"q": "who?", "a": "Ann", "y": 1}')
    with pytest.raises(ValueError, match="is given for both"):
        read_jsonl(tmp_path / "a.jsonl", columns=columns)


def test_a_given_header_names_no_column_twice(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who?,Ann,1,0\n")
    with pytest.raises(ValueError, match="'label' occurs twice"):
        read_csv(tmp_path / "a.csv", header=("question", "candidate", "label", "label"))


def test_the_ids_of_a_table_are_found_and_the_rest_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("qid,question,docid,candidate,label,source\n1,q,d,a,1,web\n")
    assert chosen("a.csv", header(tmp_path / "a.csv"), {}) == (
        Columns(question_id="qid", candidate_id="docid"),
        ("source",),
    )


def test_na_and_none_are_answers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,candidate,label\nq,NA,1\nq,None,0\n")
    assert content(read_csv(tmp_path / "a.csv")) == {"q": {("NA", 1), ("None", 0)}}


def test_an_empty_candidate_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,candidate,label\nq,Ann,1\nq, ,0\n")
    with pytest.raises(ValueError, match=r"a\.csv, line 3: 'candidate' is ' ', but it must be text and not empty"):
        read_csv(tmp_path / "a.csv")


def test_quotes_can_be_read_as_characters(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b'question\tcandidate\tlabel\nq\t"x" y\t1\n'))
    assert content(read_csv(tmp_path / "a.tsv.gz", quotes=False)) == {"q": {('"x" y', 1)}}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("question,candidate,label,label\nq,a,1,0\n", "line 1: the column 'label' occurs twice"),
        ("question,question,candidate,label\nq,r,a,1\n", "line 1: the column 'question' occurs twice"),
        ("question,label\nq,1\n", "line 1: there is no 'candidate' among: question, label"),
        ("question,candidate,label\nq,a,1\nq,a,b,0\n", "line 3: 4 values for 3 columns"),
        ('question,candidate,label\nq,"a\nb",1\nq,a,x\n', "line 4: the label is 'x'"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=rf"a\.csv, {complaint}"):
        read_csv(tmp_path / "a.csv")


def test_the_scores_of_a_teacher_are_read_if_there_are_any(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,candidate,label,teacher\nq,a,1,-2.5\nq,b,0,\n")
    columns, unread = chosen("a.csv", header(tmp_path / "a.csv"), {})
    assert unread == ()
    (asked,) = read_csv(tmp_path / "a.csv", columns=columns)
    assert {candidate.text: candidate.teacher for candidate in asked.candidates} == {"a": -2.5, "b": None}
    (tmp_path / "a.csv").write_text("question,candidate,label,teacher\nq,a,1,high\n")
    with pytest.raises(ValueError, match=r"line 2: 'teacher' is 'high', but it must be a finite number, or empty"):
        read_csv(tmp_path / "a.csv", columns=columns)
