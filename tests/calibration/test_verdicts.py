"""Verdicts: thresholds, decisions and calibrated scores, of the shipped calibrations and of own ones."""

import copy
import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.calibration import storing
from answersim.calibration.model import rule_revisions
from answersim.calibration.model.decision import cuts, decided, first_score, last_score
from answersim.calibration.model.model import Calibration
from answersim.calibration.model.rule_revisions import FINGERPRINT, equal_signatures, rules_of
from answersim.calibration.scores import Score, Scores
from answersim.calibration.shipped_index import index
from answersim.calibration.storing import SHIPPED, find, shipped, write
from answersim.calibration.verdicts import verdict_rule
from answersim.metrics.catalog import lookup
from answersim.scoring.metrics import signed
from answersim.stats.calibration.monotone import Isotonic, Logistic
from answersim.types import capabilities
from tests.calibration.conftest import SIGNATURE
from tests.cases import cases_of, every


def rule(name, **settings):
    metric = answersim.metric(name)
    return verdict_rule(metric.signature, scale=capabilities(metric).scale, **settings)


@every(("name", "basis"), cases_of(__file__)["the_basis_follows_from_the_metric"])
def test_the_basis_follows_from_the_metric(name, basis):
    assert rule(name).basis == basis
    assert rule(name).counts == (basis != "none")


def test_a_binary_score_needs_no_calibration_and_half_is_unsure():
    result = rule("em", calibration=None)
    assert result.verdicts([1.0, 0.0, 0.5, 2 / 3]).tolist() == ["equivalent", "different", "unsure", "equivalent"]
    assert result.answer_verdicts([1.0, 0.0, 0.5]).tolist() == ["right", "wrong", "unsure"]
    assert result.probabilities([1.0]) is None
    assert result.threshold == 0.5
    assert result.decide([1.0, 0.0]).right().tolist() == [True, False]


def test_a_calibration_decides_by_its_probability():
    result, calibration = rule("recall"), find("recall")
    scores = Scores(np.linspace(0, 1, 21), calibration.signature)
    assert result.verdicts(scores).tolist() == calibration.verdicts(scores).tolist()
    assert result.probabilities(scores).tolist() == calibration.probability(scores).tolist()
    assert result.verdicts([result.threshold]).tolist() == ["equivalent"]
    assert result.verdicts([np.nextafter(result.threshold, -1) - 1e-9]).tolist() != ["equivalent"]
    assert f"(score {result.threshold:.4f})" in result.sentence


def test_a_threshold_decides_alone_and_is_in_the_sentence():
    result = rule("recall", threshold=0.25)
    assert (result.basis, result.threshold, result.calibration) == ("threshold", 0.25, None)
    assert result.verdicts([0.25, 0.2]).tolist() == ["equivalent", "different"]
    assert result.probabilities([0.2]) is None
    assert result.sentence == "an answer is right from the given threshold on, recall 0.25, and wrong below"
    assert verdict_rule("", threshold=0).threshold == 0
    assert rule("bi-encoder", threshold=-0.5).threshold == -0.5  # a cosine
    assert rule("recall", threshold=0.25, calibration=None).basis == "threshold"


@every("other", [{"calibration": "recall"}, {"low": 0.1}])
def test_a_threshold_beside_another_rule_is_refused(other):
    with pytest.raises(ValueError, match=rf"threshold is 0\.5.* and {next(iter(other))} is .*; leave one of them out"):
        rule("recall", threshold=0.5, **other)


@every("threshold", [math.nan, math.inf, "high"])
def test_a_threshold_is_a_finite_number(threshold):
    with pytest.raises((TypeError, ValueError), match="threshold is"):
        rule("recall", threshold=threshold)


OUTSIDE = {"recall": (1.5, 1.0000001, 0.0, -0.5), "em": (1.01, 0.0), "answersim": (2.0,), "bi-encoder": (-1.0,)}


