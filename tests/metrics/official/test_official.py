"""Official scorers give what the code of their owners gave, in every recorded case, with its quirks, as metrics too."""

import csv
import json
import os
import threading
from contextlib import nullcontext
from functools import cache
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from answersim._base.errors import GoldFormWarning, MissingExtraError
from answersim._base.golds import StructuredGold
from answersim._base.runtime.line_process import LineProcess
from answersim.evaluation.systems.official_tables import official_table
from answersim.metrics import official
from answersim.metrics.catalog import lookup
from answersim.metrics.official import latex_equality
from answersim.metrics.official.api import value_of
from answersim.metrics.official.forms import unmet
from answersim.metrics.official.metric import options_of
from answersim.metrics.official.registry import PROFILES
from answersim.types import capabilities
from tests.cases import cases_of, every

TABLES = cases_of(__file__)


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
    with pytest.raises(ValueError, match=r"official:gsm8k, pair 1.*'72' \(str\), which has no '#### '.* '#### 72'"):
        answersim.score("72", "5", metric="official:gsm8k")
    with pytest.raises(ValueError, match=r"which has no '.*boxed'.*; give .*boxed\{72\}"):
        answersim.score("72", "\\boxed{5}", metric="official:lmeval_hendrycks_math")


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
COUNTS = TABLES["counts"]


@every(("name", "options", "golds", "vacuous", "unreachable"), COUNTS)
def test_gold_answers_that_the_owner_never_meets_are_counted(name, options, golds, vacuous, unreachable):
    result = unmet(answersim.metric(f"official:{name}", **options), golds)
    words = str(result or "")
    for n, what in ((vacuous, "a prediction without an answer is"), (unreachable, "no prediction can be")):
        assert (f"{what} right for {n}" in words) if n else (what not in words)


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
    ("name", "extract", "refused"),
    TABLES["a_rule_that_cuts_off_the_mark_of_the_benchmark_is_refused"],
)
def test_a_rule_that_cuts_off_the_mark_of_the_benchmark_is_refused(name, extract, refused):
    with pytest.raises(ValueError, match=r"by a mark that .* cuts off; leave") if refused else nullcontext():
        answersim.metric(f"official:{name}", extract=extract)


@every(
    ("profile", "remedy"),
    TABLES["a_profile_that_the_table_has_not_is_scored_by_another_command"],
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


CASES = TABLES["cases"]  # profile, gold answers, prediction, fields, part of the result


@every(("name", "golds", "pred", "fields", "expected"), CASES)
def test_a_quirk_of_the_owner_is_kept(name, golds, pred, fields, expected):
    result = official.score(name, golds, pred, **fields)
    for key, value in expected.items():
        assert result[key] == (pytest.approx(value) if isinstance(value, float) else value), key


def test_each_profile_has_a_case():
    elsewhere = {"minerva"}  # it needs an extra: see below
    assert {name for name, *_ in CASES} | elsewhere == set(official.profiles())


def test_the_best_gold_answer_is_chosen_separately_for_em_and_f1():
    golds = [{"number": "5"}, {"spans": ["5 yard line"]}]
    assert official.score("drop", golds, "5 yard") == {"em": 0.0, "f1": 0.8}
    assert official.score("drop", golds, "5") == {"em": 1.0, "f1": 1.0}


BOX = "So the answer is $\\boxed{%s}$."
FINAL = "Final Answer: The final answer is $%s$. I hope it is correct."


@pytest.fixture
def with_sympy():
    try:
        latex_equality.check_installed()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ("\\frac{1}{2}", "0.5", 1),
        ("\\sqrt{8}", "2\\sqrt{2}", 1),
        ("x+1", "1+x", 1),
        ("1,000", "1000", 1),
        ("\\frac{1}{4}", "\\frac{1}{2}", 0),
        ("(1,2)", "(1,2)", 0),  # it cannot be subtracted, so that it differs from itself
        ("[0,1]", "[0,1]", 0),
    ],
)
def test_the_difference_of_the_normalized_texts_is_simplified(with_sympy, gold, pred, expected):
    assert official.score("minerva", [BOX % gold], FINAL % pred)["exact_match"] == expected
    assert answersim.score(BOX % gold, FINAL % pred, metric="official:minerva") == expected


def test_an_output_without_the_sentence_and_a_solution_without_a_box(with_sympy):
    assert official.score("minerva", [BOX % 5], "5")["exact_match"] == 0
    assert official.score("minerva", ["5"], FINAL % 5)["exact_match"] == {"raises": "TypeError"}


def test_the_signature_has_the_version_of_sympy(with_sympy):
    signature = answersim.metric("official:minerva").signature
    assert signature == f"official:minerva@4e7e0d4|sympy:{latex_equality.check_installed()}|rev:1"


def test_without_the_extra_the_error_names_it(monkeypatch):
    latex_equality.check_installed.cache_clear()

    def missing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(latex_equality, "version", missing)
    with pytest.raises(MissingExtraError, match=r"antlr4-python3-runtime 4\.11.*'math'"):
        official.score("minerva", [BOX % 7], FINAL % 7)
    with pytest.raises(MissingExtraError, match="math"):
        answersim.metric("official:minerva")
    latex_equality.check_installed.cache_clear()


FOLDER = Path(os.environ.get("ANSWERSIM_DATA") or "nowhere") / "official"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.fixture(scope="module")
def recorded(request):
    if not FILES:
        if "data" in os.environ.get("ANSWERSIM_REQUIRE", ""):
            pytest.fail(f"{FOLDER} has no recorded cases, but they are required")
        pytest.skip("ANSWERSIM_DATA names no folder with official/*.json: the recorded outputs of the owners' code")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}


