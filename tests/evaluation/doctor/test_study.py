"""The doctor: its checks, attacks, results and findings on made metrics."""

import json
import math
from typing import Any

import numpy as np
import pytest

from answersim.evaluation.data.minimal_pairs import MinimalPair, minimal_pairs
from answersim.evaluation.doctor import examine
from answersim.evaluation.doctor.attacks import BLIND_SPOTS, CHEATS, MOST, PATTERNS, attackable, attacks
from answersim.evaluation.doctor.checks import NAMES, findings
from answersim.evaluation.doctor.results import AttackRow, DoctorReport, KindRow, MetricReport, Misordered
from answersim.evaluation.doctor.study import MISS, RIGHT
from answersim.evaluation.doctor.subject import as_subject
from answersim.metrics.testing.properties import Finding
from answersim.stats.intervals.resampling import Estimate
from tests.cases import every


def family(i: int, kind: str, gold: str, same: str, different: str, question: str = "Which?") -> MinimalPair:
    return MinimalPair("en", kind, f"en-{kind}-{i:03}", "dev", question, gold, same, different)


FAMILIES = [
    family(1, "number", "eleven", "11", "12"),
    family(2, "number", "red fox", "the red fox", "red hen"),
    family(3, "name", "John Kennedy", "Kennedy", "Kennedy"),
    family(4, "name", "Ada", "Ada Lovelace", "Bob"),
]


def exact(golds: list[str], preds: list[str]) -> list[float]:
    return [float(gold in pred) for gold, pred in zip(golds, preds, strict=True)]


def quick(metrics: Any, **more: Any) -> Any:
    return examine(metrics, **{"pairs": FAMILIES, "properties": False, "progress": False, **more})


def test_pairs_in_the_right_order_count_one_and_ties_half():
    (diagnosis,) = quick({"mine": exact}).metrics
    rows = {row.kind: (row.n, row.ordered.value, row.tied) for row in diagnosis.kinds}
    assert rows == {"all": (4, 0.75, 0.5), "number": (2, 0.75, 0.5), "name": (2, 0.75, 0.5)}


def test_twins_are_one_cluster_of_the_interval():
    twins = [family(i, "x", "a", "a b", "c")._replace(family=f"en-x-{i // 2}{'ab'[i % 2]}") for i in range(40)]
    losses = [pair._replace(same="c", different="a") if i % 4 < 2 else pair for i, pair in enumerate(twins)]
    apart = [pair._replace(family=f"en-x-{i:03}") for i, pair in enumerate(losses)]
    width = {}
    for name, families in (("twins", losses), ("apart", apart)):
        result = quick({"mine": exact}, pairs=families).metrics[0].ordered
        assert result.value == 0.5
        width[name] = result.high - result.low
    assert width["twins"] > 1.2 * width["apart"]


def test_the_worst_pairs_are_those_in_the_wrong_order():
    def reversed_(golds: list[str], preds: list[str]) -> list[float]:
        return [-value for value in exact(golds, preds)]

    worst = quick({"mine": reversed_}).metrics[0].worst
    assert [(row.family, row.same_score, row.different_score) for row in worst] == [
        ("en-number-002", -1.0, 0.0),
        ("en-name-004", -1.0, 0.0),
    ]


def test_attacks_are_counted_from_the_threshold_on_beside_right_and_wrong_answers():
    (diagnosis,) = quick({"mine": exact}).metrics
    rows = {row.pattern: row for row in diagnosis.attacks}
    assert diagnosis.threshold == 0.5  # the median of 0, 1, 0, 1
    assert (rows[RIGHT].accepted.value, rows[MISS].accepted.value) == (0.5, 0.0)
    assert rows["every option"].accepted.value == 1.0
    assert rows["every option"].example
    assert rows["empty answer"].accepted.value == 0.0
    assert rows["empty answer"].example == rows[RIGHT].example == rows[MISS].example == ""


def test_the_example_of_an_attack_is_its_answer_with_the_highest_score():
    def length(golds: list[str], preds: list[str]) -> list[float]:
        return [float(len(pred)) for pred in preds]

    (row,) = (row for row in quick({"mine": length}).metrics[0].attacks if row.pattern == "every option")
    answers = [attack.pred for attack in attacks(FAMILIES) if attack.pattern == "every option"]
    assert row.example == max(answers, key=len) != min(answers, key=len)