@every("name, threshold", [(name, value) for name, values in OUTSIDE.items() for value in values])
def test_a_threshold_outside_the_scores_of_a_metric_is_refused(name, threshold):
    scale = capabilities(answersim.metric(name)).scale
    with pytest.raises(ValueError, match=rf"threshold is {threshold!r}, but .* would be right"):
        verdict_rule(f"{name}|rev:1", scale=scale, threshold=threshold)


def test_without_a_basis_the_rule_has_the_remedy():
    result = rule("bleu")
    assert result.verdicts([0.5]) is None
    assert result.answer_verdicts([0.5]) is None
    assert result.decide([0.5]).right() is None
    assert math.isnan(result.threshold)
    for part in (
        "no calibration ships for bleu",
        "use answersim,",
        "answersim calibrate",
        "--calibration",
        "--threshold",
    ):
        assert part in result.sentence
    assert rule("recall", calibration=None).sentence.startswith("no calibration is used")
    assert verdict_rule("").sentence.startswith("the metric of these scores is not known")


@every(("name", "lang", "instead"), cases_of(__file__)["the_remedy_names_only_metrics_that_count_in_the_language"])
def test_the_remedy_names_only_metrics_that_count_in_the_language(name, lang, instead):
    sentence = verdict_rule(answersim.metric(name, lang=lang).signature + "|question:yes" * (lang == "en")).sentence
    assert f"To count them, {instead} the score" in sentence
    assert sentence.count("calibrate") == 1


@every(("name", "settings", "match"), cases_of(__file__)["a_setting_without_effect_is_refused"])
def test_a_setting_without_effect_is_refused(name, settings, match):
    with pytest.raises(ValueError, match=match):
        rule(name, **settings)


def test_an_unknown_calibration_is_an_error_and_not_a_missing_one():
    with pytest.raises(LookupError):
        rule("recall", calibration="no-such")


def test_scores_that_do_not_separate_are_all_unsure(made):
    level = replace(made.calibration, quality=replace(made.calibration.quality, auc=0.5, auc_low=0.4, auc_high=0.6))
    result = verdict_rule(SIGNATURE, calibration=level)
    assert set(result.answer_verdicts([-3.0, 9.0]).tolist()) == {"unsure"}
    assert result.threshold == math.inf
    assert result.sentence.startswith("no answer is right or wrong, all are unsure")


STEPS = Isotonic((0.0, 0.2, 0.4, 0.6, 1.0), (0.1, 0.1, 0.6, 0.6, 0.9))


@every(("probability", "low", "high", "verdict"), cases_of(__file__)["a_verdict_begins_at_the_end_of_the_band"])
def test_a_verdict_begins_at_the_end_of_the_band(probability, low, high, verdict):
    assert decided([probability], low, high).tolist() == [verdict]


@every(
    ("curve", "probability", "score"),
    [
        (STEPS, 0.5, 0.36),
        (STEPS, 0.6, 0.4),
        (STEPS, 0.9, 1.0),
        (STEPS, 0.1, -math.inf),
        (STEPS, 0.95, math.inf),
        (Logistic(4.0, -2.0), 0.5, 0.5),
        (Logistic(0.0, 1.0), 0.5, -math.inf),
        (Logistic(0.0, -1.0), 0.5, math.inf),
    ],
)
def test_the_first_score_of_a_probability(curve, probability, score):
    assert first_score(curve, probability) == pytest.approx(score)


@every("curve", [STEPS, Logistic(5.0, -2.5)])
@every("band", [(0.45, 0.55), (0.3, 0.7), (0.15, 0.85), (0.2, 0.6)])
def test_the_cuts_are_where_the_verdicts_change(curve, band):
    low, high = cuts(curve, *band)
    at = np.linspace(-0.5, 1.5, 4001)
    verdicts = decided(curve(at), *band)
    assert (verdicts[at > high + 1e-9] == "equivalent").all()
    assert (verdicts[at < low - 1e-9] == "different").all()
    assert (verdicts[(at > low + 1e-9) & (at < high - 1e-9)] == "unsure").all()


