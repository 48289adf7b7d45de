"""A lock excludes every other run and dies with its process; a planted file is never opened."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from answersim._base.runtime import locks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, owners and kill -9 are of another kind there")

HOLDER = """
import sys, time
from pathlib import Path
from answersim._base.runtime import locks
with locks.locked(Path(sys.argv[1]), "busy"):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_a_lock_has_one_owner_and_leaves_no_file(tmp_path):
    path = tmp_path / "lock"
    for _ in range(2):
        with locks.locked(path, "first"):
            with pytest.raises(BlockingIOError, match="second"), locks.locked(path, "second"):
                pass
            assert path.exists()  # the one who is refused removes nothing
        assert not path.exists()


def test_a_lock_is_released_by_an_error(tmp_path):
    with pytest.raises(KeyError), locks.locked(tmp_path / "lock", "busy"):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_a_lock_of_another_process_holds_until_it_is_killed(tmp_path):
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(BlockingIOError, match="busy"), locks.locked(path, "busy"):
            pass
        holder.send_signal(signal.SIGKILL)
    assert path.exists()
    with locks.locked(path, "busy"):
        pass
    assert not path.exists()


def test_a_lock_file_that_was_removed_meanwhile_locks_nothing(tmp_path, monkeypatch):
    path, real, removed = tmp_path / "lock", locks._lock, []

    def slow(handle: int, place: Path) -> None:
        if not removed:  # the process before removes its file after we have opened it
            path.unlink()
            removed.append(path)
        real(handle, place)

    monkeypatch.setattr(locks, "_lock", slow)
    with locks.locked(path, "first"):
        assert path.exists()
        with pytest.raises(BlockingIOError), locks.locked(path, "second"):
            pass


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("link", "it is a link"),
        ("dangling link", "it is a link"),
        ("hard link", "it has a second name"),
        ("pipe", "it is not a regular file"),
        ("folder", "it is not a regular file"),
    ],
)
def test_what_is_planted_is_neither_opened_nor_changed(kind, reason, create, tmp_path):
    path, victim = tmp_path / "planted", tmp_path / "victim"
    if kind != "dangling link":
        victim.write_text("precious")
    if "hard" in kind:
        os.link(victim, path)
    elif "link" in kind:
        path.symlink_to(victim)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(PermissionError, match=rf"{reason}.*, so it is not used; delete it"):
        os.close(locks.open_own(path, create=create))
    assert (victim.read_text() if victim.exists() else None) == (None if kind == "dangling link" else "precious")


def test_a_file_of_another_user_is_not_opened(tmp_path, monkeypatch):
    (tmp_path / "planted").touch()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(PermissionError, match="it belongs to another user"):
        locks.open_own(tmp_path / "planted", create=False)


def test_a_new_file_is_for_this_user_alone_and_an_old_one_is_no_new_one(tmp_path):
    os.close(locks.open_own(tmp_path / "mine", create=True, exclusive=True))
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        locks.open_own(tmp_path / "mine", create=True, exclusive=True)
    with pytest.raises(FileNotFoundError):
        locks.open_own(tmp_path / "gone", create=False)
