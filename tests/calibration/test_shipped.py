"""Shipped calibrations: what they state, their index, and revisions of rules."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.calibration import rule_revisions, storing
from answersim.calibration.model import Calibration
from answersim.calibration.rule_revisions import FINGERPRINT, equal_signatures, rules_of
from answersim.calibration.scores import Scores
from answersim.calibration.shipped_index import index
from answersim.calibration.storing import SHIPPED, find, shipped, write
from answersim.metrics.catalog import lookup
from answersim.scoring.metrics import signed
from tests.cases import every

MULTILINGUAL = "answersim-multilingual"  # begins the names of those for all languages
ENGLISH = [name for name in shipped() if not name.startswith(MULTILINGUAL)]
QUESTION = "-question"  # ends the name of one for scores with the question
STRONG = "-strong"  # ends the name, before that, of one for the profile "strong"
FORMER = ("sas-strong", "sas-strong-question")  # from TriviaQA alone: the base takes an hour for the other sets
ANSWERS = 1270 + 1560 + 255  # of TriviaQA, NQ and DIVER-QA, without the sample that ships
SHARED_WORDS = ("f1", "rouge-l", "meteor")  # for predictions of at least 12 words
LONG = 643 + 1021 + 236  # of these sets
LEXICAL = "typed+recall"  # of an install without networks
NEURAL = ("sas", "bi-encoder", "bertscore-vanilla", "bertscore-trained", "answersim")


def test_the_embedded_metrics_and_the_common_lexical_ones_have_one():
    assert {*NEURAL, "f1", "rouge-l", LEXICAL} <= set(shipped())
    assert {name.removesuffix(QUESTION).removesuffix(STRONG) for name in ENGLISH} <= {*lookup.names(), LEXICAL}
    assert {name for name in shipped() if STRONG in name} == {f"sas{STRONG}{suffix}" for suffix in ("", QUESTION)}


@every("name", ENGLISH)
def test_a_calibration_is_for_its_metric_as_it_comes(name):
    checkpoint = find(name)
    metric_name, profile = name.removesuffix(QUESTION).removesuffix(STRONG), "strong" if STRONG in name else None
    try:
        built = lookup.metric(metric_name, profile=profile)
    except (MissingExtraError, CheckpointNotFoundError) as error:
        pytest.skip(f"needs the weights of the profile: {error}")
    signature = signed(built, name.endswith(QUESTION))
    assert checkpoint.signature == signature
    assert find("shipped", signature) == checkpoint
    assert dict(checkpoint.metric) == {"name": metric_name, "lang": "en", "profile": profile, "options": {}}


def test_one_with_the_question_is_found_by_the_signature(made, tmp_path, monkeypatch):
    from answersim._base.signature import with_question
    from answersim.calibration import storing

    monkeypatch.setattr(storing, "SHIPPED", tmp_path)
    mine = "sas|layer:2|rev:1"
    storing.write(replace(made.calibration, signature=mine), tmp_path / "sas.json")
    with pytest.raises(LookupError, match="No shipped calibration was made with questions"):
        find("shipped", with_question(mine))
    storing.write(replace(made.calibration, signature=with_question(mine)), tmp_path / "sas-question.json")
    assert find("shipped", with_question(mine)).signature == with_question(mine)
    assert find("shipped", mine).signature == mine
    assert find("sas-question", with_question(mine)).signature == with_question(mine)
    with pytest.raises(ValueError, match="made without questions"):
        find("sas", with_question(mine))


@every("name", ENGLISH)
def test_its_card_has_the_numbers_of_the_file(name):
    result, card = find(name), (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
    assert f"`{result.signature}`" in card
    assert f"{result.provenance.n:,} answers to {result.provenance.groups:,} questions" in card
    license = "Apache-2.0" if name in FORMER else "Apache-2.0 and MIT"
    assert result.metadata["license"] == license
    assert f"License: {license};" in card
    for threshold in result.thresholds:
        assert f"{threshold.cut.value:.4f}" in card
        assert f"{100 * threshold.accuracy.value:.1f} [" in card


@every("name", ENGLISH)
def test_each_check_on_another_set_is_on_the_card(name):
    result, card = find(name), (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
    checks = result.metadata["checks"]
    own = 0 if name in FORMER else 3  # sets that it was made from
    others = 3 if name.endswith(QUESTION) else 5  # one of the sets has no questions
    assert len(checks) == own + (0 if name in SHARED_WORDS else others)  # others have few long predictions
    assert checks or "There is no check" in card
    for title, check in checks.items():
        assert f"| {title} | {check['n']:,} |" in card
        if check["error"][1] > 2 * check["by_chance"] + 1e-3:  # the numbers in the file are rounded
            assert title in card.split("more than twice that of chance on:")[1]


@every("name", ENGLISH)
def test_no_test_set_is_among_what_it_was_made_of(name):
    story = find(name).metadata
    assert "EVOUNA" in story["data"]
    assert "'test'" in story["data"]
    assert find(name).provenance.n == (1420 if name in FORMER else LONG if name in SHARED_WORDS else ANSWERS)
    assert find(name).least_words == (12 if name in SHARED_WORDS else 0)


@pytest.mark.data
def test_a_calibration_that_ships_is_made_again_to_the_digit(data_home):
    import answersim
    from tools.weights.calibrations import calibration_sets, least_of, make, of_length

    scored = ((judged, answersim.score_pairs(judged.pairs, ["f1"])["f1"]) for judged in calibration_sets())
    again = make("f1", [of_length(judged, scores, least_of("f1")) for judged, scores in scored])
    ours = find("f1")
    assert again.curve == ours.curve
    assert again.thresholds == ours.thresholds
    assert again.provenance == ours.provenance


@pytest.mark.data
def test_what_was_calibrated_on_was_not_trained_on(data_home):
    """The parts "test" share no question with the parts that trainings read, and none with each other."""
    from answersim.evaluation.data.system_answers import EVOUNA_NQ, load_diver, load_evouna, locate
    from tools.weights.calibrations import calibration_sets

    trained = {
        answer.question.lower()
        for part in ("train", "dev")
        for answers in (load_evouna(part), load_evouna(part, path=locate(EVOUNA_NQ)), load_diver(part))
        for answer in answers
    }
    used = [{question.lower() for question in judged.groups} for judged in calibration_sets()]
    assert not trained & set().union(*used)
    assert sum(map(len, used)) == len(set().union(*used))


@every(
    ("signature", "message"),
    [("f1|text:en|rev:2", "rev is 1 and not 2"), ("f1|text:squad|rev:1", "text is en and not squad")],
)
def test_a_calibration_of_other_numbers_is_refused_and_explained(signature, message):
    old = replace(find("f1"), signature=signature)
    with pytest.raises(ValueError, match="this calibration is for") as error:
        answersim.score("Rome", "in Rome", calibration=old)
    assert message in str(error.value)


@every("name", [MULTILINGUAL, f"{MULTILINGUAL}{QUESTION}"])
def test_the_one_for_all_languages_has_a_check_of_each_language_of_its_sets(name):
    result, card = find(name), (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
    assert result.metadata["any language"] is True
    assert set(result.metadata["languages"]) == set("ar de el es hi ro ru th tr vi zh".split())
    assert len(result.metadata["checks"]) == 16
    assert all(f"| {title} | {check['n']:,} |" in card for title, check in result.metadata["checks"].items())


def test_a_language_that_was_checked_leads_to_the_english_calibration():
    assert index(SHIPPED).by_signature["f1|text:de|rev:1"] == "f1"
    assert "f1|text:fr|rev:1" not in index(SHIPPED).by_signature


FITTED = "typed+f1|text:en|rules:en.4|claims:1|rev:1"
EQUAL, CHANGED, UNCHECKED = (FITTED.replace("en.4", f"en.{revision}") for revision in (5, 6, 7))


@pytest.fixture
def fitted(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibration:
    """Return a calibration that ships, by a table in which revision 5 changed nothing and 6 did."""
    table, folder = tmp_path / "table.json", tmp_path / "shipped"
    listed = {"aaaa": ["rules:en.4|claims:1", "rules:en.5|claims:1"], "bbbb": ["rules:en.6|claims:1"]}
    table.write_text(json.dumps(listed), encoding="utf-8")
    folder.mkdir()
    monkeypatch.setattr(rule_revisions, "TABLE", table)
    monkeypatch.setattr(storing, "SHIPPED", folder)
    calibration: Calibration = replace(made.calibration, signature=FITTED, metadata={FINGERPRINT: "aaaa"})
    write(calibration, folder / "typed+f1.json")
    return calibration


def test_a_revision_that_changed_no_score_keeps_the_calibration(fitted):
    assert find("shipped", EQUAL) == find("typed+f1", EQUAL) == fitted
    fitted.check(EQUAL)
    verdicts = fitted.verdicts(Scores([0.0, 3.0], EQUAL))
    assert verdicts.tolist() == fitted.verdicts(Scores([0.0, 3.0], FITTED)).tolist()


@pytest.mark.parametrize(("signature", "revision"), [(CHANGED, "en.6"), (UNCHECKED, "en.7")])
def test_a_revision_that_changed_scores_is_refused_with_the_remedy(fitted, signature, revision):
    with pytest.raises(ValueError, match=f"rules is {revision} and not en.4. Make one for these scores"):
        fitted.check(signature)
    with pytest.raises(ValueError, match=f"rules is {revision} and not en.4"):
        find("typed+f1", signature)
    with pytest.raises(LookupError, match=r"no shipped calibration is for .* Make one with"):
        find("shipped", signature)


def test_each_fingerprint_that_ships_is_listed_with_the_rules_of_its_calibration():
    for name in index(storing.SHIPPED).names:
        calibration = find(name)
        fingerprint = calibration.metadata.get(FINGERPRINT)
        if fingerprint is not None:
            assert rules_of(calibration.signature) in rule_revisions.revisions(rule_revisions.TABLE)[fingerprint], name
            assert calibration.signature in equal_signatures(calibration.signature, calibration.metadata)
