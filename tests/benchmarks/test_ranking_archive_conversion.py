"""The conversion of archives of format 1: nothing is lost, and nothing is removed before that is proven."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import ranking_archive_conversion
from benchmarks.ranking_archive import Archive, Key, _fingerprint, read_rows
from benchmarks.ranking_archive_conversion import convert
from rankers.types import Candidate, Question, Questions

pytest.importorskip("pyarrow")

FACTS = {"ranks": "model", "dmn": {"recipe": {"epochs": 3}}}
QUESTIONS = Questions("made", "test", (Question("q", "?", tuple(Candidate(f"c{i:03}", "a", 0) for i in range(300))),))


def _old(path: Path, ranks: list[int], **changes: Any) -> None:
    """Write a file as format 1 had it."""
    story = {
        **{"format": 1, "facts": FACTS, "questions": _fingerprint(QUESTIONS), "system": "dmn-advcom"},
        **{"signature": "dmn|x", "parameters": 7, "training_s": 1.25, "scoring_s": 0.5, "made_on": "cpu"},
        **changes,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    places = np.array(ranks).astype(np.min_scalar_type(max(ranks)))
    np.savez_compressed(path, places=places, story=np.frombuffer(json.dumps(story).encode(), dtype=np.uint8))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    _old(tmp_path / "wikiqa/cpu/seed-0/dmn-advcom.test.npz", list(range(300)))
    _old(tmp_path / "wikiqa/cpu/seed-2/dmn-advcom.trecdl19.test.npz", [3, 1, 1] * 100)
    return tmp_path


def test_runs_come_back_from_the_new_file(archive: Path) -> None:
    path = archive / "wikiqa" / "cpu.parquet"
    assert convert(archive) == {path: 2}
    assert [path for path in archive.rglob("*") if path.is_file()] == [path]
    assert list(read_rows(path)) == [Key("dmn-advcom", 0, "test"), Key("dmn-advcom", 2, "trecdl19.test")]
    first, second = (Archive(path).get(key, QUESTIONS, FACTS) for key in read_rows(path))
    assert first is not None
    assert second is not None
    assert first[1:] == (7, 1.25, 0.5, "cpu")
    assert list(first.run.scores["q"].values()) == [-i for i in range(300)]
    assert list(second.run.scores["q"].values()) == [-3, -1, -1] * 100


def test_a_difference_keeps_the_old_files(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(path: Path) -> dict[Key, dict[str, Any]]:
        return {key: row | {"made_on": ""} for key, row in read_rows(path).items()}

    monkeypatch.setattr(ranking_archive_conversion, "read_rows", lossy)
    with pytest.raises(ValueError, match="differs from its old file; nothing was removed"):
        convert(archive)
    assert len(list(archive.rglob("*.npz"))) == 2


@pytest.mark.parametrize(
    ("changes", "message"), [({"format": 2}, "has the format 2"), ({"system": "man"}, "a run of man")]
)
def test_other_files_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    _old(tmp_path / "wikiqa/cpu/seed-0/dmn-advcom.test.npz", [0], **changes)
    with pytest.raises(ValueError, match=message):
        convert(tmp_path)
