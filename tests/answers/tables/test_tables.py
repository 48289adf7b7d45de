"""Tables of answers: what is a table and an answer, how systems are joined, and each fault with its row."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy
import numpy as np
import pytest

import answersim._base.io.detection
import answersim._base.io.files
from answersim._base.errors import EmptyReferencesWarning, ReadingWarning, SkippedRowsWarning, SwappedColumnsWarning
from answersim._base.io import files
from answersim._base.io.files import Table
from answersim.answers.tables import sources, system_columns
from answersim.answers.tables.answer_values import answers_of, split_references
from answersim.answers.tables.reader import look_swapped, read_answers
from answersim.answers.tables.sources import Source, rows_by_id
from answersim.answers.tables.table import Columns
from answersim.evaluation.data import load
from answersim.evaluation.labels import label_sources
from tests.answers.made_tables import lines, read
from tests.cases import every

TABLE = files.Table(("id", "a"), [{"id": 1, "a": {"b": "x"}}, {"id": "2", "a": {"b": "y"}}])


@every("data", [TABLE, Source(TABLE, Path("t.csv")), {"a": [1], "b": [2]}, "t.csv", Path("t.csv")])
def test_one_table_is_of_no_system(data: Any) -> None:
    assert sources.by_system(data) is None


def test_tables_have_the_names_of_their_systems() -> None:
    assert list(sources.by_system({"x": "a.csv", "y": TABLE}) or ()) == ["x", "y"]
    assert list(sources.by_system(("r/a.csv", "s/a.csv")) or ()) == ["r/a.csv", "s/a.csv"]
    rows = [{"id": 1, "gold": "Rome", "pred": "Rome"}]
    assert list(sources.by_system({"x": rows, "y": rows}) or ()) == ["x", "y"]
    assert read_answers({"x": rows, "y": rows}).predictions == {"x": ["Rome"], "y": ["Rome"]}
    assert sources.by_system({"gold": [{"a": "Rome"}], "pred": ["Rome"]}) is None  # a structure
    with pytest.raises(ValueError, match=r"columns of one file: the file once, and --pred A,B, pred=\['A', 'B'\]"):
        sources.by_system(["a.csv", "a.csv"])


def test_a_source_has_columns_and_fields_inside_objects() -> None:
    table = sources.read(TABLE, "the table")
    assert (table.values("a.b"), table.has("a.b"), table.has("a.c"), table.has("c")) == (["x", "y"], True, False, False)
    assert sources.read(table, "another name").path == Path("the table")
    with pytest.raises(TypeError, match="data is 5"):
        sources.read(5, "the table")


def test_ids_are_found_once() -> None:
    assert rows_by_id(Source(TABLE, Path("t")), "id") == {"1": 0, "2": 1}
    twice = files.Table(("id",), [{"id": key} for key in (1, "two", "three", "1")])
    with pytest.raises(ValueError, match=r"t.csv: 1 id in 'id' occurs more than once: '1' \(rows 1, 4\)"):
        rows_by_id(Source(twice, Path("t.csv")), "id")


def test_many_ids_are_counted_and_ten_are_listed() -> None:
    assert sources.listed_ids([str(i) for i in range(12)]).endswith("'9' and 2 more)")
    with pytest.raises(ValueError, match="'id' is empty in the 12 rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;"):
        rows_by_id(Source(files.Table(("id",), [{}] * 12), Path("t.csv")), "id")


@every("value", [None, 5, 0.5, True, float("nan"), {"text": "a"}, b"a", [], [None], ["a", 1], [["a"]]])
def test_what_is_no_answer_is_named_with_its_row(value):
    table = Table(("gold",), [{"gold": "a"}, {"gold": value}])
    with pytest.raises(ValueError, match=r"t\.jsonl, row 2: 'gold' is .*but an answer is text"):
        answers_of(table, "gold", Path("t.jsonl"), several=True)


def test_a_list_of_texts_is_an_answer_only_where_several_may_be():
    table = Table(("gold",), [{"gold": ["a", "b"]}])
    assert answers_of(table, "gold", Path("t.jsonl"), several=True) == [["a", "b"]]
    with pytest.raises(ValueError, match=r"row 1: 'gold' is \['a', 'b'\], but an answer is text; for"):
        answers_of(table, "gold", Path("t.jsonl"))


def test_a_missing_column_is_an_error_that_lists_the_columns():
    with pytest.raises(LookupError, match=r"t\.csv has no column 'gold'; its columns are: Gold, pred"):
        answers_of(Table(("Gold", "pred"), []), "gold", Path("t.csv"))
    with pytest.raises(LookupError, match=r"its columns are: \(none\)"):
        answers_of(Table((), []), "gold", Path("t.jsonl"))


def test_all_rows_without_an_answer_are_reported_at_once():
    values = ["a", None, "b", 5, None, *[None] * 200]
    table = Table(("pred",), [{"pred": value} for value in values])
    with pytest.raises(ValueError, match="203 rows cannot be scored") as error:
        answers_of(table, "pred", Path("t.csv"))
    message = str(error.value)
    assert "row 2: 'pred' is null, or missing" in message
    assert "row 4: 'pred' is 5" in message
    assert "and the rows 13, 14, 15" in message
    assert "and 103 more" in message
    assert len(message) < 1000


def test_empty_parts_of_gold_answers_are_left_out_and_counted():
    with pytest.warns(
        EmptyReferencesWarning, match=r"x.csv: 4 empty parts of gold answers left out, the first in row 8"
    ):
        split = split_references(["a|b", "a|b|", "|a| |b", "", "|", ["c|"]], "|", Path("x.csv"), range(7, 13))
    assert split == [["a", "b"], ["a", "b"], ["a", "b"], [""], [""], ["c|"]]
    assert split_references(["a|"], None, Path("x.csv")) == ["a|"]


def test_files_are_joined_by_id_whatever_their_order(files):
    answers = read(files, Columns(question="question"))
    assert answers.ids == ["0", "1", "2", "3"]
    assert answers.predictions == {"a": ["a0", "a1", "a2", "a3"], "b": ["b0", "b1", "b2", "b3"]}
    assert answers.golds == [["g0"], ["g1"], ["g2"], ["g3"]]
    assert answers.questions == ["q0", "q1", "q2", "q3"]


def test_references_give_the_gold_answers_and_the_order(files, tmp_path):
    held = lines(tmp_path / "gold.jsonl", [{"id": i, "gold": f"G{i}", "n": i} for i in (2, 0, 1, 3)])
    answers = read({"one": files[1], "two": files[0]}, Columns(), references=held)
    assert answers.ids == ["2", "0", "1", "3"]
    assert answers.golds == ["G2", "G0", "G1", "G3"]
    assert answers.predictions["two"] == ["a2", "a0", "a1", "a3"]
    assert answers.values("n") == [2, 0, 1, 3]
    assert list(answers.numbers) == [1, 2, 3, 4]  # of the references


def test_missing_and_strange_ids_are_named(files, tmp_path):
    other = lines(tmp_path / "c.jsonl", [{"id": i, "pred": "c"} for i in (0, 2, 7, 8)])
    with pytest.raises(LookupError) as error:
        read([files[0], other], Columns())
    assert "c.jsonl lacks 2 ids ('1', '3') of" in str(error.value)
    assert "c.jsonl has 2 ids ('7', '8') that" in str(error.value)
    with pytest.warns(UserWarning, match="left out") as caught:
        answers = read([files[0], other], Columns(), skip_bad=True)
    assert answers.ids == ["0", "2"]
    assert list(answers.left_out) == [2, 4]
    assert [type(warning.message) for warning in caught] == [UserWarning, UserWarning, SkippedRowsWarning]


def test_gold_answers_that_differ_between_files_are_an_error(files, tmp_path):
    other = lines(tmp_path / "c.jsonl", [{"id": i, "pred": "c", "gold": [f"g{i % 3}"]} for i in range(4)])
    with pytest.raises(ValueError, match=r"'gold' differs between .*a.jsonl and .*c.jsonl for 1 id \('3'\)"):
        read([files[0], other], Columns())


def test_columns_that_must_agree_are_checked_and_golds_may_be_lists_of_one(files, tmp_path):
    rows = [{"id": i, "pred": "c", "gold": f"g{i}", "question": "q?"} for i in range(4)]
    other = lines(tmp_path / "c.jsonl", rows)
    answers = read([files[0], other], Columns())
    assert answers.golds == [["g0"], ["g1"], ["g2"], ["g3"]]
    with pytest.raises(ValueError, match=r"'question' differs between .* for 4 ids .*: 'q0' and 'q\?'"):
        answers.values("question")
    with pytest.raises(LookupError, match="has no column 'n'"):
        answers.values("n")


def test_questions_are_found_in_a_table_of_a_system_if_the_references_have_none(files, tmp_path):
    held = lines(tmp_path / "gold.jsonl", [{"id": i, "gold": f"G{i}"} for i in (2, 0, 1, 3)])
    answers = read(files, Columns(question="question"), references=held)
    assert (answers.golds[0], answers.questions) == ("G2", ["q2", "q0", "q1", "q3"])


def test_several_systems_of_one_log_tool_are_joined_by_their_samples(tmp_path):
    rows = [{"id": i, "vars": {}, "question": f"q{i}", "gold": f"g{i}"} for i in range(3)]
    paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for path in paths:
        lines(
            path,
            [
                {"doc_id": row["id"], "doc": row, "target": row["gold"], "resps": [[path.stem]], "filter": "none"}
                for row in rows
            ],
        )
    answers = read_answers(paths[0], question="question", format="lm-eval")
    assert answers.predictions == {"a": ["a", "a", "a"]}
    both = read_answers(paths, question="question", format="lm-eval")
    assert both.predictions == {"a": ["a"] * 3, "b": ["b"] * 3}
    assert both.golds == [["g0"], ["g1"], ["g2"]]


def test_tables_with_the_same_ids_lack_nothing_with_references_and_without(tmp_path, recwarn) -> None:
    for name, pred in (("a", "x"), ("b", "y")):
        (tmp_path / f"{name}.csv").write_text(f"id,gold,pred\n1,Rome,{pred}\n2,Oslo,{pred}\n", encoding="utf-8")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    (tmp_path / "golds.csv").write_text("id,gold\n2,Oslo\n1,Rome\n", encoding="utf-8")
    for references in (None, tmp_path / "golds.csv"):
        block = read_answers(files, references=references, skip_bad=True)
        assert (block.predictions, block.left_out) == ({"a": ["x", "x"], "b": ["y", "y"]}, {})
    assert not recwarn.list


COLUMNS = {"gold": ["Rome", ["Oslo", "Kristiania"]], "a": ["in Rome", "Oslo"], "b": ["Paris", ""], "kind": ["x", 2]}
TWO = Columns(preds=("a", "b"))
BY_ID = Columns(id="id")


def test_columns_are_systems():
    answers = read(COLUMNS, TWO)
    assert answers.ids == ["1", "2"]
    assert answers.golds == ["Rome", ["Oslo", "Kristiania"]]
    assert answers.predictions == {"a": ["in Rome", "Oslo"], "b": ["Paris", ""]}
    assert answers.questions is None
    assert (answers.values("kind"), answers.has("other")) == (["x", 2], False)
    assert answers.left_out == {}


def test_a_frame_is_read_as_its_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["Rome"], "a": ["in Rome"], "b": ["Paris"]})
    assert read(frame, TWO).predictions == {"a": ["in Rome"], "b": ["Paris"]}


def test_systems_are_named_after_files_or_columns(tmp_path):
    path = lines(tmp_path / "gpt.jsonl", [{"gold": "a", "pred": "b", "mine": "c"}])
    assert list(read(path, Columns()).predictions) == ["gpt"]
    assert list(read([path], Columns(preds=("mine",))).predictions) == ["mine"]
    assert list(read(path, Columns(preds=("mine", "pred"))).predictions) == ["mine", "pred"]
    assert list(read({"gold": ["a"], "pred": ["b"]}, Columns()).predictions) == ["pred"]


def test_ids_that_occur_twice_are_named_with_their_rows(files, tmp_path):
    other = lines(tmp_path / "c.jsonl", [{"id": i, "pred": "c"} for i in (0, 1, 0, 2, 1, 3)])
    with pytest.raises(ValueError, match=r"2 ids in 'id' occur more than once: '0' \(rows 1, 3\), '1' \(rows 2, 5\)"):
        read([files[0], other], Columns(), skip_bad=True)
    with pytest.raises(ValueError, match="2 ids in 'id' occur more than once"):
        read(lines(tmp_path / "d.jsonl", [{"id": i, "gold": "g", "pred": "c"} for i in (5, 1, 5, 1)]), BY_ID)


def test_an_empty_id_is_named_with_its_row(files, tmp_path):
    other = lines(tmp_path / "c.jsonl", [{"id": 0, "pred": "c"}, {"pred": "d"}])
    with pytest.raises(ValueError, match="'id' is empty in row 2"):
        read([files[0], other], Columns())


def test_all_rows_without_answers_are_named_at_once_or_left_out_for_all_systems():
    bad = {"gold": ["a", [], "c", "d"], "a": ["x", "x", b"y", "x"], "b": ["x", "x", "x", b"x"]}
    with pytest.raises(ValueError, match="3 rows cannot be scored: row 2: 'gold' is \\[\\]") as error:
        read(bad, TWO)
    assert "row 3: 'a' is b'y'" in str(error.value)
    assert "row 4: 'b' is b'x'" in str(error.value)
    with pytest.warns(SkippedRowsWarning, match="3 of 4 rows are left out"):
        answers = read(bad, TWO, skip_bad=True)
    assert (answers.ids, answers.golds, answers.predictions) == (["1"], ["a"], {"a": ["x"], "b": ["x"]})


def test_a_separator_splits_gold_answers():
    assert read({"gold": ["a/b", ["c/d"]], "pred": ["x", "y"]}, Columns(split_gold="/")).golds == [["a", "b"], ["c/d"]]


LISTS = [["Bern", "Berne"], ["Rome"], ["it's", 'the "it"'], ["a, b", "\\frac{1}{2}", "c\nd", "\u00e9"]]


@every("written", [json.dumps, str, lambda texts: str(numpy.array(texts, dtype=object))])
@every("suffix", [".csv", ".tsv", ".xlsx", "frame"])
def test_lists_that_are_written_as_text_are_lists_with_a_note(tmp_path, written, suffix):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": [*map(written, LISTS), "Oslo", ""], "pred": ["x"] * 6})
    data = tmp_path / f"a{suffix}"
    if suffix == ".xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(data, index=False)
    elif suffix != "frame":
        frame.to_csv(data, index=False, sep=",\t"[suffix == ".tsv"])
    with pytest.warns(ReadingWarning, match="'gold': lists in texts are read as several gold answers, in 4 of 6 rows"):
        table = read(frame if suffix == "frame" else data)
    assert table.golds == [*LISTS, "Oslo", ""]


def test_a_column_with_another_text_that_begins_like_a_list_stays_text():
    golds = ['["a", "b"]', "[1, 2]", "Rome"]
    with pytest.warns(ReadingWarning, match=r"in 1 of 3 rows, because row 2 \('\[1, 2\]'\).*quote its items"):
        assert read({"gold": golds, "pred": ["x"] * 3}).golds == golds
    assert read({"gold": ["(1, 2)", "[0, 1)", "[]"], "pred": ["x"] * 3}).golds == ["(1, 2)", "[0, 1)", "[]"]
    assert read({"gold": ['["a"]'], "pred": ["x"]}, Columns(split_gold="|")).golds == [['["a"]']]
    with pytest.warns(ReadingWarning), pytest.raises(ValueError, match=r"row 2: 'gold' is \[\], but"):
        read({"gold": ['["a"]', "[]"], "pred": ["x"] * 2})


@pytest.mark.parametrize("cell", ["('NFL', 'League')", "[['NFL'], ['League']]", "['NFL', 'League'", "[1, 2]"])
def test_a_text_that_looks_like_a_list_is_one_answer_with_a_note(cell):
    with pytest.warns(ReadingWarning, match="texts that look like lists are read as one answer, in 1 of 2 rows, such"):
        assert read({"gold": [cell, "Rome"], "pred": ["x"] * 2}).golds == [cell, "Rome"]


@pytest.mark.filterwarnings("ignore:.*lists in texts:answersim._base.errors.ReadingWarning")
@pytest.mark.parametrize("gold", ["['NFL', None]", '["NFL", null]', "['NFL' nan]", ["NFL", None], ["NFL", math.nan]])
def test_a_list_without_an_entry_has_a_note(gold):
    with pytest.warns(ReadingWarning) as issued:  # without match: the oldest pytest copies warnings that do not match
        assert read({"gold": [gold], "pred": ["x"]}).golds == [["NFL"]]
    note = "missing entries of lists of gold answers are left out, in 1 of 1 row"
    assert any(note in str(warning.message) for warning in issued)


def test_an_empty_list_as_text_is_an_error_with_its_row():
    with pytest.raises(ValueError, match=r"row 1: 'gold' is \[\], but"):
        read({"gold": ["[]", "Rome"], "pred": ["x"] * 2})


def test_a_letter_of_no_option_has_a_note():
    rows = {"gold": ["B", "A"], "pred": ["x"] * 2, "choices": [["Rome"], ["Rome", "Oslo"]]}
    with pytest.warns(ReadingWarning, match="letters of no option, in 1 of 2 rows, such as 'B' in row 1"):
        read(rows)


def test_numbers_and_truth_values_are_texts_with_a_note(tmp_path):
    rows = [{"gold": 72, "pred": 72.0}, {"gold": [1, "one"], "pred": "1"}, {"gold": True, "pred": False}]
    with pytest.warns(ReadingWarning) as notes:
        table = read(lines(tmp_path / "a.jsonl", rows))
    assert table.golds == ["72", ["1", "one"], "true"]
    assert table.predictions == {"a": ["72", "1", "false"]}
    assert [str(note.message).partition(", ")[2] for note in notes] == [
        "'gold': numbers and truth values are read as text, in 3 of 3 rows, such as 72",
        "'pred': numbers and truth values are read as text, in 2 of 3 rows, such as 72.0",
    ]
    assert read(lines(tmp_path / "b.jsonl", [{"gold": "1e400", "pred": "NaN"}])).golds == ["1e400"]


@every("text", ["NaN", "NA", "None", "null", "1e400"])
def test_the_text_of_a_missing_value_is_an_answer_in_every_format(tmp_path, text):
    (tmp_path / "a.csv").write_text(f"gold,pred\n{text},\n")
    for data in (tmp_path / "a.csv", lines(tmp_path / "a.jsonl", [{"gold": text, "pred": ""}])):
        table = read(data)
        assert (table.golds, table.predictions) == ([text], {"a": [""]})


@every(
    ("data", "columns", "error", "words"),
    [
        ({"gold": [], "pred": []}, Columns(), ValueError, "has no rows"),
        ({"gold": ["a"], "pred": ["a", "b"]}, Columns(), ValueError, "different lengths"),
        ({"gold": ["a"], "pred": ["a"]}, Columns(gold="Gold"), LookupError, "no column 'Gold'"),
        ({"gold": ["a"], "pred": ["a"]}, Columns(preds=("gold",)), ValueError, "both name the column 'gold'"),
        ({"gold": [[]], "pred": ["a"]}, Columns(), ValueError, r"row 1: 'gold' is \[\]"),
        ({"gold": ["a"], "pred": ["a"]}, Columns(split_gold=""), ValueError, "split_gold is empty"),
        ([], Columns(), ValueError, "data is an empty list"),
        (5, Columns(), TypeError, "data is 5"),
        ({"a": "a.csv", "gold": ["x"]}, Columns(), TypeError, "mixes tables and columns"),
        ("gone.csv", Columns(), FileNotFoundError, "no file at gone.csv"),
        (["x.csv", "x.csv"], Columns(), ValueError, "given twice"),
        (["x.csv", "y.csv"], TWO, ValueError, "2 tables and 2 columns of predictions"),
    ],
)
def test_bad_input_is_reported_before_any_work(data, columns, error, words):
    with pytest.raises(error, match=words):
        read(data, columns)


def test_nothing_left_is_an_error_also_if_bad_rows_are_left_out(files):
    with pytest.raises(ValueError, match="no row can be scored"):
        read({"gold": [None], "pred": ["a"]}, Columns(), skip_bad=True)
    with pytest.raises(ValueError, match="references is for one table per system"):
        read(files[0], Columns(), references=files[1])


def test_a_parquet_file_keeps_its_types(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"gold": ["a"] * 7, "pred": ["b"] * 7, "price": pyarrow.array(range(7), pyarrow.int8())})
    parquet.write_table(table, tmp_path / "a.parquet")
    result = read(tmp_path / "a.parquet", Columns()).table
    assert len(result.rows) == 7
    assert result.arrow.schema.field("price").type == pyarrow.int8()


def test_a_fault_in_a_file_is_named_with_its_row(tmp_path):
    path = lines(tmp_path / "a.jsonl", [{"gold": "g", **({} if i in (3, 6) else {"pred": "p"})} for i in range(8)])
    with pytest.raises(ValueError, match=r"2 rows cannot be scored: row 4: 'pred' is null, .*; row 7: the same"):
        read(path, Columns())
    with pytest.warns(SkippedRowsWarning, match="2 of 8 rows"):
        answers = read(path, Columns(), skip_bad=True)
    assert answers.numbers == [1, 2, 3, 5, 6, 8]
    assert list(answers.left_out) == [4, 7]
    path = lines(tmp_path / "b.jsonl", [{"id": i % 5, "gold": "g", "pred": "p"} for i in range(6)])
    with pytest.raises(ValueError, match=r"1 id in 'id' occurs more than once: '0' \(rows 1, 6\)"):
        read(path, BY_ID)


def test_two_files_of_lines_are_a_table(tmp_path):
    golds, preds = tmp_path / "golds.txt", tmp_path / "model.txt"
    golds.write_bytes("\ufeffRome\r\n a \n\n".encode())
    preds.write_bytes(b'in Rome\n"b\nx')
    answers = read_answers([golds, preds], format="lines")
    assert (answers.systems, answers.files) == (("model",), (golds, preds))
    assert answers.golds == ["Rome", " a ", ""]
    assert answers.predictions == {"model": ["in Rome", '"b', "x"]}
    preds.write_bytes(b"x\n")
    with pytest.raises(ValueError, match=r"has 3 lines and .* has 1; they must correspond"):
        read_answers([golds, preds], format="lines")
    with pytest.raises(FileNotFoundError, match=r"no file at .*gone"):
        read_answers([golds, tmp_path / "gone"], format="lines")


@pytest.mark.parametrize("value", [None, " ", True, [1], float("nan")])
def test_an_id_is_a_text_or_a_number(tmp_path, value):
    rows = [{"id": i, "gold": "g", "pred": "p"} for i in ("x", value)]
    with pytest.raises(ValueError, match="'id' is empty in row 2"):
        read({"gold": ["g", "g"], "pred": ["p", "p"], "id": [row["id"] for row in rows]}, BY_ID)


def test_files_of_one_name_are_named_by_their_paths(tmp_path):
    rows = [{"id": 1, "gold": "g", "pred": "p"}]
    for name in "ab":
        (tmp_path / name).mkdir()
    paths = [lines(tmp_path / name / "run.jsonl", rows) for name in "ab"]
    assert list(read(paths, Columns()).predictions) == [str(path) for path in paths]


# --- read_answers


def test_two_text_files_are_answers_line_by_line(tmp_path):
    (tmp_path / "gold.txt").write_text("Rome\nOslo\n")
    (tmp_path / "gpt.txt").write_text("in Rome\n\n")
    block = read_answers([tmp_path / "gold.txt", tmp_path / "gpt.txt"], format="lines")
    assert (block.golds, block.predictions) == (["Rome", "Oslo"], {"gpt": ["in Rome", ""]})
    with pytest.raises(TypeError, match="two text files, gold first"):
        read_answers(tmp_path / "gold.txt", format="lines")


def test_answers_that_are_read_already_take_no_columns():
    answers = read_answers(COLUMNS, pred=["a", "b"])
    assert read_answers(answers) is answers
    with pytest.raises(TypeError, match="give question to read_answers"):
        read_answers(answers, question="kind")
    with pytest.raises(TypeError, match="give references to read_answers"):
        read_answers(answers, references=pytest.importorskip("pandas").DataFrame({"gold": ["Rome"]}))


def test_groups_are_texts_and_a_missing_group_is_an_error():
    assert read_answers(COLUMNS, pred="a", group="kind").groups == ["x", "2"]
    with pytest.raises(LookupError, match="no column 'part'"):
        read_answers(COLUMNS, pred="a", group="part")


def test_an_encoding_applies_to_the_file_of_the_answers_and_to_no_other_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("gold;pred\nZürich;Zürich\nBern;Genève\n".encode("cp1252"))
    answers = read_answers(path, encoding="cp1252", delimiter=";")
    assert answers.golds == ["Zürich", "Bern"]
    assert answersim._base.io.detection.text_format() == (None, None)
    with pytest.raises(ValueError, match="encoding and delimiter are for files"):
        read_answers(COLUMNS, pred="a", encoding="cp1252")
    with pytest.raises(ValueError, match="a log \\(inspect\\) has its own format"):
        read_answers(path, format="inspect", encoding="cp1252")


def test_no_column_of_predictions_is_an_error():
    with pytest.raises(ValueError, match="pred names no column"):
        read_answers(COLUMNS, pred=[])


def test_a_list_of_rows_is_read_as_a_table():
    rows = [{"gold": "Rome", "pred": "in Rome", "id": 7}, {"pred": "Bergen", "gold": ["Oslo", "Christiania"]}]
    block = read_answers(rows)
    assert block.golds == ["Rome", ["Oslo", "Christiania"]]
    assert block.predictions == {"pred": ["in Rome", "Bergen"]}
    assert block.table.columns == ("gold", "pred", "id")
    assert read_answers(rows[:1]).golds == ["Rome"]
    with pytest.raises(ValueError, match="row 2: 'pred' is null, or missing"):
        read_answers([*rows[:1], {"gold": "x"}])
    with pytest.raises(TypeError, match="data mixes rows and files"):
        read_answers([*rows, "answers.csv"])


def test_a_folder_is_named_as_one(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        read_answers(tmp_path)
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a log in it"):
        read_answers(tmp_path, format="auto")


SHORT = ["Rome", "Oslo", "Bern", "Goethe", "1945"] * 4
SENTENCES = [f"I would say that it is {text}." for text in SHORT]


def test_columns_that_look_swapped_are_a_warning():
    with pytest.warns(SwappedColumnsWarning, match="longer texts that contain the prediction of pred"):
        read_answers({"gold": SENTENCES, "pred": SHORT})


@pytest.mark.parametrize("system", [None, "gpt35", "chatgpt", "gpt4", "newbing"])
def test_columns_of_shipped_answers_look_swapped_only_if_they_are(system):
    pairs = load("evouna")
    at = [i for i, category in enumerate(pairs.categories) if system in (None, category)]
    golds, preds = zip(*(pairs.pairs[i] for i in at), strict=True)
    assert look_swapped(preds, golds)
    assert not look_swapped(golds, preds)


@pytest.mark.parametrize(
    ("golds", "preds"),
    [
        (SHORT, SENTENCES),  # as they should be
        (SENTENCES, SENTENCES),
        (SENTENCES[:9], SHORT[:9]),  # too few to tell
        (SENTENCES, [text if i % 3 else "Lima" for i, text in enumerate(SHORT)][::-1]),  # few different ones
        (SENTENCES, [""] * 20),
        (["New York City"] * 20, ["New York"] * 20),
        (["It is in the north of the country."] * 20, ["south"] * 20),
        ([[text, "another one"] for text in SENTENCES], SHORT),
    ],
)
def test_other_columns_do_not(golds, preds):
    read_answers({"gold": golds, "pred": preds})  # a warning is an error of a test


NULLS: list[dict[str, Any]] = [
    {"gold": "Rome", "pred": "Rome"},
    {"gold": "Oslo", "pred": None},
    {"gold": None, "pred": "NaN"},
]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "parquet", "xlsx", "frame", "nan", "columns", "rows"])
def test_an_empty_cell_and_null_are_no_answer_and_nan_as_text_is_one(kind, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(NULLS)
    path = tmp_path / f"a.{kind}"
    writers = {
        "csv": lambda: frame.to_csv(path, index=False),
        "tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        "jsonl": lambda: lines(path, NULLS),
        "json": lambda: path.write_text(json.dumps(NULLS)),
        "parquet": lambda: frame.to_parquet(path),
        "xlsx": lambda: frame.to_excel(path, index=False),
    }
    columns = {name: [row[name] for row in NULLS] for name in ("gold", "pred")}
    data: Any = {"frame": frame, "nan": frame.where(frame.notna(), math.nan), "columns": columns, "rows": NULLS}.get(
        kind
    )
    if data is None:
        writers[kind]()
        data = path
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answers = read_answers(data)
    assert (answers.golds, [*answers.predictions.values()]) == (["Rome", "Oslo", ""], [["Rome", "", "NaN"]])
    counted = [str(entry.message) for entry in caught if "no answer, in 1 of 3 rows" in str(entry.message)]
    assert len(counted) == (0 if kind in ("csv", "tsv", "xlsx") else 2)


def test_a_missing_column_of_predictions_names_the_option():
    with pytest.raises(LookupError, match=r"columns are: gold, pred_a; name the columns of predictions.*--pred A,B"):
        read_answers({"gold": ["Rome"], "pred_a": ["Rome"]})


def answers(**own: list[Any]) -> Any:
    table = {"gold": ["a", "b", "c"], "pred": ["a", "x", "c"], "id": [1, "two", 3], **own}
    return read_answers(table, id="id")


def test_scores_are_numbers() -> None:
    (result,) = system_columns.scores(answers(s=[1, "0.5", 0]), {"pred": "s"}).values()
    assert result.tolist() == [1, 0.5, 0]
    with pytest.raises(LookupError, match="pred has no column 's' of scores"):
        system_columns.scores(answers(), {"pred": "s"})


@every("value", [None, "x", float("nan"), float("inf"), [1]])
def test_a_score_that_is_no_number_is_named(value: Any) -> None:
    with pytest.raises(ValueError, match="pred, id 'two': the score 's' is"):
        system_columns.scores(answers(s=[1, value, 0]), {"pred": "s"})


def labeled(**own: list[Any]) -> Any:
    return label_sources.system_labels("label", answers(**own), least=0)["pred"]


def test_labels_in_a_column_may_be_words_and_missing() -> None:
    result = labeled(label=["yes", None, float("nan")], inclusion=[0.5, None, ""], stratum=["2", None, ""])
    np.testing.assert_array_equal(np.stack(result), [[1, np.nan, np.nan], [0.5, np.nan, np.nan], [2, np.nan, np.nan]])
    assert labeled(label=[1, 0, ""], inclusion=["", None, ""])[1:] == (None, None)
    assert labeled(label=[1, 0, ""], inclusion=[1, 1, 1], stratum=[1, None, None]).strata is None
    with pytest.raises(LookupError, match="pred has no column 'label' of labels"):
        labeled()


@every(
    ("own", "message"),
    [
        ({"label": [1, 7, None]}, "pred, id 'two': the label is '7'"),
        ({"label": [1, 0, None], "inclusion": [0.5, None, None]}, "1 of the 2 labels of pred have no inclusion"),
        ({"label": [1, 0, None], "stratum": [1, "x", None]}, "id 'two': the stratum is 'x'"),
    ],
)
def test_bad_labels_and_probabilities_are_named(own: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        labeled(**own)


def test_columns_are_one_for_all_tables_or_one_per_system() -> None:
    two = read_answers({"gold": ["a"], "x": ["a"], "y": ["b"]}, pred=["x", "y"])
    rows = {"x": {"id": 1, "gold": "a", "pred": "a"}, "y": {"id": 1, "pred": "b"}}
    tables = read_answers({system: Table(tuple(row), [row]) for system, row in rows.items()})
    assert system_columns.by_system(tables, "label", ["l"]) == {"x": "l", "y": "l"}
    assert system_columns.by_system(two, "label", ["l", "m"]) == {"x": "l", "y": "m"}
    with pytest.raises(ValueError, match="1 column of labels for 2 systems; give one column per system"):
        system_columns.by_system(two, "label", ["l"])