def test_a_median_that_is_the_lowest_score_accepts_nothing_without_credit():
    families = [family(i, "x", "a", "b", "c") for i in range(5)]
    (diagnosis,) = quick({"mine": exact}, pairs=families).metrics
    assert diagnosis.threshold == 1.0
    assert {row.pattern: row.accepted.value for row in diagnosis.attacks}["empty answer"] == 0.0


def test_a_constant_metric_accepts_nothing_and_orders_half():
    (diagnosis,) = quick({"mine": lambda golds, preds: [0.3] * len(golds)}).metrics
    assert math.isinf(diagnosis.threshold)
    assert {row.accepted.value for row in diagnosis.attacks} == {0.0}
    assert diagnosis.ordered.value == 0.5


def test_the_threshold_of_a_metric_is_that_of_its_shipped_calibration():
    (diagnosis,) = quick("f1").metrics
    from answersim.calibration.model.decision import decided
    from answersim.calibration.storing import find

    curve = find("f1").curve
    assert decided(curve([diagnosis.threshold - 1e-9, diagnosis.threshold + 1e-9])).tolist() == ["unsure", "equivalent"]
    assert "calibration" in diagnosis.threshold_origin


def test_no_attacks_no_threshold():
    (diagnosis,) = quick("f1", attacked=0).metrics
    assert diagnosis.attacks == ()
    assert math.isnan(diagnosis.threshold)


def test_metrics_of_ours_are_scored_together_with_all_texts():
    calls = []

    class Mine:
        signature = "mine|v:1"
        reads_questions = True

        def __call__(self, pairs: Any, questions: Any = None) -> Any:
            calls.append((len(pairs), questions and questions[0]))
            return np.zeros(len(pairs))

    examination = quick([Mine(), "f1"])
    assert [metric.name for metric in examination.metrics] == ["mine", "f1"]
    n = 2 * len(FAMILIES) + sum(row.n for row in examination["f1"].attacks[2:])
    assert calls == [(n, "Which?")]


def test_pairs_that_cannot_be_scored_get_the_lowest_score_and_are_reported():
    def fragile(golds: list[str], preds: list[str]) -> list[float]:
        if "12" in preds:
            raise ValueError("twelve")
        return [1.0 + len(pred) for pred in preds]

    (diagnosis,) = quick({"mine": fragile}, attacked=0).metrics
    finding = diagnosis.finding("scores")
    assert (finding.cases, finding.broken) == (8, 1)
    assert "ValueError: twelve" in finding.detail
    assert diagnosis.kinds[1].ordered.value == 0.5 * (0.5 + 1)  # 11 has the lowest score too: a tie


def test_the_parts_of_the_probe_are_examined_as_stated():
    dev, all_ = (examine("em", part=part, attacked=0, properties=False) for part in ("dev", "all"))
    assert dev.settings["families"] == len(minimal_pairs("en", "dev")) == dev["em"].kinds[0].n
    assert all_.settings["families"] == len(minimal_pairs("en"))
    german = examine("em", lang="de", part="test", attacked=0, properties=False)
    assert german.settings["families"] == len(minimal_pairs("de", "test"))


@every(
    ("metrics", "more", "error", "message"),
    [
        ([], {}, ValueError, "no metric is given"),
        (["f1", "f1"], {}, ValueError, "two metrics are called 'f1'"),
        ("f1", {"part": "train"}, LookupError, "no part of the minimal pairs is called 'train'"),
        ("f1", {"pairs": []}, ValueError, "no minimal pairs"),
        ("f1", {"lang": "xx", "pairs": None}, LookupError, "xx"),
        ("f1", {"attacked": -1}, ValueError, "attacked is -1"),
        ("f1", {"bootstrap": 3}, TypeError, "bootstrap is 3"),
        (
            {"mine": lambda golds, preds: 1 / 0},
            {},
            ValueError,
            "mine scores no pair; the first error: .*ZeroDivisionError",
        ),
    ],
)
def test_what_cannot_be_done_is_an_error(metrics, more, error, message):
    with pytest.raises(error, match=message):
        quick(metrics, **more)


