"""``answersim score --calibration``: the right verdict in each row, and none from a calibration of something else."""

import csv
import json

import pytest

import answersim
from answersim.calibration.fitting import calibrate
from answersim.calibration.storing import find, read, write
from answersim.stats.resampling import Bootstrap
from tests.calibration.conftest import world
from tests.command_line import refused, run, succeed

TABLE = "id,gold,pred,mine\n1,National Football League,National Football League,4\n2,Rome,Milan,-2\n3,NA,None,1.5\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def of_column(tmp_path):
    """A calibration of a column of scores."""
    calibration = calibrate(
        *world(600, 0), signature="column|name:mine", bootstrap=Bootstrap(resamples=20), metric={"column": "mine"}
    )
    write(calibration, tmp_path / "mine.json")
    return tmp_path / "mine.json"


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_row_gets_its_score_probability_and_verdict(table, tmp_path):
    out = succeed("score", table, "--calibration", "recall", "--output", tmp_path / "out.csv")
    rows, recall = rows_of(tmp_path / "out.csv"), find("recall")
    assert list(rows[0]) == ["id", "gold", "pred", "mine", "recall", "probability", "verdict"]
    assert [float(row["recall"]) for row in rows] == [1, 0, 0]
    assert [row["verdict"] for row in rows] == recall.verdicts([1.0, 0.0, 0.0]).tolist()
    assert [float(row["probability"]) for row in rows] == recall.probability([1.0, 0.0, 0.0]).tolist()
    assert [row["gold"] for row in rows] == ["National Football League", "Rome", "NA"]
    assert recall.signature in out
    assert "3,385 pairs" in out
    assert "caution: in the data of the calibration, 77.8% were equivalent" in out


def test_a_calibration_of_a_column_reads_that_column(table, of_column, tmp_path):
    asked = ("score", table, "-c", of_column, "--score", "mine", "-o", tmp_path / "out.jsonl")
    out = succeed(*asked, "--prefix", "my_")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["my_verdict"] for row in rows] == ["equivalent", "different", "unsure"]
    assert [row["my_probability"] for row in rows] == read(of_column).probability([4, -2, 1.5]).tolist()
    assert "33.3%" in out
    assert "caution" not in out


def test_one_pair_is_judged_on_the_command_line():
    out = succeed("score", "--gold", "National Football League", "--pred", "the Football League", "-c", "recall")
    lines = dict(line.split(maxsplit=1) for line in out.splitlines()[:4])
    recall = find("recall")
    assert lines["score"] == "0.6667"
    assert lines["verdict"] == recall.verdicts(2 / 3).item()
    assert lines["probability"] == f"{recall.probability(2 / 3):.4f}"
    assert lines["signature"] == recall.signature


@pytest.mark.filterwarnings("always::answersim._base.errors.ShortAnswersWarning")
def test_shared_words_of_a_short_answer_have_no_verdict_and_the_reason(tmp_path):
    (tmp_path / "t.csv").write_text(f"gold,pred\nBarack Obama,Michelle Obama\nRome,It is Rome {'and so on ' * 4}\n")
    code, out, error = run("score", tmp_path / "t.csv", "-c", "f1", "-o", tmp_path / "out.csv")
    assert code == 0
    assert "1 of 2 predictions have fewer than 12 words and are unsure" in error
    assert "mean probability" not in out
    rows = rows_of(tmp_path / "out.csv")
    assert [(row["probability"] == "nan", row["verdict"]) for row in rows] == [(True, "unsure"), (False, "equivalent")]
    code, out, error = run("score", "--gold", "Barack Obama", "--pred", "Michelle Obama", "-m", "meteor")
    assert "1 of 1 predictions have fewer than 12 words" in error
    assert "verdict      unsure" in out
    assert "probability" not in out


