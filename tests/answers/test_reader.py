"""The answers of systems, from columns and from files: joined by id, and every bad row named at once."""

import json

import pytest

import answersim.io.detection
import answersim.io.files
from answersim.answers.reader import Answers, Columns, read_answers
from answersim.errors import SkippedRowsWarning
from tests.cases import every

COLUMNS = {"gold": ["Rome", ["Oslo", "Kristiania"]], "a": ["in Rome", "Oslo"], "b": ["Paris", ""], "kind": ["x", 2]}
TWO = Columns(preds=("a", "b"))
BY_ID = Columns(id="id")


def read(data, columns=Columns(), **more):  # noqa: B008 # immutable
    return Answers(data, columns, **more).read()


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def files(tmp_path):
    """Two systems in an order of their own; only the first one has gold answers."""
    first = [{"id": i, "gold": [f"g{i}"], "question": f"q{i}", "pred": f"a{i}"} for i in range(4)]
    second = [{"id": str(i), "pred": f"b{i}"} for i in (3, 1, 0, 2)]
    return [lines(tmp_path / "a.jsonl", first), lines(tmp_path / "b.jsonl", second)]


def test_columns_are_systems():
    answers = read(COLUMNS, TWO._replace(others=("kind",)))
    assert answers.ids == ["1", "2"]
    assert answers.golds == ["Rome", ["Oslo", "Kristiania"]]
    assert answers.predictions == {"a": ["in Rome", "Oslo"], "b": ["Paris", ""]}
    assert answers.questions is None
    assert answers.columns == {"kind": ["x", 2]}
    assert answers.skipped == 0


def test_a_frame_is_read_as_its_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["Rome"], "a": ["in Rome"], "b": ["Paris"]})
    assert read(frame, TWO).predictions == {"a": ["in Rome"], "b": ["Paris"]}


def test_systems_are_named_after_files_or_columns(tmp_path):
    path = lines(tmp_path / "gpt.jsonl", [{"gold": "a", "pred": "b", "mine": "c"}])
    assert list(read(path, Columns()).predictions) == ["gpt"]
    assert list(read([path], Columns(preds=("mine",))).predictions) == ["gpt"]
    assert list(read(path, Columns(preds=("mine", "pred"))).predictions) == ["mine", "pred"]
    assert list(read({"gold": ["a"], "pred": ["b"]}, Columns()).predictions) == ["pred"]


def test_files_are_joined_by_id_whatever_their_order(files):
    answers = read(files, Columns(question="question"))
    assert answers.ids == ["0", "1", "2", "3"]
    assert answers.predictions == {"a": ["a0", "a1", "a2", "a3"], "b": ["b0", "b1", "b2", "b3"]}
    assert answers.golds == [["g0"], ["g1"], ["g2"], ["g3"]]
    assert answers.questions == ["q0", "q1", "q2", "q3"]


def test_references_give_the_gold_answers_and_the_order(files, tmp_path):
    held = lines(tmp_path / "gold.jsonl", [{"id": i, "gold": f"G{i}", "n": i} for i in (2, 0, 1, 3)])
    answers = read({"one": files[1], "two": files[0]}, Columns(others=("n",)), references=held)
    assert answers.ids == ["2", "0", "1", "3"]
    assert answers.golds == ["G2", "G0", "G1", "G3"]
    assert answers.predictions["two"] == ["a2", "a0", "a1", "a3"]
    assert answers.columns == {"n": [2, 0, 1, 3]}


def test_missing_and_strange_ids_are_named(files, tmp_path):
    other = lines(tmp_path / "c.jsonl", [{"id": i, "pred": "c"} for i in (0, 2, 7, 8)])
    with pytest.raises(LookupError) as error:
        read([files[0], other], Columns())
    assert "c.jsonl lacks 2 ids ('1', '3') of" in str(error.value)
    assert "c.jsonl has 2 ids ('7', '8') that" in str(error.value)
    with pytest.warns(UserWarning, match="left out") as caught:
        answers = read([files[0], other], Columns(), skip_bad=True)
    assert answers.ids == ["0", "2"]
    assert answers.skipped == 2
    assert [type(warning.message) for warning in caught] == [UserWarning, UserWarning, SkippedRowsWarning]


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


def test_gold_answers_that_differ_between_files_are_an_error(files, tmp_path):
    other = lines(tmp_path / "c.jsonl", [{"id": i, "pred": "c", "gold": [f"g{i % 3}"]} for i in range(4)])
    with pytest.raises(ValueError, match=r"'gold' differs between .*a.jsonl and .*c.jsonl for 1 id \('3'\)"):
        read([files[0], other], Columns())


