"""The factories of the lexical metrics: profiles, languages and the settings of METEOR."""

import warnings

import pytest

from answersim.answers.text.tokens import BY_LANGUAGE
from answersim.metrics.catalog import lookup
from answersim.metrics.checkpoints.profiles import PROFILES
from answersim.metrics.lexical import bleu, factories, meteor
from answersim.metrics.lexical.exact_match import exact_match
from answersim.types import Pair
from tests.cases import every


def test_a_metric_of_tokens_has_its_name_tokenizer_settings_and_revision():
    metric = factories.answer_tokens("em", exact_match, 3, match="same")(lang="en", profile=None)
    assert metric.signature.startswith("em|")
    assert "match:same" in metric.signature
    assert metric.signature.endswith("rev:3")
    assert metric([Pair("The Eiffel Tower", "eiffel tower"), Pair("Rome", "Oslo")]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("factory", "name"), [(bleu.build_paper, "bleu-paper"), (meteor.build, "meteor")])
def test_a_profile_that_a_metric_does_not_have_is_an_error_with_those_that_it_has(factory, name):
    with pytest.raises(LookupError, match=f"{name} has no profile 'unicode', only embedded, paper"):
        factory(lang="en", profile="unicode")


@pytest.mark.parametrize("factory", [bleu.build, bleu.build_paper, meteor.build])
def test_an_unknown_profile_is_an_error_with_the_nearest(factory):
    with pytest.raises(LookupError, match="did you mean 'paper'"):
        factory(lang="en", profile="papr")


def test_the_paper_profile_of_meteor_exchanges_the_answers():
    assert "order:pred-gold" in meteor.build(lang="de", profile="paper").signature
    assert meteor.build(lang="en", profile="paper") == meteor.build(
        lang="en", profile=None, order="pred-gold", words="nltk-2021"
    )


def test_a_setting_that_is_given_takes_precedence_over_the_profile():
    given = meteor.build(lang="de", profile="paper", order="gold-pred")
    assert given == meteor.build(lang="de", profile=None)


LEXICAL = [name for name in lookup.names() if lookup.entry(name).kind == "lexical"]


def test_profiles_of_weights_alone_are_known_to_the_tokenizers():
    assert set(BY_LANGUAGE) == set(PROFILES) - {"paper"}


@every("name", LEXICAL)
@every("profile", BY_LANGUAGE)
def test_a_profile_of_weights_changes_no_lexical_metric(name, profile):
    """So that one call can give a lexical and a neural metric the same profile."""
    for lang in ("en", "de", "zh"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bleu-paper and meteor warn of some languages
            metric, plain = (lookup.metric(name, lang=lang, profile=given) for given in (profile, None))
        assert metric == plain
        assert metric.signature == plain.signature
