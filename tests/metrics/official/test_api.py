"""Official scorers by name, as metrics, and the forms of answers that they read."""

import csv
import json

import pytest
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from answersim._base.errors import GoldFormWarning
from answersim._base.golds import StructuredGold
from answersim.evaluation.systems.official_tables import official_table
from answersim.metrics import official
from answersim.metrics.catalog import lookup
from answersim.metrics.official.forms import unmet
from answersim.metrics.official.registry import PROFILES
from tests.cases import every


def test_a_profile_is_found_with_hyphens_and_a_wrong_name_suggests_the_nearest():
    assert official.profile("nq-open").name == "nq_open"
    with pytest.raises(LookupError, match="triviaqa"):
        official.score("trivia", ["x"], "x")


def test_a_field_that_the_rule_does_not_have_is_an_error_that_names_the_fields():
    with pytest.raises(TypeError, match="format_score"):
        official.score("verl_gsm8k", ["5"], "5", format=1.0)
    with pytest.raises(TypeError, match="list of gold answers"):
        official.score("squad", 5, "5")


def test_each_entry_names_its_owner_and_license():
    for profile in PROFILES.values():
        assert "/" in profile.source, profile.name
        assert len(profile.commit) == 7, profile.name
        assert all((profile.license, profile.rule, profile.benchmark)), profile.name


def test_a_table_counts_a_missing_prediction_as_wrong():
    rows = [{"golds": ["Rome"], "pred": "rome"}, {"golds": ["Oslo"], "pred": None}]
    assert official.aggregate("squad", rows) == {"exact_match": 50.0, "f1": 50.0}
    assert official.aggregate("nq_open", rows) == {"correct": 0.5}
    assert official.aggregate("triviaqa", rows)["common"] == 1


def test_a_table_of_results_equals_the_table_of_questions():
    rows = [{"golds": ["a b"], "pred": "a"}, {"golds": ["c"], "pred": "c"}]
    results = [official.score("squad", row["golds"], row["pred"]) for row in rows]
    assert official.aggregate("squad", results) == official.aggregate("squad", rows)


def test_a_table_that_needs_questions_refuses_results():
    with pytest.raises(ValueError, match="needs the questions"):
        official.aggregate("squad2", [{"exact": 1, "f1": 1}])
    with pytest.raises(ValueError, match="at least one question"):
        official.aggregate("squad", [])
    with pytest.raises(TypeError, match="na_prob_thresh"):
        official.aggregate("squad2", [{"golds": [], "pred": ""}], threshold=0.5)
    with pytest.raises(ValueError, match="raises ValueError"):
        official.aggregate("musique", [{"golds": [], "pred": "x"}])


def test_simpleqa_has_the_harmonic_mean_of_both_accuracies():
    table = official.aggregate("simpleqa", [official.score("simpleqa", [], reply) for reply in ("A", "B", "C", "A")])
    assert table["is_correct"] == 0.5
    assert table["accuracy_given_attempted"] == pytest.approx(2 / 3)
    assert table["f1"] == pytest.approx(4 / 7)


def test_hle_reports_an_interval_and_no_calibration_error_of_few_answers():
    results = [{"correct": i < 30, "confidence": 80} for i in range(100)]
    assert official.aggregate("hle", results) == {
        "accuracy": 30.0,
        "half_width": 8.98,
        "calibration_error": pytest.approx(50.0),
    }
    assert official.aggregate("hle", results[:10])["calibration_error"] is None


def test_the_signature_has_the_commit_the_part_and_the_settings():
    assert answersim.metric("official:drop").signature == "official:drop@b1f3722|rev:2"
    assert answersim.metric("official:drop", part="em").signature == "official:drop@b1f3722|part:em|rev:2"
    assert answersim.metric("official:math", mode="pair").signature == "official:math@985bdc1|mode:pair|rev:1"


def test_structured_gold_answers_are_json_text():
    gold = '["Tom Brady", "Peyton Manning"]'
    assert answersim.score(gold, "Tom Brady and Peyton Manning", metric="official:drop") == 0.29
    assert answersim.score('{"number": "5"}', "five 5", metric="official:drop") == 0.67
    assert answersim.score('[["Rome", "Roma"], ["Oslo"]]', "Roma", metric="official:asqa_str_em") == 50.0
    assert answersim.score('[["Rome", "Roma"]]', '["Roma"]', metric="official:qampari") == 1.0
    row = '{"golds": [5], "scale": "million", "answer_type": "arithmetic"}'
    assert answersim.score(row, "5 million", metric="official:tatqa") == 1.0
    assert answersim.score('["yes", "no"]', "yes", metric="official:coqa") == 0.5


