"""Which weights a language selects, and what happens without them."""

import shutil
import warnings
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import LanguageWarning
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.profiles import MULTILINGUAL, WORDS
from answersim.metrics.composite import ensemble
from tests.cases import every

PAIRS = [
    ("zwölf", "12", "equivalent"),
    ("Berlin", "Berlin", "equivalent"),
    ("Berlin", "München", "unsure"),
    ("das rote Auto", "der rote Wagen", "unsure"),
    ("12 kg", "12 t", "different"),
]


@pytest.fixture
def without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "is_installed", lambda profile: False)


@pytest.fixture
def with_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "is_installed", lambda profile: True)


@pytest.mark.usefixtures("without_weights")
def test_without_weights_words_and_values_decide_and_nothing_else_is_equivalent() -> None:
    golds, preds = [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS]
    with pytest.warns(LanguageWarning) as caught:
        scores = answersim.score(golds, preds, lang="de", calibration="shipped")
    assert [*scores.verdicts] == [pair[2] for pair in PAIRS]
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "\n" not in message
    assert "answersim data fetch multilingual" in message
    assert '".[multilingual]"' in message


@pytest.mark.usefixtures("without_weights")
def test_without_weights_a_score_grows_with_the_shared_words() -> None:
    metric = answersim.metric("answersim", lang="de", profile=WORDS)
    scores = metric([("alte Brücke", "neue Straße"), ("alte Brücke", "neue Brücke"), ("Brücke", "die alte Brücke")])
    assert scores[0] < scores[1] < scores[2]


@pytest.mark.usefixtures("without_weights")
def test_a_profile_that_is_given_is_used_for_every_language() -> None:
    assert lookup.selected_profile("answersim", "de", "embedded") == "embedded"
    assert lookup.selected_profile("sas", "ja", "strong") == "strong"


@every("lang", ["de", "de-AT", "ja", "sw"])
def test_every_other_language_than_english_selects_the_multilingual_weights(with_weights: None, lang: str) -> None:
    for name in ("answersim", "sas", "sas-answers", "bi-encoder", "bertscore"):
        assert lookup.selected_profile(name, lang, None) == MULTILINGUAL


@every("lang", [None, "en", "en-GB"])
def test_english_selects_the_english_weights(with_weights: None, lang: str | None) -> None:
    for name in ("answersim", "sas", "bi-encoder"):
        assert lookup.selected_profile(name, lang, None) is None


@pytest.mark.usefixtures("with_weights")
def test_a_metric_without_a_network_has_no_profile() -> None:
    assert lookup.selected_profile("f1", "de", None) is None
    assert lookup.selected_profile("official:squad", "de", None) is None


def test_a_network_with_english_weights_alone_scores_no_other_language() -> None:
    with pytest.raises(LookupError, match=r"no bertscore-names; .*profile='embedded', which is English"):
        answersim.metric("bertscore-names", lang="de")


def test_weights_are_installed_if_base_adapters_and_ensemble_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ensemble, "weights_file", lambda profile: tmp_path / "weights.json")
    assert not lookup.is_installed(MULTILINGUAL)
    shutil.copyfile(Path(ensemble.__file__).parent / "weights" / "words.json", tmp_path / "weights.json")
    assert lookup.is_installed(MULTILINGUAL)  # no part runs a network
    (tmp_path / "weights.json").write_text('{"parts": ["bi-encoder", "recall"], "weights": {}, "intercept": 0.0}')
    monkeypatch.setattr(search, "is_here", lambda model: model == "e5-small-q4")
    assert lookup.is_installed(MULTILINGUAL)
    monkeypatch.setattr(search, "is_here", lambda model: False)
    assert not lookup.is_installed(MULTILINGUAL)


@pytest.mark.usefixtures("without_weights")
def test_english_gives_no_warning_about_other_languages() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LanguageWarning)
        lookup.selected_profile("answersim", "en", None, warn=True)
