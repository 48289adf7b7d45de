"""Metrics against verdicts: the measures by hand, resamples of whole questions, and the program around them."""

import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

import answersim
from answersim.data.system_answers import SystemAnswer
from benchmarks import judged as program
from benchmarks.judged import app, auc, draw, study, tables, with_intervals

ONCE = np.ones((1, 4), dtype=np.int32)


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def metrics(*names):
    return {name: answersim.metric(name) for name in names}


def answered(question, golds, system, answer, verdict):
    return SystemAnswer(question, golds, system, answer, verdict, "train")


ANSWERS = [
    answered(f"q{i}", ("x", f"gold {i}"), system, answer, verdict)
    for i in range(8)
    for system, answer, verdict in (("one", f"gold {i}", True), ("two", f"gold {i}" if i % 2 else "no", i % 4 > 0))
]


@pytest.mark.parametrize(
    ("scores", "verdicts", "expected"),
    [
        pytest.param([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0], 1.0, id="apart"),
        pytest.param([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], 0.0, id="reversed"),
        pytest.param([0.5, 0.5, 0.5, 0.5], [1, 0, 1, 0], 0.5, id="ties count half"),
        pytest.param([0.9, 0.3, 0.5, 0.1], [1, 1, 0, 0], 0.75, id="three of four pairs"),
        pytest.param([0.9, 0.3, 0.5, 0.1], [1, 1, 1, 1], np.nan, id="all right"),
    ],
)
def test_auc_is_the_share_of_pairs_in_the_right_order(scores, verdicts, expected):
    assert auc(np.array(scores), np.array(verdicts, bool), ONCE) == pytest.approx([expected], nan_ok=True)


def test_auc_under_counts_is_that_of_the_rows_written_out():
    rng = np.random.default_rng(1)
    scores, verdicts = rng.integers(5, size=40) / 4, rng.integers(2, size=40).astype(bool)
    counts = rng.integers(4, size=(6, 40)).astype(np.int32)
    for times, found in zip(counts, auc(scores, verdicts, counts), strict=True):
        x, y = np.repeat(scores, times), np.repeat(verdicts, times)
        above = x[y][:, None] - x[~y][None, :]
        assert found == pytest.approx(((above > 0) + (above == 0) / 2).mean())


def test_the_three_numbers_and_their_intervals():
    scores, verdicts = np.array([0.9, 0.5, 0.4, 0.1]), np.array([True, True, True, False])
    found = with_intervals(scores, verdicts, np.repeat(ONCE, 5, axis=0))
    # AUC 1; tau 3 / sqrt(6 * 3); .5 says right, .4 says wrong: three of four verdicts.
    assert found == pytest.approx([1, 1, 1, *[3 / 18**0.5] * 3, *[0.75] * 3])


def test_questions_are_drawn_with_all_their_answers():
    counts = draw(np.array([7, 7, 3, 9, 7]), np.random.default_rng(0))
    assert (counts[:, 0] == counts[:, 1]).all()
    assert (counts[:, 0] == counts[:, 4]).all()
    assert (counts[:, [0, 2, 3]].sum(axis=1) == 3).all()
    assert (counts[:, 0] != counts[:, 2]).any()


def test_the_gold_answer_that_scores_highest_counts_and_systems_stand_apart():
    rows = list(study("evouna", "train", ANSWERS, metrics("em")))
    assert [(row.system, row.n, row.right) for row in rows] == [("one", 8, 1.0), ("two", 8, 0.75), ("all", 16, 0.875)]
    one, two, _ = rows
    assert (one.accuracy, one.accuracy_low) == (1.0, 1.0)
    assert np.isnan(one.auc)  # all are right
    assert two.accuracy == 0.75
    assert two.auc == pytest.approx(10 / 12)  # of six right, four score 1; both wrong ones score 0
    assert two.auc_low <= two.auc <= two.auc_high


def test_one_metric_has_the_same_row_whichever_stand_beside_it():
    alone = list(study("evouna", "train", ANSWERS, metrics("f1")))
    both = list(study("evouna", "train", ANSWERS, metrics("em", "f1")))
    assert [repr(row) for row in both if row.metric == "f1"] == [repr(row) for row in alone]


def test_a_row_bears_the_name_that_its_metric_was_asked_for_by():
    rows = study("evouna", "train", ANSWERS, {"one": answersim.metric("em"), "other": answersim.metric("em")})
    assert [row.metric for row in rows] == ["one", "other"] * 3


def test_questions_are_given_only_when_asked_for():
    class Reader:
        signature = "reader"
        reads_questions = True

        def __call__(self, pairs, questions=None):
            return np.full(len(pairs), 0.0 if questions is None else 1.0)

    for asked, accuracy in ((False, 0.125), (True, 0.875)):
        *_, row = study("evouna", "train", ANSWERS, {"reader": Reader()}, asked)
        assert row.accuracy == accuracy


