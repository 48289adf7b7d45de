"""Locks of files, and the checkpoints of trainings that they protect."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from answersim._base.runtime import locks, training_checkpoints
from tests.cases import cases_of

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, owners and kill -9 are of another kind there")

HOLDER = """
import sys, time
from pathlib import Path
from answersim._base.runtime import locks
with locks.locked(Path(sys.argv[1]), "busy"):
    print("locked", flush=True)
    time.sleep(600)
"""


@POSIX
def test_a_lock_has_one_owner_and_leaves_no_file(tmp_path):
    path = tmp_path / "lock"
    for _ in range(2):
        with locks.locked(path, "first"):
            with pytest.raises(BlockingIOError, match="second"), locks.locked(path, "second"):
                pass
            assert path.exists()  # the one who is refused removes nothing
        assert not path.exists()


@POSIX
def test_a_lock_is_released_by_an_error(tmp_path):
    with pytest.raises(KeyError), locks.locked(tmp_path / "lock", "busy"):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


@POSIX
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


@POSIX
def test_a_lock_file_that_was_removed_meanwhile_locks_nothing(tmp_path, monkeypatch):
    path, real, removed = tmp_path / "lock", locks._try_lock, []

    def slow(handle: int) -> bool:
        if not removed:  # the process before removes its file after we have opened it
            path.unlink()
            removed.append(path)
        return real(handle)

    monkeypatch.setattr(locks, "_try_lock", slow)
    with locks.locked(path, "first"):
        assert path.exists()
        with pytest.raises(BlockingIOError), locks.locked(path, "second"):
            pass


@POSIX
@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(("kind", "reason"), cases_of(__file__)["what_is_planted_is_neither_opened_nor_changed"])
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


@POSIX
def test_a_file_of_another_user_is_not_opened(tmp_path, monkeypatch):
    (tmp_path / "planted").touch()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(PermissionError, match="it belongs to another user"):
        locks.open_own(tmp_path / "planted", create=False)


@POSIX
def test_a_new_file_is_for_this_user_alone(tmp_path):
    os.close(locks.open_own(tmp_path / "mine", create=True))
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileNotFoundError):
        locks.open_own(tmp_path / "gone", create=False)


torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")

ROOT = Path(__file__).parents[3]
TENSORS = {
    "a/weight": torch.arange(12, dtype=torch.float32).reshape(3, 4),
    "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "step": torch.tensor(7.0),
    "flags": torch.tensor([True, False]),
    "none": torch.zeros(0, 3),
}
METADATA = {"step": 3, "evaluations": [{"pearson": 0.5}], "text": "ä\n\u2028"}


def equal(result: training_checkpoints.TrainingCheckpoint | None) -> bool:
    assert result is not None
    same = all(torch.equal(result.tensors[name], tensor) for name, tensor in TENSORS.items())
    return same and result.tensors.keys() == TENSORS.keys() and result.metadata == METADATA


def test_damage_anywhere_is_found(tmp_path):
    path = tmp_path / "run" / "training_checkpoint.safetensors"
    training_checkpoints.save(path, TENSORS, METADATA)
    assert equal(training_checkpoints.load(path))
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in [*range(0, len(sound), 3), len(sound) - 1]:
        content = bytearray(sound)
        content[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(content)
        try:
            loaded = training_checkpoints.load(path)
        except ValueError as error:
            assert "start over with --no-resume" in str(error)  # noqa: PT017 # most places; a few change no content
        else:
            assert equal(loaded), f"byte {place} of {len(sound)}"


def test_a_file_without_a_checksum_is_refused(tmp_path):
    path = tmp_path / "training_checkpoint.safetensors"
    safetensors_torch.save_file({"x": torch.ones(2)}, path, metadata={"metadata": '{"step": 1}'})
    with pytest.raises(ValueError, match="its metadata begins with no checksum"):
        training_checkpoints.load(path)


TRAINING = """
import sys, time
from pathlib import Path
from answersim._base.runtime import training_checkpoints
with training_checkpoints.alone(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(300)
"""


def test_one_training_at_a_time_in_a_folder_and_kill_9_frees_it(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-c", TRAINING, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(BlockingIOError, match="another training is running in this folder"),
            training_checkpoints.alone(folder),
        ):
            pass
        with training_checkpoints.alone(tmp_path / "other"):
            pass
        holder.send_signal(signal.SIGKILL)
    with training_checkpoints.alone(folder):
        pass


def test_who_holds_the_lock_may_enter_again_and_another_thread_may_not(tmp_path):
    refused = []

    def enter() -> None:
        try:
            with training_checkpoints.alone(tmp_path):
                pass
        except BlockingIOError as error:
            refused.append(error)

    with training_checkpoints.alone(tmp_path), training_checkpoints.alone(Path(os.path.relpath(tmp_path))):
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert len(refused) == 1
    with training_checkpoints.alone(tmp_path):
        pass


def test_a_training_checkpoint_is_there_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "run" / "training_checkpoint.safetensors"
    assert training_checkpoints.load(path) is None
    training_checkpoints.save(path, {"x": torch.ones(2)}, {"step": 1})

    def killed_while_writing(tensors: object, name: Path, metadata: object) -> None:
        name.write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(safetensors_torch, "save_file", killed_while_writing)
        with pytest.raises(KeyboardInterrupt):
            training_checkpoints.save(path, {"x": torch.zeros(2)}, {"step": 2})
    remaining = training_checkpoints.load(path)
    assert remaining is not None
    assert remaining.metadata == {"step": 1}
    assert remaining.tensors["x"].tolist() == [1, 1]
    path.write_bytes(b"half")
    with pytest.raises(ValueError, match="is not a training checkpoint"):
        training_checkpoints.load(path)
