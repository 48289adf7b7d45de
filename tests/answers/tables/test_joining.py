"""Tables of several systems, joined by id."""

import pytest

from answersim._base.errors import SkippedRowsWarning
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Columns
from tests.answers.made_tables import lines, read


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
