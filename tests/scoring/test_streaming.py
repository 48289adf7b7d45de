"""Scoring a file piece by piece: the numbers of one call, and a run that is broken off anywhere goes on to the byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.errors import NonFiniteScoreError, SkippedRowsWarning, TruncationWarning, warn_user
from answersim.io import chunks
from answersim.io.partial_results import Frame, UnfinishedWarning, open_partial_results
from answersim.scoring import streaming
from answersim.scoring.cache import ScoreCache
from answersim.scoring.streaming import RunningMean, score_file
from answersim.types import Capabilities, FloatArray, Metric, Pair, Scores

ROOT = Path(__file__).parent.parent
WORDS = ["Rome", "in Rome", "the National Football League", "NFL", "eleven", "11", "a b c", "", "Zürich", "北京"]
N = 23


class Counting:
    """The length of both texts; it counts the pairs that it was asked, and breaks at the one that is named."""

    def __init__(self, breaks_at: int | None = None, name: str = "counting") -> None:
        self.asked, self.breaks_at, self.name = 0, breaks_at, name

    @property
    def signature(self) -> str:
        return f"{self.name}|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        self.asked += len(pairs)
        if self.breaks_at is not None and self.asked > self.breaks_at:
            raise RuntimeError("it broke")
        return np.array([(len(gold) + len(pred)) / 7 for gold, pred in pairs])


@pytest.fixture(autouse=True)
def _pieces_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 4)


def lines(n: int = N) -> list[dict[str, str]]:
    return [{"id": str(i), "gold": WORDS[i % 10], "pred": WORDS[i * 3 % 7]} for i in range(n)]


def source(path: Path, rows: list[Any] | None = None) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in (lines() if rows is None else rows)), "utf-8")
    return path


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def run(path: Path, out: Path | None, metric: Metric | None = None, **more: Any) -> dict[str, RunningMean]:
    metrics = {"em": answersim.metric("em"), "counting": metric or Counting()}
    prefix, log, pred_path = (more.pop(name, None) for name in ("prefix", "log", "pred_path"))
    data = path if pred_path is None else [path, pred_path]
    answers = answersim.read_answers(data, format=log if pred_path is None else "lines", **more)
    return score_file(answers, metrics, out, prefix=prefix or "")


class Asking(Counting):
    """Adds the length of the question."""

    reads_questions = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> FloatArray:
        return super().__call__(pairs) + np.array([float(len(each)) for each in questions or [""] * len(pairs)])


# --- questions


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


def test_a_run_that_goes_on_signs_what_was_scored_before_the_break(tmp_path: Path) -> None:
    rows = [{**line, "q": "who" if i == 0 else ""} for i, line in enumerate(lines())]
    path, out = source(tmp_path / "a.jsonl", rows), tmp_path / "out.jsonl"
    with pytest.warns(UnfinishedWarning), pytest.raises(RuntimeError):
        run(path, out, Asking(10), question="q")
    with pytest.warns(UnfinishedWarning, match="8 scored rows are reused"):
        result = run(path, out, Asking(), question="q")
    assert result["counting"].signature == "counting|question:yes|v:1"


# --- sums


@pytest.mark.parametrize("offset", [0, 100])  # from 0 to 1, and of any scale
@pytest.mark.parametrize("n", [0, 1, 5, 9_999, 10_000, 10_001, 30_000])
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


# --- the same as at once


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


def test_what_is_read_again_must_be_what_was_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, change = source(tmp_path / "t.jsonl"), {"now": False}

    class Changing(Counting):
        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            result = super().__call__(pairs)
            if self.asked == N:
                source(path, [row | {"pred": "other"} for row in lines()])
            return result

    with (
        pytest.warns(UnfinishedWarning, match="23 rows are scored and kept"),
        pytest.raises(ValueError, match=r"t\.jsonl has changed while it was scored; run the command again"),
    ):
        run(path, tmp_path / "out.jsonl", Changing())
    assert not (tmp_path / "out.jsonl").exists()
    assert not change["now"]


class Meddling(Counting):
    """It changes the file as soon as the last pair is scored."""

    def __init__(self, last: int, change: Callable[[], object]) -> None:
        super().__init__()
        self.last, self.change = last, change

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        result = super().__call__(pairs)
        if self.asked == self.last:
            self.change()
        return result


def rewritten(path: Path, rows: list[dict[str, str]]) -> None:
    """The same path with other rows, in its format."""
    from answersim.io import files

    files.write(files.Table(("id", "gold", "pred"), rows), path)


@pytest.mark.parametrize("kept", [8, 12])
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_rows_that_are_cut_off_between_the_two_readings_are_noticed(suffix: str, kept: int, tmp_path: Path) -> None:
    path = tmp_path / f"t.{suffix}"
    rewritten(path, lines(16))
    metric = Meddling(16, lambda: rewritten(path, lines(kept)))  # at the end of a piece
    with (
        pytest.warns(UnfinishedWarning, match="16 rows are scored and kept"),
        pytest.raises(ValueError, match="has changed while it was"),
    ):
        run(path, tmp_path / f"out.{suffix}", metric)
    assert not (tmp_path / f"out.{suffix}").exists()
    again = Counting()
    with pytest.warns(UnfinishedWarning, match=f"its {kept} scored rows are reused"):
        assert run(path, tmp_path / f"out.{suffix}", again)["counting"].n == kept
    assert again.asked == 0


@pytest.mark.parametrize("how", ["appended", "another column"])
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_file_that_grows_or_changes_in_another_column_is_noticed(suffix: str, how: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{suffix}"
    rewritten(path, lines(16))
    rows = lines(17) if how == "appended" else [row | {"id": "x" + row["id"][1:]} for row in lines(16)]
    with pytest.warns(UnfinishedWarning), pytest.raises(ValueError, match="has changed while it was"):
        run(path, tmp_path / f"out.{suffix}", Meddling(16, lambda: rewritten(path, rows)))
    assert not (tmp_path / f"out.{suffix}").exists()


@pytest.mark.parametrize("which", ["golds", "preds", "both"])
def test_lines_that_are_cut_off_between_the_two_readings_are_noticed(which: str, tmp_path: Path) -> None:
    golds, preds = tmp_path / "golds", tmp_path / "preds"
    for path in (golds, preds):
        path.write_text("a\n" * 16)

    def change() -> None:
        for path in (golds, preds):
            if which in (path.name, "both"):
                path.write_text("a\n" * 8)

    with pytest.warns(UnfinishedWarning, match="16 rows"), pytest.raises(ValueError, match="has changed"):
        run(golds, tmp_path / "out.csv", Meddling(16, change), pred_path=preds)
    assert not (tmp_path / "out.csv").exists()


def test_a_file_that_is_only_touched_is_no_other_file(tmp_path: Path) -> None:
    path = source(tmp_path / "t.jsonl")
    run(path, tmp_path / "out.jsonl", Meddling(N, lambda: source(path)))
    assert (tmp_path / "out.jsonl").read_bytes() == in_full(tmp_path, "jsonl")


@pytest.mark.parametrize(("name", "content"), [("t.csv", "gold,pred\n"), ("t.jsonl", ""), ("t.jsonl", "\n\n")])
def test_a_file_without_rows_is_an_error_and_nothing_is_written(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=rf"{name} has no rows; give a table with at least one pair of answers"):
        run(tmp_path / name, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"gold": "pred"}, "gold and pred both name the column 'pred'"),
        ({"question": "gold"}, "gold and question both name the column 'gold'"),
        ({"question": "pred"}, "pred and question both name the column 'pred'"),
    ],
)
def test_one_column_is_not_two_things(columns: dict[str, str], named: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=named):
        run(source(tmp_path / "t.jsonl"), tmp_path / "out.csv", **columns)


def test_a_column_that_only_a_later_row_has_is_not_overwritten(tmp_path: Path) -> None:
    path = source(tmp_path / "t.jsonl", [*lines(), {"gold": "a", "pred": "b", "em": 1}])
    with (
        pytest.warns(UnfinishedWarning, match="20 rows are scored"),
        pytest.raises(ValueError, match="already has a column 'em'"),
    ):
        run(path, tmp_path / "out.jsonl")


@pytest.mark.parametrize(("suffix", "value"), [("csv", "\ud83d"), ("parquet", 5)])
def test_a_later_value_that_the_output_cannot_hold_is_said_before_its_piece_is_scored(
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


def test_texts_that_are_cut_are_told_once_with_their_number(tiny: Callable[..., Path], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    rows = [{"gold": "eleven " * 100 if i % 2 else "x", "pred": f"cortex {i}"} for i in range(10)]
    rows[3]["gold"] = "cortex " * 100
    metric = answersim.metric("bi-encoder", model=tiny("bert"))
    with pytest.warns(TruncationWarning) as told:
        score_file(source(tmp_path / "t.jsonl", rows), {"b": metric})
    (line,) = [str(warning.message) for warning in told]
    assert line.startswith("5 texts were longer than the encoder reads")


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


def test_other_warnings_pass(tmp_path: Path) -> None:
    class Warning_(Counting):
        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            warnings.warn("mind this", UserWarning, stacklevel=1)
            return super().__call__(pairs)

    with pytest.warns(UserWarning, match="mind this"):
        run(source(tmp_path / "t.jsonl"), tmp_path / "out.csv", Warning_())


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


# --- broken off


def in_full(tmp_path: Path, suffix: str, rows: list[Any] | None = None) -> bytes:
    """The output of a run that nothing broke off."""
    (tmp_path / "full").mkdir(exist_ok=True)
    run(source(tmp_path / "full" / "t.jsonl", rows), tmp_path / "full" / f"out.{suffix}")
    return (tmp_path / "full" / f"out.{suffix}").read_bytes()


def broken(tmp_path: Path, suffix: str, at: int) -> None:
    """A run of which the metric breaks at this pair."""
    with pytest.warns(UnfinishedWarning), pytest.raises(RuntimeError, match="it broke"):
        run(source(tmp_path / "t.jsonl"), tmp_path / f"out.{suffix}", Counting(at))


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("at", [4, 9, 22])
def test_a_run_that_was_broken_off_goes_on_and_ends_with_the_same_bytes(at: int, suffix: str, tmp_path: Path) -> None:
    expected, kept = in_full(tmp_path, suffix), at // 4 * 4
    broken(tmp_path, suffix, at)
    assert not (tmp_path / f"out.{suffix}").exists()
    assert len(left_in(tmp_path)) == 1
    metric = Counting()
    with pytest.warns(UnfinishedWarning, match=f"its {kept} scored rows are reused"):
        result = run(tmp_path / "t.jsonl", tmp_path / f"out.{suffix}", metric)
    assert metric.asked == N - kept
    assert (tmp_path / f"out.{suffix}").read_bytes() == expected
    assert result["counting"].n == N
    assert left_in(tmp_path) == []


def test_what_is_kept_is_said(tmp_path: Path) -> None:
    with (
        pytest.warns(UnfinishedWarning, match=r"8 rows are scored and kept in .*\.answersim-\w+-\w+; the same command"),
        pytest.raises(RuntimeError),
    ):
        run(source(tmp_path / "t.jsonl"), tmp_path / "out.csv", Counting(9))


def test_a_flaw_in_the_middle_names_its_row_and_mending_it_goes_on(tmp_path: Path) -> None:
    rows: list[Any] = lines()
    rows[13] = {"gold": "a", "pred": None}
    path = source(tmp_path / "t.jsonl", rows)
    with (
        pytest.warns(UnfinishedWarning, match="12 rows are scored"),
        pytest.raises(ValueError, match=r"t\.jsonl, row 14: 'pred' is null"),
    ):
        run(path, tmp_path / "out.jsonl")
    source(path)
    metric = Counting()
    with pytest.warns(UnfinishedWarning, match="its 12 scored rows"):
        run(path, tmp_path / "out.jsonl", metric)
    assert metric.asked == N - 12
    assert (tmp_path / "out.jsonl").read_bytes() == in_full(tmp_path, "jsonl")


@pytest.mark.filterwarnings("ignore::answersim.io.partial_results.UnfinishedWarning")
@pytest.mark.parametrize(("changed", "again"), [(0, 23), (5, 19), (9, 15)])
@pytest.mark.parametrize("column", ["gold", "pred"])
def test_answers_that_have_changed_are_scored_again(changed: int, again: int, column: str, tmp_path: Path) -> None:
    broken(tmp_path, "jsonl", 12)
    rows = lines()
    rows[changed][column] = "other"
    expected, metric = in_full(tmp_path, "jsonl", rows), Counting()
    run(source(tmp_path / "t.jsonl", rows), tmp_path / "out.jsonl", metric)
    assert metric.asked == again
    assert (tmp_path / "out.jsonl").read_bytes() == expected


@pytest.mark.filterwarnings("ignore::answersim.io.partial_results.UnfinishedWarning")
def test_whatever_bytes_of_the_draft_change_the_output_is_the_same(tmp_path: Path) -> None:
    expected = in_full(tmp_path, "jsonl")
    broken(tmp_path, "jsonl", 12)
    (draft,) = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    whole, rng, asked = draft.read_bytes(), np.random.default_rng(0), set()
    assert len(whole) > 300
    for at in [*rng.integers(len(whole), size=40).tolist(), None]:
        raw = bytearray(whole[: rng.integers(len(whole))] if at is None else whole)
        if at is not None:
            raw[at] ^= 1 << int(rng.integers(8))
        draft.write_bytes(bytes(raw))
        metric = Counting()
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl", metric)
        assert (tmp_path / "out.jsonl").read_bytes() == expected
        asked.add(metric.asked)
        assert not draft.exists()
    assert asked == {N, N - 4, N - 8, N - 12} or asked == {N, N - 4, N - 8}  # the head is not read, only skipped


def test_other_metrics_neither_take_nor_lose_what_is_kept(tmp_path: Path) -> None:
    broken(tmp_path, "jsonl", 12)
    (draft,) = left_in(tmp_path)
    with pytest.warns(UnfinishedWarning, match=f"{draft} contains the scores of an unfinished run"):
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl", Counting(name="other"))
    assert left_in(tmp_path) == [draft]
    with pytest.warns(UnfinishedWarning, match="its 12 scored rows"):
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl")


def test_a_run_without_output_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        score_file(source(tmp_path / "t.jsonl"), {"c": Counting(12)})
    assert left_in(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")
def test_two_processes_at_one_work_do_not_mix(tmp_path: Path) -> None:
    class Meanwhile(Counting):
        """It lets another run begin the same work after the first piece."""

        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            if self.asked == 4:
                with pytest.raises(BlockingIOError, match=r"another run is writing .*; wait for it"):
                    run(tmp_path / "t.jsonl", tmp_path / "out.jsonl")
            return super().__call__(pairs)

    expected = in_full(tmp_path, "jsonl")
    run(source(tmp_path / "t.jsonl"), tmp_path / "out.jsonl", Meanwhile())
    assert (tmp_path / "out.jsonl").read_bytes() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")
def test_two_processes_that_begin_together_do_not_mix(tmp_path: Path) -> None:
    frame = Frame(b"x" * 16, np.ones((3, 1)), {})
    with open_partial_results(tmp_path / "out.csv", ["m"]) as one:
        with (
            pytest.raises(BlockingIOError, match="another run is writing"),
            open_partial_results(tmp_path / "out.csv", ["m"]),
        ):
            pass
        one.append(frame)
        assert [frame.columns.tolist() for frame in one.frames()] == [[[1.0]] * 3]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks there")
@pytest.mark.parametrize("spelling", ["out.jsonl", "link.jsonl", "x/../out.jsonl"])
def test_a_run_with_other_metrics_onto_one_output_is_refused_while_the_first_writes(
    spelling: str, tmp_path: Path
) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "out.jsonl")

    class Meanwhile(Counting):
        """It lets a run with another metric begin onto the same output after the first piece."""

        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            if self.asked == 4:
                with pytest.raises(BlockingIOError, match="another run is writing"):
                    score_file(tmp_path / "t.jsonl", {"f1": answersim.metric("f1")}, tmp_path / spelling)
            return super().__call__(pairs)

    expected = in_full(tmp_path, "jsonl")
    run(source(tmp_path / "t.jsonl"), tmp_path / "out.jsonl", Meanwhile())
    assert (tmp_path / "out.jsonl").read_bytes() == expected
    assert left_in(tmp_path) == []


def test_a_cache_serves_a_run_that_begins_anew(tmp_path: Path) -> None:
    class Costly(Counting):
        capabilities = Capabilities(cost="model")

    cache, metric = ScoreCache(tmp_path / "cache"), Costly()
    path = source(tmp_path / "t.jsonl")
    first = score_file(path, {"c": metric}, cache=cache)
    asked = metric.asked
    again = score_file(path, {"c": metric}, cache=cache)
    assert (again["c"].mean, again["c"].ci(), metric.asked) == (first["c"].mean, first["c"].ci(), asked)


# --- planted files and outputs that are no files


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("kind", ["link", "hard link"])
@pytest.mark.parametrize("end", ["", ".lock"])
def test_what_is_planted_under_the_name_of_the_draft_or_its_lock_is_refused(
    end: str, kind: str, tmp_path: Path
) -> None:
    broken(tmp_path, "jsonl", 12)
    (name,) = left_in(tmp_path)
    planted = tmp_path / (name if not end else name.rpartition("-")[0] + end)
    planted.unlink(missing_ok=True)
    (tmp_path / "victim").write_text("precious")
    if kind == "link":
        planted.symlink_to(tmp_path / "victim")
    else:
        os.link(tmp_path / "victim", planted)
    metric = Counting()
    with pytest.raises(PermissionError, match=r"(a link|a second name).*, so it is not used; delete it"):
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl", metric)
    assert (tmp_path / "victim").read_text() == "precious"
    assert metric.asked == 0
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_under_the_name_of_the_unfinished_output_is_not_followed(tmp_path: Path) -> None:
    expected = in_full(tmp_path, "jsonl")
    broken(tmp_path, "jsonl", 12)
    (name,) = left_in(tmp_path)
    (tmp_path / "victim").write_text("precious")
    (tmp_path / f"{name}.out").symlink_to(tmp_path / "victim")
    with pytest.warns(UnfinishedWarning, match="are reused"):
        run(tmp_path / "t.jsonl", tmp_path / "out.jsonl")
    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "out.jsonl").read_bytes() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders there")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ""])
def test_a_pipe_gets_the_table_and_stays_a_pipe(suffix: str, tmp_path: Path) -> None:
    import threading

    expected = in_full(tmp_path, suffix[1:] or "jsonl")
    pipe, got = tmp_path / f"pipe{suffix}", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run(source(tmp_path / "t.jsonl"), pipe)
    reader.join(60)
    assert got == [expected]
    assert pipe.is_fifo()
    assert left_in(tmp_path) == []


# --- killed

KILLS = """
import contextlib, io, json, os, random, signal, sys, time
from pathlib import Path
import pyarrow.parquet, torch, transformers
import answersim
from answersim import profiles
from answersim.catalog import lookup
from answersim.io import chunks
from answersim.__main__ import app