def test_a_gold_answer_that_the_rule_cannot_read_is_named():
    with pytest.raises(ValueError, match=r"official:gsm8k, pair 1.*'Rome'"):
        answersim.score("Rome", "#### 5", metric="official:gsm8k")


def test_what_is_no_metric_says_why():
    with pytest.raises(LookupError, match="reply of a judge"):
        answersim.metric("official:simpleqa")
    with pytest.raises(LookupError, match="see minerva"):
        answersim.metric("official:lmeval_minerva_text")
    with pytest.raises(LookupError, match="'f1'"):
        answersim.metric("official:drop", part="f2")
    with pytest.raises(TypeError, match="part"):
        answersim.metric("official:drop", mode="pair")
    with pytest.raises(LookupError, match="profile"):
        answersim.metric("official:drop", profile="squad")


def test_the_catalog_knows_the_entry_and_no_plug_in_can_take_the_name():
    assert lookup.entry("official:drop").kind == "lexical"
    assert lookup.options_of("official:verl_gsm8k") == ("part", "format_score")
    assert not lookup.reads_question("official:drop")
    assert lookup._is_taken("official:mine")


BARE = {"gold": ["4096", "4096", "1/2"], "pred": ["17", "4069", "3"]}
# profile, options, gold answers, for how many an answer without an answer is right, and for how many none is
COUNTS = [
    ("math", {}, ["4096", "\\boxed{1}", "no box"], 2, 0),
    ("math", {"mode": "pair"}, ["4096", "1/2"], 0, 0),
    ("verl_math", {}, ["5", "\\frac{1}{2}", "\\boxed{5}"], 0, 1),
    ("verl_gsm8k", {}, ["72", "-5", "seventy", "so\n#### 72"], 0, 2),
    ("dapo", {}, ["34", "x" * 400], 0, 1),
    ("mmlu_pro", {}, ["A", "J", "K", "Rome"], 0, 2),
    ("simple_evals_mc", {}, ["A", "E"], 0, 1),
    ("simple_evals_mgsm", {}, ["72", "Rome"], 0, 1),
    ("squad", {}, ["Rome", "the", "..."], 2, 0),
    ("squad2", {}, ["Rome", ""], 0, 0),  # an unanswerable question
    ("popqa", {}, ["Rome", ""], 1, 0),
    ("triviaqa", {}, ["U.S.A.", "the"], 1, 0),
    ("gaia", {}, ["5", "a;b", "!?"], 1, 0),
    ("curatedtrec", {}, ["19\\d\\d", "x*"], 1, 0),
    ("asqa_str_em", {}, ['[["Rome"]]', '[["the"], ["Oslo"]]'], 1, 0),
    ("drop", {}, ['["5"]', '{"number": "5"}', '["the"]'], 1, 0),
    ("inspect_f1", {}, ["5", "the"], 1, 0),
    ("gsm8k", {}, ["#### 5", "5"], 0, 0),  # the owner's code raises an exception, which is reported
    ("qampari", {}, ['[["Rome"]]'], 0, 0),
    ("coqa", {}, ["yes"], 0, 0),
    ("tatqa", {}, ["5"], 0, 0),
]


@every(("name", "options", "golds", "vacuous", "unreachable"), COUNTS)
def test_gold_answers_that_the_owner_never_meets_are_counted(name, options, golds, vacuous, unreachable):
    result = unmet(answersim.metric(f"official:{name}", **options), golds)
    assert ((result and result.vacuous) or 0, (result and result.unreachable) or 0) == (vacuous, unreachable)


def test_the_count_is_one_line_of_each_result(tmp_path):
    line = (
        "official:math: 2 of 2 different gold answers, such as '4096', are not in the form of the benchmark: a "
        "prediction without an answer is right for 2; docs/official.md states the form; to compare bare answers, give "
        "the option mode=pair"
    )
    evaluation = answersim.evaluate(BARE, "official:math")
    assert [note for note in evaluation.notes if "official:math:" in note] == [line]
    assert line in evaluation.to_text()
    assert line in "\n".join(map(str, evaluation.brief()))
    compared = answersim.compare({**BARE, "other": ["1", "2", "3"]}, "official:math", pred=["pred", "other"])
    assert line in compared.notes
    for call in (answersim.score, lambda gold, pred, metric: answersim.score(gold[0], pred[0], metric)):
        with pytest.warns(GoldFormWarning, match="official:math"):
            call(BARE["gold"], BARE["pred"], "official:math")
    read = answersim.metric("official:math", extract="last-line", extract_gold="hash")
    with pytest.warns(GoldFormWarning, match="1 of 1 different gold answers, such as '4096'"):
        answersim.score(["so #### 4096"], ["17"], read)


