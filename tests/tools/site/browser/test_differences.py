"""The recorded differences between the cosines of the page and those of the package: of the pinned file, and stated."""

from __future__ import annotations

import json

import pytest

from tools.site.browser import assemble, differences, minilm

RECORD = json.loads(differences.RECORD.read_text(encoding="utf-8"))
PINS = json.loads((assemble.HERE / "pins.json").read_text(encoding="utf-8"))


def test_recorded_differences_are_within_the_bound() -> None:
    assert RECORD["sha256"] == PINS["encoder"]["sha256"]
    assert RECORD["bytes"] < 30e6
    assert {"minimal pairs", "squad", "nq-open", "germanquad", "evouna"} == set(RECORD["sets"])
    assert max(row["largest"] for row in RECORD["sets"].values()) < differences.BOUND


@pytest.mark.parametrize("page", ["tools/site/browser/index.html", "docs/browser.md"])
def test_the_pages_state_the_recorded_differences(page: str) -> None:
    text = (assemble.ROOT / page).read_text(encoding="utf-8")
    for words in differences.sentence_parts(RECORD):
        assert words in text, words


@pytest.mark.slow
def test_the_file_is_made_again_and_its_cosines_are_as_near_as_recorded() -> None:
    reason = "it is not installed: pip install -r tools/site/browser/requirements.txt"
    pytest.importorskip("onnxruntime", reason=reason)
    import hashlib

    content, tokens = minilm.export(minilm.folder_of_weights())
    assert hashlib.sha256(content).hexdigest() == PINS["encoder"]["sha256"]
    found = differences.difference(content, json.loads(tokens), differences.shipped_pairs())
    recorded = RECORD["sets"]["minimal pairs"]
    assert found.pairs == recorded["pairs"]
    assert found.largest == pytest.approx(recorded["largest"], rel=0.05)
    assert found.mean == pytest.approx(recorded["mean"], rel=0.05)
