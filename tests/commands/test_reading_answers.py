"""Every command that reads answers reads a log of another tool, several gold answers in one cell, and bad rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run

N = 40
SOURCES = ("log", "bad row", "systems")  # each has several gold answers
COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("-m", "em"),
    "score with verdicts": ("-c", "f1"),
    "evaluate": ("-m", "em"),
    "compare": ("-m", "em", "--rows", "0"),
    "compare with a bar": ("-m", "em", "--rows", "0", "--max-drop", "0.01"),
    "official": (),
    "samples": ("--group", "id"),
    "label": ("-m", "f1", "--rows", "5"),
    "correlate": ("-m", "f1", "--resamples", "20"),
    "calibrate": ("-m", "f1", "-o", "calibration.json", "--label-from", "2"),
}
LABELED = {"correlate": "--label", "calibrate": "--labels"}


def pairs() -> list[tuple[str, str]]:
    """Return each command with two sources in turn, so that each pair of sources meets several commands."""
    left_out = {name: SOURCES[i % 3] for i, name in enumerate(COMMANDS)} | {"label": "systems"}
    return [(name, source) for name in COMMANDS for source in SOURCES if source != left_out[name]]


def answer(i: int, system: int) -> str:
    return f"answer {i}" if (i + system) % 3 else "another"


def inspect_log(path: Path, system: int) -> Path:
    """Write a log of Inspect, whose epochs are 2 for the answers that are right, as if they were labels."""
    samples = [
        {
            "id": i,
            "epoch": 1 + int(answer(i, system) != "another"),
            "input": f"question {i}?",
            "target": [f"answer {i}", "nothing"],
            "output": {"choices": [], "completion": answer(i, system)},
        }
        for i in range(N)
    ]
    log = {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def table(path: Path, source: str) -> Path:
    rows: list[dict[str, Any]] = []
    for i in range(N):
        preds = {name: answer(i, system) for system, name in enumerate("ab")}
        labels = {f"label_{name}": 1 + int(pred != "another") for name, pred in preds.items()}
        rows.append({"id": i, "gold": f"answer {i}|nothing", **preds, **labels})
    if source == "bad row":
        del rows[4]["a"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def words(command: str, source: str, folder: Path) -> list[str]:
    """Return the command line."""
    name, *_ = command.split()
    several = name == "compare" or source == "systems"
    if source == "log":
        paths = [inspect_log(folder / f"{system}.json", i) for i, system in enumerate("ab")][: 2 if several else 1]
        files, options, labels = [str(path) for path in paths], ["--from", "inspect"], ["epoch"]
    else:
        preds = ["a", "b"] if several else ["a"]
        files, labels = [str(table(folder / "t.jsonl", source))], [f"label_{pred}" for pred in preds]
        options = ["--pred", ",".join(preds), "--split-gold", "|", *(["--skip-bad"] if source == "bad row" else [])]
    if command in LABELED:
        options += [LABELED[command], ",".join(labels)]
    more = [str(folder / word) if word.endswith(".json") else word for word in COMMANDS[command]]
    return [name, *files, *more, *options]


@pytest.mark.filterwarnings("ignore::UserWarning")  # left-out rows, and studies of few rows
@pytest.mark.parametrize(("command", "source"), pairs())
def test_every_command_reads_logs_several_golds_bad_rows_and_systems(command: str, source: str, tmp_path: Path) -> None:
    status, out, err = run(*words(command, source, tmp_path))
    assert status == {"compare with a bar": 3}.get(command, 0), err  # 40 answers do not decide a gate
    rows = N - (source == "bad row")
    expected = {
        "score": f" {rows} ",
        "calibrate": f"{rows * (2 if source == 'systems' else 1)} pairs",
    }
    assert expected.get(command, "") in out


def test_a_sheet_is_of_one_system(tmp_path: Path) -> None:
    status, _, err = run(*words("label", "systems", tmp_path))
    assert (status, "no column 'a,b'" in err) == (2, True)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_row_and_an_option_that_a_log_leaves_without_effect_are_errors(command: str, tmp_path: Path) -> None:
    status, _, err = run(*(word for word in words(command, "bad row", tmp_path) if word != "--skip-bad"))
    assert status == 2
    assert "row 5: 'a' is null" in err
    assert "--skip-bad" in err
    status, _, err = run(*words(command, "log", tmp_path), "--encoding", "cp1252")
    assert status == 2
    assert "--encoding is given, but a log has its own format" in err
