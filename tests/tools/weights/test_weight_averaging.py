from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from answersim.metrics.neural import adapter
from tools.weights.weight_averaging import average

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """An adapter of rank 1 with these tensors."""

    def make(name: str, rank: int = 1, **values: list[float]) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        settings = {"peft_type": "LORA", "r": rank, "lora_alpha": 2.0, "target_modules": ["dense"]}
        (folder / adapter.CONFIG).write_text(json.dumps(settings))
        tensors = {f"base_model.model.{key}": torch.tensor([value]).half() for key, value in values.items()}
        (folder / adapter.WEIGHTS).write_bytes(safetensors_torch.save(tensors))
        return folder

    return make


def tensors(folder: Path) -> Mapping[str, list[float]]:
    loaded = safetensors_torch.load_file(folder / adapter.WEIGHTS)
    return {name.removeprefix("base_model.model."): value[0].tolist() for name, value in loaded.items()}


def test_the_tensors_are_the_weighted_mean(made: Callable[..., Path], tmp_path: Path) -> None:
    one, two = made("one", a=[1.0, 2.0], b=[0.0]), made("two", a=[3.0, -2.0], b=[8.0])
    folder = average({one: 0.25, two: 0.75}, tmp_path / "mean")
    assert tensors(folder) == {"a": [2.5, -1.0], "b": [6.0]}
    assert safetensors_torch.load_file(folder / adapter.WEIGHTS)["base_model.model.a"].dtype == torch.float16


def test_the_recipe_states_the_shares_and_pins_the_files(made: Callable[..., Path], tmp_path: Path) -> None:
    one, two = made("one", a=[1.0]), made("two", a=[3.0])
    (two / adapter.RECIPE).write_text(
        json.dumps({"reads_question": True, "sha256": {adapter.WEIGHTS: adapter.sha256(two / adapter.WEIGHTS)}})
    )
    folder = average({one: 0.5, two: 0.5}, tmp_path / "mean", {"results": {"dev": {}}})
    recipe = json.loads((folder / adapter.RECIPE).read_text())
    assert recipe["reads_question"] is True
    assert recipe["results"] == {"dev": {}}
    assert [(each["name"], each["share"]) for each in recipe["soup"]] == [("one", 0.5), ("two", 0.5)]
    assert recipe["soup"][0]["fingerprint"] == adapter.fingerprint(one)
    adapter.verify(folder)


def test_adapters_of_other_shapes_are_refused(made: Callable[..., Path], tmp_path: Path) -> None:
    one = made("one", a=[1.0])
    with pytest.raises(ValueError, match="another shape"):
        average({one: 0.5, made("two", rank=2, a=[1.0]): 0.5}, tmp_path / "mean")
    with pytest.raises(ValueError, match=r"has a tensor .*a of \(1, 2\) that .* lacks"):
        average({one: 0.5, made("three", a=[1.0, 1.0]): 0.5}, tmp_path / "mean")
    with pytest.raises(ValueError, match=r"has a tensor .*b"):
        average({one: 0.5, made("four", a=[1.0], b=[1.0]): 0.5}, tmp_path / "mean")
    with pytest.raises(FileNotFoundError, match="no adapter folder"):
        average({one: 0.5, tmp_path / "nowhere": 0.5}, tmp_path / "mean")
    assert not (tmp_path / "mean").exists()
