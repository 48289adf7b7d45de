"""Which weights a neural metric uses, by profile and language."""

import pytest

from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.profiles import Weights, find_weights, weights
from tests.cases import every


@every(
    ("name", "lang", "profile", "expected"),
    [
        ("bi-encoder", "en", None, Weights("all-MiniLM-L6-v2")),
        ("bi-encoder", "fr", "embedded", Weights("all-MiniLM-L6-v2")),
        ("bertscore-vanilla", "en", "paper", Weights("bert-base-uncased", layer=2)),
        ("bertscore-vanilla", "de", "paper", Weights("deepset/gelectra-base", layer=2)),
        ("sas", "en", "paper", Weights("cross-encoder/stsb-roberta-large")),
        ("sas", "de-AT", "paper", Weights("deepset/gbert-large-sts")),
    ],
)
def test_weights_are_those_of_the_profile_and_the_language(name, lang, profile, expected):
    assert weights(name, lang, profile) == find_weights(name, lang, profile) == expected


def test_a_language_without_weights_is_an_error_with_those_that_have_some():
    with pytest.raises(LookupError, match=r"'paper' has no sas for the language 'fr', only for en, de; .*model="):
        weights("sas", "fr", "paper")
    assert find_weights("sas", "fr", "paper") is None


def test_a_metric_that_a_profile_does_not_have_is_an_error():
    with pytest.raises(LookupError, match="the profile 'paper' has no bi-encoder-answers; choose the weights"):
        weights("bi-encoder-answers", profile="paper")


def test_an_unknown_profile_is_an_error_with_the_nearest():
    with pytest.raises(LookupError, match="did you mean 'paper'"):
        weights("sas", profile="papers")


def test_adapters_of_the_table_are_shipped():
    adapters = {
        entry.adapter
        for by_profile in profiles.WEIGHTS.values()
        for by_language in by_profile.values()
        for entry in by_language.values()
        if entry.adapter is not None
    }
    assert {folder.name for folder in adapters} == {
        "sas-minilm",
        "sas-answers-minilm",
        "sas-mpnet",
        "sas-answers-mpnet",
        "names-minilm",
        "answers-minilm",
        "sas-answers-e5",
    }
    assert all((folder / "adapter_model.safetensors").is_file() for folder in adapters)
