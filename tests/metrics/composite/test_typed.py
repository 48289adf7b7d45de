"""The metric of typed values: what rules decide, what they leave to another metric, and what it offers."""

import pickle
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim._base.errors import ExtractionWarning
from answersim._base.signature import without_extraction
from answersim.answers.typed.reading import REVISION
from answersim.calibration.storing import find
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.metrics.composite.typed import DOUBTFUL, LOW, NEAR, TypedMetric
from answersim.metrics.testing.check import PAIRS, check_metric
from answersim.types import Pair
from tests.cases import every
from tests.made_metrics import Table

EQUAL, DIFFERENT, NONE = Pair("11", "eleven"), Pair("1987", "1978"), Pair("Paris", "the mayor of Paris")
LEXICAL = ("em", "f1", "recall", "containment", "bleu", "bleu-paper", "rouge-l", "meteor")


@every(("base", "lang"), zip(LEXICAL, cycle(["en", "de", "zh"]), strict=False))
def test_a_verdict_overrules_any_metric_and_other_pairs_keep_its_number(base, lang):
    metric, plain = answersim.metric(f"typed+{base}", lang=lang), answersim.metric(base, lang=lang)
    assert metric([EQUAL, DIFFERENT, NONE]).tolist() == [1.0, 0.0, plain([NONE])[0]]
    check_metric(metric)


@given(st.floats(-1, 2), st.floats(-1, 2), st.sampled_from([EQUAL, DIFFERENT, NONE, *PAIRS]))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_more_from_the_base_metric_never_gives_less(one, other, pair):
    low, high = sorted((one, other))
    less, more = TypedMetric(Table("base", low)), TypedMetric(Table("base", high))
    assert less([pair])[0] <= more([pair])[0]


def test_the_signature_contains_the_base_and_the_revision_of_the_rules():
    english, german = (f"rules:{lang}.{REVISION}" for lang in ("en", "de"))
    assert answersim.metric("typed+f1").signature == f"typed+f1|text:en|{english}|rev:1"
    assert answersim.metric("typed+f1", lang="de").signature == f"typed+f1|text:de|{german}|rev:1"
    assert TypedMetric(Table("base|value:0.5", 0.5)).signature == f"typed+base|value:0.5|{english}|rev:1"


def test_a_sign_beside_an_equal_value_is_in_doubt():
    assert TypedMetric(Table("base", 1.0))([Pair("7", "7!"), Pair("5", "≥ 5")]).tolist() == [DOUBTFUL, DOUBTFUL]


def test_a_near_value_scores_at_least_near():
    pairs = [Pair("29", "$29.00"), Pair("24.26", "24.3")]
    assert TypedMetric(Table("base", 0.1))(pairs).tolist() == [NEAR, NEAR]
    assert TypedMetric(Table("base", 0.95))(pairs).tolist() == [0.95, 0.95]


def test_the_rules_read_the_question():
    pair = [Pair("$1577.00", "$1,577 million")]
    metric = TypedMetric(answersim.metric("em"))
    assert metric(pair, ["What is the capital expenditure amount (in USD millions)?"])[0] >= NEAR
    assert metric(pair)[0] == LOW
    assert metric.reads_questions


def test_the_base_metric_reads_no_markup_unless_it_calls_a_service():
    pair = Pair("Paris", "London <!-- Paris -->")
    for cost, read in (("light", Pair("Paris", "London")), ("remote", pair)):
        base = Table("base", 0.5, cost)
        TypedMetric(base)([pair])
        assert base.called == [read]
    assert answersim.score("Paris", "<b>Paris</b>", metric="typed+recall") == 1.0


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        ("two", "2", "equivalent"),
        ("4,806 m", "4,860 m", "different"),
        ("Paris", "**Paris**", "equivalent"),
        ("Paris", "The answer is Paris.", "equivalent"),
        ("Paris", "London <!-- Paris -->", "different"),
    ],
)
def test_the_shipped_calibration_of_recall_with_rules(gold, pred, verdict):
    scored = answersim.score(gold, pred, metric="typed+recall", calibration="shipped")
    assert scored.verdict == verdict


