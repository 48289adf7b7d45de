"""The matrix of the doctor: environments, records, and the tables of the page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.doctor import ADAPTERS
from benchmarks import doctor_matrix
from benchmarks.doctor_matrix import END, PEERS, START, Peer, dumped, made, of_peer, with_tables
from tests.benchmarks.programs import invoke


@pytest.fixture(scope="module")
def recorded() -> dict[str, object]:
    """Records of two metrics and of one that cannot run, made by processes of their own."""
    peer = Peer((), "numpy", ("em", "gone", "recall"), "a download")
    return {"autoevals": of_peer(peer, Path(sys.executable), "dev")}


def test_every_library_with_an_adapter_is_in_the_matrix() -> None:
    assert sorted(PEERS) == sorted(ADAPTERS)
    assert all(metric.startswith(f"{name}:") for name, peer in PEERS.items() for metric in peer.metrics)


def test_a_metric_that_cannot_run_is_recorded_with_the_reason(recorded: dict[str, Any]) -> None:
    content = recorded["autoevals"]
    assert content["version"] == np.__version__
    assert content["not_run"] == {"gone": "a download"}
    assert [metric["name"] for metric in content["metrics"]] == ["em", "recall"]
    assert "seconds" not in content["metrics"][0]


def test_the_tables_are_written_between_the_comments(recorded: dict[str, object]) -> None:
    page = with_tables(f"before\n{START}\nold\n{END}\nafter\n", recorded)
    assert page.startswith(f"before\n{START}\n")
    assert page.endswith(f"{END}\nafter\n")
    assert "old" not in page
    assert "| recall |" in page
    assert "symmetry" in page
    assert "- gone: a download" in page
    assert with_tables(page, recorded) == page
    with pytest.raises(ValueError, match="lacks the comments"):
        with_tables("no comments", recorded)


def test_the_page_is_written_again_from_the_records(recorded: dict[str, object], tmp_path: Path) -> None:
    records, page = tmp_path / "doctor.json", tmp_path / "doctor.md"
    assert len(dumped(recorded).splitlines()) == 4  # a line per metric
    records.write_text(dumped(recorded), encoding="utf-8")
    page.write_text(f"{START}\n{END}\n", encoding="utf-8")
    words = ["--only", "", "--records", str(records), "--page", str(page)]
    result = invoke("doctor_matrix", *words)
    assert result.exit_code == 0, result.output
    assert "| em |" in page.read_text(encoding="utf-8")
    assert json.loads(records.read_text(encoding="utf-8")) == recorded


def test_an_environment_is_made_once_and_sees_the_packages_of_this_one(tmp_path: Path) -> None:
    python = made(tmp_path / "one", ())
    shown = subprocess.run(
        [str(python), "-c", "import sys, numpy; print(sys.prefix)"], check=True, capture_output=True, text=True
    )
    assert Path(shown.stdout.strip()).samefile(tmp_path / "one")
    (tmp_path / "one" / "mark").touch()
    assert made(tmp_path / "one", ()) == python
    assert (tmp_path / "one" / "mark").is_file()


def test_the_committed_page_has_the_tables_of_the_committed_records() -> None:
    recorded = json.loads(doctor_matrix.RECORDS.read_text(encoding="utf-8"))
    page = doctor_matrix.PAGE.read_text(encoding="utf-8")
    assert with_tables(page, recorded) == page


def test_a_pattern_that_a_metric_was_not_tried_with_has_a_dash(recorded: dict[str, Any]) -> None:
    one, other = (dict(metric, attacks=list(metric["attacks"])) for metric in recorded["autoevals"]["metrics"])
    lacking = other["attacks"].pop()["pattern"]
    rows = {row[0]: row for row in doctor_matrix.by_attack({"em": one, "recall": other}).rows}
    assert rows[lacking][1] != "-"
    assert rows[lacking][2] == "-"