def test_names_are_short_unless_they_would_be_equal():
    names = ("x:A,n=1", "x:A,n=2", "x:B,n=1", "f1")
    examination = quick(dict.fromkeys(names, exact), attacked=0)
    assert [metric.name for metric in examination.metrics] == ["x:A,n=1", "x:A,n=2", "x:B", "f1"]


# Known faults of published metrics, made here. Each must be found, and by the property that it breaks.


def idf_of_the_batch(golds: list[str], preds: list[str]) -> list[float]:
    """As BERTScore with weights from the gold answers of the batch, and a denominator from the longest text in it."""
    width = max(1, *(len(text.split()) for text in [*golds, *preds]))
    return [
        sum(np.log(len(golds) / sum(word in other.split() for other in golds)) + 1 for word in shared) / width
        for gold, pred in zip(golds, preds, strict=True)
        for shared in [sorted(set(gold.split()) & set(pred.split()))]
    ]


def unsorted_wrongly(golds: list[str], preds: list[str]) -> list[float]:
    """As torchmetrics 1.9.0: sort both sides by their own length, and apply the permutation again to undo it."""
    first, second = (sorted(range(len(texts)), key=lambda i: len(texts[i])) for texts in (golds, preds))
    by_length = [golds[i] for i in first], [preds[i] for i in second]
    return exact([by_length[0][i] for i in first], [by_length[1][i] for i in second])


def leading_space_is_a_token(golds: list[str], preds: list[str]) -> list[float]:
    """As a cross-encoder that gives ("A", "A") .92 and (" A", "A") .2."""
    return [0.92 if gold == pred else 0.2 for gold, pred in zip(golds, preds, strict=True)]


@every(
    ("fault", "broken", "sound"),
    [
        (idf_of_the_batch, {"batch"}, {"determinism", "order", "white space"}),
        (unsorted_wrongly, {"batch", "order"}, {"determinism", "no pairs"}),
        (leading_space_is_a_token, {"white space"}, {"batch", "order", "symmetry", "identity"}),
    ],
)
def test_a_known_fault_is_found(fault, broken, sound):
    (diagnosis,) = examine(fault, pairs=minimal_pairs("en", "dev")[:24], attacked=2, progress=False).metrics
    result = {finding.property for finding in diagnosis.findings if finding.holds is False}
    assert broken <= result
    for name in broken:
        assert diagnosis.finding(name).largest > 0.01
    assert not sound & result


def test_a_sound_metric_has_none_of_these_faults():
    examination = examine("f1", pairs=minimal_pairs("en", "dev")[:24], attacked=2, progress=False)
    assert json.loads(examination.to_json())["metrics"][0]["name"] == "f1"
    (diagnosis,) = examination.metrics
    assert not [finding for finding in diagnosis.findings if finding.holds is False and finding.property != "range"]


NOTHING = math.nan


def diagnosis(name: str, **more: Any) -> MetricReport:
    return MetricReport(
        **{
            "name": name,
            "signature": f"{name}|v:1",
            "reads_questions": False,
            "kinds": (
                KindRow("all", 1000, Estimate(0.75, 0.5, 0.9), 0.1),
                KindRow("date", 3, Estimate(1.0, NOTHING, NOTHING), 0.0),
            ),
            "findings": (
                Finding("batch", "a pair alone scores as in a batch", False, 12, 3, 0.25, "('a<b>', 'c') has 1 and 2"),
                Finding("order", "the order does not matter", True, 12),
                Finding("references, best", "the best one counts", None, detail="one only"),
                Finding("range", "all scores are from 0 to 1", True, 9, 0, 0.0, "0 to 1"),
            ),
            "threshold": 0.5,
            "threshold_origin": "a test",
            "attacks": (AttackRow("empty answer", 60, Estimate(0.0, 0.0, 0.06), ""),),
            "worst": (Misordered("date", "en-date-001", "When?", "1865", "in 1865", "1856", 0.25, 0.75),),
            "seconds": 1.5,
            **more,
        }
    )


EXAMINATION = DoctorReport(
    (diagnosis("one"), diagnosis("two", findings=(), attacks=(), worst=())),
    {"language": "en", "part": "dev", "level": 0.95, "tolerance": 1e-4},
)