def test_each_case_has_the_output_of_the_owner(recorded):
    wrong = []
    for name, content in recorded.items():
        for case in content["cases"]:
            fields = {key: value for key, value in case.items() if key not in ("golds", "pred", "out", "kind")}
            fields |= {"context": content["context"]} if "context" in content else {}
            result = official.score(name, case["golds"], case["pred"], **fields)
            if result != case["out"]:
                wrong.append((name, case, result))
    assert not wrong, wrong[:3]


def test_each_case_has_the_output_of_inspect_at_the_commit():
    content = json.loads((Path(__file__).parent / "data" / "inspect_f1.json").read_text(encoding="utf-8"))
    assert official.profile("inspect_f1").commit in content["owner"]
    cases = content["cases"]
    assert [official.score("inspect_f1", case["golds"], case["pred"]) for case in cases] == [c["out"] for c in cases]
    assert len({str(case["out"]) for case in cases}) >= 10


def test_a_number_that_is_called_a_verdict_is_always_0_or_1(recorded):
    for name, content in recorded.items():
        profile = official.profile(name)
        for part in profile.parts:
            metric = _metric(name, None, (("part", part),)) if profile.input != "reply" else None
            numbers = {value_of(case["out"], part) for case in content["cases"] if not _raises(case["out"], part)}
            numbers -= {0.1 * (name == "verl_gsm8k")}  # its format_score
            assert (capabilities(metric).scale == "binary") == (numbers <= {0.0, 1.0}), (name, part)


def _raises(out, part):
    return isinstance(out.get(part, out), dict) and "score" not in out.get(part, out)


@pytest.mark.filterwarnings("ignore::answersim._base.errors.GoldFormWarning")  # some recorded cases are odd on purpose
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_each_case_has_the_number_of_the_owner_as_a_metric_too(recorded, step):
    wrong, tested = [], 0
    for name, content in recorded.items():
        parts = official.profile(name).parts
        for case in content["cases"][::step]:
            if not parts or case["pred"] is None or not case["golds"]:
                continue
            gold = _gold_of_a_row(name, case)
            options = tuple((field, case[field]) for field in options_of(name) if field in case)
            metric = _metric(name, case.get("lang"), options)
            pred = case["pred"] if isinstance(case["pred"], str) else json.dumps(case["pred"])
            expected = case["out"].get(parts[0], case["out"])
            expected = expected.get("score", expected) if isinstance(expected, dict) else expected
            number: Any
            try:
                number = answersim.score([gold], [pred], metric=metric)[0]
            except ValueError:
                number = {"raises": "ValueError"}
            if isinstance(number, dict) != isinstance(expected, dict) or (
                not isinstance(number, dict) and number != float(expected or 0)
            ):
                wrong.append((name, case, number))
            tested += 1
    assert tested > 10_000 // step
    assert not wrong, wrong[:3]


@pytest.mark.parametrize(
    ("name", "owner"),
    TABLES["em_and_f1_equal_the_owners_that_the_catalog_names"],
)  # fmt: skip
def test_em_and_f1_equal_the_owners_that_the_catalog_names(recorded, name, owner):
    cases = [case for content in recorded.values() for case in content["cases"] if isinstance(case["pred"], str)]
    pairs = [(gold, case["pred"]) for case in cases for gold in case["golds"] if isinstance(gold, str)]
    profile, part = owner.split()
    mine = answersim.metric(name, profile="squad")(pairs)
    assert mine.tolist() == answersim.metric(f"official:{profile}", part=part)(pairs).tolist()
    assert len(pairs) == 11_757
    assert profile in lookup.entry(name).summary


@cache
def _metric(name, lang, options):
    return answersim.metric(f"official:{name}", lang=lang, **dict(options))


def _gold_of_a_row(name, case):
    """Return the value that a column of gold answers has for this case."""
    golds = case["golds"]
    if name == "quoref" or (name == "drop" and case["mode"] == "pair"):
        return [golds]  # spans of one answer
    if name == "tatqa":
        return {field: case[field] for field in ("golds", "scale", "answer_type", "pred_scale") if field in case}
    if name == "triviaqa":
        return golds + case["human_answers"]
    return golds


def test_each_set_has_the_table_of_the_owner(recorded):
    tested = 0
    for name, content in recorded.items():
        for recorded_set in content.get("sets", ()):
            assert _rounded(official.aggregate(name, recorded_set)) == _rounded(recorded_set["out"]), name
            tested += 1
    assert tested >= 150


def test_the_commit_is_the_one_that_was_run(recorded):
    for name, content in recorded.items():
        assert content["source"].partition("@")[2].startswith(official.profile(name).commit), name


def _rounded(value):
    """Sums of floats are compared to 1e-9: the rules do not fix the order of addition."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("2^{10}", "1024", True), ("x=1", "x=1", False), ("", "", False), ("\\frac{", "\\frac{", False)],
)
def test_what_cannot_be_parsed_or_subtracted_differs_from_itself(with_sympy, one, other, expected):
    assert latex_equality.equal(one, other) is expected


def test_an_endless_comparison_is_different_on_any_thread(with_sympy, monkeypatch):
    monkeypatch.setattr(latex_equality, "_PROCESS", LineProcess("answersim.metrics.official.latex_equality", 1.0))
    results = []
    thread = threading.Thread(target=lambda: results.append(latex_equality.equal("7^{9^{9^{9}}}", "1")))
    thread.start()
    thread.join()
    assert results == [False]


def test_another_version_of_the_parser_is_an_error_too(monkeypatch):
    latex_equality.check_installed.cache_clear()
    monkeypatch.setattr(latex_equality, "version", lambda package: "4.9.3")
    with pytest.raises(MissingExtraError, match="math"):
        latex_equality.check_installed()
    latex_equality.check_installed.cache_clear()
