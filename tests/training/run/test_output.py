from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints.search import sha256
from answersim.training.run.output import check, check_replaceable, fresh, replacing

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parents[3]


def finish(folder: Path, **contents: str) -> None:
    """Put down what a finished training leaves: files, and a recipe.json that pins them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_text(content)
    pins = {name: sha256(folder / name) for name in contents}
    (folder / "recipe.json").write_text(json.dumps({"sha256": pins}))


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_what_a_training_wrote_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "adapter"
    for content in ("one", "two"):
        with replacing(folder) as new:
            assert new == fresh(folder)
            finish(new, weights=content)
        assert names(folder.parent) == ["adapter", "adapter/recipe.json", "adapter/weights"]
        assert (folder / "weights").read_text() == content


@pytest.mark.parametrize("before", [False, True])
def test_an_error_leaves_what_was_there(tmp_path: Path, before: bool) -> None:
    folder = tmp_path / "adapter"
    if before:
        finish(folder, weights="old")
    with pytest.raises(KeyboardInterrupt), replacing(folder) as new:  # noqa: PT012
        (new / "weights").write_text("half")
        raise KeyboardInterrupt
    assert folder.exists() == before
    assert not before or (folder / "weights").read_text() == "old"


def test_what_a_killed_training_left_is_cleared_away(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from answersim.training.run.output import replacing\n"
        "with replacing(Path(sys.argv[1])) as new:\n"
        "    (new / 'sub').mkdir(); (new / 'sub' / 'half').write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)"
    )
    folder = tmp_path / "adapter"
    run = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=False)
    assert run.returncode == -signal.SIGKILL
    assert (fresh(folder) / "sub" / "half").is_file()
    with replacing(folder) as new:
        assert not (new / "sub").exists()
        finish(new, weights="whole")
    assert names(tmp_path) == ["adapter", "adapter/recipe.json", "adapter/weights"]


@pytest.mark.parametrize("place", ["adapter", "adapter.new"])
def test_a_file_that_no_training_wrote_is_an_error_that_names_it(tmp_path: Path, place: str) -> None:
    (tmp_path / place / "deep").mkdir(parents=True)
    (tmp_path / place / "deep" / "thesis.md").write_text("mine")
    with pytest.raises(ValueError, match=r"it contains files that no training wrote: deep/thesis\.md; move it away"):
        check_replaceable(tmp_path / "adapter")
    with pytest.raises(ValueError, match=r"thesis\.md"), replacing(tmp_path / "adapter"):
        pass
    assert (tmp_path / place / "deep" / "thesis.md").read_text() == "mine"


def test_a_foreign_or_changed_file_in_the_folder_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    finish(folder, weights="ours", config="ours")
    check_replaceable(folder)
    (folder / "weights").write_text("better ones")
    with pytest.raises(ValueError, match=r"weights \(changed since\);"):
        check_replaceable(folder)
    finish(folder, weights="ours", config="ours")
    for i in range(7):
        (folder / f"note{i}").write_text("mine")
    with pytest.raises(ValueError, match="note0, note1, note2, note3, note4 and 2 more;"):
        check_replaceable(folder)


def test_a_file_that_comes_while_a_training_is_at_work_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    with pytest.raises(ValueError, match=r"notes\.md"), replacing(folder) as new:  # noqa: PT012
        finish(new, weights="whole")
        folder.mkdir()
        (folder / "notes.md").write_text("mine")
    assert (folder / "notes.md").read_text() == "mine"


def test_a_link_or_a_file_in_the_folders_place_is_an_error(tmp_path: Path) -> None:
    finish(tmp_path / "elsewhere", weights="mine")
    for place in ("adapter", "adapter.new"):
        path = tmp_path / place
        path.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(NotADirectoryError, match="is not a folder, but a training writes one there"):
            check_replaceable(tmp_path / "adapter")
        path.unlink()
        path.write_text("mine")
        with pytest.raises(NotADirectoryError):
            check_replaceable(tmp_path / "adapter")
        path.unlink()
    (tmp_path / "adapter").mkdir()
    (tmp_path / "adapter" / "weights").symlink_to(tmp_path / "elsewhere" / "weights")
    with pytest.raises(ValueError, match="weights"):
        check_replaceable(tmp_path / "adapter")


def test_two_processes_never_prepare_the_same_folder(tmp_path: Path) -> None:
    with replacing(tmp_path / "adapter") as new:
        finish(new, weights="whole")
        with pytest.raises(BlockingIOError), replacing(tmp_path / "adapter"):
            pass
    assert (tmp_path / "adapter" / "weights").read_text() == "whole"


def test_input_files_are_never_replaced(tmp_path: Path) -> None:
    inside = tmp_path / "adapter" / "pairs.csv"
    for name, path in (("pairs", inside), ("start", tmp_path / "adapter"), ("table", tmp_path / "report.md")):
        with pytest.raises(ValueError, match=f"--{name} .* would be overwritten"):
            check(tmp_path, "adapter", {name: path})
    check(tmp_path, "adapter", {"pairs": tmp_path / "pairs.csv", "base": tmp_path / "adapter2", "table": None})


def test_a_report_or_a_safetensors_file_of_the_user_is_kept(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("mine")
    with pytest.raises(ValueError, match=r"it contains files that no training wrote: report\.md"):
        check(tmp_path, "adapter", {})
    finish(tmp_path / "adapter", weights="ours")
    check(tmp_path, "adapter", {})  # a training did finish here, so the report is its own
    from safetensors.torch import save_file

    path = tmp_path / training_checkpoints.FILE
    save_file({"x": torch.ones(1)}, path, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"it contains files that no training wrote: training_checkpoint\.safetensors"):
        check(tmp_path, "adapter", {})
    training_checkpoints.save(path, {"x": torch.ones(1)}, {})
    check(tmp_path, "adapter", {})
    path.write_bytes(b"damaged")  # perhaps ours: --no-resume is the remedy
    check(tmp_path, "adapter", {})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="there is no write permission for"):
        check(tmp_path / "out", "adapter", {})