def test_tables_have_a_column_per_metric():
    kinds, properties, broken, attacks, worst = EXAMINATION.tables()
    assert kinds.header == ("kind", "pairs", "one", "two")
    assert kinds.rows[0] == ("all", "1,000", "0.75 [0.50, 0.90]", "0.75 [0.50, 0.90]")
    assert kinds.rows[1] == ("date", "3", "1.00", "1.00")
    assert properties.rows == (
        ("batch", "no: 3 of 12, 0.250", "-"),
        ("order", "yes", "-"),
        ("references, best", "-", "-"),
        ("range", "yes: 0 to 1", "-"),
    )
    assert broken.rows == (("one", "batch", "('a<b>', 'c') has 1 and 2"),)
    assert attacks.rows == (("empty answer", "60", "0.00 [0.00, 0.06]", "-"),)
    assert attacks.notes == ("one: accepted from 0.5 on (a test)",)
    assert worst.rows == (("one", "date", "1865", "in 1865", "0.250", "1856", "0.750"),)


def test_what_is_not_there_has_no_table():
    titles = [table.title for table in DoctorReport((diagnosis("x", findings=(), attacks=(), worst=()),)).tables()]
    assert titles == ["Minimal pairs in the right order", "Properties"]
    assert len(list(EXAMINATION.tables(worst=0))) == 4


def test_metrics_and_findings_are_found_by_name():
    assert EXAMINATION["one"].finding("batch").broken == 3
    assert repr(EXAMINATION) == "DoctorReport(one 0.750, two 0.750)"
    with pytest.raises(LookupError, match="did you mean 'one'"):
        EXAMINATION["oen"]
    with pytest.raises(LookupError, match="no property"):
        EXAMINATION["one"].finding("gone")


def test_records_are_flat():
    assert EXAMINATION.records()[0] == {
        **{"metric": "one", "kind": "all", "n": 1000, "ordered": 0.75, "low": 0.5, "high": 0.9, "tied": 0.1}
    }


SAMPLE = minimal_pairs("en", "dev")[:6]
SEEN = np.array([0.0, 1.0])


def by_name(function: Any) -> dict[str, Any]:
    return {finding.property: finding for finding in findings(as_subject(function), SAMPLE, SEEN, 1e-4)}


def test_every_property_is_checked_once():
    def asked(golds: list[str], preds: list[str], questions: list[str] | None) -> list[float]:
        return exact(golds, preds)

    results = [finding.property for finding in findings(as_subject(asked), SAMPLE, SEEN, 1e-4)]
    assert results == list(NAMES)
    without = [finding.property for finding in findings(as_subject("f1"), SAMPLE, SEEN, 1e-4)]
    assert without == [name for name in NAMES if "question" not in name]


def test_an_error_is_a_finding_and_stops_no_other_check():
    def fragile(golds: list[str], preds: list[str]) -> list[float]:
        if not golds:
            raise IndexError("no pairs at all")
        return [float(gold == pred) for gold, pred in zip(golds, preds, strict=True)]

    result = by_name(fragile)
    assert (result["no pairs"].holds, result["no pairs"].detail) == (False, "IndexError: no pairs at all")
    assert result["symmetry"].holds
    assert result["white space"].holds is False


def test_pairs_without_a_score_break_odd_input_and_nothing_else():
    def no_empty_text(golds: list[str], preds: list[str]) -> list[float]:
        if not all(preds):
            raise ValueError("an empty answer")
        return [float(gold.split() == pred.split()) for gold, pred in zip(golds, preds, strict=True)]

    result = by_name(no_empty_text)
    assert [name for name, finding in result.items() if finding.holds is False] == ["odd input"]


def test_a_wrong_number_of_scores_is_a_finding():
    result = by_name(lambda golds, preds: [0.0] * (len(golds) + 1))
    assert result["symmetry"].detail.startswith("one number per pair")


PAIR = MinimalPair("en", "number", "en-number-1", "dev", "How many?", "eleven", "11", "12")
OTHERS = [PAIR._replace(family=f"en-x-{i}", gold=gold, different=f"no {gold}") for i, gold in enumerate("abcde")]
KIND = "amount in another unit"
WITHOUT = ("repeats the question", "repeats the question, wrong")


WORDINGS = [(name, i) for name, wordings in PATTERNS.items() for i in range(len(wordings))]


