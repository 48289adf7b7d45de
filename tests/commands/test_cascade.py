"""``answersim cascade``: the cuts that the labels allow and how to use them; and the usage that ``score`` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import run

LEXICAL = ("--option", "stages=typed,recall,f1")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return 600 answers: 400 that recall is sure of, 100 numbers, 100 that share nothing."""
    rows = []
    for i in range(600):
        pred = f"it is answer{i}" if i < 400 else "eleven" if i < 500 else "nothing"
        gold = f"answer{i}" if i < 400 else "11" if i < 500 else f"answer{i}"
        rows.append({"gold": gold, "pred": pred, "right": int(i < 500), "question": f"q{i // 2}", "half": "x"})
    path = tmp_path / "labeled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_chosen_cuts_are_printed_with_how_to_use_them(table: Path) -> None:
    status, out, _ = run("cascade", table, "--label", "right", *LEXICAL)
    assert status == 0
    lines = out.splitlines()
    (chosen,) = [line.split() for line in lines if line.endswith("chosen")]
    assert chosen[:4] == ["0.45", "0.55", "100.00", "%"]
    assert "a stage decides from p 0.55 on and up to p 0.45: at most 1 % errors that f1 alone does not make" in out
    assert lines[-1].startswith(
        "to score with these cuts: answersim score FILE -m cascade --option stages=typed,recall"
    )
    assert lines[-1].endswith("--option low=0.45 --option high=0.55")
    options = lines[-1].partition(" -m cascade ")[2].split()
    status, out, _ = run("score", table, "-m", "cascade", *options)
    assert status == 0
    assert (
        "cascade: of 600 answers, the stages decided: typed 100 (16.7 %), recall 500 (83.3 %), f1 0 (0.0 %); f1 scored "
        "0 of 600 pairs, 100.0 % saved"
    ) in out


def test_questions_or_a_column_are_groups(table: Path) -> None:
    status, out, _ = run("cascade", table, "--label", "right", "--group", "question", "--risk", "0.05", *LEXICAL)
    assert status == 0
    assert "600 answers of 300 groups count as 300 independent ones, by an approximation\n" in out
    status, _, err = run("cascade", table, "--label", "right", "--group", "half", *LEXICAL)
    assert status == 2
    assert "there are 600 answers of 1 groups, but to promise at most 1 % added errors" in err
    assert "needs at least 299 groups" in err
    status, out, _ = run("cascade", table, "--label", "right", "--group", "question", "--exact", *LEXICAL)
    assert status == 0
    assert "600 answers of 300 groups count as 300 independent ones\n" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--label", "wrong"], "'wrong'"),
        (["--option", "low=0.1"], "--option low is given, but this command chooses it; leave it out"),
        (["--option", "cuts=1"], "the metric 'cascade' has no option 'cuts'"),
        (["--split-gold", ""], "split_gold is empty"),
        (["--label", "gold"], "gold"),
        (["--risk", "0.0001", "--label", "right", *LEXICAL], "needs at least 29,956 independent answers"),
    ],
)
def test_a_wrong_call_ends_with_one_line(table: Path, words: list[str], message: str) -> None:
    status, out, err = run("cascade", table, *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_a_cascade_is_evaluated_without_a_calibration(table: Path) -> None:
    status, out, _ = run("evaluate", table, "-m", "cascade", *LEXICAL, "--rows", "0")
    assert status == 0
    assert out.startswith("500 of 600 right, 83 %")
    assert "because these scores are probabilities" in out
    assert "the stages decided: typed 100 (16.7 %)" in out
    status, out, _ = run("evaluate", table, "-m", "cascade", *LEXICAL, "--low", "0.05", "--high", "0.95", "--rows", "1")
    assert "unsure" in out


def test_show_and_list_name_the_cascade() -> None:
    status, out, _ = run("show", "cascade")
    assert status == 0
    shown = dict(line.split(maxsplit=1) for line in out.partition("\n\n")[0].splitlines())
    assert shown["options"] == "stages, low, high, calibrations, precision, device, batch_tokens"
    assert shown["signature"].startswith("cascade|stages:typed,recall,answersim|low:0.05|high:0.95|")
    assert any(line.startswith("cascade ") and " wrapper " in line for line in run("show", "--all")[1].splitlines())


def test_a_sample_with_unequal_probabilities_is_refused(table: Path) -> None:
    rows = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
    drawn = [row | {"inclusion": 0.1 + i % 2 / 2} for i, row in enumerate(rows)]
    table.write_text("".join(json.dumps(row) + "\n" for row in drawn), encoding="utf-8")
    status, _, error = run("cascade", table, "--label", "right", *LEXICAL)
    assert status == 2
    assert "from 0.1 to 0.6 (column 'inclusion'), but the risk of a cascade counts each label once" in error
