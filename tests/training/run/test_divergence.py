from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from answersim.training.bi_encoder import train as bi_encoder
from answersim.training.bi_encoder.recipe import PRESETS
from answersim.training.data.pairs import TrainingPair
from answersim.training.run import artifact, checkpointing
from answersim.training.run.divergence import check_finite, check_loss
from tests.cases import every

torch = pytest.importorskip("torch")


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


def test_an_adapter_that_overflows_fp16_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the adapter in fp16: x has values that are not finite"):
        artifact.write_adapter(None, {"x": torch.tensor([70000.0])}, "base", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", ["lora", "full"])
def test_weights_that_are_not_finite_stop_a_student_before_anything_is_kept(
    tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
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
