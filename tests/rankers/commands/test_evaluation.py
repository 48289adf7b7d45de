"""The commands evaluate and compare: what they print, and one line for what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rankers.types import Candidate, Question, Questions
from tests.cases import every
from tests.rankers.commands.command_line import called

RUN = "q1 Q0 a 1 2.0 ours\nq1 Q0 b 2 1.0 ours\nq2 Q0 c 1 1.0 ours\n"
QRELS = "q1 0 b 1\nq2 0 c 1\nq2 0 d 1\n"
TIED = "q1 Q0 a 1 2.0 ours\nq1 Q0 b 2 1.0 ours\nq2 Q0 a 1 1.0 ours\nq2 Q0 b 2 1.0 ours\n"
FILES = {
    "run": RUN,
    "qrels": QRELS,
    "tied": TIED,
    "theirs": "q1 Q0 b 1 2.0 theirs\nq1 Q0 a 2 1.0 theirs\nq2 Q0 b 1 2.0 theirs\nq2 Q0 a 2 1.0 theirs\n",
    "graded": "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq3 0 a 1\n",
    "strangers": "s1 0 a 1\n",
    "queries.jsonl": '{"_id": "q1", "text": "Which city?", "golds": ["old Rome"]}\n{"_id": "q2", "text": "Which?"}\n',
}
TEXTS = {"a": "the old Rome", "b": "Rome", "c": "Paris", "d": "Lutetia", "e": "never read"}
LINE = "evaluate --run run --qrels qrels --measure P@1 -m f1 --format json --texts texts.jsonl"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("link").symlink_to("tied")
    write_texts(TEXTS)


def write_texts(texts: dict[str, str]) -> None:
    Path("texts.jsonl").write_text("".join(json.dumps({"_id": name, "text": t}) + "\n" for name, t in texts.items()))


def means(line: str) -> dict[str, tuple[float, int]]:
    result = called(line)
    assert result.exit_code == 0, result.stderr
    return {row["measure"]: (row["value"], row["n_questions"]) for row in json.loads(result.stdout)["rows"]}


def test_a_run_is_evaluated_by_qrels():
    result = called("evaluate --run tied --qrels graded --measure MRR,P@1")
    assert result.exit_code == 0, result.stderr
    first, _, *rows = result.stdout.splitlines()
    assert first.split("  ")[0] == "measure"
    assert [row.split()[:2] for row in rows] == [["MRR", "3"], ["P@1", "3"]]
    grades, *others = result.stderr.splitlines()
    assert "grades go up to 2" in grades
    assert others == [
        "rankers: 1 of 4 ranked documents have no grade; they count as not relevant",
        "rankers: 1 of 3 questions are not in the run; they count 0",
        "rankers: 2 of 3 questions have relevant answers only; they cannot be ranked wrongly",
        "rankers: 1 of 3 questions have a tie at the top, broken by the seed 0",
    ]


def test_documents_that_a_run_and_qrels_do_not_share_are_counted():
    Path("long").write_text(TIED + "q9 Q0 a 1 1.0 ours\n")
    result = called("evaluate --run long --qrels graded --measure MRR --format json")
    assert result.exit_code == 0, result.stderr
    page = json.loads(result.stdout)
    assert page["warnings"][1:3] == [
        "1 of the 3 questions of the run are not among the 3 that have grades; they are left out",
        "1 of 4 ranked documents have no grade; they count as not relevant",
    ]
    assert {name: page["counts"][name] for name in ("unknown", "ranked", "unjudged")} == {
        "unknown": 1,
        "ranked": 4,
        "unjudged": 1,
    }
    assert called("evaluate --run long --qrels graded --measure MRR --strict").exit_code == 2


def test_json_holds_rows_counts_and_warnings():
    content = json.loads(called("evaluate --run tied --qrels graded --measure RR(rel=2)@5 --format json").stdout)
    assert set(content) == {"rows", "counts", "false_negatives", "summary", "warnings"}
    (row,) = content["rows"]
    assert (row["dataset"], row["system"], row["measure"], row["value"]) == ("graded", "ours", "RR(rel=2)@5", 1.0)
    assert row["n_questions"] == 1
    assert content["counts"]["missing"] == 1


def test_relevance_the_policy_and_the_seed_can_be_chosen():
    line = "evaluate --run tied --qrels graded --measure P@1 --format json"
    assert means(line + " --relevant 2") == {"P@1": (1.0, 1)}
    assert means(line + " --relevant 2 --without-positives zero") == {"P@1": (pytest.approx(1 / 3), 3)}
    assert len({means(f"{line} --seed {seed}")["P@1"] for seed in range(8)}) == 2  # it breaks ties


def test_another_run_is_compared_with():
    content = json.loads(called("compare theirs tied --qrels graded --measure P@1 --format json").stdout)
    (comparison,) = content["comparisons"]
    assert (comparison["first"], comparison["second"]) == ("theirs", "ours")
    assert comparison["difference"] == content["rows"][1]["value"] > 0
    table = called("compare theirs tied --qrels graded --measure P@1").stdout
    assert "Differences from theirs" in table
    assert f"{comparison['p']:.4f}" in table


def test_a_corpus_gives_grades_and_texts(monkeypatch):
    candidates = (Candidate("a", "the Rome", 0), Candidate("b", "Rome", 1))
    questions = Questions("made", "dev", (Question("q1", "Where?", candidates),))
    asked = []

    def load(name, split):
        asked.append((name, split))
        return questions

    monkeypatch.setattr("rankers.data.catalog.load", load)
    Path("run").write_text("q1 Q0 a 1 2.0 ours\nq1 Q0 b 2 1.0 ours\n")
    line = "evaluate --run run --data toy --split dev --measure P@1 -m f1,em"
    result = called(line)
    assert asked == [("toy", "dev")]
    assert "f1 where P@1=0" in result.stdout
    assert "f1 >= 0.8, and counted as wrong" in result.stdout
    page = json.loads(called(line + " --format json").stdout)
    assert page["false_negatives"]["f1"][0]["choice"] == "the Rome"
    assert page["rows"][0]["dataset"] == "toy"


def test_first_choices_are_compared_with_the_texts_of_relevant_documents():
    assert means(LINE) == {
        "P@1": (0.5, 2),
        "f1": (pytest.approx((2 / 3 + 1) / 2), 2),  # "old Rome" against "Rome" after normalization; Paris is Paris
        "f1 where P@1=0": (pytest.approx(2 / 3), 1),
    }
    values = means(LINE + " --queries queries.jsonl")  # whose gold answers take the place of relevant documents
    assert values["f1 where P@1=0"] == (1.0, 1)  # "the old Rome" and "old Rome"
    assert values["f1"] == (1.0, 2)  # q2 has no gold answers, so its relevant documents count


def test_two_or_three_runs_are_one_table_against_the_first():
    Path("other").write_text("q1 Q0 b 1 2.0 theirs\nq2 Q0 e 1 1.0 theirs\n")
    page = json.loads(called(LINE.replace("evaluate --run run", "compare run other")).stdout)
    assert [row["measure"] for row in page["comparisons"]] == ["P@1", "f1", "f1 where P@1=0"]
    assert [row["n_questions"] for row in page["comparisons"]] == [2, 2, 0]  # no question that both miss
    Path("third").write_text("q1 Q0 e 1 2.0 theirs\nq1 Q0 b 2 1.0 theirs\nq2 Q0 e 1 1.0 theirs\n")
    line = LINE.replace("evaluate --run run", "compare run other third")
    page = json.loads(called(line).stdout)
    assert [row["second"] for row in page["comparisons"]] == ["other"] * 3 + ["third"] * 3
    assert {row["first"] for row in page["comparisons"]} == {"run"}  # two files have one name, so files name the runs
    result = called(line.replace("--format json", ""))
    assert "Differences from run" in result.stdout
    assert "\nfloor" not in result.stdout  # no question that all miss has a graded wrong candidate
    assert called(line + " -o table.tex").exit_code == 0
    assert Path("table.tex").read_text().count("tabular") == 4
    assert called(line.replace("run other third", "run run")).exit_code == 2


def test_the_floor_is_the_mean_over_wrong_candidates_of_the_questions_that_are_missed():
    Path("qrels").write_text("q1 0 b 1\nq1 0 e 0\nq2 0 c 1\n")
    Path("run").write_text(RUN + "q1 Q0 e 3 0.5 ours\n")
    (row,) = (row for row in json.loads(called(LINE).stdout)["rows"] if row["measure"] == "f1 where P@1=0")
    assert row["value"] == pytest.approx(2 / 3)
    assert row["floor"] == pytest.approx((2 / 3 + 0) / 2)  # "the old Rome" and "never read" against "Rome"
    assert "floor" in called(LINE.replace("--format json", "")).stdout


def test_a_table_of_runs_has_the_floor_over_the_questions_that_all_miss():
    Path("qrels").write_text("q1 0 b 1\nq1 0 e 0\nq2 0 c 1\nq2 0 e 0\n")
    Path("run").write_text(RUN)
    Path("other").write_text("q1 Q0 e 1 2.0 theirs\nq2 Q0 e 1 1.0 theirs\n")
    result = called(LINE.replace("evaluate --run run", "compare run other").replace("--format json", ""))
    (floor,) = (line.split() for line in result.stdout.splitlines() if line.startswith("floor "))
    assert floor == ["floor", f"{(2 / 3 + 0) / 2:.4f}"]  # of q1 alone: "the old Rome" and "never read" against "Rome"
    assert "floor: the mean over other wrong candidates" in result.stdout


def test_a_list_of_suspects_is_short_and_a_threshold_below_the_floor_is_reported():
    n = 21
    Path("qrels").write_text("".join(f"q{i} 0 b 1\nq{i} 0 e 0\n" for i in range(n)))
    Path("run").write_text("".join(f"q{i} Q0 a 1 2.0 ours\nq{i} Q0 e 2 1.0 ours\n" for i in range(n)))
    result = called(LINE.replace("--format json", "--threshold .1"))
    assert "f1 >= 0.1, and counted as wrong (the first 20 of 21)" in result.stdout
    assert result.stdout.count("the old Rome") == 20
    assert "the threshold is below the floor" in result.stdout  # which is 0.333
    page = json.loads(called(LINE + " --threshold .1").stdout)
    assert len(page["false_negatives"]["f1"]) == n
    assert "below the floor" not in called(LINE.replace("--format json", "--threshold .6")).stdout


def test_the_threshold_may_be_that_of_the_calibration():
    assert called(LINE + " --threshold calibrated").exit_code == 0
    listed = json.loads(called(LINE + " --threshold .6").stdout)["false_negatives"]["f1"]
    assert [suspect["choice_id"] for suspect in listed] == ["a"]
    assert "it must be a number" in called(LINE + " --threshold high").stderr
    compared = called(
        LINE.replace("evaluate --run run", "compare run tied") + " --threshold .6"
    )  # it lists no suspects
    assert re.search("No such option:? '?--threshold", compared.stderr)


def test_a_model_is_evaluated_on_a_table_in_one_step():
    Path("test.csv").write_text("q,text,grade\nWho wrote it?,It rained.,0\nWho wrote it?,Ann wrote it.,1\n")
    line = "evaluate --data test.csv --model word-overlap --question q --candidate text --label grade"
    assert means(line + " --measure P@1 --format json") == {"P@1": (1.0, 1)}


def test_the_result_is_written_in_the_format_of_the_suffix():
    for name in ("table.tex", "table.md", "table.csv", "table.json"):
        assert called(f"{LINE} -o {name}").exit_code == 0
    assert "\\begin{tabular}" in Path("table.tex").read_text(encoding="utf-8")
    assert Path("table.md").read_text(encoding="utf-8").count("| P@1 |") == 1
    assert Path("table.csv").read_text(encoding="utf-8").splitlines()[1].count("P@1") == 1
    assert json.loads(Path("table.json").read_text(encoding="utf-8")) == json.loads(called(LINE).stdout)
    assert called(f"{LINE} -o table.txt").exit_code == 2
    assert called(f"{LINE} -o run").exit_code == 2


def test_a_missing_text_is_an_error_that_names_it_and_can_be_skipped():
    write_texts({name: text for name, text in TEXTS.items() if name != "a"})
    result = called(LINE)
    assert result.exit_code == 2
    assert "1 of the documents that are ranked first or relevant have no text, such as 'a'" in result.stderr
    skipped = called(LINE + " --skip-missing")
    assert skipped.stderr.splitlines()[0] == (
        "rankers: 1 texts are missing: 1 of 2 questions are left out of the metrics"
    )
    assert means(LINE + " --skip-missing") == {"P@1": (0.5, 2), "f1": (1.0, 1), "f1 where P@1=0": (None, 0)}


@every(
    ("line", "complaint"),
    [
        ("evaluate --run run --qrels qrels --texts texts.jsonl", "--texts is given, but no --metric would read it"),
        ("evaluate --run run --data toy --texts texts.jsonl --metric f1", "--texts is given, but toy has its texts"),
        ("evaluate --run run --qrels qrels --metric f1", "qrels contain none; give --texts FILE"),
        (LINE.replace("texts.jsonl", "none.jsonl"), "no file at none.jsonl"),
        (LINE.replace("texts.jsonl", "run"), "texts are read from: .jsonl, .tsv, .csv"),
        ("evaluate --data toy", "give either --run FILE or --model NAME"),
        ("evaluate --qrels qrels --model bm25", "--model bm25 needs questions to rank; give --data"),
        ("evaluate --qrels qrels --run run --folder F", "--folder F has a trained system; give --model NAME too"),
        ("evaluate --data toy --model bm25 --folder F", "bm25 is not trained, so --folder would be ignored"),
        ("evaluate --data toy --model hybrid --folder F", "F/hybrid contains no finished training of hybrid"),
        (LINE + " --question q", "--question is a column of a table; give --data FILE"),
        ("compare run --qrels qrels", "run is one run; give at least two"),
        (LINE + " --queries texts.jsonl", "2 of 2 questions of the grades have no text, such as 'q1'"),
        ("evaluate --run tied", "there are no grades to measure by; give --qrels FILE, or --data"),
        ("evaluate --run none --qrels graded", "no file at none"),
        ("evaluate --run graded --qrels graded", "graded, line 1: 4 fields"),
        ("evaluate --run tied --qrels graded --measure MAPP", "no measure is called 'MAPP'; did you mean 'MAP'?"),
        ("evaluate --run tied --qrels graded --metric f1", "qrels contain none"),
        ("evaluate --run tied --qrels graded --strict", "ranks 'b' for the question 'q2'"),
        ("evaluate --run tied --qrels graded --relevant 0", "relevant is 0"),
        ("evaluate --run tied --qrels graded --split dev", "--split dev is the split of a corpus"),
        ("evaluate --run tied --qrels graded --threshold 0.5", "threshold is given, but without metrics"),
        ("compare tied tied --qrels graded", "a run is given twice"),
        ("compare tied link --qrels graded", "a run is given twice"),
        ("evaluate --run tied --qrels graded --measure ,", "nothing to measure"),
        (
            "evaluate --run tied --qrels strangers",
            "no question in common: the run has 'q1', 'q2', the grades have 's1'",
        ),
        ("evaluate --run tied --qrels strangers --no-strict", "no question in common"),
    ],
)
def test_an_error_is_one_line_and_status_2(line, complaint):
    result = called(line)
    assert result.exit_code == 2
    (output,) = result.stderr.splitlines()
    assert output.startswith("rankers: ")
    assert complaint in output