def test_the_patterns_have_different_answers():
    result = attacks([PAIR, *OTHERS])
    answers = {attack.pattern: attack.pred for attack in result if attack.gold == PAIR.gold or not attack.question}
    assert list(answers) == list(PATTERNS)
    assert len(answers) >= 30
    # with five other gold answers, a list of everything is a list of ten
    assert len(set(answers.values())) == len(answers) - 1


@every(("name", "i"), WORDINGS)
def test_each_wording_is_an_answer_that_is_not_right(name, i):
    gold, answer = attacks([PAIR, *OTHERS], {name: PATTERNS[name][i : i + 1]})[0][2:]
    assert (gold == PAIR.gold) == (name not in ("roles swapped", "amount in another unit"))
    assert answer != gold
    assert answer not in (PAIR.gold, PAIR.same)
    assert (PAIR.gold in answer) or name not in CHEATS
    assert "{" not in answer.replace('{"verdict"', "")


def test_cheats_have_several_wordings_that_take_turns():
    assert len(CHEATS) >= 15
    for name, wordings in CHEATS.items():
        answers = [wording(PAIR, list("abcdefghijklmno")) for wording in wordings]
        assert len(set(answers)) == len(answers) >= 6, name
    results = [attack.pred for attack in attacks([PAIR] * 3) if attack.pattern == "denied in front"]
    assert results == ["not eleven", "False: eleven", "anyone except eleven"]


def test_a_list_of_everything_has_as_many_answers_as_there_are():
    many = [PAIR._replace(gold=f"a{i}") for i in range(200)]
    assert attacks(many, {"all": PATTERNS["list of everything"][:1]})[0].pred.count(", ") == MOST


def test_a_list_has_at_least_two_items():
    for wording in PATTERNS["list of ten"]:
        assert wording(PAIR, []) is None
        assert isinstance(wording(PAIR, ["twelve"]), str)


def test_no_attack_is_the_gold_answer_or_the_rewrite():
    assert not [attack for attack in attacks([PAIR, *OTHERS]) if attack.pred in (attack.gold, PAIR.same)]


def test_attacks_keep_their_question_and_gold_answer():
    assert {(attack.question, attack.gold) for attack in attacks([PAIR], CHEATS)} == {("How many?", "eleven")}


def test_a_reversal_has_its_own_gold_answer_and_no_question():
    swapped, unit = attacks([PAIR, *OTHERS], {name: BLIND_SPOTS[name] for name in ("roles swapped", KIND)})[::6]
    assert swapped == ("roles swapped", "", "eleven defeated a", "a defeated eleven")
    number = unit.gold.split()[0]
    assert unit == (KIND, "", f"{number} km", f"{number} miles")


def test_every_option_holds_the_gold_answer_the_close_miss_and_others():
    (answer,) = [attack.pred for attack in attacks([PAIR, *OTHERS]) if attack.pattern == "every option"][:1]
    assert answer == "a, b, 12, eleven, c, d"


def test_others_of_the_same_kind_come_first():
    pairs = [PAIR, OTHERS[0]._replace(kind="date"), *OTHERS[1:]]
    assert next(a.pred for a in attacks(pairs) if a.pattern == "every option") == "b, c, 12, eleven, d, e"


@every(("gold", "word"), [("eleven", "number"), ("March 4, 1865", "date"), ("North Korea", "name")])
def test_a_refusal_names_the_type_of_the_gold_answer(gold, word):
    answers = [a.pred for a in attacks([PAIR._replace(gold=gold)]) if a.pattern == "refuses, with the type"]
    assert answers == [f"I cannot tell which {word} is meant here."]


def test_a_family_without_a_question_has_no_attack_that_repeats_it():
    result = {attack.pattern for attack in attacks([PAIR._replace(question=""), *OTHERS]) if not attack.question}
    assert set(PATTERNS) - result == set(WITHOUT)


def test_attacked_families_are_spread_and_not_empty():
    silent = PAIR._replace(gold="I don't know")
    assert attackable([PAIR, silent, PAIR, PAIR, PAIR, PAIR], 2) == [0, 3]
    assert attackable([PAIR] * 3, 0) == []
    assert attackable([PAIR._replace(question="")], 5) == [0]
