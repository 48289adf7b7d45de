"""``answersim evaluate``: the first line of every output, files in every order, and errors before any work."""

import csv
import json

import pytest

import answersim
from tests.command_line import refused, run, succeed

TABLE = "id,question,gold,a,b\n1,Who?,Rome,in Rome,Rome\n2,Who?,Oslo,Bergen,Oslo\n3,What?,a/b c d,b,x\n"
RECALL = ("-m", "recall", "--split-gold", "/")


@pytest.fixture
def table(tmp_path):
    (tmp_path / "answers.csv").write_text(TABLE)
    return tmp_path / "answers.csv"


@pytest.fixture
def files(tmp_path):
    for name, order in (("one", (0, 1, 2)), ("two", (2, 0, 1))):
        preds = {i: f"g{i}" if i or name == "two" else "no" for i in order}
        rows = [{"id": i, "gold": f"g{i}", "question": f"q{i % 2}", "pred": preds[i]} for i in order]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "one.jsonl", tmp_path / "two.jsonl"


def test_the_first_line_is_the_result(table):
    lines = succeed("evaluate", table, "--pred", "a", *RECALL).splitlines()
    assert lines[0].startswith("1 of 3 right, 33 % [")
    assert lines[0].endswith("; 1 wrong, 1 unsure")
    assert any(line.startswith("recall: recall|text:en|rev:1") for line in lines)
    assert "to keep all listed answers: --output FILE" in lines


def test_columns_are_systems_and_the_numbers_are_those_of_the_library(table):
    out = succeed("evaluate", table, "--pred", "a,b", "--question", "question", "--by", "question", *RECALL)
    result = answersim.evaluate(
        answersim.read_answers(table, pred=["a", "b"], question="question", split_gold="/"), "recall", by=["question"]
    )
    assert out.splitlines()[:2] == result.summary()
    for system in "ab":
        rows = out.split(f"{system} by subset")[1].splitlines()[3:6]
        assert [row.split()[0] for row in rows] == ["all", "question=what", "question=who"]
    assert "95% intervals over questions" in out


def test_listed_answers_are_written_and_the_first_line_names_the_file(table, tmp_path):
    output = tmp_path / "wrong.csv"
    first = succeed("evaluate", table, "--pred", "a,b", "-o", output, *RECALL).splitlines()[0]
    assert first.endswith(f"unsure: see {output}")
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["row"], row["system"], row["verdict"]) for row in rows] == [
        *(("2", "a", "wrong"), ("3", "a", "unsure"), ("3", "b", "wrong"))
    ]
    assert json.loads(rows[1]["gold"]) == ["a", "b c d"]
    succeed("evaluate", table, "--pred", "a,b", "-o", output, "--keep", "unsure", *RECALL)
    assert len(output.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("format_", "first"),
    [("markdown", "1 of 3 right, 33 % ["), ("latex", r"1 of 3 right, 33 \% ["), ("text", "1 of 3 right, 33 % [")],
)
def test_every_format_begins_with_the_result(table, format_, first):
    assert succeed("evaluate", table, "--pred", "a", "--format", format_, *RECALL).startswith(first)


def test_json_holds_all_listed_answers(table):
    content = json.loads(succeed("evaluate", table, "--pred", "a,b", "--format", "json", *RECALL))
    assert next(iter(content)) == "summary"
    assert [answer["row"] for answer in content["answers"]] == ["2", "3", "3"]
    assert "--rows is given, but JSON contains all" in refused(
        "evaluate", table, "--pred", "a", "--format", "json", "--rows", 3, *RECALL
    )


def test_files_are_systems_that_are_joined_by_id(files):
    out = succeed("evaluate", *files, "--question", "question", "-m", "recall")
    assert out.splitlines()[0].startswith("one: 2 of 3 right")
    assert out.splitlines()[1].startswith("two: 3 of 3 right")


def test_missing_ids_are_named_or_left_out(files, tmp_path):
    files[1].write_text(files[1].read_text().splitlines()[0] + "\n")
    message = refused("evaluate", *files, "-m", "recall")
    assert "two.jsonl lacks 2 ids ('0', '1') of" in message
    assert "--skip-bad" in message


@pytest.mark.filterwarnings("always::answersim.errors.SkippedRowsWarning")
def test_bad_rows_are_counted(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"gold": "a", "pred": "a"}\n{"gold": [], "pred": "b"}\n{"gold": "c"}\n')
    message = refused("evaluate", tmp_path / "t.jsonl", "-m", "recall")
    assert "2 rows cannot be scored: row 2: 'gold' is []" in message
    status, out, err = run("evaluate", tmp_path / "t.jsonl", "-m", "recall", "--skip-bad")
    assert (status, out.splitlines()[0]) == (0, "1 of 1 right, 100 % [3, 100]; 0 wrong, 0 unsure")
    assert "2 of 3 rows are left out: row 2" in err


