"""``answersim calibrate``: what it learns, writes and says; one line for every mistake, and nothing half done."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from answersim.calibration.fitting import calibrate
from answersim.calibration.storing import read
from answersim.metrics.catalog.lookup import metric
from tests.command_line import refused, succeed


@pytest.fixture
def rows():
    """Answers of three words, of which the equivalent ones keep one to three and the others none or one."""
    rng = np.random.default_rng(0)
    result = []
    for i in range(120):
        label = int(rng.integers(2))
        keep = int(rng.integers(1, 4)) if label else int(rng.integers(2))
        words = [f"w{i}x{j}" for j in range(3)]
        pred = " ".join(words[:keep] + [f"other{i}x{j}" for j in range(3 - keep)])
        mine = 2 * label + rng.normal()
        result.append(
            {"q": f"q{i // 2}", "gold": " ".join(words), "pred": pred, "label": str(label), "mine": f"{mine}"}
        )
    return result


@pytest.fixture
def table(rows, tmp_path):
    return write(tmp_path / "judged.csv", rows)


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_file_holds_the_calibration_of_the_metric_and_says_how_it_is_built(table, rows, tmp_path):
    out = succeed("calibrate", table, "--metric", "f1", "--output", tmp_path / "f1.json")
    result, f1 = read(tmp_path / "f1.json"), metric("f1")
    scores = f1([(row["gold"], row["pred"]) for row in rows])
    expected = calibrate(scores, [int(row["label"]) for row in rows], signature=f1.signature)
    assert replace(result, metric={}, metadata={}) == expected
    assert dict(result.metric) == {"name": "f1", "lang": "en", "profile": None, "options": {}}
    assert result.metadata["file"] == "judged.csv"
    for told in (f1.signature, "120 pairs", "best accuracy", "precision 0.95", "equivalent", "calibration error"):
        assert told in out
    assert f"{100 * result.threshold('accuracy').accuracy.value:.1f} [" in out
    assert "nan" not in out


def test_a_column_of_scores_is_calibrated_as_such(table, rows, tmp_path):
    succeed("calibrate", table, "--score", "mine", "--group", "q", "--target", ".8", "-o", tmp_path / "mine.json")
    result = read(tmp_path / "mine.json")
    assert result.signature == "column|name:mine"
    assert (result.provenance.groups, result.provenance.target) == (60, 0.8)
    expected = calibrate(
        [float(row["mine"]) for row in rows],
        [int(row["label"]) for row in rows],
        groups=[row["q"] for row in rows],
        target=0.8,
    )
    assert result.threshold("f1") == expected.threshold("f1")


def test_grades_need_a_cut(rows, tmp_path):
    for i, row in enumerate(rows):
        row["label"] = "2" if row["label"] == "1" else str(i % 2)
    table = write(tmp_path / "judged.csv", rows)
    asked = ("calibrate", table, "--score", "mine", "-o", tmp_path / "mine.json")
    assert "for grades, give the lowest grade of equivalent pairs" in refused(*asked)
    assert not (tmp_path / "mine.json").exists()
    succeed(*asked, "--label-from", 2)
    assert read(tmp_path / "mine.json").provenance.label == "at least 2"


def test_an_option_of_the_metric_is_part_of_the_calibration(table, tmp_path):
    succeed("calibrate", table, "-m", "meteor", "--option", "alpha=.5", "-o", tmp_path / "meteor.json")
    rows = read(tmp_path / "meteor.json")
    assert "alpha:0.5" in rows.signature
    assert rows.metric["options"] == {"alpha": 0.5}
    assert json.loads((tmp_path / "meteor.json").read_text())["signature"] == rows.signature


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give either metric=, to score the answers, or score="),
        (("-m", "f1", "--score", "mine"), "give either metric="),
        (("--score", "yours"), "has no column 'yours' of scores; its columns are: q, gold, pred, label, mine"),
        (("-m", "f1", "--pred", "gold"), "gold and pred both name the column 'gold'"),
        (
            ("-m", "f1", "--labels", "gold"),
            "row 1: the label is 'w0x0 w0x1 w0x2', but a label is a finite number, one of y",
        ),
        (("-m", "f1", "--group", "label"), "group (--group) is the column 'label', which contains labels or scores"),
        (("--score", "label"), "--labels and --score both name the column 'label'"),
        (("-m", "f1", "--curve", "magic"), "no method is called 'magic'"),
    ],
)
def test_a_mistake_is_told_in_one_line_and_leaves_no_file(table, tmp_path, arguments, told):
    assert told in refused("calibrate", table, "-o", tmp_path / "new.json", *arguments)
    assert not (tmp_path / "new.json").exists()


def test_where_the_calibration_cannot_be_written_is_told_before_any_work(table, tmp_path):
    message = refused("calibrate", table, "-m", "f1", "-o", tmp_path / "new.csv")
    assert "a calibration is a JSON file; give a name that ends in .json" in message
    assert "there is no folder" in refused("calibrate", table, "-m", "nonsense", "-o", tmp_path / "no" / "new.json")


def test_a_label_or_score_that_is_no_finite_number_is_told_with_its_row(rows, tmp_path):
    for column, value, what in (("mine", "", "the score 'mine'"), ("label", "-1e999", "the label")):
        table = write(tmp_path / "judged.csv", [*rows[:4], rows[4] | {column: value}, *rows[5:]])
        message = refused("calibrate", table, "--score", "mine", "-o", tmp_path / "new.json")
        assert f"judged, row 5: {what} is {value!r}, but" in message
        assert not (tmp_path / "new.json").exists()


def test_the_verdicts_and_their_accuracy_are_stated_and_the_file_has_its_format(table, tmp_path):
    out = succeed("calibrate", table, "--score", "mine", "-o", tmp_path / "mine.json")
    result, written = read(tmp_path / "mine.json"), json.loads((tmp_path / "mine.json").read_text())
    assert written["format"] == "answersim calibration 4"
    (line,) = [line for line in out.splitlines() if line.startswith("equivalent from p 0.7 (score ")]
    assert f"{100 * result.threshold('accuracy').accuracy.value:.1f} [" in line


@pytest.mark.parametrize(
    "option", [("--gold", "gold"), ("--split-gold", "|"), ("--lang", "en"), ("--option", "layer=3")]
)
def test_what_a_column_of_scores_leaves_without_effect_is_refused(table, tmp_path, option):
    line = refused("calibrate", table, "-o", tmp_path / "c.json", "--score", "mine", *option)
    assert line.startswith(f"{option[0]} is given, but --score supplies the scores")
    assert not (tmp_path / "c.json").exists()


def test_a_sample_with_unequal_probabilities_is_refused(rows, tmp_path):
    path = tmp_path / "drawn.jsonl"

    def put(shares):
        held = [row | {"label": int(row["label"]), "inclusion": shares[i % 2]} for i, row in enumerate(rows)]
        held.append(rows[0] | {"label": None, "inclusion": None})
        path.write_text("".join(json.dumps(row) + "\n" for row in held), encoding="utf-8")
        return ("calibrate", path, "--metric", "f1", "-o", tmp_path / "c.json")

    line = refused(*put([0.05, 0.5]))
    assert "drawn with probabilities from 0.05 to 0.5, but a calibration counts each label" in line
    assert "--allocation proportional" in line
    assert not (tmp_path / "c.json").exists()
    assert "1 of 121 rows have no label" in succeed(*put([0.1, 0.1]))
