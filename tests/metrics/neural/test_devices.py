"""Networks on a device other than the CPU: on a pretended one everywhere, and on a GPU if there is one."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.runtime.concurrency import forget_loaded
from answersim.types import Pair

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pretend: Any = pytest.importorskip("tests.rankers.pretend_device")
loading: Any = pytest.importorskip("answersim.metrics.neural.loading")

PAIRS = [
    Pair("National Football League", "the NFL"),
    Pair("eleven", "11"),
    Pair("", "Old John Feather Merchant, born in 1945"),
    Pair("answer " * 4, "another answer"),
]
METRICS = (
    ("bi-encoder", False, {}),
    ("bertscore-trained", False, {"layer": 2}),
    ("sas", True, {}),
    ("bi-encoder", False, {"kind": "mpnet"}),
)
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU of CUDA")


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let "cuda" be a device that every machine has; see ``pretend_device``."""
    usual = loading.device
    forget_loaded()
    with pretend.pretend_device() as device:
        monkeypatch.setattr(loading, "device", lambda name: device if name == "cuda" else usual(name))
        yield
    forget_loaded()


def scores(tiny: Any, name: str, classifier: bool, options: dict[str, Any], **running: Any) -> Any:
    options = dict(options)
    model = tiny(options.pop("kind", "bert"), classifier=classifier)
    return answersim.metric(name, model=model, **options, **running)(PAIRS)


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(("name", "classifier", "options"), METRICS)
def test_a_metric_on_a_device_gives_the_numbers_of_the_cpu(tiny, name, classifier, options):
    on_cpu = scores(tiny, name, classifier, options, device="cpu")
    assert len(set(on_cpu.tolist())) == len(PAIRS)
    np.testing.assert_allclose(scores(tiny, name, classifier, options, device="cuda"), on_cpu, atol=1e-5)


@pytest.mark.gpu
@gpu
@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-5), ("bf16", 0.05), ("fp16", 0.01)])
@pytest.mark.parametrize(("name", "classifier", "options"), METRICS)
def test_a_metric_on_a_gpu_gives_the_numbers_of_the_cpu(tiny, name, classifier, options, precision, tolerance):
    on_cpu = scores(tiny, name, classifier, options, device="cpu")
    on_gpu = scores(tiny, name, classifier, options, device=f"cuda,{precision}")
    np.testing.assert_allclose(on_gpu, on_cpu, atol=tolerance)


@pytest.mark.gpu
@gpu
def test_the_shipped_metrics_on_a_gpu_give_the_numbers_of_the_cpu_on_the_probe():
    from answersim.evaluation.data import load

    pairs = load("probe").pairs
    for name in ("bi-encoder", "bertscore-names", "sas", "answersim"):
        on_cpu, on_gpu = (answersim.metric(name, device=device)(pairs) for device in ("cpu", "cuda"))
        np.testing.assert_allclose(on_gpu, on_cpu, atol=1e-4, err_msg=name)
