"""The paper's models, by the architectures that they have: found by name, run on tiny weights of the same kind."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import answersim
from answersim.metrics.checkpoints.profiles import WEIGHTS
from tests.cases import every

# What Table 6 of the paper says of each model.
ARCHITECTURES = {
    "T-Systems-onsite/cross-en-de-roberta-sentence-transformer": ("xlm-roberta", False),
    "bert-base-uncased": ("bert", False),
    "deepset/gelectra-base": ("electra", False),
    "cross-encoder/stsb-roberta-large": ("roberta", True),
    "deepset/gbert-large-sts": ("bert", True),
}


@pytest.fixture
def models(tiny: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder that holds each of the paper's models, in small."""
    for name, (kind, classifier) in ARCHITECTURES.items():
        shutil.copytree(tiny(kind, classifier=classifier), tmp_path / name)
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    return tmp_path


def test_every_model_of_the_profile_is_in_the_table_of_the_paper():
    behind = [value for profiles in WEIGHTS.values() for value in profiles.get("paper", {}).values()]
    named = {each.model for each in behind if each.public}  # the others: see test_names_metrics
    assert named == set(ARCHITECTURES)


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", ["bi-encoder", "sas"])
def test_the_papers_models_run(models, name, lang):
    score = answersim.score("Der Eiffelturm", "eleven", metric=name, lang=lang, profile="paper")
    assert -1 <= score <= 1


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_papers_bertscore_vanilla_reads_layer_2(models, lang):
    score = answersim.score("Der Eiffelturm", "eleven", metric="bertscore-vanilla", lang=lang, profile="paper")
    assert "|layer:2|" in score.signature


def test_the_papers_bertscore_trained_reads_layer_12(models):
    with pytest.raises(ValueError, match="layer is 12, but T-Systems"):  # the small one has 3
        answersim.score("a", "b", metric="bertscore-trained", profile="paper")


@every("name", ["bi-encoder-answers", "bertscore-answers", "answersim"])
def test_what_the_paper_does_not_have_is_no_part_of_its_profile(name):
    with pytest.raises(LookupError, match=r"profile 'paper' has no|there are none for 'paper'"):
        answersim.metric(name, profile="paper")
