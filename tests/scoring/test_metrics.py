"""The metric of a call: by its name or as an object, and the requests that are refused."""

from __future__ import annotations

from typing import Any

import pytest

import answersim
from answersim.metrics.catalog.lookup import metric
from tests.cases import every
from tests.scoring.length_metrics import Length


def test_without_a_metric_it_is_that_of_the_calibration_or_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")
    assert answersim.score("Rome", "in Rome").signature == metric("recall").signature
    assert answersim.score("Rome", "in Rome", calibration="shipped").signature == metric("recall").signature
    assert answersim.score("Rome", "in Rome", calibration="typed+recall").signature == metric("typed+recall").signature
    assert answersim.score(["Rome"], ["in Rome"]).signature == metric("recall").signature


@every(
    ("asked", "error", "words"),
    [
        ({"metric": "bertscor-trained"}, LookupError, "did you mean 'bertscore-trained'"),
        ({"metric": "F-1"}, LookupError, "no metric is called 'F-1'"),
        ({"metric": 5}, TypeError, "metric is 5"),
        ({"lang": "english"}, LookupError, "ISO 639-1"),
        ({"lang": "english", "metric": "bleu-paper"}, LookupError, "ISO 639-1"),
        ({"profile": "papr"}, LookupError, "did you mean 'paper'"),
        ({"profile": "squad", "metric": "sas"}, LookupError, "embedded, modern, multilingual, paper, strong"),
        ({"profile": "paper", "metric": "sas", "lang": "fr"}, LookupError, "'paper' has no sas for the language 'fr'"),
        ({"metric": "f1", "layer": 3}, TypeError, "'f1' has no option 'layer'; its options are extract, extract_gold"),
        ({"metric": "meteor", "alfa": 1}, TypeError, "its options are alpha, beta, gamma, order, words"),
        (
            {"metric": "bertscore-trained", "layer": 7},
            ValueError,
            "layer is 7, but all-MiniLM-L6-v2 has the layers 0 to 6",
        ),
        ({"metric": "bertscore-trained", "layer": "2"}, TypeError, "layer is '2' .*whole number"),
        ({"metric": "bertscore-trained", "measure": "f2"}, LookupError, "measure"),
        ({"metric": "bertscore-trained", "device": "fp8"}, LookupError, "precision"),
        ({"metric": "bertscore-trained", "max_length": 513}, ValueError, "reads 3 to 512"),
        ({"metric": "bertscore-trained", "idf": "one text"}, TypeError, r"idf is the string .*give \['one text'\]"),
        ({"metric": "bertscore-trained", "idf": []}, ValueError, "idf must be a corpus"),
        ({"metric": "bertscore-trained", "baseline": "/no/file.tsv"}, FileNotFoundError, "no baseline file"),
        ({"metric": "bi-encoder", "pooling": "last"}, LookupError, "pooling"),
        ({"metric": "sas", "order": "both"}, LookupError, "order"),
        ({"metric": "sas", "activation": "relu"}, LookupError, "activation"),
        ({"metric": "sas", "device": "0"}, ValueError, "batch_tokens is 0"),
    ],
)
def test_a_wrong_request_names_the_value_the_rule_and_the_way_out(
    asked: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        answersim.score("a", "b", **asked)


def test_a_built_metric_takes_no_options() -> None:
    with pytest.raises(TypeError, match="already built"):
        answersim.score("a", "b", metric=Length(), layer=3)


@pytest.mark.parametrize("asked", [{"lang": "de"}, {"lang": "en"}, {"profile": "squad"}])
def test_what_a_built_metric_cannot_obey_is_refused(asked: dict[str, Any]) -> None:
    mine, (name,) = Length(), asked
    with pytest.raises(TypeError, match=rf"{name} is .*length\|v:1 is already built and has its own"):
        answersim.score("a", "b", metric=mine, **asked)
    with pytest.raises(TypeError, match=rf"{name} is .*already built"):
        answersim.score_pairs([("a", "b")], ["em", mine], **asked)
    with pytest.raises(TypeError, match="already built"):
        answersim.score("a", "b", metric=metric("f1"), **asked)
    assert mine.calls == 0


@every("name", ["sas", "bi-encoder", "bertscore-vanilla"])
@every("profile", ["paper", "embedded", "papr"])
def test_a_profile_and_a_model_are_not_given_together(name: str, profile: str) -> None:
    with pytest.raises(TypeError, match=f"model is 'here' and profile is '{profile}'.*give one"):
        metric(name, model="here", profile=profile)


def test_a_class_is_no_metric_and_the_error_says_what_to_give() -> None:
    with pytest.raises(TypeError, match=r"metric is the class Length, but it must be an object; give Length\(\)"):
        answersim.score("a", "b", metric=Length)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="metric is the class Length"):
        answersim.score_pairs([("a", "b")], [Length])  # type: ignore[list-item]


def test_an_alias_is_the_metric_that_it_names() -> None:
    assert metric("bertscore") == metric("bertscore-trained")
    assert "bertscore" not in answersim.names()
    assert list(answersim.score_pairs([("a", "b")], ["bertscore", "f1"], device="bf16")) == ["bertscore", "f1"]
    with pytest.raises(TypeError, match="the metric 'bertscore' has no option 'pooling'"):
        metric("bertscore", pooling="mean")