def test_standard_input_is_a_table(table, monkeypatch):
    code, out, _ = run("evaluate", "-", "--pred", "a", *RECALL, typed=TABLE)
    assert code == 0
    assert out.splitlines()[0] == succeed("evaluate", table, "--pred", "a", *RECALL).splitlines()[0]
    assert "standard input (-) is given twice" in run("evaluate", "-", "-", "-m", "recall", typed=TABLE)[2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--format", "html"), "no format is called 'html'"),
        (("--min-precision", 0.99), "min_precision is 0.99"),
        (("--threshold", 0.5, "--low", 0.1), "a threshold alone decides"),
        (("--references", "x.csv"), "--references is for several files"),
        (("--keep", "worng"), "did you mean 'wrong'"),
        (("--output", "no/out.csv"), "there is no folder"),
        (("--output", "out.txt"), "has the suffix '.txt'"),
        (("--output", "TABLE"), "choose another name for the output"),
        (("--device", "cpu"), "recall runs no network"),
        (("--calibration", "f1"), "f1"),
    ],
)
def test_a_mistake_is_told_in_one_line(table, arguments, told):
    asked = [table if argument == "TABLE" else argument for argument in arguments]
    assert told in refused("evaluate", table, *([] if "--pred" in arguments else ["--pred", "a"]), *RECALL, *asked)
    assert table.read_text() == TABLE


def test_names_from_files_do_not_control_the_terminal(tmp_path):
    (tmp_path / "t.jsonl").write_text(json.dumps({"gold": "a", "p\x1b[31m": "b\x1b[2J"}) + "\n")
    for format_ in ("text", "markdown", "latex"):
        out = succeed("evaluate", tmp_path / "t.jsonl", "-m", "recall", "--pred", "p\x1b[31m", "--format", format_)
        assert "\x1b" not in out


def test_labels_correct_the_share(tmp_path):
    rows = [{"id": i, "gold": "Rome", "pred": "Rome" if i % 3 else "Oslo"} for i in range(60)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [{"id": i, "label": "yes" if i % 3 else "no"} for i in range(20)]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    how = ("evaluate", tmp_path / "t.jsonl", "-m", "recall")
    out = succeed(*how, "--labels", tmp_path / "l.jsonl")
    assert "right by 20 labels, which are worth" in out.splitlines()[1]
    assert "Corrected by human labels" in out
    assert succeed(*how, "--labels", f"t={tmp_path / 'l.jsonl'}") == out
    assert "labels are given for 'x', but the systems are: t" in refused(*how, "--labels", f"x={tmp_path / 'l.jsonl'}")
    assert "names no system" in refused(*how, "--labels", tmp_path / "l.jsonl", "--labels", f"t={tmp_path / 'l.jsonl'}")
    assert "gives labels of 't' twice" in refused(*how, "--labels", "t=a.csv", "--labels", "t=b.csv")
    assert "choose another name for the output" in refused(
        *how, "--labels", tmp_path / "l.jsonl", "-o", tmp_path / "l.jsonl"
    )


def test_only_the_printed_rows_are_held_and_the_others_are_counted(tmp_path):
    rows = [{"gold": "Rome", "pred": "Oslo"}] * 30
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = succeed("evaluate", tmp_path / "t.jsonl", "-m", "recall", "--rows", 4)
    assert "not shown: 26 more rows" in out
    assert (
        len(json.loads(succeed("evaluate", tmp_path / "t.jsonl", "-m", "recall", "--format", "json"))["answers"]) == 30
    )


@pytest.mark.filterwarnings("default::answersim.errors.EmptyReferencesWarning")
@pytest.mark.parametrize("command", ["score", "evaluate"])
def test_an_empty_answer_is_not_right_because_a_gold_value_ends_with_the_separator(command, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("gold,pred\n" + "Rome|Roma|,\n" * 3 + "Rome|Roma|,Roma\n" * 3)
    output = tmp_path / "out.jsonl"
    only = ("--keep", "wrong,unsure,right,not attempted") if command == "evaluate" else ()
    code, _, err = run(command, path, "-m", "recall", "--split-gold", "|", "-o", output, *only)
    assert code == 0
    assert "6 empty parts of gold answers left out, the first in row 1" in err
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert {(row["pred"], row.get("recall", row.get("score"))) for row in rows} == {("", 0.0), ("Roma", 1.0)}
