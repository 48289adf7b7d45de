"""The speed of metrics of words: which pairs, which peers, and what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answersim.types import Pair
from benchmarks import references, speed_lexical
from tests.benchmarks.programs import invoke

KEYS = ["name", "peer", "n", "ours_s", "peer_s", "ratio", "max_abs_diff", "limit_share", "precision"]


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)


def test_short_pairs_are_those_of_the_file_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "sas").mkdir()
    (tmp_path / "sas" / "NQ-open_SAS.csv").write_text("answer1,answer2\nParis,in Paris\n,x\ny,z\n", encoding="utf-8")
    assert speed_lexical.short_pairs(2, tmp_path) == [Pair("Paris", "in Paris"), Pair("", "x")]
    assert len(speed_lexical.short_pairs(5)) == 5
    with pytest.raises(FileNotFoundError, match="omit it for synthetic pairs"):
        speed_lexical.short_pairs(5, tmp_path / "sas")


@pytest.mark.filterwarnings("ignore")  # the peers' own
def test_ours_are_the_peers_numbers() -> None:
    result = speed_lexical.rows(["em", "f1", "rouge-l", "bleu"], size=20, repetitions=1)
    assert [row.name for row in result] == [
        f"{name}, {kind}" for kind in ("short", "long") for name in ("em", "f1", "rouge-l", "bleu")
    ]
    assert {row.n for row in result} == {20}
    for row in result:
        assert row.max_abs_diff == 0 if "bleu" not in row.name else row.max_abs_diff < 1e-14
        assert row.ours_s > 0 < row.peer_s


@pytest.mark.filterwarnings("ignore")
def test_the_command_writes_json_without_meteor_if_wordnet_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real, path = references.nltk_wordnet, tmp_path / "rows.json"
    monkeypatch.setattr(references, "nltk_wordnet", lambda: real(tmp_path))
    arguments = "lexical --size 3 --repetitions 1 --metrics em,meteor --format json --output".split()
    done = invoke("speed", *arguments, str(path))
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "no row of METEOR: needs Debian's WordNet" in done.stderr
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert [list(row) for row in rows] == [KEYS, KEYS]
    assert [row["name"] for row in rows] == ["em, short", "em, long"]
