"""The report of what a training changed, and where trainings run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.evaluation.data import LabeledPairs, load
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints.search import find
from answersim.training import regression
from answersim.training.cross_encoder import model as models  # needs torch
from answersim.training.cross_encoder import trainer as trainers
from answersim.training.regression import Trial, compare, examine, fingerprint, subsets
from answersim.types import Pair
from tests.cases import every
from tests.training.made import begun

SIGNATURES = {"m": ("m|before", "m|after")}


def made(n=60, name="made"):
    """Pairs of which every other one shares a word, with labels 0, 0, 1, 1, 2, 2 and so on."""
    pairs = tuple(Pair("x", f"x p{i}" if i % 2 else f"p{i}") for i in range(n))
    return LabeledPairs(name, "en", pairs, np.arange(n) // 2 % 3)


def noisy(data, seed, noise):
    return data.labels + noise * np.random.default_rng(seed).normal(size=len(data))


def verdicts(report):
    return {(finding.subset, finding.metric): finding.verdict for finding in report.findings}


def test_the_subsets_are_the_labeled_pairs_with_and_without_a_common_word():
    data = LabeledPairs("s", "en", (Pair("a b", "c"), Pair("b", "the b"), Pair("b", "c")), [0, 2, np.nan])
    assert {name: mask.tolist() for name, mask in subsets(data).items()} == {
        "F1=0": [True, False, False],
        "F1!=0": [False, True, False],
    }


def test_only_a_clear_change_is_better_or_worse():
    data = made(240)
    close, loose, other = noisy(data, 1, 0.3), noisy(data, 2, 3), noisy(data, 3, 0.3)
    report = compare([(data, {"up": (loose, close), "down": (close, loose), "level": (close, other)})], {})
    assert verdicts(report) == {
        (subset, metric): verdict
        for subset in ("F1=0", "F1!=0")
        for metric, verdict in (("up", "better"), ("down", "worse"), ("level", "not distinguishable"))
    }
    assert [entry.metric for entry in report.of_verdict("better")] == ["up", "up"]
    assert [entry.metric for entry in report.of_verdict("worse")] == ["down", "down"]
    assert all(finding.low < finding.difference < finding.high for finding in report.findings)
    assert all(finding.p <= finding.p_holm for finding in report.findings)


def test_without_the_sets_of_the_paper_the_shipped_probes_are_scored(no_data):
    report = examine([Trial("f1", lookup.metric("f1"), lookup.metric("recall"))])
    assert {finding.dataset for finding in report.findings} == {"probe", "probe-de"}
    assert [line for line in report.left_out if "not found" in line] == [
        f"{name}: not found on this machine ('answersim data fetch' fetches it)"
        for name in ("squad", "nq-open", "germanquad")
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        pytest.param({"trials": []}, ValueError, "there is no metric", id="no metric"),
        pytest.param({"trials": ["m", "m"]}, ValueError, "two metrics called 'm'", id="one name twice"),
    ],
)
def test_a_wrong_call_is_an_error_before_anything_is_scored(arguments, error, message):
    def scored(pairs):
        pytest.fail("work was begun")

    scored.signature = "never"
    names = arguments.pop("trials", ["m"])
    with pytest.raises(error, match=message):
        examine([Trial(name, scored, scored) for name in names])


def test_the_report_in_markdown_and_json():
    data = made(22)
    report = compare([(data, {"m": (np.ones(22), noisy(data, 1, 1))})], SIGNATURES)
    lines = report.to_markdown().splitlines()
    assert lines[:2] == ["better: nothing  ", "worse: nothing  "]
    assert "| made | F1=0 | 11 | m | - | " in report.to_markdown()
    assert "m: before m|before, after m|after" in report.footer()
    assert report.footer()[0].endswith("paired bootstrap, 2,000 resamples, seed 0; Holm over 2 findings")
    content = json.loads(report.to_json())
    assert content["findings"][0]["before"] is None
    assert content["findings"][0]["after"] == report.findings[0].after
    assert content["signatures"] == {"m": ["m|before", "m|after"]}
    assert (content["seed"], content["resamples"], content["data"]) == (0, 2000, {"made": fingerprint(data)})


@every("change", ["pair", "label", "order"])
def test_every_change_changes_the_fingerprint(change):
    data = made(4)
    other = {
        "pair": LabeledPairs("made", "en", (*data.pairs[:3], Pair("x", "y")), data.labels),
        "label": LabeledPairs("made", "en", data.pairs, [0, 0, 1, np.nan]),
        "order": data.take([1, 0, 2, 3]),
    }[change]
    assert fingerprint(LabeledPairs("one", "en", (Pair("a", "b"),), np.array([1.0])))[:12] == "effeb2ae92d0"
    assert fingerprint(other) != fingerprint(data) == fingerprint(made(4, "of another name"))


@pytest.mark.data
def test_the_papers_names_training_helps_on_nq_open_and_lowers_german(data_home, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    changes = []
    for name in regression.SETS:
        data = load(name, cleaning="recorded")
        recorded = data.recorded
        pairs = {
            "bi-encoder": ("bi-encoder", "bi-encoder-names"),
            "bertscore": ("bertscore-trained", "bertscore-names"),
        }
        columns = {name: (recorded[before], recorded[after]) for name, (before, after) in pairs.items()}
        changes.append((data, columns))
    report = compare(changes, {})
    result = {(finding.dataset, finding.subset, finding.metric): finding for finding in report.findings}
    german = result["germanquad", "F1=0", "bertscore"]
    assert (round(german.before, 3), round(german.after, 3)) == (0.284, 0.229)
    assert german.verdict == "not distinguishable"  # 123 pairs are too few to be sure of it
    assert {finding.dataset for finding in report.findings if finding.difference < -0.02} == {"germanquad"}
    assert {entry.dataset for entry in report.of_verdict("better")} == {"nq-open"}
    assert {(entry.subset, entry.metric) for entry in report.of_verdict("better")} >= {
        ("F1=0", "bi-encoder"),
        ("F1=0", "bertscore"),
    }
    assert report.of_verdict("worse") == ()


torch = pytest.importorskip("torch")
for module in ("sentence_transformers", "peft", "accelerate", "datasets"):
    pytest.importorskip(module)
pretend: Any = pytest.importorskip("tests.rankers.pretend_device")


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
        model = CrossEncoder(
            modules=[trainers.PairClassifier(classifier, base, 32)], device="cpu", activation_fn=torch.nn.Sigmoid()
        )
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
def test_a_training_on_a_gpu_makes_an_adapter_that_scores_on_both(kind, tiny, tmp_path):
    import answersim
    from tests.training.test_bi_encoder import PAIRS, train
    from tests.training.test_cross_encoder import trained

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
