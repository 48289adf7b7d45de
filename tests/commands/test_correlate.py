"""``answersim correlate``: readable tables, files that hold everything, and one line for every mistake."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from answersim._base.io.files import read_csv
from tests import command_line

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


def test_tables_show_coefficients_intervals_and_what_decides_the_numbers(judged: Path) -> None:
    code, out, err = run(judged, "--metric", "f1", "--resamples", 50, "--by", "source", "--score", "tool")
    assert (code, err) == (0, "")
    titles = [line for line in out.splitlines() if "(n = " in line and not line.endswith("continued")]
    assert titles == ["all (n = 40)", "F1=0 (n = 20)", "F1!=0 (n = 20)", "source=a (n = 20)", "source=b (n = 20)"]
    rows = read_csv(judged).rows
    tau = stats.kendalltau([float(row["tool"]) for row in rows], [int(row["label"]) for row in rows]).statistic
    first = next(line for line in out.splitlines() if line.startswith("tool")).split()
    assert f"{tau:.3f}" in first
    assert "f1: f1|text:en|rev:1" in out
    assert "tool: scores as given" in out


def test_json_and_csv_hold_the_same_numbers(judged: Path, tmp_path: Path) -> None:
    for suffix in ("json", "csv"):
        assert run(judged, "--score", "tool", "--resamples", 50, "-o", tmp_path / f"out.{suffix}")[0] == 0
    content = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    value = content["rows"][0]["coefficients"]["tau-b"]["value"]
    rows = read_csv(tmp_path / "out.csv").rows
    assert float(next(row for row in rows if row["coefficient"] == "tau-b")["value"]) == value


def test_differences_from_one_metric_are_shown_with_every_test(judged: Path) -> None:
    how = ("--against", "f1", "--coefficients", "pearson", "--resamples", 50)
    code, out, _ = run(judged, "--metric", "f1", "--score", "tool", *how)
    assert code == 0
    assert "pearson above that of f1" in out
    assert {"bootstrap", "permutation", "(Holm)"} <= set(out.split("pearson above that of f1", 1)[1].split())


def test_the_seed_is_given_to_the_study(judged: Path) -> None:
    one, other = (run(judged, "--score", "tool", "--resamples", 50, "--seed", seed)[1] for seed in (1, 2))
    assert one != other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "labels"], "did you mean 'label'"),
        (["--output", "out.txt"], "a result is written as: .json, .md, .tex, .csv"),
        (["--output", "nowhere/out.md"], "there is no folder"),
        (["--against", "tools"], "did you mean 'tool'"),
        (["--tests", "t"], "no test is called 't'"),
        (["--score", "source"], "must be a finite number"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(judged: Path, arguments: list[str], message: str) -> None:
    code, out, err = run(judged, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("answersim: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_function_of_the_user_is_a_metric_by_its_path(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_error_for_an_unknown_metric_names_the_other_ways(judged: Path) -> None:
    code, _, err = run(judged, "-m", "recal", "--score", "tool")
    assert code == 2
    for words in ("did you mean 'recall'", "--score COLUMN", "module:function", "plug-in"):
        assert words in err