@every(
    ("profile", "remedy"),
    [
        ("gsm8k", "answersim evaluate FILE -m official:gsm8k"),
        ("coqa", "answersim evaluate FILE -m official:coqa"),
        ("simpleqa", r"answersim.metrics.official.score\('simpleqa', ...\) in Python"),
        ("lmeval_minerva_text", r"answersim.metrics.official.score\('lmeval_minerva_text', ...\) in Python"),
        ("gsm9k", "did you mean"),
    ],
)
def test_a_profile_that_the_table_has_not_is_scored_by_another_command(profile, remedy):
    with pytest.raises(LookupError, match=remedy):
        official_table({"gold": ["5"], "pred": ["5"]}, profiles=[profile])
    if profile in official.profiles():
        assert "in Python" in remedy or answersim.metric(f"official:{profile}")


ROWS = [  # DROP: several spans, a number, a date, and two annotators who differ
    ({"spans": ["Tom Brady", "Peyton Manning"]}, "Tom Brady and Peyton Manning", 0.29),
    ({"number": "5"}, "five 5", 0.67),
    ({"date": {"day": "5", "month": "May", "year": ""}}, "5 May", 1.0),
    ([{"number": "5"}, {"spans": ["6 yards"]}], "6 yards", 1.0),
    ([["Tom Brady", "Peyton Manning"]], "Tom Brady", 0.5),
]


def jsonl(folder, rows):
    file = folder / "answers.jsonl"
    lines = [json.dumps({"id": str(i), "gold": gold, "pred": pred}) for i, (gold, pred, *_) in enumerate(rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def table(folder, rows):
    file = folder / "answers.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "gold", "pred"])
        writer.writerows([i, json.dumps(gold), pred] for i, (gold, pred, *_) in enumerate(rows))
    return file


@pytest.mark.parametrize("written", [jsonl, table])
def test_evaluate_and_score_read_the_structure(tmp_path, written):
    file = written(tmp_path, ROWS)
    (row,) = answersim.evaluate(file, metric="official:drop").rows
    assert row.mean.value == pytest.approx(sum(score for *_, score in ROWS) / len(ROWS))
    result = CliRunner().invoke(app, ["score", str(file), "--metric", "official:drop", "-o", str(tmp_path / "out.csv")])
    assert result.exit_code == 0, result.output
    with (tmp_path / "out.csv").open(encoding="utf-8") as scored:
        assert [float(row["official:drop"]) for row in csv.DictReader(scored)] == [score for *_, score in ROWS]


def test_a_metric_of_texts_refuses_a_structure_and_says_what_reads_it():
    with pytest.raises(ValueError, match="is a structure, but em"):
        answersim.score([{"spans": ["Rome"]}], ["Rome"], metric="em")
    with pytest.raises(ValueError, match="official:squad"):
        answersim.score_pairs([({"spans": ["Rome"]}, "Rome")], ["official:drop", "official:squad"])


def test_a_reader_of_answers_marks_structures_and_leaves_alternatives(tmp_path):
    answers = answersim.read_answers(jsonl(tmp_path, [(["Rome", "Roma"], "x"), ({"spans": ["a|b"]}, "x")]))
    assert answers.golds == [["Rome", "Roma"], '{"spans": ["a|b"]}']
    assert isinstance(answers.golds[1], StructuredGold)
    answers = answersim.read_answers(jsonl(tmp_path, [({"spans": ["a|b"]}, "x")]), split_gold="|")
    assert answers.golds == ['{"spans": ["a|b"]}']


def test_the_table_of_definitions_reads_structures_and_their_texts(tmp_path):
    rows = [({"number": "5"}, "-5"), ([["Rome", "Roma"]], "Roma"), ([{"number": "7"}, {"spans": ["8"]}], "8")]
    result = official_table(jsonl(tmp_path, rows), profiles=["squad", "drop"])
    shares = {row.name: round(row.values["answers"].value, 1) for row in result.rows if row.word == "exact match"}
    assert shares == {"official:squad": 100.0, "official:drop, em": 66.7}
    with pytest.raises(ValueError, match="several spans or answers"):
        official_table(jsonl(tmp_path, ROWS), profiles=["squad"])
    result = official_table(jsonl(tmp_path, ROWS), profiles=["drop"])
    (f1,) = [row for row in result.rows if row.word == "F1"]
    assert f1.values["answers"].value == pytest.approx(100 * sum(score for *_, score in ROWS) / len(ROWS))
