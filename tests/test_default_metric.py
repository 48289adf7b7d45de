"""The metric if none is named: the learned one where it can be computed, else recall."""

import pickle

import pytest

from answersim import default_metric as module
from answersim.checkpoints import MODELS_VARIABLE, is_here
from answersim.default_metric import default_metric, sentences, warn_of_sentences
from answersim.errors import DefaultMetricWarning


@pytest.fixture(autouse=True)
def _fresh():
    module._installed.cache_clear()
    yield
    module._installed.cache_clear()


@pytest.mark.parametrize(
    ("missing", "profile", "name"),
    [
        ((), None, "answersim"),
        ((), "embedded", "answersim"),
        ((), "strong", "answersim"),
        (("weights",), "strong", "recall"),
        ((), "squad", "recall"),
        ((), "paper", "recall"),
        (("torch",), None, "recall"),
        (("transformers",), None, "recall"),
        (("weights",), None, "recall"),
    ],
)
def test_the_default_is_what_is_installed(monkeypatch, missing, profile, name):
    monkeypatch.setattr(module, "find_spec", lambda package: None if package in missing else object())
    monkeypatch.setattr("answersim.checkpoints.is_here", lambda model: "weights" not in missing)
    assert default_metric(profile) == name


def test_weights_are_here_if_a_folder_has_them_and_nothing_is_downloaded(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    assert not is_here("no-such-model")
    folder = tmp_path / "no-such-model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert not is_here("no-such-model")
    (folder / "model.safetensors").write_bytes(b"x")
    assert is_here("no-such-model")


@pytest.mark.parametrize(
    ("pred", "count"), [("", 0), ("one two three four five", 0), ("a  b  c", 0), ("one two three four five six", 1)]
)
def test_a_sentence_has_six_words(pred, count):
    assert sentences([pred]) == count


def test_half_of_the_predictions_are_enough_for_a_warning():
    warn_of_sentences(0, 0)
    warn_of_sentences(4, 9)
    with pytest.warns(DefaultMetricWarning, match="5 of 9 predictions are sentences, and recall scored them"):
        warn_of_sentences(5, 9)


def test_the_warning_can_be_pickled():
    again = pickle.loads(pickle.dumps(DefaultMetricWarning(5, 9, "recall")))
    assert (again.count, again.n, again.metric) == (5, 9, "recall")
