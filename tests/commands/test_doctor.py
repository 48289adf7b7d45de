"""``answersim doctor``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answersim.evaluation.data.minimal_pairs import minimal_pairs
from tests import command_line


@pytest.fixture(autouse=True)
def _few_families(monkeypatch: Any) -> None:
    monkeypatch.setattr(
        "answersim.evaluation.doctor.study.minimal_pairs", lambda lang, part: minimal_pairs(lang, part)[:30]
    )


def run(*words: object) -> tuple[int, str, str]:
    return command_line.run("doctor", *words, "--no-cache")


def test_the_tables_are_printed() -> None:
    code, out, err = run("f1", "recall", "--attacked", "3")
    assert (code, err) == (0, "")
    for title in ("Minimal pairs in the right order", "Properties", "Wrong answers that are accepted"):
        assert title in out
    assert "part dev" in out
    assert "recall|text:en|rev:1" in out


def test_json_goes_to_standard_output_and_nothing_else(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "noisy_metric_of_a_test.py").write_text(
        "print('loading')\ndef f(golds, preds):\n    print('scoring')\n    return [len(p) / 9999 for p in preds]\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, err = run("noisy_metric_of_a_test:f", "--format", "json", "--attacked", "0", "--no-properties")
    assert code == 0
    assert json.loads(out)["metrics"][0]["name"] == "noisy_metric_of_a_test:f"
    assert "loading" in err


@pytest.mark.parametrize(("name", "start"), [("x.json", "{"), ("x.md", "## "), ("x.tex", r"\paragraph")])
def test_the_result_is_written(tmp_path: Path, name: str, start: str) -> None:
    code, _, _ = run("em", "--attacked", "0", "--no-properties", "-o", tmp_path / name)
    assert code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gone"], "no metric is called 'gone'"),
        (["f1,em"], "no metric is called 'f1,em'"),
        (["f1", "--part", "train"], "no part of the minimal pairs is called 'train'"),
        (["f1", "--lang", "xx"], "xx"),
        (["f1", "--format", "xml"], "no format is called 'xml'"),
        (["f1", "-o", "x.txt"], "a result is written as: .json, .md, .tex, .csv"),
        (["f1", "-o", "gone/x.json"], "there is no folder"),
        (["gone_module:f"], "put it into the working folder"),
    ],
)
def test_a_mistake_is_one_line(words: list[str], message: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message.lower() in err.lower()
    assert err.count("\n") == 1


def test_attacks_on_rewards_are_printed_and_written(tmp_path: Path) -> None:
    code, out, _ = run("reward", "rules", "em", "--attacked", "3", "-o", tmp_path / "x.json")
    assert code == 0
    assert "Attacks that rules accepts" in out
    assert "Right answers that em rejects" in out
    assert [each["name"] for each in json.loads((tmp_path / "x.json").read_text())] == ["rules", "em"]
    assert "\\begin{tabular}" in run("reward", "rules", "--attacked", "1", "--format", "latex")[1]
    code, _, err = run("reward", "rules", "-o", tmp_path / "x.html")
    assert code != 0
    assert "a result is written as: .json, .md, .tex, .csv" in err


def test_a_function_is_attacked_too(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "generous_verifier_of_a_test.py").write_text(
        "def f(golds, preds, questions):\n    return [1.0] * len(golds)\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("reward", "generous_verifier_of_a_test:f", "--attacked", "2", "--format", "json")
    assert code == 0
    (found,) = json.loads(out)
    assert found["attacks"][-1]["accepted"]["value"] == 1.0


def test_the_definitions_of_benchmarks_are_printed_for_the_minimal_pairs() -> None:
    code, out, err = run("--official")
    assert (code, err) == (0, "")
    for words in ("exact match, %", "official:triviaqa, f1", "wrong (close misses)", "papers call both F1"):
        assert words in out


def test_without_a_metric_or_with_one_beside_the_definitions_the_error_says_what_to_give() -> None:
    code, _, err = run()
    assert code != 0
    assert "give --official" in err
    code, _, err = run("f1", "--official")
    assert code != 0
    assert "leave out the metrics" in err