def test_a_calibration_of_former_weights_or_words_is_refused_before_any_work(table, tmp_path, monkeypatch):
    write(find("f1"), tmp_path / "f1.json")
    story = json.loads((tmp_path / "f1.json").read_text())
    story["signature"] = "f1|text:squad|rev:1"
    (tmp_path / "f1.json").write_text(json.dumps(story))
    monkeypatch.setattr("answersim.scoring.row_verdicts.score_answers", None)  # whoever scores, fails
    message = refused("score", table, "-c", tmp_path / "f1.json", "-o", tmp_path / "out.csv")
    assert "text is en and not squad" in message
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-c", "f11"), "no calibration is called 'f11'; did you mean 'f1'"),
        (("-c", "COLUMN"), "made from a column of scores; name it: --score mine"),
        (("-c", "f1", "--pred", "gold"), "gold and pred both name the column 'gold'"),
        (("-c", "f1", "-o", "out.xls"), "has the suffix '.xls'"),
    ],
)
def test_a_mistake_is_told_in_one_line(table, of_column, arguments, told):
    asked = [of_column if argument == "COLUMN" else argument for argument in arguments]
    assert told in refused("score", table, *asked)


def test_a_column_that_is_there_already_is_not_written_over(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("gold,pred,verdict\na,a,mine\n")
    assert "already has a column 'verdict'" in refused("score", path, "-c", "f1", "-o", tmp_path / "out.csv")


def test_the_first_line_counts_the_verdicts_and_the_table_expects_what_the_probabilities_say(table):
    lines = succeed("score", table, "-c", "recall").splitlines()
    recall = find("recall")
    assert lines[0] == "1 of 3 equivalent, 33%; 2 different, 0 unsure"
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("equivalent  ", "different  "))}
    assert rows["equivalent"][:3] == ["1", "33.3%", f"{recall.probability(1.0):.1%}"]
    assert rows["different"][:3] == ["2", "66.7%", f"{1 - recall.probability(0.0):.1%}"]


def test_the_band_of_unsure_is_an_option(table, of_column, tmp_path):
    asked = ("score", table, "-c", of_column, "--score", "mine", "-o", tmp_path / "out.csv")
    succeed(*asked, "--low", 0.5, "--high", 0.5)
    assert [row["verdict"] for row in rows_of(tmp_path / "out.csv")] == [
        "equivalent",
        "different",
        "equivalent" if read(of_column).probability(1.5) >= 0.5 else "different",
    ]
    assert "low is 0.7 and high is 0.7, but" in refused(*asked, "--low", 0.7)


def test_the_calibration_is_not_written_over(of_column, table, tmp_path):
    (tmp_path / "link.csv").symlink_to(of_column)
    message = refused("score", table, "-c", of_column, "--score", "mine", "-o", tmp_path / "link.csv")
    assert "choose another name for the output" in message
    assert read(of_column).signature == "column|name:mine"


PAIR = ("--gold", "Rome", "--pred", "in Rome, Italy")


def test_one_pair_has_a_score_by_each_metric_and_a_verdict_if_a_calibration_ships():
    lines = [line.split(maxsplit=1) for line in succeed("score", *PAIR, "-m", "recall,em,bleu").splitlines()]
    expected = answersim.score("Rome", "in Rome, Italy", "recall", calibration="shipped")
    assert lines[:5] == [
        ["metric", "recall"],
        ["verdict", "equivalent"],
        ["probability", f"{expected.probability:.4f}"],
        ["score", "1.0000"],
        ["signature", expected.signature],
    ]
    assert lines[5:9] == [
        ["metric", "em"],
        ["verdict", "different"],
        ["score", "0.0000"],
        ["signature", answersim.metric("em").signature],
    ]
    assert [line[0] for line in lines[9:]] == ["metric", "score", "signature"]


def test_a_pair_may_have_several_gold_answers_and_a_question():
    several = ("--gold", "Oslo | Rome", "--split-gold", " | ", "--pred", "Rome")
    assert "score        1.0000" in succeed("score", *several, "-m", "recall")
    assert "reads no question" in refused("score", *PAIR, "-m", "f1", "--question", "Where is it?")


