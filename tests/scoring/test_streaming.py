"""Scoring a file block by block gives the numbers of one call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.errors import TruncationWarning, warn_user
from answersim.io.partial_results import UnfinishedWarning
from answersim.scoring import streaming
from answersim.scoring.streaming import RunningMean, score_file
from answersim.types import FloatArray, Pair, Scores
from tests.cases import every
from tests.scoring.scored_files import Asking, Counting, N, left_in, lines, run, source

pytestmark = pytest.mark.usefixtures("_pieces_of_four")


@pytest.mark.parametrize(("at", "part"), [(0, "|question:yes"), (N - 1, "|question:yes"), (None, "")])
def test_all_pieces_of_a_file_have_the_signature_of_the_whole_file(tmp_path: Path, at: int | None, part: str) -> None:
    rows = [{**line, "q": "who" if i == at else ""} for i, line in enumerate(lines())]
    path, out = source(tmp_path / "a.jsonl", rows), tmp_path / "out.jsonl"
    for _ in range(2):
        result = run(path, out, Asking(), question="q")
        assert result["counting"].signature == f"counting{part}|v:1"
        assert result["em"].signature == answersim.metric("em").signature
    whole = answersim.score_pairs(
        [(row["gold"], row["pred"]) for row in rows], [Asking()], question=[row["q"] for row in rows]
    )["counting|v:1"]
    assert [json.loads(line)["counting"] for line in out.read_text("utf-8").splitlines()] == whole.values.tolist()
    assert whole.signature == f"counting{part}|v:1"


@every("offset", [0, 100])  # from 0 to 1, and of any scale
@every("n", [0, 1, 5, 9_999, 10_000, 10_001, 30_000])
def test_a_running_mean_is_that_of_all_numbers(n: int, offset: int) -> None:
    values = np.random.default_rng(0).random(n) + offset
    running = RunningMean("x")
    for start in range(0, n, 777):
        running.add(values[start : start + 777])
    scores = Scores(values)
    assert len(running) == n
    if n <= 10_000:
        np.testing.assert_equal((running.mean, *running.ci()), (scores.mean, *scores.ci()))
    else:
        found, expected = (running.mean, *running.ci(0.9)), (scores.mean, *scores.ci(0.9))
        np.testing.assert_allclose(found, expected, rtol=1e-13 if offset else 1e-8)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_every_row_has_the_number_that_one_call_gives(suffix: str, tmp_path: Path) -> None:
    from answersim.io import files

    rows = [line | {"gold": [line["gold"], "x"]} if i % 5 == 0 else line for i, line in enumerate(lines())]
    path = source(tmp_path / "t.jsonl", lines() if suffix == "parquet" else rows)
    result = run(path, tmp_path / f"out.{suffix}")
    golds = [row["gold"] for row in (lines() if suffix == "parquet" else rows)]
    expected = answersim.score(golds, [row["pred"] for row in rows], Counting())
    table = files.read(tmp_path / f"out.{suffix}")
    assert [float(row["counting"]) for row in table.rows] == expected.values.tolist()
    assert table.columns == ("id", "gold", "pred", "em", "counting")
    assert (result["counting"].mean, result["counting"].ci()) == (expected.mean, expected.ci())
    assert left_in(tmp_path) == []


def test_a_column_that_only_a_later_row_has_is_not_overwritten(tmp_path: Path) -> None:
    path = source(tmp_path / "t.jsonl", [*lines(), {"gold": "a", "pred": "b", "em": 1}])
    with (
        pytest.warns(UnfinishedWarning, match="20 rows are scored"),
        pytest.raises(ValueError, match="already has a column 'em'"),
    ):
        run(path, tmp_path / "out.jsonl")


@pytest.mark.parametrize(("suffix", "value"), [("csv", "\ud83d"), ("parquet", 5)])
def test_a_value_that_the_output_cannot_hold_is_found_before_its_block_is_scored(
    suffix: str, value: Any, tmp_path: Path
) -> None:
    path, metric = source(tmp_path / "t.jsonl", [*lines(8), {"gold": "a", "pred": "b", "id": value}]), Counting()
    with (
        pytest.warns(UnfinishedWarning, match="8 rows are scored"),
        pytest.raises(ValueError, match=rf"out\.{suffix} cannot contain this table: .*"),
    ):
        run(path, tmp_path / f"out.{suffix}", metric)
    assert metric.asked == 8


def test_bytes_in_parquet_are_refused_for_json_before_any_work(tmp_path: Path) -> None:
    import pyarrow.parquet

    table = pyarrow.table({"gold": ["a"], "pred": ["b"], "raw": pyarrow.array([None], "binary")})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    metric = Counting()
    with pytest.raises(ValueError, match="the column 'raw' is bytes, not text; leave that column out, or write"):
        run(tmp_path / "t.parquet", tmp_path / "out.jsonl", metric)
    assert metric.asked == 0
    run(tmp_path / "t.parquet", tmp_path / "out.parquet", metric)


def test_files_that_are_scored_in_threads_keep_their_counts_and_warnings_apart(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    class Truncating(Counting):
        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            warn_user(TruncationWarning(len(pairs), "texts", self.signature))
            warn_user(UserWarning(f"mind {self.name}"))
            return super().__call__(pairs)

    path = source(tmp_path / "t.jsonl")

    def work(i: int) -> None:
        score_file(path, {"c": Truncating(name=f"m{i}")})

    with pytest.warns() as told, ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(24)))
    cut = {
        warning.message.signature: warning.message.count
        for warning in told
        if isinstance(warning.message, TruncationWarning)
    }
    assert cut == {f"m{i}|v:1": N for i in range(24)}
    others = [str(warning.message) for warning in told if not isinstance(warning.message, TruncationWarning)]
    assert {other: others.count(other) for other in others} == {f"mind m{i}": 6 for i in range(24)}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_the_bar_counts_pairs_and_knows_about_how_many_there_are(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from answersim.io import files

    seen: list[tuple[int, int]] = []

    class Bar:
        def __init__(self, total: int, label: str, unit: str) -> None:
            self.total, self.n, self.first = total, 0, label == "counting"

        def update(self, n: int) -> None:
            self.n += n
            if self.first:
                seen.append((self.n, self.total))

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(streaming, "bar", Bar)
    path = tmp_path / f"t.{suffix}"
    files.write(files.Table(("id", "gold", "pred"), lines()), path)
    score_file(path, {"counting": Counting()})
    assert [n for n, _ in seen] == [4, 8, 12, 16, 20, 23]
    assert all(abs(total - N) < 4 for _, total in seen)
    assert seen[-1] == (N, N)
