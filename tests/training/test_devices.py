"""Trainings on another device than the CPU: a step on a pretended one everywhere, whole trainings on a GPU."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.metrics.checkpoints.search import find

torch = pytest.importorskip("torch")
for module in ("sentence_transformers", "peft", "accelerate", "datasets"):
    pytest.importorskip(module)
pretend: Any = pytest.importorskip("tests.rankers.pretend_device")

from answersim.training.cross_encoder import model as models  # noqa: E402 # needs torch
from answersim.training.cross_encoder import trainer as trainers  # noqa: E402
from tests.training.made import begun  # noqa: E402

COLUMNS = [["a man", "eleven", "red"], ["a dog runs", "11", "blue"], ["who?", "", "what color?"]]
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU of CUDA")


def test_a_step_and_a_prediction_of_a_cross_encoder_on_a_device_are_those_of_the_cpu(tiny: Callable[..., Path]) -> None:
    from sentence_transformers import CrossEncoder

    base = find(tiny("bert"))
    tokens = models.tokenize(base, list(zip(*COLUMNS[:2], strict=True)), 32)
    results = []
    for on_device in (False, True):
        with begun(0, "fp32"):
            classifier = models.adapt(models.build(base.folder), 2, 4.0, 0.0)
        model = CrossEncoder(modules=[trainers.PairClassifier(classifier, base, 32)], device="cpu")
        with pretend.pretend_device() as device:
            place = device if on_device else torch.device("cpu")
            model.to(place)
            loss = trainers.PairLoss(model)(COLUMNS, torch.tensor([0.0, 1.0, 0.5]).to(place))
            loss.backward()
            trained = {name: entry for name, entry in classifier.named_parameters() if entry.requires_grad}
            assert {entry.device for entry in trained.values()} == {place}
            gradients = {name: entry.grad.cpu() for name, entry in trained.items() if entry.grad is not None}
            predicted = models.predict(classifier, tokens)
            results.append((loss.item(), gradients, predicted))
    (expected, steps, scores), (result, steps_there, scores_there) = results
    assert result == pytest.approx(expected, abs=1e-6)
    torch.testing.assert_close(steps_there, steps, atol=1e-6, rtol=1e-5)
    assert max(float(step.abs().max()) for step in steps.values()) > 1e-4
    np.testing.assert_allclose(scores_there, scores, atol=1e-6)


@pytest.mark.gpu
@gpu
@pytest.mark.parametrize("kind", ["pairs", "texts"])
def test_a_training_on_a_gpu_makes_an_adapter_that_scores_on_both(
    kind: str, tiny: Callable[..., Path], tmp_path: Path
) -> None:
    import answersim
    from tests.training.bi_encoder.conftest import PAIRS, train
    from tests.training.cross_encoder.conftest import trained

    base = tiny("bert")
    name = "sas" if kind == "pairs" else "bi-encoder"
    _ = trained(PAIRS, tmp_path, base) if kind == "pairs" else train(base, tmp_path)
    adapter = next(tmp_path.rglob("adapter_config.json")).parent
    assert json.loads((adapter / "recipe.json").read_text())["machine"]["gpu"]
    pairs = [(pair.first, pair.second) for pair in PAIRS]
    on_cpu, on_gpu = (
        answersim.metric(name, model=base, adapter=adapter, device=device)(pairs) for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(on_gpu, on_cpu, atol=1e-4)
    assert np.ptp(on_cpu) > 1e-3
