"""``answersim compare``: its sentence, the changed answers, its files, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answersim._base.io import files
from tests.command_line import combined

GOLD = ["Rome", "Oslo", "Paris", "Lima"]


@pytest.fixture(autouse=True)
def _recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --metric, the metric is recall: no network runs."""
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")


def system(path: Path, preds: list[str], **more: object) -> Path:
    rows = [
        {"id": i, "question": f"q{i}", "gold": GOLD[i % 4], "pred": preds[i % len(preds)], **more} for i in range(80)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return system(tmp_path / "old.jsonl", ["Rome", "Bergen", "Paris", "Quito"])


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return system(tmp_path / "new.jsonl", ["Milan", "Oslo", "Paris", "Lima"])


def test_the_first_line_names_the_better_system(old: Path, new: Path) -> None:
    status, short = combined("compare", old, new)
    assert status == 0
    status, output = combined("compare", old, new, "-v")
    assert status == 0
    assert short.splitlines()[:2] == output.splitlines()[:2]
    assert short.splitlines()[2] == ""  # the answers that changed
    for detail in ("mean score", "higher score for", "counted: ", "signature: ", "would be found in 8 of 10"):
        assert (detail in short, detail in output) == (False, True)
    assert output.startswith("new is better than old: 75.0 % right against 50.0 %, +25.0 points [")
    lines = [line.strip() for line in output.splitlines()]
    assert lines[1] == ("60 right answers against 40: 40 became right, and 20 went wrong (are wrong or unsure now)")
    assert lines[2].startswith("mean score 0.750 against 0.500, difference +0.250 [")
    assert "higher score for 40, same for 20, lower for 20 answers" in output
    assert "counted: an answer is right from the probability 0.7 on (score 0." in output
    assert "metric: recall, signature: recall|text:en|rev:1" in output


def test_one_table_with_two_columns_is_compared_like_two_tables(old: Path, new: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.jsonl"
    pairs = zip(files.read(old).rows, files.read(new).rows, strict=True)
    rows = [{"old": one["pred"], "new": two["pred"], **one, "gold": f"{one['gold']}|x"} for one, two in pairs]
    both.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    how = ("--question", "question", "--rows", 0)
    expected = combined("compare", old, new, *how)
    assert combined("compare", both, "--pred", "old,new", "--split-gold", "|", *how) == expected
    assert expected[0] == 0


def test_questions_cluster_the_intervals(old: Path, new: Path, tmp_path: Path) -> None:
    for path in (old, new):
        rows = [row | {"question": row["gold"]} for row in files.read(path).rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = []
    for more in ((), ("--question", "question")):
        assert combined("compare", old, new, "-o", tmp_path / "numbers.json", *more)[0] == 0
        found.append(json.loads((tmp_path / "numbers.json").read_text())["pairs"][0]["points"]["difference"])
    narrow, wide = found
    assert narrow["value"] == wide["value"] == 0.25
    assert wide["high"] - wide["low"] > 2 * (narrow["high"] - narrow["low"])


def test_changed_answers_are_listed_and_written(old: Path, new: Path, tmp_path: Path) -> None:
    table, numbers = tmp_path / "changed.csv", tmp_path / "numbers.json"
    _, output = combined("compare", old, new, "--rows", 2, "--changes", table, "-o", numbers)
    assert "... and 58 more" in output
    rows = files.read(table).rows
    assert [row["change"] for row in rows] == ["went wrong"] * 20 + ["became right"] * 40
    assert rows[0] | {"id": ""} == {
        "id": "", "change": "went wrong", "score old": "1.0", "score new": "0.0", "gold": "Rome", "old": "Rome",
        "new": "Milan",
    }  # fmt: skip
    record = json.loads(numbers.read_text(encoding="utf-8"))
    assert record["pairs"][0]["difference"]["value"] == 0.25
    assert record["accuracy"] is None


def test_the_table_of_the_pairs_is_written_as_the_suffix_names(old: Path, new: Path, tmp_path: Path) -> None:
    third = system(tmp_path / "third.jsonl", ["Rome"])
    for metric in ("recall", "bleu"):
        for suffix in ("json", "csv", "md", "tex"):
            assert combined("compare", old, new, third, "-m", metric, "-o", tmp_path / f"{metric}.{suffix}")[0] == 0
        pairs = json.loads((tmp_path / f"{metric}.json").read_text())["pairs"]
        rows = files.read(tmp_path / f"{metric}.csv").rows
        assert [(row["first"], row["second"]) for row in rows] == [tuple(pair["names"]) for pair in pairs]
        assert [float(row["difference_low"]) for row in rows] == [pair["difference"]["low"] for pair in pairs]
    found = [float(row["right_second"]) for row in files.read(tmp_path / "recall.csv").rows]
    assert found == [0.75, 0.25, 0.25]
    assert not any(row["right_second"] for row in rows)
    text = (tmp_path / "recall.md").read_text()
    assert "| old | new | 80 | 50.0 | 75.0 | +25.0 \\[" in text
    assert "- 95% intervals; counted: an answer is right from the probability 0.7 on" in text
    assert "| old | new | 80 | - | - | - | - | 0.500 | 0.750 | +0.250 \\[" in (tmp_path / "bleu.md").read_text()
    assert r"old & new & 80 & 50.0 & 75.0 & +25.0 [" in (tmp_path / "recall.tex").read_text()


def test_settings_of_the_metric_are_given_by_option(old: Path, new: Path) -> None:
    _, output = combined(
        "compare", old, new, "-m", "typed+recall", "--option", "tolerance=0.01", "--rows", 0, "--threshold", 0.5, "-v"
    )
    assert "metric: typed+recall, signature: typed+recall|" in output
    assert "tolerance:0.01" in output
    status, output = combined("compare", old, new, "--score", "s", "--option", "tolerance=0.01")
    assert (status, "--option is given, but --score names a column of given scores" in output) == (2, True)


def test_labels_and_columns_of_scores_are_used(tmp_path: Path) -> None:
    one, other = (system(tmp_path / f"{name}.jsonl", ["x"], s=i, label=i) for i, name in enumerate("ab"))
    how = ("--score", "s", "--labels", "label")
    assert "by human labels: +1.000" in combined("compare", one, other, *how)[1]
    _, output = combined("compare", one, other, *how, "-v")
    assert "b is better than a: 100.0 % right against 0.0 %" in output
    assert "by human labels: +1.000" in output
    assert "soft pairwise accuracy with the human labels: 1.000" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["old.jsonl"], "there is one system, 'old', but a comparison needs at least 2: give one table per system, or"),
        (["old.jsonl", "old.jsonl"], "is given twice"),
        (["old.jsonl", "new.jsonl", "--score", "pred"], "the score 'pred' is"),
        (["old.jsonl", "new.jsonl", "-o", "x.txt"], "a result is written as: .json, .md, .tex, .csv"),
        (["old.jsonl", "new.jsonl", "--changes", "old.jsonl"], "is the input"),
        (["old.jsonl", "new.jsonl", "--pred", "pred,question"], "with several tables, give one column"),
        (["old.jsonl", "--pred", "pred,question", "--score", "id"], "1 column of scores for 2 systems; give one"),
    ],
)
def test_bad_input_ends_with_one_line_and_status_2(
    old: Path, new: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(old.parent)
    status, output = combined("compare", *words)
    assert status == 2
    assert message in output
    assert len(output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("correct", "drop", "status", "title"),
    [
        (170, 0.05, 0, "### Pass: new\n\n- Pass (at most 5 points of right answers below old): the 95% interval"),
        (120, 0.05, 1, "### Fail: new\n\n- Fail (at most 5 points of right answers below old)"),
        (155, 0.05, 3, "### Undecided: new\n\n- Undecided (at most 5 points of right answers below old)"),
        (159, "1e-9", 3, "### Undecided: new"),
    ],
)
def test_a_largest_drop_is_decided_by_the_exit_status(
    tmp_path: Path, correct: int, drop: object, status: int, title: str
) -> None:
    for name, right in (("old", 160), ("new", correct)):
        rows = [{"id": i, "gold": ["Rome", "Roma"], "pred": "Rome" if i < right else f"Oslo {i}"} for i in range(200)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files_ = (tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    for suffix in ("json", "md", "tex", "csv"):
        output = tmp_path / f"decision.{suffix}"
        found, text = combined("compare", *files_, "--max-drop", drop, "--rows", 0, "-o", output)
        assert found == status, text
    verdict = {0: "passed", 1: "failed", 3: "undecided"}[status]
    assert text.splitlines()[-1].startswith(f"gate {verdict}: the 95% interval of the difference in right answers, [")
    if correct == 159:
        assert "more than 1,000,000 questions would decide in 8 of 10 cases" in text
    record = json.loads((tmp_path / "decision.json").read_text(encoding="utf-8"))
    assert (record["gate"]["status"], record["gate"]["verdict"]) == (status, verdict)
    assert len(record["pairs"][0]["changed"]) == abs(correct - 160)
    assert (tmp_path / "decision.md").read_text(encoding="utf-8").startswith(title)
    assert (tmp_path / "decision.tex").read_text(encoding="utf-8").startswith(f"{verdict}: the 95")
    found, text = combined("compare", *files_, "--max-drop", drop, "--format", "markdown")
    assert (found, text.startswith(title)) == (status, True)


def test_a_bar_is_for_two_systems_and_faults_of_files_end_with_status_2(old: Path, new: Path, tmp_path: Path) -> None:
    third = system(tmp_path / "third.jsonl", ["Rome"])
    status, output = combined("compare", old, new, third, "--max-drop", 0.1)
    assert (status, "--max-drop is for a baseline and a candidate, but there are 3 systems" in output) == (2, True)
    lines = new.read_text(encoding="utf-8").splitlines()
    for changed, message in (
        (lines[1:], "new.jsonl lacks 1 id ('0') of"),
        ([*lines, lines[3]], "occurs more than once"),
    ):
        new.write_text("\n".join(changed), encoding="utf-8")
        status, output = combined("compare", old, new, "--max-drop", 0.1)
        assert (status, message in output) == (2, True)


def test_verdicts_near_the_threshold_are_counted(tmp_path: Path) -> None:
    one, other = (system(tmp_path / f"{name}.jsonl", ["x"], s=0.501) for name in ("old", "new"))
    words = ("--score", "s", "--noise", 0.002, "--max-drop", 0.5, "--threshold", 0.5, "-v")
    status, text = combined("compare", one, other, *words)
    assert status == 0
    assert "verdict flicker: 80 questions with a score nearer to the threshold 0.5 than 0.002" in text
