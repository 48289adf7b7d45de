"""examine: shares of minimal pairs, thresholds, attacks; and the known faults that it must find."""

import json
import math
from typing import Any

import numpy as np
import pytest

from answersim.evaluation.data.minimal_pairs import MinimalPair, minimal_pairs
from answersim.evaluation.doctor import examine
from answersim.evaluation.doctor.study import MISS, RIGHT
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
    assert rows["empty answer"].example == ""


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
    from answersim.calibration.decision import decided
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
    from answersim.evaluation.doctor.study import _with_short_names
    from answersim.evaluation.doctor.subject import Subject

    subjects = [Subject(name, name, exact) for name in ("x:A,n=1", "x:A,n=2", "x:B,n=1", "f1")]
    assert [subject.name for subject in _with_short_names(subjects)] == ["x:A,n=1", "x:A,n=2", "x:B", "f1"]


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
