"""correlate, calibrate and doctor: the tables of the functions, and what is refused."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim._base.io.files import read_csv
from answersim.calibration.fitting import calibrate
from answersim.calibration.storing import read
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.metrics.catalog.lookup import metric
from tests import command_line
from tests.command_line import refused, succeed

run = partial(command_line.run, "correlate")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Forty judged pairs: labels of two raters, a tool's score, a source."""
    rng = np.random.default_rng(0)
    path = tmp_path / "judged.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["gold", "pred", "label", "second", "tool", "source"])
        for i in range(40):
            label = int(rng.integers(3))
            writer.writerow(
                [
                    "red stone",
                    "red brick" if i % 2 else "brick",
                    label,
                    min(2, label + i % 2),
                    label + rng.normal(),
                    "ab"[i // 20],
                ]
            )
    return path


def test_json_and_csv_hold_the_same_numbers(judged: Path, tmp_path: Path) -> None:
    for suffix in ("json", "csv"):
        assert run(judged, "--score", "tool", "--resamples", 50, "-o", tmp_path / f"out.{suffix}")[0] == 0
    content = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    value = content["rows"][0]["coefficients"]["tau-b"]["value"]
    rows = read_csv(tmp_path / "out.csv").rows
    assert float(next(row for row in rows if row["coefficient"] == "tau-b")["value"]) == value


def test_a_function_of_the_user_is_a_metric_by_its_path(judged, tmp_path, monkeypatch):
    (tmp_path / "my_share.py").write_text("def share(golds, preds):\n    return [len(pred) for pred in preds]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    code, out, _ = run(judged, "-m", "f1,my_share:share", "--resamples", 20, "--score", "tool")
    assert code == 0
    assert any(line.startswith("my_share:share ") for line in out.splitlines())
    code, _, err = run(judged, "-m", "f1,my_share:share", "--extract", "last-line")
    assert (code, "--extract is for a metric of 'answersim show', and not for my_share:share" in err) == (2, True)
    code, _, err = run(judged, "-m", "my_share:shar", "--score", "tool")
    assert code == 2
    assert "did you mean 'share'" in err


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


@pytest.fixture(autouse=True)
def _few_families(monkeypatch: Any) -> None:
    monkeypatch.setattr(
        "answersim.evaluation.doctor.study.minimal_pairs", lambda lang, part: minimal_pairs(lang, part)[:30]
    )


def run_doctor(*words: object) -> tuple[int, str, str]:
    return command_line.run("doctor", *words, "--no-cache")


def test_json_goes_to_standard_output_and_nothing_else(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "noisy_metric_of_a_test.py").write_text(
        "print('loading')\ndef f(golds, preds):\n    print('scoring')\n    return [len(p) / 9999 for p in preds]\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, err = run_doctor("noisy_metric_of_a_test:f", "--format", "json", "--attacked", "0", "--no-properties")
    assert code == 0
    assert json.loads(out)["metrics"][0]["name"] == "noisy_metric_of_a_test:f"
    assert "loading" in err


def test_attacks_on_rewards_are_printed_and_written(tmp_path: Path) -> None:
    code, out, _ = run_doctor("reward", "rules", "em", "--attacked", "3", "-o", tmp_path / "x.json")
    assert code == 0
    assert "Attacks that rules accepts" in out
    assert "Right answers that em rejects" in out
    assert [load["name"] for load in json.loads((tmp_path / "x.json").read_text())] == ["rules", "em"]
    assert "\\begin{tabular}" in run_doctor("reward", "rules", "--attacked", "1", "--format", "latex")[1]


def test_a_function_is_attacked_too(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "generous_verifier_of_a_test.py").write_text(
        "def f(golds, preds, questions):\n    return [1.0] * len(golds)\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run_doctor("reward", "generous_verifier_of_a_test:f", "--attacked", "2", "--format", "json")
    assert code == 0
    (result,) = json.loads(out)
    assert result["attacks"][-1]["accepted"]["value"] == 1.0