def test_the_best_reference_counts():
    score = answersim.score(["1978", "1987"], "nineteen eighty-seven", metric="typed+f1")
    assert (score, score.reference) == (1.0, 1)


def test_a_base_that_is_also_scored_alone_runs_once():
    base = Table("base", 0.5)
    columns = planning.score_all([base, TypedMetric(base)], [EQUAL, NONE])
    assert base.calls == [[EQUAL, NONE]]
    assert [column.tolist() for column in columns] == [[0.5, 0.5], [1.0, 0.5]]


def test_the_catalog_describes_it():
    entry = lookup.entry("typed+f1")
    assert (entry.name, entry.kind, entry.parts) == ("typed+f1", "lexical", ("f1",))
    assert lookup.entry("typed+bertscore").parts == ("bertscore-trained",)
    assert lookup.entry("typed+sas").kind == "composite"
    assert lookup.options_of("typed+sas") == (*lookup.options_of("sas"), "choices", "tolerance", "units")
    assert lookup.reads_question("typed+sas")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("typed+f2", "did you mean 'f1'"),
        ("typed+", "no metric is called ''"),
        ("typed+typed", "would be overruled twice by the same rules; use 'typed.recall'"),
        ("typed+typed+f1", "would be overruled twice"),
    ],
)
def test_a_base_must_be_a_metric_that_is_not_overruled_yet(name, message):
    for call in (answersim.metric, lookup.entry):
        with pytest.raises(LookupError, match=message):
            call(name)


def test_an_option_of_no_base_is_refused():
    with pytest.raises(TypeError, match="'f1' has no option 'layer'"):
        answersim.metric("typed+f1", layer=3)


MATHEMATICAL = [
    (r"\frac{3}{4}", "0.75", 1), (r"\frac{3}{4}", "3/4", 1), (r"\frac{3}{4}", "75 %", 1),
    (r"2\sqrt{3}", r"\sqrt{12}", 1),
    ("x^2+1", "1+x^2", 1), (r"\{1,2\}", r"\{2,1\}", 1), ("(1,2)", "[1,2]", 0), ("(1,2)", "(2,1)", 0),
    ("3x+5", "3x-5", 0),
    ("5 cm", "5 m", 0), ("19, 46, 82", "21, 36, 82", 0), ("n!", "n", 0), ("n", "n!", 0), ("3:4", "4:3", 0),
    ("x^2+1", "The answer is $x^2+1$.", "kept"), (r"\frac{3}{4}", r"So it is $\frac{3}{4}$ of them.", "kept"),
]  # fmt: skip


@every(("gold", "pred", "opinion"), MATHEMATICAL)
def test_formulas_are_compared_as_formulas(gold, pred, opinion):
    """Formulas are compared as formulas: shared words do not count."""
    scores = tuple(answersim.score(gold, pred, metric=name, progress=False) for name in ("typed", "answersim"))
    if opinion == "kept":
        assert scores[0] == 1
    else:
        low, high = {1: ((1, 0.96), (1, 1)), 0: ((0, 0), (0, 0.04))}[opinion]
        assert low <= scores <= high


def test_tolerance_and_units_are_options_and_signed():
    def score(gold, pred, **options):
        return answersim.score(gold, pred, metric="typed+em", **options)

    assert score(r"0.33", r"\frac13", tolerance="last-digit") == score(r"\frac13", "0.34", tolerance=0.05) == 1
    assert score("50000", "50001", tolerance="exact") == 0 == score("0.33", "0.34", tolerance="exact")
    assert score("100", "101", tolerance="0.01") == 1
    assert score("5 cm", "5") == NEAR
    assert score(r"5\text{ cm}", "5", units="required") == 0
    assert score(r"5\text{ cm}", "5", units="optional") == score("5 cm", "5 kg", units="ignored") == 1
    assert score("March 4, 1865", "4 March 1865", tolerance="exact") == 1
    assert answersim.metric("typed", units="ignored").signature == (
        f"typed+recall|text:en|rules:en.{REVISION}|tolerance:exact|units:ignored|rev:1"
    )
    with pytest.raises(ValueError, match="tolerance"):
        answersim.metric("typed", tolerance="much")
    with pytest.raises(ValueError, match="units"):
        answersim.metric("typed", units="none")