def test_a_level_stretch_at_the_end_of_the_band_is_different():
    curve = Isotonic((0.0, 0.4, 0.6, 1.0), (0.3, 0.3, 0.7, 0.7))
    assert cuts(curve, 0.3, 0.7) == (0.4, 0.6)
    assert (last_score(curve, 0.7), last_score(curve, 0.2)) == (math.inf, -math.inf)
    assert (last_score(Logistic(0.0, 1.0), 0.5), last_score(Logistic(0.0, -1.0), 0.5)) == (-math.inf, math.inf)


def scored(built, scores: Scores, truncated: Any = None) -> Scores:
    return verdict_rule(SIGNATURE, calibration=built.calibration).scored(scores, None, truncated)


@pytest.fixture
def scores(made):
    return scored(made, Scores([0.0, 1.5, 4.0], SIGNATURE, [0, 2, 1]))


def test_parts_of_scores_keep_their_verdicts(scores):
    assert scores[1:].verdicts.tolist() == ["unsure", "equivalent"]
    assert scores[np.array([True, False, True])].verdicts.tolist() == ["different", "equivalent"]
    assert scores[-1].verdict == "equivalent"


def test_a_score_keeps_all_it_bears_when_copied_or_pickled(scores):
    for again in (copy.copy(scores[1]), pickle.loads(pickle.dumps(scores[1]))):
        assert (again, again.signature, again.reference) == (1.5, SIGNATURE, 2)
        assert (again.probability, again.verdict) == (scores[1].probability, "unsure")


def test_a_verdict_of_truncated_text_has_a_note(made):
    scores = scored(made, Scores([0.0, 1.5, 4.0], SIGNATURE), np.array([False, True, False]))
    entry: list[Any] = list(scores)
    assert [score.truncated for score in entry] == [False, True, False]
    assert scores[1:].truncated.tolist() == [True, False]
    again: Any = copy.copy(scores[1])
    assert again.truncated
    assert pickle.loads(pickle.dumps(scores[1])).truncated
    assert scored(made, Scores([0.0], SIGNATURE)).truncated.tolist() == [False]


def test_without_a_calibration_there_is_no_verdict():
    for score in (Score(0.5), Scores([0.5])[0], answersim.score("Rome", "Rome", "f1")):
        assert (score.probability, score.verdict, score.truncated) == (None, None, None)
    plain = answersim.score(["Rome"], ["Rome"], "f1")
    assert (plain.probabilities, plain.verdicts, plain.truncated) == (None, None, None)
    with pytest.raises(ValueError, match="these scores have no verdicts: no calibration ships for bleu"):
        verdict_rule("bleu|text:13a").scored(Scores([0.5], "bleu|text:13a"))


def test_scores_of_another_metric_are_refused(made):
    with pytest.raises(ValueError, match="another metric"):
        scored(made, Scores([0.5], "other"))


def test_the_numbers_are_those_without_a_calibration(scores):
    assert scores == Scores([0.0, 1.5, 4.0], SIGNATURE, [0, 2, 1])
    assert np.asarray(scores).tolist() == [0.0, 1.5, 4.0]


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
    strong = {f"{name}{STRONG}{suffix}" for name in ("sas", "answersim") for suffix in ("", QUESTION)}
    assert {name for name in shipped() if STRONG in name} == strong


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
    from benchmarks.system_answers import EVOUNA_NQ, load_diver, load_evouna, locate
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


@every(("signature", "message"), cases_of(__file__)["a_calibration_of_other_numbers_is_refused_and_explained"])
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
    assert len(result.metadata["checks"]) == 19
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
            assert calibration.signature in equal_signatures(
                calibration.signature, calibration.metadata.get(FINGERPRINT)
            )
