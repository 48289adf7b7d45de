"""A metric that is asked for by name is built once, and again only if what it was built from has changed."""

import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

import answersim
from answersim.metrics.catalog import built_metrics, lookup
from answersim.types import Metric


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """No metric of another test."""
    lookup.release()
    yield
    lookup.release()


def settled(folder: Path) -> Path:
    """Wait until the files in this folder are older than the clock of the file system can tell."""
    time.sleep(3 * built_metrics._TICK / 1e9)
    return folder


@pytest.mark.parametrize("name", ["f1", "rouge-l", "meteor", "bertscore", "answersim"])
def test_a_metric_is_built_once(name):
    if lookup.entry(name).kind != "lexical":
        pytest.importorskip("torch")
    assert answersim.metric(name) is answersim.metric(name)
    assert answersim.metric(name, lang="en") is answersim.metric(name)


def test_a_part_of_a_composite_metric_is_the_metric_of_its_name():
    pytest.importorskip("torch")
    parts = answersim.metric("answersim").parts  # type: ignore[attr-defined] # it has parts
    assert answersim.metric("recall") in parts


def test_language_profile_and_options_are_parts_of_the_key():
    metrics = [
        answersim.metric("meteor", **asked)  # type: ignore[arg-type] # options of several types
        for asked in ({}, {"lang": "de"}, {"profile": "paper"}, {"alpha": 0.5}, {"alpha": 0.5, "beta": 2.0})
    ]
    assert len({metric.signature for metric in metrics}) == len(metrics)


def test_a_mistyped_name_is_refused_every_time():
    for _ in range(2):
        with pytest.raises(LookupError, match="no language has the ISO 639-1 code 'xx'"):
            answersim.metric("f1", lang="xx")
        with pytest.raises(LookupError, match="no profile is called 'papper'"):
            answersim.metric("f1", profile="papper")


def test_many_threads_get_one_metric(monkeypatch):
    built: list[Metric] = []
    build = lookup.entry("f1").build

    def slowly(*, lang: str, profile: str | None) -> Metric:
        time.sleep(0.05)
        built.append(build(lang=lang, profile=profile))
        return built[-1]

    monkeypatch.setitem(lookup.ENTRIES, "f1", replace(lookup.entry("f1"), build=slowly))
    start = Barrier(8)

    def ask(_: int) -> Metric:
        start.wait()
        return answersim.metric("f1")

    with ThreadPoolExecutor(8) as threads:
        metrics = list(threads.map(ask, range(8)))
    assert len(built) == 1
    assert all(metric is built[0] for metric in metrics)


def test_a_changed_model_is_a_new_metric(tiny, tmp_path):
    pytest.importorskip("torch")
    folder = settled(shutil.copytree(tiny("bert"), tmp_path / "model"))
    before = answersim.metric("bi-encoder", model=folder)
    assert answersim.metric("bi-encoder", model=str(folder)) is before
    shutil.copytree(tiny("bert", seed=1), folder, dirs_exist_ok=True)
    after = answersim.metric("bi-encoder", model=folder)
    assert after.signature != before.signature


def test_release_forgets_metrics_and_models(tiny):
    pytest.importorskip("torch")
    from answersim.metrics.neural import loading

    folder = settled(tiny("bert"))
    before = answersim.metric("bi-encoder", model=folder)
    f1 = answersim.metric("f1")
    encoder = before.encoder  # type: ignore[attr-defined] # it has one

    def load() -> object:
        return loading.encoder(encoder.checkpoint.folder, encoder.fingerprint, None, 2, "fp32", "cpu")

    model = load()
    assert load() is model
    lookup.release()
    assert load() is not model
    again = answersim.metric("bi-encoder", model=folder)
    assert again is not before
    assert again == before
    assert answersim.metric("f1") is not f1
