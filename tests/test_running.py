"""Where networks run: one device, with its precision and batch, reaches those metrics that run one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim._base.device import Device
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import profiles
from answersim.types import Pair
from tests import command_line
from tests.cases import cases_of, every

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

PAIRS = [Pair("National Football League", "the NFL"), Pair("eleven", "11"), Pair("cortex", "Old John Merchant")]
NEURAL = [name for name in answersim.names() if lookup.entry(name).kind in ("neural", "composite")]


@pytest.fixture
def minilm(tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every neural name of the embedded profile stands on a tiny model, without adapters."""
    behind = profiles.Weights(str(tiny("bert")), layer=2)
    pairs = profiles.Weights(str(tiny("bert", classifier=True)))
    for name in profiles.WEIGHTS:
        monkeypatch.setitem(profiles.WEIGHTS, name, {"embedded": {"*": pairs if name == "sas" else behind}})


@every(
    "text, device",
    [
        ("cuda:1,bf16,64", Device("cuda:1", "bf16", 64)),
        (" 64 , cpu ", Device("cpu", batch_tokens=64)),
        ("fp16", Device(precision="fp16")),
        ("auto", Device()),
    ],
)
def test_a_device_is_read_from_text_and_written_as_it(text: str, device: Device) -> None:
    assert Device.of(text) == device
    assert Device.of(str(device)) == device