def test_what_one_pair_leaves_without_effect_is_refused():
    for option in (("--skip-bad",), ("--encoding", "cp1252"), ("-o", "x.csv"), ("--score", "s")):
        line = refused("score", *PAIR, *option)
        assert "is given, but it is for a table, and there is no FILE" in line
    assert "--low is given, but it is for a calibration" in refused("score", *PAIR, "--low", "0.1")
    assert "--pred is given 2 times" in refused("score", *PAIR, "--pred", "Milan")
    for words in (("--gold", "Rome"), ("-c", "f1"), ("--pred", "Rome")):
        code, _, error = run("score", *words)
        assert code == 2
        assert "Missing argument 'FILE'; for one pair of texts give both: --gold TEXT --pred TEXT" in error


@pytest.mark.parametrize("option", [("--gold", "gold"), ("--question", "mine"), ("--split-gold", "|")])
def test_what_a_column_of_scores_leaves_without_effect_is_refused(table, of_column, option):
    line = refused("score", table, "-c", of_column, "--score", "mine", *option)
    assert line.startswith(f"{option[0]} is given, but --score supplies the scores")


def test_a_prefix_without_new_columns_is_refused(table):
    assert refused("score", table, "-c", "f1", "--prefix", "my_").startswith("--prefix is given, but no new columns")
    assert refused("score", table, "--prefix", "my_").startswith("--prefix is given, but no new columns")


@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")
def test_a_verdict_of_truncated_text_says_so(tmp_path):
    pytest.importorskip("torch")
    table, output = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text(f"gold,pred\nRome,in Rome\nRome,{'Rome ' * 600}\n")
    told = succeed("score", table, "-c", "bertscore-names", "-o", output, "--no-cache")
    assert "caution: 1 of 2 verdicts are of a part of the text only" in told
    assert [line.rsplit(",", 1)[1] for line in output.read_text().splitlines()] == ["truncated", "no", "yes"]
    told = succeed("score", "--gold", "Rome", "--pred", "Rome " * 600, "-c", "bertscore-names", "--no-cache")
    assert "caution: the verdict is of a part of the text only" in told


def test_parquet_keeps_its_types(table, of_column, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    out = tmp_path / "out.parquet"
    parquet.write_table(pyarrow.table({"mine": [4.0, -2.0], "gold": ["a", "b"]}), tmp_path / "some.parquet")
    succeed("score", tmp_path / "some.parquet", "-c", of_column, "--score", "mine", "-o", out)
    result = parquet.read_table(out)
    assert [str(type_) for type_ in result.schema.types[-2:]] == ["double", "string"]
    assert result["verdict"].to_pylist() == ["equivalent", "different"]


def test_a_calibration_that_does_not_say_how_its_metric_is_built_is_told(table, tmp_path):
    write(calibrate(*world(100, 1), signature="mine|v:1", bootstrap=Bootstrap(resamples=5)), tmp_path / "mine.json")
    message = refused("score", table, "-c", tmp_path / "mine.json")
    assert "does not contain how the metric 'mine|v:1' is built" in message


def test_verdicts_state_how_often_they_are_right(tmp_path):
    calibration = calibrate(
        *world(298, 1, apart=1.5),
        signature="column|name:mine",
        bootstrap=Bootstrap(resamples=50),
        metric={"column": "mine"},
    )
    write(calibration, tmp_path / "mine.json")
    (tmp_path / "scores.csv").write_text("mine\n" + "\n".join(str(i / 100) for i in range(-100, 200)) + "\n")
    out = succeed("score", tmp_path / "scores.csv", "-c", tmp_path / "mine.json", "--score", "mine")
    best = 100 * calibration.threshold("accuracy").accuracy.value
    assert f"without unsure, {best:.1f} [" in out
