import pytest

from answersim.metrics import official
from answersim.metrics.official.registry import PROFILES


def test_a_profile_is_found_with_hyphens_and_a_wrong_name_suggests_the_nearest():
    assert official.profile("nq-open").name == "nq_open"
    with pytest.raises(LookupError, match="triviaqa"):
        official.score("trivia", ["x"], "x")


def test_a_field_that_the_rule_does_not_have_is_an_error_that_names_the_fields():
    with pytest.raises(TypeError, match="format_score"):
        official.score("verl_gsm8k", ["5"], "5", format=1.0)
    with pytest.raises(TypeError, match="list of gold answers"):
        official.score("squad", 5, "5")


def test_each_entry_names_its_owner_and_license():
    for profile in PROFILES.values():
        assert "/" in profile.source, profile.name
        assert len(profile.commit) == 7, profile.name
        assert all((profile.license, profile.rule, profile.benchmark)), profile.name


def test_a_table_counts_a_missing_prediction_as_wrong():
    rows = [{"golds": ["Rome"], "pred": "rome"}, {"golds": ["Oslo"], "pred": None}]
    assert official.aggregate("squad", rows) == {"exact_match": 50.0, "f1": 50.0}
    assert official.aggregate("nq_open", rows) == {"correct": 0.5}
    assert official.aggregate("triviaqa", rows)["common"] == 1


def test_a_table_of_results_equals_the_table_of_questions():
    rows = [{"golds": ["a b"], "pred": "a"}, {"golds": ["c"], "pred": "c"}]
    results = [official.score("squad", row["golds"], row["pred"]) for row in rows]
    assert official.aggregate("squad", results) == official.aggregate("squad", rows)


def test_a_table_that_needs_questions_refuses_results():
    with pytest.raises(ValueError, match="needs the questions"):
        official.aggregate("squad2", [{"exact": 1, "f1": 1}])
    with pytest.raises(ValueError, match="at least one question"):
        official.aggregate("squad", [])
    with pytest.raises(TypeError, match="na_prob_thresh"):
        official.aggregate("squad2", [{"golds": [], "pred": ""}], threshold=0.5)
    with pytest.raises(ValueError, match="raises ValueError"):
        official.aggregate("musique", [{"golds": [], "pred": "x"}])


def test_simpleqa_has_the_harmonic_mean_of_both_accuracies():
    table = official.aggregate("simpleqa", [official.score("simpleqa", [], reply) for reply in ("A", "B", "C", "A")])
    assert table["is_correct"] == 0.5
    assert table["accuracy_given_attempted"] == pytest.approx(2 / 3)
    assert table["f1"] == pytest.approx(4 / 7)


def test_hle_reports_an_interval_and_no_calibration_error_of_few_answers():
    results = [{"correct": i < 30, "confidence": 80} for i in range(100)]
    assert official.aggregate("hle", results) == {
        "accuracy": 30.0,
        "half_width": 8.98,
        "calibration_error": pytest.approx(50.0),
    }
    assert official.aggregate("hle", results[:10])["calibration_error"] is None