@every(
    "make, error, message",
    [
        (lambda: Device("cuda", "bf61"), LookupError, "no precision is called 'bf61'; did you mean 'bf16'"),
        (lambda: Device("gpu"), LookupError, "no device is called 'gpu'; choose one of: auto, cpu, cuda"),
        (lambda: Device.of("cpu,half"), ValueError, "device is 'cpu,half', but it has one name"),
        (lambda: Device.of("cuda,bf16,fp16"), ValueError, "one precision"),
        (lambda: Device.of("64,128"), ValueError, "one number of tokens per batch"),
        (lambda: Device.of("cpu,0"), ValueError, "batch_tokens is 0"),
        (lambda: Device.of(64), TypeError, "device is 64"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_device_is_an_error_with_the_remedy(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("name", NEURAL)
def test_precision_is_signed_and_device_and_batch_tokens_are_not(name: str) -> None:
    plain = answersim.metric(name)
    assert answersim.metric(name, device="cpu,64") == plain
    assert answersim.metric(name, device="cpu,64").signature == plain.signature
    signatures = {answersim.metric(name, device=entry).signature for entry in ("fp32", "bf16", "fp16")}
    assert len(signatures) == 3
    assert plain.signature in signatures


@pytest.mark.usefixtures("minilm")
def test_several_metrics_get_only_the_options_that_they_take() -> None:
    names = ["f1", "bi-encoder", "bertscore-trained", "sas"]
    scores = answersim.score_pairs(PAIRS, names, device=Device("cpu", "bf16", 9))
    assert scores["f1"] == answersim.score_pairs(PAIRS, ["f1"])["f1"]
    for name in names[1:]:
        alone = answersim.metric(name, device="bf16")
        assert scores[name].signature == alone.signature
        np.testing.assert_allclose(scores[name].values, alone(PAIRS), atol=1e-6)


@every("device", ["cpu", "bf16", "64", Device()])
def test_where_no_metric_runs_a_network_a_device_is_refused(device: str | Device) -> None:
    with pytest.raises(TypeError, match=r"device is '.*', but em, f1 runs no network"):
        answersim.score_pairs(PAIRS, ["em", "f1"], device=device)
    with pytest.raises(TypeError, match=r"'f1' has no option .* a device is for metrics that run a network"):
        answersim.score("a", "b", "f1", device=device)


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize("device", ["cuda:99", "mps:99", "cpu:7", "cuda:x"])
def test_a_device_that_is_not_there_is_an_error_that_names_those_that_are(device: str) -> None:
    with pytest.raises(LookupError, match=rf"no device '{device}' in this machine; choose one of: auto, cpu"):
        answersim.score_pairs(PAIRS, ["bi-encoder"], device=device)


def test_the_devices_are_reported_and_auto_is_the_fastest(monkeypatch: pytest.MonkeyPatch) -> None:
    from answersim.metrics.neural import loading

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert loading.devices() == ("cpu", "mps")
    assert loading.device("auto").type == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert loading.devices() == ("cpu", "mps", "cuda:1", "cuda")
    assert loading.device("auto") == torch.device("cuda")
    assert loading.device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(LookupError, match="cuda:2"):
        loading.device("cuda:2")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text("gold,pred\nNational Football League,the NFL\neleven,11\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("minilm")
def test_the_command_line_says_it_to_the_metrics_that_run_a_network(table: Path, tmp_path: Path) -> None:
    output = tmp_path / "scored.csv"
    options = ["--no-cache", "--no-progress", "--device", "cpu,bf16,64"]
    text = command_line.output("score", table, "-m", "f1,bi-encoder", "-o", output, *options)
    assert answersim.metric("bi-encoder", device="bf16").signature in text
    columns = [line.split(",") for line in output.read_text(encoding="utf-8").splitlines()]
    pairs = [Pair(row[0], row[1]) for row in columns[1:]]
    expected = answersim.metric("bi-encoder", device="bf16")(pairs)
    np.testing.assert_allclose([float(row[columns[0].index("bi-encoder")]) for row in columns[1:]], expected, atol=1e-6)


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    path, texts = tmp_path / "judged.csv", ["National Football League", "the NFL", "eleven", "11", "cortex"]
    lines = [f"{texts[i % 5]},{texts[i * i % 5 - i % 2]},{(i * 7) % 3}" for i in range(30)]
    path.write_text("gold,pred,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*words: object) -> str:
    """What a command that must end well says."""
    return command_line.output(*words, "--no-progress")


@pytest.mark.usefixtures("minilm")
def test_a_study_runs_networks_as_it_is_reported(judged: Path, tmp_path: Path) -> None:
    signature = answersim.metric("bi-encoder", device="bf16").signature
    agreement = answersim.correlate(
        judged, ["em", "bi-encoder"], bootstrap=answersim.Bootstrap(resamples=20), device="cpu,bf16"
    )
    assert signature in json.dumps(agreement.to_dict())
    settings = ("-m", "em,bi-encoder", "--resamples", 20, "--device", "cpu,bf16,9")
    run("correlate", judged, *settings, "-o", tmp_path / "study.json")
    assert signature in (tmp_path / "study.json").read_text(encoding="utf-8")
    pytest.importorskip("jinja2", reason="needs the extra `report`")
    run("correlate", judged, *settings, "--report", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "precision:bf16" in page or "/bf16" in page
    assert "--device cpu,bf16,9" in page


@pytest.mark.usefixtures("minilm")
def test_calibrations_are_of_the_precision_that_was_asked_for(judged: Path, tmp_path: Path) -> None:
    settings = ("--device", "cpu,bf16,64")
    run("calibrate", judged, "-m", "bi-encoder", "--label-from", 1, "-o", tmp_path / "mine.json", *settings)
    content = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert content["metric"]["options"] == {"device": "bf16"}  # the rest cannot change a number
    assert content["signature"] == answersim.metric("bi-encoder", device="bf16").signature
    result = run("score", judged, "-c", tmp_path / "mine.json", "--device", "cpu,9")
    assert content["signature"] in result


@pytest.mark.usefixtures("minilm")
@pytest.mark.parametrize(("words", "message"), cases_of(__file__)["the_command_line_refuses_what_cannot_be"])
def test_the_command_line_refuses_what_cannot_be(judged, words, message, monkeypatch):
    monkeypatch.chdir(judged.parent)
    assert message in " ".join(command_line.output(words[0], judged, *words[1:], status=(2,)).split())


def test_a_study_refuses_a_device_where_nothing_is_computed_or_what_runs_is_built(judged: Path) -> None:
    judgments = {"gold": ["a"] * 12, "pred": ["a", "b"] * 6, "label": [1, 0] * 6, "mine": [0.3, 0.1] * 6}
    with pytest.raises(TypeError, match="device is 'cpu', but no metric is given by name"):
        answersim.correlate(judgments, bootstrap=answersim.Bootstrap(resamples=20), device="cpu")
    with pytest.raises(TypeError, match=r"already built: give the device to answersim\.metric"):
        answersim.correlate(judged, [answersim.metric("em")], bootstrap=answersim.Bootstrap(resamples=20), device="cpu")
