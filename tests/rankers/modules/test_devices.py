"""The names of devices, and that trainings and rankings compute on the one that is named."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from answersim._base.runtime.concurrency import forget_loaded
from rankers.models import neural_ranker
from rankers.models.baselines import WordOverlap
from rankers.modules import cross_encoder, devices, encoder, scoring, words
from rankers.modules.scoring import device_of
from rankers.systems import catalog
from rankers.systems.fit import fit
from rankers.training.overrides import apply
from rankers.training.sampling import NoNegatives, Sampled, training_set
from rankers.training.trainer import Trainer
from rankers.types import Questions
from tests.rankers.commands.command_line import called
from tests.rankers.promises import few, texts_of
from tests.rankers.small_minilm import needs_minilm

torch = pytest.importorskip("torch")
pretend: Any = pytest.importorskip("tests.rankers.pretend_device")

# At least one system per network, objective, kind of negatives and part of a training that ranks.
ON_WORDS = ("match-pyramid", "dmn", "man", "qa-lstm-att", "ap-lstm", "ctrn-pointwise", "local-gate", "iggsa-multihop")
TRAINED_ON = ("match-pyramid-advcom", "match-pyramid-dns")
ON_ENCODERS = ("late-interaction", "hybrid", "addax", "addax-binary", "scan", "ce-plain")
SLOW_STEPS = ("ap-lstm", "qa-lstm-att", "ce-plain")  # others have these parts
QUICK_TRAININGS = ("match-pyramid-advcom",)  # a training, a generator, and states of both that are loaded again


@pytest.fixture
def pretended(monkeypatch):
    """A name of a device that this machine has, whatever it is; see ``pretend_device``."""
    usual = devices.resolve
    with pretend.pretend_device() as device:
        monkeypatch.setattr(devices, "resolve", lambda name=None: device if name == "pretended" else usual(name))
        yield "pretended"


def settings(name: str, small_encoder: Any) -> dict[str, Any]:
    overrides: dict[str, Any] = {"epochs": 1, "limit": 4, "dev_limit": 2, "patience": 0}
    system = catalog.system(name)
    assert hasattr(system, "training")
    if name in ON_WORDS or name in TRAINED_ON:
        return overrides | {"inputs.source": "random", "inputs.size": 8}
    objective = {"objective.reweighting.epochb": 2} if name == "scan" else {}
    return overrides | small_encoder(system.training) | objective


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW_STEPS else [])
        for name in (*ON_WORDS, *ON_ENCODERS)
        if name in catalog.TRAININGS
    ],
)
def test_a_step_on_a_device_and_one_on_the_cpu_are_alike(name, ten_questions, small_encoder):
    if name in ON_ENCODERS:
        needs_minilm()
    training = catalog.TRAININGS[name]
    config = apply(catalog.config(name, "smoke"), settings(name, small_encoder))
    dropout = {"dropout": 0.0} if hasattr(config.network, "dropout") else {}
    recipe, data = config.recipe, training_set(few(ten_questions, 4, 8), limit=1)
    inputs = words.build(config.inputs, data.questions + data.answers, 0)
    lengths = scoring.Lengths(recipe.question_length, recipe.answer_length)
    texts = scoring.encode(inputs.vocabulary, data.questions, data.answers, lengths)
    # Built before the device is pretended: transformers makes models on the meta device, too.
    there = neural_ranker.build(training.kind, replace(config.network, **dropout), inputs, 0)
    on_cpu = deepcopy(there)

    def scored(network):
        negatives = NoNegatives() if recipe.reads == "rows" else Sampled(recipe.negatives)
        objective = config.objective.resolve(recipe).build() if config.objective else None
        Trainer(network, data, texts, lambda network: 0.0, recipe, negatives, objective).finish()
        return scoring.scores(network, texts, np.zeros(8, dtype=int), np.arange(8))

    expected = scored(on_cpu)
    with pretend.pretend_device() as device:
        scores = scored(there.to(device))
        assert device_of(there).type == "meta"
    assert len(set(expected)) > 4
    np.testing.assert_allclose(scores, expected, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK_TRAININGS else [pytest.mark.slow])
        for name in (*ON_WORDS, *TRAINED_ON, *ON_ENCODERS)
    ],
)
def test_a_training_on_a_device_and_one_on_the_cpu_rank_alike(
    name, ten_questions, small_encoder, tmp_path, monkeypatch
):
    if name in ON_ENCODERS:
        needs_minilm()
    train, usual, loaded = few(ten_questions, 4, 8), devices.resolve, cache(encoder.model_in)
    # As above: what the CPU has loaded is copied.
    for module in (encoder, cross_encoder):
        monkeypatch.setattr(module, "model_in", lambda *folder: deepcopy(loaded(*folder)))
    overrides: dict[str, Any] = {"preset": "smoke", "overrides": settings(name, small_encoder)}
    on_cpu = fit(name, train, train, folder=tmp_path / "cpu", device="cpu", **overrides)
    expected = np.concatenate(_scores(on_cpu, train))
    assert _device_types(on_cpu) == {"cpu"}
    with pretend.pretend_device() as device:
        monkeypatch.setattr(devices, "resolve", lambda name=None: device if name == "pretended" else usual(name))
        ranker = fit(name, train, train, folder=tmp_path / "there", device="pretended", **overrides)
        assert _device_types(ranker) == {"meta"}
        scores = np.concatenate(_scores(ranker, train))
    assert len(set(expected)) > 4
    np.testing.assert_allclose(scores, expected, rtol=2e-3, atol=2e-4)


def _device_types(ranker: Any) -> set[str]:
    networks = [member.network for member in getattr(ranker, "members", [ranker])]
    return {tensor.device.type for network in networks for tensor in network.parameters()}


def _scores(ranker: Any, questions: Questions) -> list[Any]:
    return ranker.score(*texts_of(questions))


def test_a_wrong_placement_is_found(pretended):
    """What ``pretend_device`` is for: a network that makes a tensor on the CPU fails on it, as on a GPU."""

    class Careless(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 1)

        def forward(self, x):
            return self.linear(x) + torch.arange(2)[:, None]  # without device=x.device

    network, x = Careless(), torch.ones(2, 3)
    assert network(x).shape == (2, 1)
    network.to("meta")
    with pytest.raises(RuntimeError, match="on the CPU beside one on meta"):
        network(x.to("meta"))
    with pytest.raises(RuntimeError):
        network.linear(x.to("meta")).detach().numpy()


def test_a_training_resumes_and_a_ranker_is_loaded_on_another_device(asked, small_encoder, tmp_path, pretended):
    train, lines = asked(6), list[str]()
    changes = settings("match-pyramid", small_encoder) | {"epochs": 2}
    common: dict[str, Any] = {"preset": "smoke", "folder": tmp_path, "overrides": changes}

    def stop(line):
        if "epoch   2" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit("match-pyramid", train, train, log=stop, device="cpu", **common)
    ranker = fit("match-pyramid", train, train, log=lines.append, device=pretended, **common)
    said = [line for line in lines if "epoch" in line]
    assert said == ["match-pyramid: resumed after epoch 1", lines[-1]]  # the second epoch again, and not the first
    assert device_of(ranker.network).type == "meta"
    folder, question = tmp_path / "match-pyramid" / "model", train.items[0]
    on_cpu, there = rankers.load(folder, device="cpu"), rankers.load(folder, device=pretended)
    assert on_cpu.signature == there.signature
    assert device_of(there.network).type == "meta"
    texts = [candidate.text for candidate in question.candidates]
    expected = rankers.score(question.text, texts, on_cpu)
    np.testing.assert_allclose(rankers.score(question.text, texts, folder, device=pretended), expected, atol=1e-6)
    ranked = rankers.rank(question.text, texts, folder, device=pretended)
    assert [round(entry.score, 4) for entry in ranked] == sorted(expected.round(4).tolist(), reverse=True)


@pytest.mark.parametrize(
    "name",
    ["minilm-hybrid", *(pytest.param(f"minilm-{name}", marks=pytest.mark.slow) for name in ("biencoder", "maxsim"))],
)
def test_an_untrained_encoder_computes_on_the_device(name, monkeypatch):
    needs_minilm()
    loaded, usual = cache(encoder.model_in), devices.resolve
    texts = ["Ann wrote it.", "It rained.", "The author is Ann."]
    used: list[str | None] = []
    forget_loaded()
    # Loaded before the device is pretended: transformers makes models on the meta device, too.
    monkeypatch.setattr(encoder, "model_in", lambda *folder: deepcopy(loaded(*folder)))
    expected = rankers.score("Who wrote it?", texts, name, device="cpu")
    with pretend.pretend_device() as device:

        def resolve(name=None):
            used.append(name)
            return device if name == "pretended" else usual(name)

        for module in (devices, encoder):
            monkeypatch.setattr(module, "resolve", resolve)
        scores = rankers.score("Who wrote it?", texts, name, device="pretended")
    forget_loaded()
    assert set(used) == {"pretended"}
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert len(set(expected)) == 3


def test_only_devices_that_are_there_are_accepted(ten_questions, tmp_path, monkeypatch):
    assert devices.resolve("cpu").type == "cpu"
    assert devices.resolve(None) == devices.resolve("auto")
    assert devices.resolve("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    refused: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        *((ValueError, name, partial(devices.resolve, name)) for name in ("gpu", "cuda:99", "meta", "hip")),
        (TypeError, "device is 0", lambda: devices.resolve(0)),  # type: ignore[arg-type]
        (ValueError, "", lambda: rankers.rank("Who?", ["a", "b"], "word-overlap", device="gpu")),
        (ValueError, "", lambda: rankers.score("Who?", ["a", "b"], "word-overlap", device="gpu")),
        (ValueError, "", lambda: rankers.run("word-overlap", ten_questions, device="gpu")),
        (ValueError, "", lambda: rankers.load(tmp_path, device="gpu")),
        (ValueError, "", lambda: fit("man", ten_questions, ten_questions, folder=tmp_path / "f", device="gpu")),
        (
            TypeError,
            "WordOverlap is loaded already and stays on its own device",
            lambda: rankers.rank("Who?", ["a", "b"], WordOverlap(), device="cpu"),
        ),
    ]
    for error, message, call in refused:
        with pytest.raises(error, match=message if " " in message else f"device is '{message or 'gpu'}'"):
            call()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text("question,candidate\nWho?,Ann\nWho?,Bob\n")
    for line in ("rank q.csv --model word-overlap --device gpu", "train man --data toy --folder f --device gpu"):
        result = called(line)
        assert result.exit_code == 2
        assert "device is 'gpu', but PyTorch has no such device" in result.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "q.csv"]  # nothing is written before the device is known
    result = called("rank q.csv --model word-overlap --device cpu")
    assert result.exit_code == 0, result.stderr


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
@pytest.mark.parametrize("name", ["man", "match-pyramid-advcom"])
def test_a_training_runs_on_a_gpu(name, asked, small_encoder, tmp_path):
    train = asked(6)
    ranker = fit(
        name, train, train, folder=tmp_path, preset="smoke", overrides=settings(name, small_encoder), device="cuda"
    )
    on_cpu = rankers.load(tmp_path / catalog.system(name).training / "model", device="cpu")  # type: ignore[union-attr]
    assert all(np.isfinite(scores).all() for scores in _scores(ranker, train))
    assert all(np.isfinite(scores).all() for scores in _scores(on_cpu, train))
