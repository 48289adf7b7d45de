"""A file is written as a whole or stays as it was."""

import errno
import os
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from answersim._base.io import files, output_files
from answersim._base.io.files import Table, write
from tests._base.io.tables import folder_holds
from tests.cases import every


@pytest.mark.parametrize("error", [errno.EFBIG, errno.ENOSPC])
def test_a_full_disk_is_reported_with_the_file(error, tmp_path, monkeypatch):
    def full(*_: Any) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(files, "_write", full)
    with pytest.raises(OSError, match=rf"{os.strerror(error)}: '.*out\.csv'"):
        write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.csv")


@every(
    ("name", "kind", "message"),
    [
        ("out.txt", ValueError, "has the suffix '.txt'; a table is written as: .csv"),
        ("out", ValueError, "has the suffix ''"),
        ("gone/out.csv", FileNotFoundError, "there is no folder"),
        ("file.csv/out.csv", FileNotFoundError, "there is no folder"),
        ("folder.csv", IsADirectoryError, "it is a folder"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_any_work(name, kind, message, tmp_path):
    (tmp_path / "folder.csv").mkdir(exist_ok=True)
    (tmp_path / "file.csv").touch()
    with pytest.raises(kind) as error:
        files.check_writable(tmp_path / name, Table(("gold",), []))
    assert message in str(error.value)


def test_a_folder_without_permission_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # the superuser may write anywhere
    with pytest.raises(PermissionError, match=r"out\.csv cannot be written: no file can be created in"):
        files.check_writable(tmp_path / "out.csv", Table(("gold",), []))


@pytest.mark.parametrize(("suffix", "old"), [(".csv", None), (".jsonl", "old"), (".parquet", None), (".csv", "old")])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(suffix, old, tmp_path, monkeypatch):
    path = tmp_path / f"out{suffix}"
    if old:
        path.write_text(old)
    calls = []

    def full(value: Any) -> Any:
        calls.append(value)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return "{}"

    monkeypatch.setattr(files, {".csv": "cell", ".jsonl": "to_json", ".parquet": "to_arrow"}[suffix], full)
    if suffix == ".parquet":
        calls.append("the first")
    with pytest.raises(OSError, match="No space left"):
        write(Table(("gold",), [{"gold": "a"}, {"gold": "b"}]), path)
    assert folder_holds(tmp_path) == ([path.name] if old else [])
    assert not old or path.read_text() == old


def test_an_interrupted_write_leaves_no_draft(tmp_path, monkeypatch):
    def interrupt(value: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "to_json", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(Table(("gold",), [{"gold": "a"}]), tmp_path / "out.jsonl")
    assert folder_holds(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links are of another kind there")
def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path):
    path, table = tmp_path / "out.csv", Table(("gold",), [])
    before = os.umask(0o027)
    try:
        write(table, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write(table, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    path.chmod(0o600)
    with output_files.atomic_write(path) as draft:  # private from its beginning
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such devices there")
@pytest.mark.parametrize("linked", [True, False])
def test_a_device_or_pipe_is_written_to_and_never_replaced(linked, tmp_path):
    import threading

    device, pipe, got = tmp_path / "null.csv", tmp_path / "real" / "pipe.csv", []
    device.symlink_to(os.devnull)
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    (tmp_path / "link.csv").symlink_to(pipe)
    threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True).start()
    for path in (device, tmp_path / "link.csv" if linked else pipe):
        files.check_writable(path, Table(("gold",), []))
        write(Table(("gold",), [{"gold": "a"}]), path)
    for _ in range(600):
        if got:
            break
        time.sleep(0.05)
    assert got == ["gold\na\n"]
    assert pipe.is_fifo()
    assert device.is_char_device()
    assert folder_holds(tmp_path) == ["link.csv", "null.csv", "real"]
    assert folder_holds(pipe.parent) == ["pipe.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such sockets there")
def test_a_socket_is_refused(tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as caught:
        caught.bind("s.csv")
        with pytest.raises(OSError, match=r"s\.csv cannot be written: it is a socket"):
            files.check_writable(Path("s.csv"), Table(("gold",), []))
        with pytest.raises(OSError, match="it is a socket"):
            write(Table(("gold",), []), Path("s.csv"))


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(OSError, match="its links lead in a circle"):
        files.check_writable(tmp_path / "a.csv", Table(("gold",), []))
    with pytest.raises(OSError, match="its links lead in a circle"):
        write(Table(("gold",), []), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_named_draft_follows_no_link_and_takes_over_what_a_kill_left(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "draft").symlink_to(tmp_path / "victim")
    for _ in range(2):
        with output_files.atomic_write(tmp_path / "out.csv", "draft") as draft:
            assert not draft.is_symlink()
            draft.write_text("new")
        assert (tmp_path / "out.csv").read_text() == "new"
        (tmp_path / "draft").write_text("left by a kill")
    assert (tmp_path / "victim").read_text() == "precious"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("how", ["same", "other spelling", "symbolic link", "hard link", "link as input"])
def test_an_output_that_is_an_input_is_refused(how, tmp_path):
    path, second = tmp_path / "in.csv", tmp_path / "other.csv"
    path.write_text("gold,pred\n")
    if how in ("symbolic link", "link as input"):
        second.symlink_to(path)
    elif how == "hard link":
        os.link(path, second)
    else:
        second = path if how == "same" else tmp_path / "." / "x" / ".." / "in.csv"
        (tmp_path / "x").mkdir()
    first, two = (second, path) if how == "link as input" else (path, second)
    with pytest.raises(ValueError, match=r"the output .* is the input .*; choose another name"):
        output_files.refuse_overwriting_input([None, tmp_path / "gone", first], two)
    with pytest.raises(ValueError, match="is the input"):
        output_files.refuse_overwriting_input(first, two)