def test_the_tables_are_one_over_all_answers_and_one_by_system():
    rows = list(study("evouna", "dev", ANSWERS, metrics("em", "f1")))
    main, by_system = tables(rows)
    assert main.title == "TriviaQA (EVOUNA), dev: agreement with verdicts on 16 answers, 87.5% of them right"
    assert [row[0] for row in main.rows] == ["em", "f1"]
    assert [column.group for column in by_system.columns[1::2]] == ["one (100.0% right)", "two (75.0% right)"]
    assert "resamples of the questions" in main.notes[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "bertscor"], "no metric is called 'bertscor'"),
        (["--datasets", "evona"], "no data set is called 'evona'; did you mean 'evouna'"),
        (["--metrics", "em"], "judged/evouna-TQ.json is not here"),
        (["--part", "trian"], "trian"),
    ],
)
def test_a_wrong_call_is_an_error_before_any_work(no_data, monkeypatch, arguments, message):
    monkeypatch.setattr(program, "study", lambda *_: pytest.fail("work was begun"))
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace("│", " ").split())


@pytest.mark.data
def test_lexical_metrics_on_evouna_have_their_known_numbers(data_home, monkeypatch):
    if not (data_home / "judged").is_dir():
        pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    monkeypatch.setattr(program, "RESAMPLES", 20)
    done = run("--datasets", "evouna", "--metrics", "em,f1,recall,containment", "--format", "json")
    rows = json.loads(done.stdout)
    assert Counter(row["system"] for row in rows) == dict.fromkeys(
        ("fid", "gpt35", "chatgpt", "gpt4", "newbing", "all"), 4
    )
    accuracy = {row["metric"]: row["accuracy"] for row in rows if row["system"] == "all"}
    assert accuracy == pytest.approx({"em": 0.363, "f1": 0.431, "recall": 0.936, "containment": 0.901}, abs=0.0015)
    area = {row["metric"]: row["auc"] for row in rows if row["system"] == "all"}
    assert (area["f1"], area["recall"]) == pytest.approx((0.905, 0.966), abs=0.001)


def test_the_metrics_that_learned_from_evouna_are_those_whose_adapters_name_it():
    from answersim import catalog, profiles

    recipes = {
        "sas": profiles.SAS_ADAPTER,
        "bi-encoder-answers": profiles.ANSWERS_ADAPTER,
        "bertscore-answers": profiles.ANSWERS_ADAPTER,
    }
    for name, folder in recipes.items():
        assert "its train part taught, its dev part chose" in (folder / "README.md").read_text(encoding="utf-8")
        assert program.learned(name)
        assert program.learned(name, "paper") == ""
    names = (profiles.NAMES_ADAPTER / "README.md").read_text(encoding="utf-8")
    assert "No question of EVOUNA taught or chose anything here." in names
    assert set(catalog.COMBINED_PARTS) & set(recipes)  # so that the combination of them learned from it too
    assert {name for name in answersim.names() if program.learned(name)} == {*recipes, "answersim"}


def test_a_metric_is_looked_at_on_no_question_that_taught_it(monkeypatch):
    built = {"f1": answersim.metric("f1"), "sas": answersim.metric("em")}
    every = list(program._wanted(["evouna", "efficientqa"], "all", built, "embedded"))
    assert [(asked, [*own]) for asked, own in every] == [
        (("evouna", "all"), ["f1"]),
        (("evouna", "test"), ["f1", "sas"]),
        (("efficientqa", "all"), ["f1", "sas"]),
    ]
    told = []
    monkeypatch.setattr(program, "say", told.append)
    assert [(asked, [*own]) for asked, own in program._wanted(["evouna"], "dev", built, "embedded")] == [
        (("evouna", "dev"), ["f1"])
    ]
    assert told == [
        "sas: left out, because EVOUNA's part dev was used to train or choose a part of them; see --part test"
    ]
    assert [[*own] for _, own in program._wanted(["evouna"], "train", built, "paper")] == [["f1", "sas"]]


def test_every_table_says_which_questions_taught_or_chose_something(monkeypatch):
    parts = [part for part, n in (("train", 7), ("dev", 2), ("test", 1)) for _ in range(n)]
    answers = [SystemAnswer(f"q{i}", ("x",), "one", "x", True, part) for i, part in enumerate(parts)]
    monkeypatch.setattr(program, "load_evouna", lambda *_: answers)
    line = program.parts_line()
    assert "train, 7 questions (7 answers), trained adapters" in line
    assert "dev, 2 questions (2 answers), chose settings" in line
    assert "test, 1 questions (1 answers), taught and chose nothing" in line
    rows = [
        *study("evouna", "all", ANSWERS, metrics("f1")),
        *study("evouna", "test", ANSWERS, {"sas": answersim.metric("em"), "f1": answersim.metric("f1")}),
        *study("efficientqa", "all", ANSWERS, metrics("f1")),
    ]
    shown = [each for each in tables(rows) if "by system" not in each.title]
    assert [each.title.split(":")[0] for each in shown] == [
        *("TriviaQA (EVOUNA), all questions", "TriviaQA (EVOUNA), test", "NQ-open (EfficientQA), all questions")
    ]
    assert [line in each.notes for each in shown] == [True, True, False]
    assert any("the metrics of this table learned nothing from EVOUNA" in note for note in shown[0].notes)
    assert [note for note in shown[1].notes if "learned from EVOUNA" in note] == [
        "sas learned from EVOUNA (train: its adapter; dev: settings), and from nothing in this table"
    ]
    assert shown[2].notes[0] == "EfficientQA taught and chose nothing"
