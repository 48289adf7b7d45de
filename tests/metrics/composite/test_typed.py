"""Composite metrics: what rules decide and what they leave to another metric; the ensemble and its weights."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import ExtractionWarning, UnreadScriptWarning
from answersim._base.signature import without_extraction
from answersim.answers.typed.reading import REVISION
from answersim.calibration.model.decision import decided
from answersim.calibration.storing import find
from answersim.calibration.storing import shipped as shipped_calibrations
from answersim.metrics import planning
from answersim.metrics.catalog import lookup
from answersim.metrics.composite import ensemble
from answersim.metrics.composite.ensemble import (
    CEILING,
    FITTED,
    FLOOR,
    UNREAD,
    UNSURE,
    AnswerSimilarity,
    Weights,
    named,
    read_weights,
    weights_file,
)
from answersim.metrics.composite.features import numbers
from answersim.metrics.composite.typed import DOUBTFUL, LOW, NEAR, TypedMetric
from answersim.metrics.testing.check import PAIRS, check_metric
from answersim.types import Pair
from tests.cases import cases_of, every
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
    cases_of(__file__)["the_shipped_calibration_of_recall_with_rules"],
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
    cases_of(__file__)["a_base_must_be_a_metric_that_is_not_overruled_yet"],
)
def test_a_base_must_be_a_metric_that_is_not_overruled_yet(name, message):
    for call in (answersim.metric, lookup.entry):
        with pytest.raises(LookupError, match=message):
            call(name)


def test_an_option_of_no_base_is_refused():
    with pytest.raises(TypeError, match="'f1' has no option 'layer'"):
        answersim.metric("typed+f1", layer=3)


MATHEMATICAL = cases_of(__file__)["mathematical"]  # fmt: skip


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
    assert metric.signature == "f1|text:en|extract:auto.6|rev:1"
    assert answersim.metric("f1", extract="hash:empty", extract_gold="hash").signature == (
        "f1|text:en|extract:hash.6.empty|extract_gold:hash.6|rev:1"
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


THREE = [
    Pair("Paris", "in Paris"),
    Pair("the house with 12 rooms", "a villa of 13"),
    Pair("Paris", "he was born there in the spring of the year"),
]


@dataclass(frozen=True)
class Fixed:
    """A metric that returns fixed numbers for any pairs."""

    numbers: tuple[float, ...]
    reads_questions: bool = False

    @property
    def signature(self) -> str:
        return f"fixed|{self.numbers}"

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        if questions is not None:
            return np.array([float(bool(question)) for question in questions])
        return np.array(self.numbers[: len(pairs)])


def shipped() -> list[Weights]:
    return [read_weights(weights_file(profile)) for profile in FITTED]


def combined(weights: dict[str, float], intercept: float = 0.0, **columns: tuple[float, ...]) -> AnswerSimilarity:
    parts = tuple(Fixed(numbers) for numbers in columns.values())
    return AnswerSimilarity(parts, named(tuple(columns), weights, intercept))


def test_the_score_is_the_sigmoid_of_the_weighted_sum():
    metric = combined({"f1": 2.0, "numbers": 1.0}, -1.0, f1=(0.5, 0.0, 0.25))
    sums = np.array([2 * 0.5 + 1 - 1, 0 + 0 - 1, 2 * 0.25 + 1 - 1])
    assert metric(THREE) == pytest.approx(1 / (1 + np.exp(-sums)))


def test_answers_that_differ_in_writing_only_have_the_floor_at_least():
    pairs = [Pair("3,600", "3600"), Pair("The Beatles", "beatles."), Pair("１１", "11"), Pair("Rome", "Rome")]
    metric = combined({"f1": 8.0}, -4.0, f1=(0.0, 0.4, 0.5, 1.0))
    assert metric(pairs)[:3].tolist() == [FLOOR] * 3
    assert metric(pairs)[3] == pytest.approx(1 / (1 + np.exp(-4)))  # .982: the floor lowers no score


def test_answers_that_only_look_the_same_have_no_floor():
    pairs = [Pair("-5", "5"), Pair("1.5", "15"), Pair("C++", "C"), Pair("$5", "5"), Pair("50%", "50")]
    metric = combined({"f1": 1.0}, f1=(0.0,) * 5)
    assert metric(pairs)[:2].tolist() == [CEILING, CEILING]  # the relation decides
    assert (metric(pairs) < FLOOR).all()


def test_rules_decide_where_both_answers_are_values():
    pairs = [
        Pair("1.5 million", "1,500,000"),
        Pair("12 liters", "12 gallons"),
        Pair("1987", "1978"),
        Pair("12 March 1999", "March 12, 1999"),
        Pair("Pyongyang", "North Korea"),  # no value: no opinion
        Pair("North Korea", "South Korea"),  # one word is replaced by another one
    ]
    metric = combined({"f1": 8.0}, -4.0, f1=(0.0, 1.0, 1.0, 0.0, 0.5, 0.5))
    assert metric(pairs) == pytest.approx([FLOOR, CEILING, CEILING, FLOOR, 0.5, UNSURE])
    low = combined({"f1": 8.0}, -8.0, f1=(0.0,) * 6)
    assert low(pairs)[1] < CEILING  # the ceiling raises no score
    assert "|rules:en." in metric.signature
    assert "|rules:de." in replace(metric, lang="de").signature


def test_the_same_words_in_another_order_are_unsure_at_most():
    pairs = [Pair("supply exceeds demand", "demand exceeds supply"), Pair("War and Peace", "Peace and War"), THREE[0]]
    assert combined({"f1": 9.0}, f1=(1.0,) * 3)(pairs)[:2].tolist() == [UNSURE] * 2
    assert combined({"f1": 9.0}, f1=(1.0,) * 3)(pairs)[2] > FLOOR
    assert combined({"f1": 9.0}, -9.0, f1=(0.0,) * 3)(pairs).max() < 0.001  # the bound raises no score


def test_no_network_judges_what_its_weights_cannot_read():
    pairs = [
        Pair("서울", "부산"),
        Pair("東京都", "東京都です"),
        Pair("✅", "🇩🇪"),
        Pair("서울", "서울"),
        Pair("Paris", "Paris ✅"),
    ]
    metric = combined({"sas-answers": 2.0}, **{"sas-answers": (0.99,) * 5, "recall": (0.0, 1.0, 0.0, 1.0, 1.0)})
    with pytest.warns(UnreadScriptWarning, match="Latin letters only"):
        scores = metric(pairs)
    assert scores[:3] == pytest.approx([UNSURE, UNREAD, CEILING])
    assert (scores[3:] >= FLOOR).all()


@every("name", [name for name in shipped_calibrations() if name.startswith("answersim")])
def test_what_no_network_judges_is_unsure(name):
    assert decided(find(name).curve(np.array([UNSURE, UNREAD]))).tolist() == ["unsure"] * 2


def test_the_floor_is_of_the_language_and_signed():
    metric = combined({"f1": 1.0}, f1=(0.0,))
    german = replace(metric, lang="de")
    # In the other language the sign is unsure, so that the rules have no opinion and f1 speaks.
    assert [entry([Pair("3,600", "3600")])[0] >= FLOOR for entry in (metric, german)] == [True, False]
    assert [entry([Pair("3.600", "3600")])[0] >= FLOOR for entry in (metric, german)] == [False, True]
    assert f"|lang:en|floor:{FLOOR}|" in metric.signature
    assert "|lang:de|" in german.signature
    assert lookup.metric("answersim").signature.split("|")[3:5] == ["lang:en", f"floor:{FLOOR}"]


def test_the_metric_that_ships_calls_numbers_with_and_without_separators_the_same():
    same = [Pair("3,600", "3600"), Pair("１１", "11"), Pair("", " ")]
    assert (lookup.metric("answersim")(same) >= FLOOR).all()
    assert (lookup.metric("answersim")([Pair("1.5", "15"), Pair("-5", "5"), Pair("C++", "C")]) < FLOOR).all()


def test_the_cross_encoder_counts_as_its_logit_and_the_ends_stay_finite():
    metric = combined({"sas-answers": 1.0}, **{"sas-answers": (0.8, 0.0, 1.0)})
    assert metric(THREE)[0] == pytest.approx(0.8)
    assert metric(THREE)[1:] == pytest.approx([1e-6, 1 - 1e-6])


@pytest.mark.parametrize("weights", shipped(), ids=FITTED)
def test_more_evidence_never_lowers_the_score(weights):
    rng = np.random.default_rng(0)
    for place, name in enumerate(weights.parts):
        low = [tuple(rng.uniform(0.05, 0.9, 3)) for _ in weights.parts]
        high = [tuple(np.array(entry) + (0.05 if i == place else 0)) for i, entry in enumerate(low)]
        scores = [AnswerSimilarity(tuple(map(Fixed, entry)), weights)(THREE) for entry in (low, high)]
        assert (scores[1] >= scores[0]).all(), name


def test_parts_and_weights_must_fit():
    with pytest.raises(ValueError, match="the weights are for f1, but 0 parts are given"):
        AnswerSimilarity((), named(("f1",), {"f1": 1.0}, 0.0))


@pytest.mark.parametrize(
    ("change", "complaint"),
    cases_of(__file__)["a_wrong_file_of_weights_is_an_error"],
)
def test_a_wrong_file_of_weights_is_an_error(tmp_path, change, complaint):
    path = tmp_path / "weights.json"
    path.write_text(json.dumps({"parts": ["f1"], "weights": {"f1": 1.0}, "intercept": 0.0} | change))
    with pytest.raises(ValueError, match=complaint):
        read_weights(path)


@every(("gold", "pred", "expected"), cases_of(__file__)["numbers_agree_disagree_or_are_only_on_one_side"])
def test_numbers_agree_disagree_or_are_only_on_one_side(gold, pred, expected):
    assert numbers(gold, pred) == expected


@given(st.text(), st.text())
def test_numbers_are_symmetric_and_1_for_an_answer_against_itself(one, other):
    assert 0 <= numbers(one, other) <= 1
    assert numbers(one, other) == numbers(other, one)
    assert numbers(one, one) == 1


def refuse(name: str, lang: str, profile: str | None, **running: object) -> None:
    pytest.fail(f"{name} was built before the profile was checked")


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("paper", "fitted for the profiles embedded, strong, multilingual, words; there are none for 'paper'"),
        ("embeded", "did you mean 'embedded'"),
    ],
)
def test_a_profile_without_weights_is_an_error_before_a_part_is_built(profile, message):
    with pytest.raises(LookupError, match=message):
        ensemble.build(refuse, lang="en", profile=profile)


@pytest.mark.parametrize("profile", [None, "embedded", "strong", "words"])
def test_parts_are_built_in_order_with_language_profile_and_options_of_networks(profile):
    pytest.importorskip("torch")
    calls = []

    class Part:
        def __init__(self, name: str) -> None:
            self.signature = f"{name}|rev:1"

    def build(name: str, lang: str, profile: str | None, **running: object) -> Part:
        calls.append((name, lang, profile, running))
        return Part(name)

    options = {"device": Device("cpu", "bf16", 64)}
    metric = ensemble.build(build, lang="de", profile=profile, **options)
    assert isinstance(metric, AnswerSimilarity)
    assert [name for name, *_ in calls] == list(ensemble.parts_of(profile))
    assert all(call[1:] == ("de", profile, options) for call in calls)
    assert [part.signature for part in metric.parts] == [f"{name}|rev:1" for name in ensemble.parts_of(profile)]  # type: ignore[attr-defined]
