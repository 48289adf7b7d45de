"""compare and its verdicts: differences, exit statuses, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from answersim._base.io import files
from answersim.calibration.storing import find, write
from tests.cases import cases_of
from tests.command_line import combined, refused, run, succeed

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
    results = [float(row["right_second"]) for row in files.read(tmp_path / "recall.csv").rows]
    assert results == [0.75, 0.25, 0.25]
    assert not any(row["right_second"] for row in rows)
    text = (tmp_path / "recall.md").read_text()
    assert "| old | new | 80 | 50.0 | 75.0 | +25.0 \\[" in text
    assert "- 95% intervals; counted: an answer is right from the probability 0.7 on" in text
    assert "| old | new | 80 | - | - | - | - | 0.500 | 0.750 | +0.250 \\[" in (tmp_path / "bleu.md").read_text()
    assert r"old & new & 80 & 50.0 & 75.0 & +25.0 [" in (tmp_path / "recall.tex").read_text()


@pytest.mark.parametrize(
    ("correct", "drop", "status", "title"),
    cases_of(__file__)["a_largest_drop_is_decided_by_the_exit_status"],
)
def test_a_largest_drop_is_decided_by_the_exit_status(tmp_path, correct, drop, status, title):
    for name, right in (("old", 160), ("new", correct)):
        rows = [{"id": i, "gold": ["Rome", "Roma"], "pred": "Rome" if i < right else f"Oslo {i}"} for i in range(200)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files_ = (tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    for suffix in ("json", "md", "tex", "csv"):
        output = tmp_path / f"decision.{suffix}"
        result, text = combined("compare", *files_, "--max-drop", drop, "--rows", 0, "-o", output)
        assert result == status, text
    verdict = {0: "passed", 1: "failed", 3: "undecided"}[status]
    assert text.splitlines()[-1].startswith(f"gate {verdict}: the 95% interval of the difference in right answers, [")
    if correct == 159:
        assert "more than 1,000,000 questions would decide in 8 of 10 cases" in text
    record = json.loads((tmp_path / "decision.json").read_text(encoding="utf-8"))
    assert (record["gate"]["status"], record["gate"]["verdict"]) == (status, verdict)
    assert len(record["pairs"][0]["changed"]) == abs(correct - 160)
    assert (tmp_path / "decision.md").read_text(encoding="utf-8").startswith(title)
    assert (tmp_path / "decision.tex").read_text(encoding="utf-8").startswith(f"{verdict}: the 95")
    result, text = combined("compare", *files_, "--max-drop", drop, "--format", "markdown")
    assert (result, text.startswith(title)) == (status, True)


TABLE = "id,gold,pred,mine\n1,National Football League,National Football League,4\n2,Rome,Milan,-2\n3,NA,None,1.5\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


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
    assert "3,085 pairs" in out
    assert "caution: in the data of the calibration, 78.5% were equivalent" in out


@pytest.mark.filterwarnings("always::answersim._base.errors.ShortAnswersWarning")
def test_shared_words_of_a_short_answer_have_no_verdict_and_the_reason(tmp_path):
    (tmp_path / "t.csv").write_text(f"gold,pred\nBarack Obama,Michelle Obama\nRome,It is Rome {'and so on ' * 4}\n")
    code, out, error = run("score", tmp_path / "t.csv", "-c", "f1", "-o", tmp_path / "out.csv")
    assert code == 0
    assert "1 of 2 predictions has fewer than 12 words and is unsure: f1 gives no verdict" in error
    assert "mean probability" not in out
    rows = rows_of(tmp_path / "out.csv")
    assert [(row["probability"] == "nan", row["verdict"]) for row in rows] == [(True, "unsure"), (False, "equivalent")]
    code, out, error = run("score", "--gold", "Barack Obama", "--pred", "Michelle Obama", "-m", "meteor")
    assert "the prediction has fewer than 12 words" in error
    assert "verdict      unsure" in out
    assert "probability" not in out


def test_a_calibration_of_former_weights_or_words_is_refused_before_any_work(table, tmp_path, monkeypatch):
    write(find("f1"), tmp_path / "f1.json")
    story = json.loads((tmp_path / "f1.json").read_text())
    story["signature"] = "f1|text:squad|rev:1"
    (tmp_path / "f1.json").write_text(json.dumps(story))
    monkeypatch.setattr("answersim.scoring.tables.row_verdicts.score_answers", None)  # whoever scores, fails
    message = refused("score", table, "-c", tmp_path / "f1.json", "-o", tmp_path / "out.csv")
    assert "text is en and not squad" in message
    assert not (tmp_path / "out.csv").exists()