def test_the_rule_is_signed():
    metric = answersim.metric("f1", extract="auto")
    assert metric.signature == "f1|text:en|extract:auto.2|rev:1"
    assert answersim.metric("f1", extract="hash:empty", extract_gold="hash").signature == (
        "f1|text:en|extract:hash.2.empty|extract_gold:hash.2|rev:1"
    )
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert without_extraction(metric.signature) == answersim.metric("f1").signature
    assert answersim.metric("f1", extract=None) == answersim.metric("f1")


def test_a_calibration_of_answers_is_valid_for_answers_that_were_read_out():
    scored = answersim.score("Rome", "So \\boxed{Rome}", metric="recall", extract="boxed", calibration="shipped")
    assert scored.verdict == "equivalent"
    assert find("shipped", scored.signature) == find("recall")


def test_predictions_without_an_answer_are_counted_and_never_a_silent_zero():
    with pytest.warns(ExtractionWarning, match="finds no final answer in 1 of 2 predictions"):
        scores = answersim.score(["Rome", "Oslo"], ["Rome", "\\boxed{Oslo}"], metric="em", extract="boxed")
    assert scores.values.tolist() == [1.0, 1.0]
    with pytest.warns(ExtractionWarning, match="as empty answers"):
        assert answersim.score("Rome", "Rome", metric="em", extract="boxed:empty") == 0.0
    with pytest.raises(ValueError, match="finds no answer"):
        answersim.score("Rome", "Rome", metric="em", extract="boxed:error")


def test_gold_answers_are_read_on_request():
    gold = "She has 3 + 4 = 7.\n#### 7"
    assert answersim.score(gold, "\\boxed{7}", metric="em", extract="auto", extract_gold="hash") == 1.0
    with pytest.raises(TypeError, match="without extract"):
        answersim.metric("em", extract_gold="hash")


def test_a_rule_that_does_not_exist_is_an_error_before_any_work():
    with pytest.raises(LookupError, match="did you mean 'boxed'"):
        answersim.metric("em", extract="boxd")
    with pytest.raises(ValueError, match="revision 9"):
        answersim.metric("em", extract="auto.9")


_, *LINES = (Path(__file__).with_name("offers.tsv")).read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in LINES]
# A score of the words alone that counts as right. It is above what a pair that the rules hold can have.
EQUIVALENT = 0.8


@pytest.mark.parametrize("lang", list(dict.fromkeys(row[3] for row in ROWS)))
def test_a_second_value_or_a_percent_sign_is_not_equivalent(lang: str) -> None:
    rows = [row for row in ROWS if row[3] == lang]
    golds, preds, questions = ([row[i] for row in rows] for i in range(3))
    scores = answersim.score(golds, preds, "typed+recall", question=questions, lang=lang)
    rewards = answersim.Reward("rules", lang=lang)(golds, preds, question=questions).scores
    wrong = []
    for (gold, pred, *_, expected), score, reward in zip(rows, scores, rewards, strict=True):
        is_paid = reward is not None and reward >= 0.5
        agrees = {
            "not equivalent": score < EQUIVALENT and not is_paid,
            "not different": score > 0.1,
            "equivalent": score >= EQUIVALENT,
            "equivalent, paid": score >= EQUIVALENT and is_paid,
        }[expected]
        if not agrees:
            wrong.append((gold, pred, expected, score, reward))
    assert wrong == []
