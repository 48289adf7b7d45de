"""Labeled questions from files, DataFrames, Datasets, mappings and lists are the same questions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import rankers
from rankers.data import questions
from rankers.types import Questions
from tests.cases import every

ROWS = [
    {"question": "Who wrote it?", "candidate": "Ann wrote it.", "label": 1},
    {"question": "Who wrote it?", "candidate": "It rained.", "label": 0},
    {"question": "Where?", "candidate": "In Rome.", "label": 2},
]
LISTS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
POOLS = [
    {"question": "Who wrote it?", "candidates": ["Ann wrote it.", "It rained."], "labels": [1, 0]},
    {"question": "Where?", "candidates": ["In Rome."], "labels": [2]},
]


def content(result: Questions) -> dict[str, dict[str, int]]:
    return {item.text: {candidate.text: candidate.grade for candidate in item.candidates} for item in result}


EXPECTED = {"Who wrote it?": {"Ann wrote it.": 1, "It rained.": 0}, "Where?": {"In Rome.": 2}}


def of_file(folder: Path, kind: str) -> Any:
    path = folder / f"table.{kind}"
    if kind == "jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)))
    elif kind == "json":
        path.write_text(json.dumps(ROWS))
    elif kind == "csv":
        path.write_text("question,candidate,label\n" + "\n".join(",".join(map(str, row.values())) for row in ROWS))
    else:
        pytest.importorskip("pyarrow")
        pytest.importorskip("pandas").DataFrame(ROWS).to_parquet(path)
    return path


@every("kind", ["csv", "jsonl", "json", "parquet"])
def test_a_file_is_read_as_a_path_or_text(kind, tmp_path):
    path = of_file(tmp_path, kind)
    assert content(questions(path)) == content(questions(str(path))) == EXPECTED
    assert questions(path).corpus == "table"


def test_frames_datasets_mappings_and_lists_are_the_same_questions():
    pandas, datasets = pytest.importorskip("pandas"), pytest.importorskip("datasets")
    stated = [ROWS, LISTS, POOLS, pandas.DataFrame(ROWS), datasets.Dataset.from_list(ROWS), iter(ROWS)]
    assert [content(questions(data)) for data in stated] == [EXPECTED] * len(stated)
    assert len({questions(data).fingerprint for data in (ROWS, LISTS, pandas.DataFrame(ROWS))}) == 1


def test_questions_and_corpora_are_returned_as_they_are():
    toy = rankers.data.load("toy", "dev")
    assert questions(toy) is toy
    assert questions("toy", split="dev").fingerprint == toy.fingerprint
    assert questions(toy, relevant=1).relevant == 1


def test_columns_are_given_by_role_and_others_are_reported():
    renamed = [{"q": row["question"], "text": row["candidate"], "grade": row["label"], "more": 1} for row in ROWS]
    lines: list[str] = []
    loaded = questions(renamed, columns={"question": "q", "candidate": "text", "label": "grade"}, notice=lines.append)
    assert content(loaded) == EXPECTED
    assert lines == ["data: not read: 'more'"]


@every("name", ["", "a.jsonl", "a.json"])
def test_lists_are_found_under_the_names_of_a_user(name, tmp_path):
    lists = [(row["question"], row["candidates"], row["labels"], ["a", "b"][-len(row["labels"]) :]) for row in POOLS]
    rows = [dict(zip(("q", "passages", "y", "ids"), row, strict=True)) for row in lists]
    data: Any = rows
    if name:
        data = tmp_path / name
        data.write_text(json.dumps(rows) if name == "a.json" else "\n".join(map(json.dumps, rows)))
    columns = {"question": "q", "candidate": "passages", "label": "y", "candidate_id": "ids"}
    loaded = questions(data, columns=columns)
    assert content(loaded) == EXPECTED
    found = {c.text: c.id for question in loaded for c in question.candidates}
    assert found == dict(zip([row["candidate"] for row in ROWS], "abb", strict=True))
    ranked = rankers.rank_table(data, "word-overlap", columns={"question": "q", "candidate": "passages"})
    assert {row["candidate"] for row in ranked.records()} == {row["candidate"] for row in ROWS}


@every(
    ("data", "columns", "error", "complaint"),
    [
        ([{"question": "a", "candidat": "b", "label": 1}], None, LookupError, "did you mean 'candidat'"),
        (ROWS, {"questoin": "q"}, LookupError, "did you mean 'question'"),
        (ROWS, {"question": "candidate"}, ValueError, "is given for both"),
        ({"question": ["a"], "candidate": ["b", "c"], "label": [1]}, None, ValueError, "different lengths"),
        (
            {"question": "a", "candidate": ["b"], "label": [1]},
            None,
            TypeError,
            "must be a sequence of values, such as a list",
        ),
        ([("a", "b", 1)], None, TypeError, "give a file, a DataFrame, columns by name, rows"),
        ([{**ROWS[0], "label": "yes"}], None, ValueError, "data, row 1: the label is 'yes'"),
        ([ROWS[0], {**ROWS[1], "question": None}], None, ValueError, "data, row 2: 'question' is None"),
        ([], None, ValueError, "contains no rows"),
        (3, None, TypeError, "data is 3 .int.; give a file, a DataFrame"),
        ("wikiq", None, LookupError, "did you mean 'wikiqa"),
        ("none.csv", None, FileNotFoundError, "no file at none.csv"),
        ("toy", {"question": "q"}, ValueError, "toy is a corpus"),
        ([{**POOLS[0], "labels": [1]}], None, ValueError, "they must be lists of one length"),
        ([{**POOLS[0], "candidate_ids": ["a"]}], None, ValueError, r"'candidate_ids' is \['a'\], but they must be"),
        ([{"town": "a", "text": "b"}], None, LookupError, r"'question' \(question\); its columns are 'town', 'text'"),
    ],
)
def test_bad_data_is_named(data, columns, error, complaint):
    with pytest.raises(error, match=complaint):
        questions(data, columns=columns)


# Files that are read by line
BY_ID = [("q1", "who?", "a", "Ann", 1), ("q2", "when?", "b", "now", 0), ("q1", "who?", "c", "Bob", 0)]
OBJECTS = [dict(zip(("qid", "question", "cid", "candidate", "label"), row, strict=True)) for row in BY_ID]
IDS = {"question_id": "qid", "candidate_id": "cid"}
OF_LINES = {"who?": {"Ann": 1, "Bob": 0}, "when?": {"now": 0}}


@pytest.fixture
def file(tmp_path):
    """``file({...}, "text")`` has a line of JSON per object, and lines of text as they are; ``name`` is its name."""

    def write(*lines, name="mine.jsonl"):
        path = tmp_path / name
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    return write


def test_rows_of_one_id_or_else_of_one_text_are_one_question(file):
    plain, by_id = questions(file(*OBJECTS)), questions(file(*OBJECTS), columns=IDS, split="dev")
    assert content(plain) == content(by_id) == OF_LINES
    assert (plain.corpus, plain.split, plain.relevant, by_id.split) == ("mine", "all", 1, "dev")
    assert {item.id: {c.id for c in item.candidates} for item in by_id} == {"q1": {"a", "c"}, "q2": {"b"}}
    alike = file(*(row | {"question": "same"} for row in OBJECTS))
    assert [len(item.candidates) for item in questions(alike, columns=IDS)] == [2, 1]
    without_ids = file(*({name: row[name] for name in ("candidate", "label")} | {"question": "x"} for row in OBJECTS))
    assert [len(item.candidates) for item in questions(without_ids)] == [3]


@every(("value", "grade"), [("0", 0), ("1", 1), (" 4\r", 4), (2, 2), (3.0, 3), ("1.0", 1), (True, 1)])
def test_a_grade_is_a_whole_number(value, grade):
    assert content(questions([ROWS[0] | {"label": value}])) == {"Who wrote it?": {"Ann wrote it.": grade}}


@every(("name", "value", "expected"), [("QID", "q1", "q1"), ("questionid", 7, "7"), ("query_ID", "ü", "ü")])
def test_an_id_is_text_or_a_whole_number_in_a_column_of_any_case(name, value, expected):
    assert questions([ROWS[0] | {name: value}]).items[0].id == expected


def test_a_cell_may_be_longer_than_the_csv_module_allows(file):
    assert content(questions(file("question,candidate,label", f"q,{'a' * 200_000},1", name="a.csv"))) == {
        "q": {"a" * 200_000: 1}
    }


def test_golds_are_a_text_or_texts_each_once(file):
    rows = [row | {"gold": gold} for row, gold in zip(OBJECTS, (["Ann", "Annie"], "today", "Ann"), strict=True)]
    assert [item.golds for item in questions(file(*rows), columns={"golds": "gold"})] == [("Ann", "Annie"), ("today",)]


def test_the_order_is_not_that_of_the_file(file):
    (item,) = questions(file(*({"question": "q", "candidate": str(i), "label": 0} for i in range(30))))
    texts = [candidate.text for candidate in item.candidates]
    assert sorted(texts, key=int) == [str(i) for i in range(30)] != texts


NO_GRADES: list[Any] = ["", "yes", "-1", "0.5", "nan", "inf", None, [1], {}]
NO_IDS: list[Any] = ["", "a b", "a\n", " a", True, 1.5, None, "\ud800"]
GOOD = {"question": "q", "candidate": "a", "label": 0, "qid": "1", "cid": "1"}


@every(
    ("line", "complaint"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: it is of type list, but every line must be an object"),
        ({"question": "q", "candidate": "a", "qid": "1", "cid": "2"}, "line 2: there is no 'label' among: question"),
        *((GOOD | {"label": n, "cid": "2"}, "line 2: the label is .*whole number") for n in NO_GRADES),
        (GOOD | {"candidate": 7, "cid": "2"}, "line 2: 'candidate' is 7, but it must be text"),
        (GOOD | {"candidate": "\ud800"}, "line 2: 'candidate' contains half a surrogate pair"),
        (GOOD | {"question": "  "}, "line 2: 'question' is '  ', but it must be text and not empty"),
        *(
            (GOOD | {"cid": name}, "line 2: 'cid' is .*, but an id must not be empty or contain white")
            for name in NO_IDS
        ),
        ('{"question": "q", "candidate": "a", "label": 1, "label": 0}', r"line 2: not JSON .*'label' is in it twice"),
        ('{"question": "q", "candidate": "a", "label": 1, "x": {"y": 1, "y": 0}}', "line 2: .*'y' is in it twice"),
        ("[" * 100_000, "line 2: not JSON"),
        (GOOD, "line 2: the candidate '1' occurs twice for this question"),
        (GOOD | {"question": "r", "cid": "2"}, "line 2: the question '1' has another text here than before"),
    ],
)
def test_a_bad_line_is_named(file, line, complaint):
    with pytest.raises(ValueError, match=rf"mine\.jsonl, {complaint}"):
        questions(file(GOOD, line), columns=IDS)


@every(
    ("name", "lines", "columns"),
    [
        ("a.csv", ["question,candidate,label", "who?,Ann,1", 'when?,"now",0', "who?,Bob,0"], None),
        ("a.tsv", ["label\tquestion\tcandidate", "1\twho?\tAnn", "0\twhen?\tnow", "0\twho?\tBob"], None),
        (
            "a.csv",
            ["Q,A,y", "who?,Ann,1", "when?,now,0", "who?,Bob,0"],
            {"question": "Q", "candidate": "A", "label": "y"},
        ),
    ],
)
def test_csv_and_tsv_give_the_same_questions(file, name, lines, columns):
    assert content(questions(file(*lines, name=name), columns=columns)) == OF_LINES
    packed = file(name="x").with_name(f"{name}.gz")
    packed.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert content(questions(packed, columns=columns)) == OF_LINES


def test_ids_are_found_and_the_rest_is_named(file):
    head, unread = "qid,question,docid,candidate,label,source", list[str]()
    path = file(head, "1,q,d,NA,1,web", "1,q,e,None,0,web", name="a.csv")
    (item,) = questions(path, notice=unread.append)
    assert {(c.id, c.text) for c in item.candidates} == {("d", "NA"), ("e", "None")}
    assert unread == [f"{path}: not read: 'source'"]


@every(
    ("lines", "error", "complaint"),
    [
        (["question,candidate,label,label", "q,a,1,0"], ValueError, "line 1: the column 'label' occurs twice"),
        (["question,question,candidate,label", "q,r,a,1"], ValueError, "line 1: the column 'question' occurs twice"),
        (["question,label", "q,1"], LookupError, r"has no column 'candidate' \(candidate\)"),
        (["question,candidate,label", "q,a,1", "q,a,b,0"], ValueError, "line 3: 4 values for 3 columns"),
        (["question,candidate,label", 'q,"a', 'b",1', "q,a,x"], ValueError, "line 4: the label is 'x'"),
        (["question,candidate,label", "q,Ann,1", "q, ,0"], ValueError, "line 3: 'candidate' is ' ', but it must be"),
        (["question,candidate,label"], ValueError, "contains no rows"),
        ([""], ValueError, "contains no rows"),
        (["question,candidate,label", 'q,"a,1'], ValueError, "line 2: a quote is opened here"),
        (["docid,question,PID,candidate,label", "1,q,1,a,1"], ValueError, "'docid' and 'PID' both name the same"),
    ],
)
def test_a_bad_table_is_named_by_its_line(file, lines, error, complaint):
    with pytest.raises(error, match=rf"a\.csv.*{complaint}"):
        questions(file(*lines, name="a.csv"))


@every("columns", [{"golds": "a"}, {"question": "a"}, {"question_id": "q"}])
def test_one_column_has_one_role(columns, file):
    usual = {"question": "q", "candidate": "a", "label": "y"}
    for path in (file("q,a,y", "who?,Ann,1", name="a.csv"), file({"q": "who?", "a": "Ann", "y": 1})):
        with pytest.raises(ValueError, match="is given for both"):
            questions(path, columns=usual | columns)