folder, model, suffix, kills, cached = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
chunks.ROWS = 20
torch.set_num_threads(1)
profiles.WEIGHTS["bi-encoder"] = {"embedded": {"*": profiles.Weights(model)}}
answersim.score("a", "b", "bi-encoder")  # all is imported and loaded once, before the children are made
rng = random.Random(0)

def start(name):
    "The command, in a process of its own, which writes what it says into a file."
    (folder / name).mkdir(exist_ok=True)
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.environ["ANSWERSIM_CACHE"] = str(folder / f"cache-{name}") if cached == "yes" else "0"
        out = folder / name / f"out.{suffix}"
        with (folder / f"{name}.txt").open("w") as said, contextlib.redirect_stdout(said):
            app(["score", str(folder / "t.jsonl"), "-m", "em,f1,bi-encoder", "-o", str(out)], standalone_mode=False)
        code = 0
    finally:
        os._exit(code)

began = time.perf_counter()
assert os.waitpid(start("full"), 0)[1] == 0
long = time.perf_counter() - began
(expected,) = (folder / "full").iterdir()
done = killed = taken = round_ = 0
while killed < kills:
    name = f"killed-{round_}"
    child = start(name)
    time.sleep(rng.uniform(0, long))
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    killed += os.WIFSIGNALED(status)
    taken += bool(list((folder / name).glob(".answersim-*-*")))
    if (folder / name / f"out.{suffix}").exists():
        assert (folder / name / f"out.{suffix}").read_bytes() == expected.read_bytes()
        round_ += not os.WIFSIGNALED(status)