def test_all_rows_without_answers_are_named_at_once_or_left_out_for_all_systems():
    bad = {"gold": ["a", [], "c", "d"], "a": ["x", "x", None, "x"], "b": ["x", "x", "x", 5]}
    with pytest.raises(ValueError, match="3 rows cannot be scored: row 2: 'gold' is \\[\\]") as error:
        read(bad, TWO)
    assert "row 3: 'a' is null" in str(error.value)
    assert "row 4: 'b' is 5" in str(error.value)
    with pytest.warns(SkippedRowsWarning, match="3 of 4 rows are left out"):
        answers = read(bad, TWO, skip_bad=True)
    assert (answers.ids, answers.golds, answers.predictions) == (["1"], ["a"], {"a": ["x"], "b": ["x"]})


def test_a_separator_splits_gold_answers():
    assert read({"gold": ["a/b", ["c/d"]], "pred": ["x", "y"]}, Columns(split_gold="/")).golds == [["a", "b"], ["c/d"]]


@every(
    ("data", "columns", "error", "words"),
    [
        ({"gold": [], "pred": []}, Columns(), ValueError, "has no rows"),
        ({"gold": ["a"], "pred": ["a", "b"]}, Columns(), ValueError, "different lengths"),
        ({"gold": ["a"], "pred": ["a"]}, Columns(gold="Gold"), LookupError, "no column 'Gold'"),
        ({"gold": ["a"], "pred": ["a"]}, Columns(preds=("gold",)), ValueError, "both name the column 'gold'"),
        ({"gold": [None], "pred": ["a"]}, Columns(), ValueError, "row 1: 'gold' is null"),
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


def test_a_file_in_pieces_gives_the_answers_of_the_whole_table(tmp_path, monkeypatch):
    monkeypatch.setattr("answersim.io.chunks.ROWS", 3)
    rows = [{"id": i, "gold": f"g{i}", "out": {"text": f"a{i}"}, "label": i % 2} for i in range(8)]
    path = lines(tmp_path / "a.jsonl", rows)
    columns = Columns(preds=("out.text",), id="id", others=("label",), own=("label", "s"), optional=("length",))
    blocks = Answers(path, columns)
    assert [len(block.ids) for block in blocks] == [3, 3, 2]
    assert (blocks.name, blocks.systems, blocks.rows) == ("a", ("a",), 8)
    answers = read(path, columns)
    whole = read(answersim.io.files.read(path), columns)
    assert list(whole.predictions) == ["out.text"]  # no file
    assert answers == whole._replace(
        name="a", predictions={"a": whole.predictions["out.text"]}, own={"a": whole.own["out.text"]}
    )
    assert answers.predictions == {"a": [f"a{i}" for i in range(8)]}
    assert answers.own == {"a": {"label": [i % 2 for i in range(8)]}}


def test_a_parquet_file_in_pieces_keeps_its_types(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.setattr("answersim.io.chunks.ROWS", 3)
    table = pyarrow.table({"gold": ["a"] * 7, "pred": ["b"] * 7, "price": pyarrow.array(range(7), pyarrow.int8())})
    parquet.write_table(table, tmp_path / "a.parquet")
    whole = Answers(tmp_path / "a.parquet", Columns()).read(all_columns=True).table
    assert len(whole.rows) == 7
    assert whole.arrow.schema.field("price").type == pyarrow.int8()


def test_a_fault_in_a_late_piece_is_named_with_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr("answersim.io.chunks.ROWS", 2)
    path = lines(tmp_path / "a.jsonl", [{"gold": "g", "pred": "p" if i not in (3, 6) else None} for i in range(8)])
    with pytest.raises(ValueError, match=r"2 rows cannot be scored: row 4: 'pred' is null, .*; row 7: the same"):
        list(Answers(path, Columns()))
    kept = Answers(path, Columns(), skip_bad=True)
    assert [number for block in kept for number in block.numbers] == [1, 2, 3, 5, 6, 8]
    assert list(kept.flaws) == [4, 7]
    path = lines(tmp_path / "b.jsonl", [{"id": i % 5, "gold": "g", "pred": "p"} for i in range(6)])
    with pytest.raises(ValueError, match=r"1 id in 'id' occurs more than once: '0' \(rows 1, 6\)"):
        list(Answers(path, BY_ID))


@pytest.mark.parametrize("value", [None, " ", True, [1], float("nan")])
def test_an_id_is_a_text_or_a_number(tmp_path, value):
    rows = [{"id": i, "gold": "g", "pred": "p"} for i in ("x", value)]
    with pytest.raises(ValueError, match="'id' is empty in row 2"):
        read({"gold": ["g", "g"], "pred": ["p", "p"], "id": [row["id"] for row in rows]}, BY_ID)


def test_columns_that_must_agree_are_checked_and_golds_may_be_lists_of_one(files, tmp_path):
    rows = [{"id": i, "pred": "c", "gold": f"g{i}", "question": "q?"} for i in range(4)]
    other = lines(tmp_path / "c.jsonl", rows)
    assert read([files[0], other], Columns()).golds == [["g0"], ["g1"], ["g2"], ["g3"]]
    with pytest.raises(ValueError, match=r"'question' differs between .* for 4 ids .*: 'q0' and 'q\?'"):
        read([files[0], other], Columns(agreeing=("question",)))


def test_questions_are_found_in_a_table_of_a_system_if_the_references_have_none(files, tmp_path):
    held = lines(tmp_path / "gold.jsonl", [{"id": i, "gold": f"G{i}"} for i in (2, 0, 1, 3)])
    answers = read(files, Columns(question="question"), references=held)
    assert (answers.golds[0], answers.questions) == ("G2", ["q2", "q0", "q1", "q3"])


def test_files_of_one_name_are_named_by_their_paths(tmp_path):
    rows = [{"id": 1, "gold": "g", "pred": "p"}]
    for name in "ab":
        (tmp_path / name).mkdir()
    paths = [lines(tmp_path / name / "run.jsonl", rows) for name in "ab"]
    assert list(read(paths, Columns()).predictions) == [str(path) for path in paths]


# --- read_answers


def test_several_systems_of_one_log_tool_are_joined_by_their_samples(tmp_path):
    rows = [{"id": i, "vars": {}, "question": f"q{i}", "gold": f"g{i}"} for i in range(3)]
    paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for path in paths:
        lines(path, [{"user_input": row["question"], "reference": row["gold"], "response": path.stem} for row in rows])
    answers = read_answers(paths[0], question="question", format="ragas")
    assert answers.read().predictions == {"a": ["a", "a", "a"]}
    both = read_answers(paths, question="question", format="ragas").read()
    assert both.predictions == {"a": ["a"] * 3, "b": ["b"] * 3}
    assert both.golds == [["g0"], ["g1"], ["g2"]]


def test_two_text_files_are_answers_line_by_line(tmp_path):
    (tmp_path / "gold.txt").write_text("Rome\nOslo\n")
    (tmp_path / "gpt.txt").write_text("in Rome\n\n")
    block = read_answers([tmp_path / "gold.txt", tmp_path / "gpt.txt"], format="lines").read()
    assert (block.golds, block.predictions) == (["Rome", "Oslo"], {"gpt": ["in Rome", ""]})
    with pytest.raises(TypeError, match="two text files, gold first"):
        read_answers(tmp_path / "gold.txt", format="lines")


def test_answers_that_are_read_already_take_no_columns():
    answers = read_answers(COLUMNS, pred=["a", "b"])
    assert read_answers(answers) is answers
    with pytest.raises(TypeError, match="give question to read_answers"):
        read_answers(answers, question="kind")


def test_groups_are_texts_and_a_missing_group_is_an_error():
    assert read_answers(COLUMNS, pred="a", group="kind").read().groups == ["x", "2"]
    with pytest.raises(LookupError, match="no column 'part'"):
        read_answers(COLUMNS, pred="a", group="part").read()


def test_an_encoding_applies_to_the_file_of_the_answers_and_to_no_other_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("gold;pred\nZürich;Zürich\nBern;Genève\n".encode("cp1252"))
    answers = read_answers(path, encoding="cp1252", delimiter=";")
    for block in answers:
        assert block.golds == ["Zürich", "Bern"]
        assert answersim.io.detection.text_format() == (None, None)
    with pytest.raises(ValueError, match="encoding and delimiter are for files"):
        read_answers(COLUMNS, pred="a", encoding="cp1252")
    with pytest.raises(ValueError, match="a log \\(ragas\\) has its own format"):
        read_answers(path, format="ragas", encoding="cp1252")


def test_no_column_of_predictions_is_an_error():
    with pytest.raises(ValueError, match="pred names no column"):
        read_answers(COLUMNS, pred=[])


def test_tables_with_the_same_ids_lack_nothing_with_references_and_without(tmp_path, recwarn) -> None:
    for name, pred in (("a", "x"), ("b", "y")):
        (tmp_path / f"{name}.csv").write_text(f"id,gold,pred\n1,Rome,{pred}\n2,Oslo,{pred}\n", encoding="utf-8")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    (tmp_path / "golds.csv").write_text("id,gold\n2,Oslo\n1,Rome\n", encoding="utf-8")
    for references in (None, tmp_path / "golds.csv"):
        block = read_answers(files, references=references, skip_bad=True).read()
        assert (block.predictions, block.skipped) == ({"a": ["x", "x"], "b": ["y", "y"]}, 0)
    assert not recwarn.list
