"""Files that change, grow or are replaced while they are scored, and outputs that are no files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from answersim.io.partial_results import UnfinishedWarning
from answersim.types import FloatArray, Pair
from tests.scoring.scored_files import Counting, N, broken, in_full, left_in, lines, run, source

pytestmark = pytest.mark.usefixtures("_pieces_of_four")


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


@pytest.mark.parametrize("how", ["appended", "pred", "id"])
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_file_that_grows_or_changes_in_any_column_is_noticed(suffix: str, how: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{suffix}"
    rewritten(path, lines(16))
    rows = lines(17) if how == "appended" else [row | {how: "x" + row[how][1:]} for row in lines(16)]
    changed = rf"t\.{suffix} has changed while it was (scored|read); run the command again"
    with pytest.warns(UnfinishedWarning), pytest.raises(ValueError, match=changed):
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