assert os.waitpid(start(name), 0)[1] == 0
for each in folder.glob("killed-*/"):
    if each.is_dir():
        assert [one.name for one in each.iterdir()] == [f"out.{suffix}"], list(each.iterdir())
        assert (each / f"out.{suffix}").read_bytes() == expected.read_bytes(), each
said = [(folder / f"{each}.txt").read_text().replace(each, "") for each in ("full", name)]
assert said[0] == said[1], said
print(json.dumps({"killed": killed, "with a draft": taken, "seconds": long}))
"""


def killed(kills: int, suffix: str, cached: str, model: Path, folder: Path) -> dict[str, float]:
    rows = [{"gold": f"{WORDS[i % 10]} {i % 37}", "pred": f"{WORDS[i * 3 % 7]} {i % 41}"} for i in range(600)]
    source(folder / "t.jsonl", rows)
    arguments = [str(folder), str(model), suffix, str(kills), cached]
    done = subprocess.run(
        [sys.executable, "-c", KILLS, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
    )
    assert done.returncode == 0, done.stderr
    content: dict[str, float] = json.loads(done.stdout)
    return content


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 there")
def test_two_kills_change_no_byte_of_the_output(tiny: Callable[..., Path], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assert killed(2, "jsonl", "yes", tiny("bert"), tmp_path)["killed"] == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 there")
@pytest.mark.parametrize("cached", ["yes", "no"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_twenty_kills_at_random_moments_change_no_byte_of_the_output(
    suffix: str, cached: str, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    result = killed(20, suffix, cached, tiny("bert"), tmp_path)
    assert result["killed"] == 20
    assert result["with a draft"] >= 5  # the kills were in the midst of the work


class Odd:
    """No number for one gold answer."""

    signature = "odd|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        return np.array([np.nan if gold == "odd" else 0.5 for gold, _ in pairs])


def test_a_score_that_is_not_finite_is_named_by_its_row_in_the_file(tmp_path: Path) -> None:
    rows: list[Any] = [{"gold": ["a", "b"], "pred": "x"}] * 9 + [{"gold": ["a", "odd"], "pred": "x"}]
    with (
        pytest.warns(UnfinishedWarning, match="8 rows are scored and kept"),
        pytest.raises(NonFiniteScoreError, match=r"pair 10 \(gold 'odd'"),
    ):
        score_file(source(tmp_path / "in.jsonl", rows), {"odd": Odd()}, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


# --- rows without answers, and fields inside objects


def flawed() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"id": str(i), "gold": [f"g{i}"], "pred": f"p{i}"} for i in range(14)]
    rows[1]["pred"] = None
    rows[6]["gold"] = []
    for i in (8, 9, 10, 11):  # a whole piece
        del rows[i]["pred"]
    return rows


def test_all_rows_without_answers_are_reported_at_once_and_nothing_after_them_is_scored(tmp_path: Path) -> None:
    path, metric = source(tmp_path / "in.jsonl", flawed()), Counting()
    with pytest.raises(ValueError, match="6 rows cannot be scored: row 2: 'pred' is null") as error:
        run(path, tmp_path / "out.csv", metric)
    for words in ("row 7: 'gold' is []", "row 9: ", "row 12: the same", "leave them out with --skip-bad"):
        assert words in str(error.value)
    assert metric.asked == 0
    assert not (tmp_path / "out.csv").exists()


def test_they_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    path = source(tmp_path / "in.jsonl", flawed())
    with pytest.warns(SkippedRowsWarning, match="6 of 14 rows are left out: row 2: 'pred' is null") as caught:
        scores = run(path, tmp_path / "out.jsonl", skip_bad=True)
    assert [(warning.message.count, warning.message.n) for warning in caught] == [(6, 14)]
    assert scores["counting"].n == 8
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["0", "2", "3", "4", "5", "7", "12", "13"]
    assert rows[-1]["counting"] == 6 / 7


def test_a_run_that_leaves_rows_out_is_resumed(tmp_path: Path) -> None:
    path, metric = source(tmp_path / "in.jsonl", flawed()), Counting(breaks_at=5)
    with pytest.warns(UnfinishedWarning), pytest.raises(RuntimeError, match="it broke"):
        run(path, tmp_path / "out.csv", metric, skip_bad=True)
    again = Counting()
    with pytest.warns((UnfinishedWarning, SkippedRowsWarning)):
        run(path, tmp_path / "out.csv", again, skip_bad=True)
    assert again.asked == 8 - 3  # the first piece has three rows with answers
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 9


def test_a_file_without_any_answer_is_an_error_also_if_bad_rows_are_left_out(tmp_path: Path) -> None:
    path = source(tmp_path / "in.jsonl", [{"gold": "a", "pred": None}] * 5)
    with pytest.raises(ValueError, match="no row can be scored"):
        run(path, tmp_path / "out.csv", skip_bad=True)


def test_the_row_of_a_score_that_is_not_finite_is_that_of_the_file(tmp_path: Path) -> None:
    class Nan(Counting):
        def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
            return np.array([np.nan if pred == "p12" else 0.0 for _, pred in pairs])

    path = source(tmp_path / "in.jsonl", flawed())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(NonFiniteScoreError, match="the score of pair 13 "):
            run(path, tmp_path / "out.csv", Nan(), skip_bad=True)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_fields_inside_objects_are_scored_and_the_table_keeps_its_columns(suffix: str, tmp_path: Path) -> None:
    rows = [{"id": i, "answer": {"texts": ["a", "b"]}, "response": {"text": "b"}} for i in range(6)]
    path = tmp_path / f"in{suffix}"
    if suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    elif suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        source(path, rows)
    scores = run(path, tmp_path / "out.jsonl", gold="answer.texts", pred="response.text")
    assert scores["em"].mean == 1.0
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [list(row) for row in written] == [["id", "answer", "response", "em", "counting"]] * 6


def test_a_field_that_a_whole_piece_lacks_is_missing_in_its_rows(tmp_path: Path) -> None:
    rows = [{"gold": "a", "response": {"text": "a"} if i < 5 or i > 9 else {}} for i in range(12)]
    path = source(tmp_path / "in.jsonl", rows)
    with pytest.raises(ValueError, match=r"5 rows cannot be scored: row 6: 'response\.text' is null"):
        run(path, None, pred="response.text")
    with pytest.raises(LookupError, match=r"has no column 'response\.txt'"):
        run(path, None, pred="response.txt")


# --- several systems, and tables that are no file


@pytest.mark.parametrize("is_file", [True, False])
def test_each_prediction_column_has_a_column_of_scores_and_a_broken_run_resumes(tmp_path: Path, is_file: bool) -> None:
    rows = [line | {"old": line["gold"]} for line in lines()]
    path = source(tmp_path / "t.jsonl", rows)
    data: Any = path if is_file else {name: [row[name] for row in rows] for name in rows[0]}
    with pytest.warns(UnfinishedWarning, match="8 rows are scored"), pytest.raises(RuntimeError):
        score_file(data, {"n": Counting(16)}, tmp_path / "out.jsonl", pred=["pred", "old"])
    with pytest.warns(UnfinishedWarning, match="8 scored rows are reused"):
        found = score_file(data, {"n": Counting()}, tmp_path / "out.jsonl", pred=["pred", "old"])
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    for name in ("pred", "old"):
        numbers = [(len(row["gold"]) + len(row[name])) / 7 for row in rows]
        assert [row[f"n:{name}"] for row in written] == numbers
        assert found[f"n:{name}"].mean == pytest.approx(np.mean(numbers))


def test_metrics_are_names_or_built_ones_and_two_of_one_name_are_an_error(tmp_path: Path) -> None:
    path = source(tmp_path / "t.jsonl")
    assert list(score_file(path, ["f1", answersim.metric("em")])) == ["f1", "em"]
    assert list(score_file(path, "recall")) == ["recall"]
    with pytest.raises(ValueError, match="two metrics are called 'f1'"):
        score_file(path, ["f1", answersim.metric("f1", profile="squad")])
