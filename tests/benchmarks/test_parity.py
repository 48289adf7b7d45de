"""The parity table: every metric with a reference has a row, within the tolerance that the README states."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

import answersim
from benchmarks import parity, references

TOLERANCES = {name: 1e-6 for name in answersim.names() if name.startswith("bi-encoder")}
TOLERANCES |= {name: 1e-5 for name in answersim.names() if name.startswith("bertscore") or name == "sas"}


@pytest.fixture
def _debian() -> None:
    if not (references.DICTIONARY / "index.sense").is_file():
        pytest.skip(f"needs Debian's WordNet (apt-get install {references.PACKAGES})")


@pytest.mark.slow  # the quick tests in tests/oracles check the same tolerances
@pytest.mark.usefixtures("no_data", "_debian")
@pytest.mark.filterwarnings("ignore")
def test_on_the_probe_every_difference_is_within_its_tolerance() -> None:
    done = CliRunner().invoke(parity.app, ["--limit", "30", "--format", "json"])
    assert done.exit_code == 0
    rows = json.loads(done.stdout)
    assert {row["dataset"] for row in rows} == {"probe", "probe-de"}
    held = {row["metric"] for row in rows}
    without_peer = {"recall", "containment", "sas-answers", "answersim"}
    assert set(answersim.names()) - held == without_peer
    import nltk

    is_before_3_10 = tuple(int(part) for part in nltk.__version__.split(".")[:2]) < (3, 10)  # other words for METEOR
    for row in rows:
        assert row["n"] >= 25
        if row["metric"] == "meteor" and is_before_3_10:
            continue
        assert row["max_abs_diff"] <= TOLERANCES.get(row["metric"], 1e-9), row
        assert row["signature"]


def test_a_difference_would_be_seen() -> None:
    wrong = parity.Peer("f1", "ones", answersim.metric("f1"), lambda pairs: references.squad_f1(pairs) + 0.25)
    (row,) = parity.compared("probe", [wrong], 5)
    assert row.max_abs_diff >= 0.25
    assert re.search(r"2\.5e-01", parity.table([row]).rows[0][-1])
