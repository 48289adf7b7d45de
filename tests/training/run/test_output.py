"""The output of a run: artifact, recipe, options, and a loss that diverges."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from answersim._base.errors import MissingExtraError
from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints.search import sha256
from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder.recipe import PRESETS, BiEncoderRecipe
from answersim.training.cross_encoder.recipe import CrossEncoderRecipe
from answersim.training.data.pairs import TrainingPair
from answersim.training.run import checkpointing
from answersim.training.run.artifact import check_finite, check_loss, check_same_training, need_libraries
from answersim.training.run.options import recipe_of
from answersim.training.run.output import check, check_replaceable, fresh, replacing
from answersim.training.run.recipe import BaseRecipe
from tests.cases import cases_of, every

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


IDENTITY = {"recipe": {"lora_r": 2, "seed": 0}, "data": {"pairs": "abc"}}


@every(
    ("metadata", "message"),
    [
        ({**IDENTITY, "recipe": {"lora_r": 3, "seed": 0}}, "another recipe: lora_r was 3 and is 2 now"),
        ({**IDENTITY, "recipe": {"lora_r": 2}}, "another recipe: seed was None and is 0 now"),
        ({**IDENTITY, "data": {"pairs": "abc", "more": 1}}, "another data: more was 1 and is None now"),
        ({"recipe": IDENTITY["recipe"]}, "another data: pairs was None and is 'abc' now"),
    ],
)
def test_another_training_is_an_error_with_the_first_difference(metadata, message: str) -> None:
    with pytest.raises(ValueError, match=f"^x is of a training with {message}; start over with --no-resume"):
        check_same_training(metadata, IDENTITY, Path("x"))


def test_a_missing_library_is_named_with_the_extra() -> None:
    need_libraries("training", ["json"])
    with pytest.raises(MissingExtraError, match="train"):
        need_libraries("training", ["json", "no_such_library_of_answersim"])


@every("loss", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite_is_an_error_that_names_the_step(loss: float) -> None:
    with pytest.raises(ValueError, match=f"the loss of step 3 is {loss}; the training diverged"):
        check_loss(loss, 3)
    check_loss(0.5, 3)


def test_tensors_that_are_not_finite_are_named() -> None:
    tensors = {"a": torch.ones(2), "b": torch.tensor([1.0, math.inf])}
    with pytest.raises(ValueError, match="here: b has values that are not finite"):
        check_finite(tensors, "here")
    check_finite({"a": torch.ones(2)}, "here")


@pytest.mark.parametrize("method", ["lora", "full"])
def test_weights_that_are_not_finite_stop_a_student_before_anything_is_kept(tiny, tmp_path, monkeypatch, method):
    for name in ("sentence_transformers", "accelerate", "datasets", "peft"):
        pytest.importorskip(name)
    end = checkpointing._Steering.on_step_end

    def end_with_nan(self, args, state, control, **others) -> None:
        with torch.no_grad():
            next(iter(self._trainer.trained.values())).fill_(math.nan)
        end(self, args, state, control, **others)

    monkeypatch.setattr(checkpointing._Steering, "on_step_end", end_with_nan)
    pairs = [TrainingPair(f"old john {i}", f"john {i}", i % 3 / 2, "dev" if i % 3 else "train") for i in range(24)]
    recipe = replace(PRESETS["smoke"], batch_size=8, precision="fp32", method=method)
    with pytest.raises(ValueError, match=r"after step 1: .* has values that are not finite; the training diverged"):
        bi_encoder.train(recipe, pairs, tmp_path / "out", base=str(tiny("bert")))
    assert not (tmp_path / "out").exists()


@every(("text", "complaint"), cases_of(__file__)["what_is_no_setting_is_an_error_with_the_remedy"])
def test_what_is_no_setting_is_an_error_with_the_remedy(text: str, complaint: str) -> None:
    with pytest.raises((ValueError, LookupError), match=complaint):
        recipe_of(BiEncoderRecipe(), {"seed": None, "option": [text]})


KINDS = {kind.__name__: kind for kind in (BaseRecipe, BiEncoderRecipe, CrossEncoderRecipe)}


@every(("kind", "setting", "message"), cases_of(__file__)["a_setting_out_of_its_range"])
def test_a_setting_out_of_its_range_is_an_error_with_the_range(kind, setting, message) -> None:
    with pytest.raises((ValueError, LookupError), match=re.escape(message)):
        KINDS[kind](**setting)


def test_a_setting_with_which_nothing_is_trained_is_an_error() -> None:
    recipe = BaseRecipe(learning_rate=0.0)
    with pytest.raises(ValueError, match="learning_rate is 0, but nothing would be trained"):
        recipe.check_positive(["epochs", "learning_rate"])
    recipe.check_positive(["epochs"])
