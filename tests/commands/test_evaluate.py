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


def test_the_first_line_is_the_result(table):
    lines = succeed("evaluate", table, "--pred", "a", *RECALL).splitlines()
    assert lines[0].startswith("1 of 3 right, 33 % [")
    assert lines[0].endswith("; 1 wrong, 1 unsure")
    by = "counted by recall, as people judged other answers; to check it on these, label some: answersim label FILE"
    assert (lines[1], lines[3].split()) == (by, "system n right wrong unsure share right expected right".split())
    assert lines[-1] == "to keep all listed answers: --output FILE; more: -v"


def test_signature_calibration_means_and_attempts_are_printed_on_request(tmp_path):
    rows = [{"gold": "Rome", "pred": text} for text in ("Rome", "I don't know", "Milan")]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    short = succeed("evaluate", tmp_path / "t.jsonl", *RECALL)
    full = succeed("evaluate", tmp_path / "t.jsonl", *RECALL, "-v")
    details = ("recall: recall|text:en|rev:1", "mean recall", "right of attempted", "counted: an answer is right from")
    for detail in (*details, "calibration: ", "expected right is the share", "95% intervals over", "not attempted: 1"):
        assert (detail in short, detail in full) == (False, True), detail
    assert short.splitlines()[0] == full.splitlines()[0]
    assert "1 not attempted" in short


def test_without_a_calibration_the_reason_is_printed(table):
    out = succeed("evaluate", table, "--pred", "a", "-m", "bleu", "--split-gold", "/")
    assert "not counted as right or wrong" in out.splitlines()[0]
    assert "counted: no calibration ships for bleu" in out
    assert "mean bleu" in out
    assert "counted: an answer is right from the given threshold on, bleu 0.5" in succeed(
        "evaluate", table, "--pred", "a", "-m", "bleu", "--split-gold", "/", "--threshold", 0.5
    )


def test_columns_are_systems_and_the_numbers_are_those_of_the_library(table):
    out = succeed("evaluate", table, "--pred", "a,b", "--question", "question", "--by", "question", *RECALL, "-v")
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


@pytest.mark.parametrize("form", ["markdown", "latex", "text"])
def test_every_format_begins_with_the_result_and_controls_no_terminal(form, tmp_path):
    (tmp_path / "t.jsonl").write_text(json.dumps({"gold": "a", "p\x1b[31m": "b\x1b[2J"}) + "\n")
    out = succeed("evaluate", tmp_path / "t.jsonl", "-m", "recall", "--pred", "p\x1b[31m", "--format", form)
    assert out.startswith("0 of 1 right, 0 ")
    assert "\x1b" not in out


def test_json_holds_all_listed_answers(table):
    content = json.loads(succeed("evaluate", table, "--pred", "a,b", "--format", "json", *RECALL))
    assert next(iter(content)) == "summary"
    assert [answer["row"] for answer in content["answers"]] == ["2", "3", "3"]
    assert "--rows is given, but JSON contains all" in refused(
        "evaluate", table, "--pred", "a", "--format", "json", "--rows", 3, *RECALL
    )


def test_standard_input_is_a_table(table, monkeypatch):
    code, out, _ = run("evaluate", "-", "--pred", "a", *RECALL, typed=TABLE)
    assert code == 0
    assert out.splitlines()[0] == succeed("evaluate", table, "--pred", "a", *RECALL).splitlines()[0]
    assert "standard input (-) is given twice" in run("evaluate", "-", "-", "-m", "recall", typed=TABLE)[2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--format", "html"), "no format is called 'html'"),
        (("--references", "x.csv"), "--references is for several files"),
        (("--keep", "worng"), "did you mean 'wrong'"),
        (("--output", "out.txt"), "has the suffix '.txt'"),
        (("--output", "TABLE"), "choose another name for the output"),
        (("--device", "cpu"), "recall runs no network"),
    ],
)
def test_a_mistake_is_told_in_one_line(table, arguments, told):
    asked = [table if argument == "TABLE" else argument for argument in arguments]
    assert told in refused("evaluate", table, *([] if "--pred" in arguments else ["--pred", "a"]), *RECALL, *asked)
    assert table.read_text() == TABLE


def test_labels_correct_the_share(tmp_path):
    rows = [{"id": i, "gold": "Rome", "pred": "Rome" if i % 3 else "Oslo"} for i in range(60)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [{"id": i, "label": "yes" if i % 3 else "no"} for i in range(20)]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    how = ("evaluate", tmp_path / "t.jsonl", "-m", "recall", "-v")
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
