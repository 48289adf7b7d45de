"""BERTScore: that of its authors, its layers and baselines, and the profile of the paper."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest
import torch

import answersim
from answersim._base.errors import NonFiniteScoreError
from answersim.metrics.checkpoints.profiles import WEIGHTS
from answersim.metrics.neural.bertscore import MEASURES, Baseline, BertScore, Weights, default_layer, read_baseline
from answersim.metrics.neural.encoders import Encoding, Request
from answersim.types import Pair
from tests.cases import cases_of, every

CASES = cases_of(__file__)


class ByHand:
    """An encoder of states of three dimensions that were written down: word -> state; 0 stands before and after."""

    fingerprint = "by-hand"
    states: ClassVar = {
        "": (1.0, 0.0, 0.0),
        "x": (1.0, 0.0, 0.0),
        "y": (0.0, 1.0, 0.0),
        "z": (3.0, 4.0, 0.0),
        "-x": (-1.0, 0.0, 0.0),
        "-y": (-0.6, -0.8, 0.0),
        "-v": (-0.6, 0.8, 0.0),
        "-z": (-0.6, 0.0, 0.8),
    }
    number: ClassVar = {word: i for i, word in enumerate(states)}

    def encode(self, requests: Sequence[Request]) -> list[Encoding]:
        return [self.one(request) for request in requests]

    def one(self, request: Request) -> Encoding:
        words = [["", *text.split(), ""] for text in request.texts]
        length = np.array([len(word) for word in words])
        row = np.array([sum(length[:i] == length[i]) for i in range(len(length))])
        sizes = sorted(set(length.tolist()))
        by = {size: [word for word in words if len(word) == size] for size in sizes}
        return Encoding(
            length,
            row,
            {size: torch.tensor([[self.states[word] for word in entry] for entry in by[size]]) for size in sizes},
            {size: np.array([[word != "" for word in entry] for entry in by[size]]) for size in sizes},
            {size: np.array([[self.number[word] for word in entry] for entry in by[size]]) for size in sizes},
            None,
            0,
        )


@every(("gold", "pred", "precision", "recall"), CASES["bertscore_by_hand"])
def test_bertscore_by_hand(gold, pred, precision, recall):
    pair = [Pair(gold, pred)]
    assert BertScore(ByHand(), 1, measure="precision")(pair)[0] == pytest.approx(precision, abs=1e-6)
    assert BertScore(ByHand(), 1, measure="recall")(pair)[0] == pytest.approx(recall, abs=1e-6)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    for measure in ("f1", "bounded-f1"):
        assert BertScore(ByHand(), 1, measure=measure)(pair)[0] == pytest.approx(f1, abs=1e-6)


@every(
    ("gold", "pred", "precision", "recall"),
    [
        ("z", "-z", -0.36, 0.6),  # z is matched by what stands around -z, and -z by z; F1 would be -1.8
        ("-z", "z", 0.6, -0.36),
        ("x", "-x", -1, 1),
        ("-y", "-v", -0.28, -0.28),
        ("y", "x", 1, 0),
        ("y", "z", 0.8, 0.8),
        ("", "x", 0, 0),
    ],
)
def test_bounded_f1_is_0_where_precision_and_recall_have_opposite_signs(gold, pred, precision, recall):
    pair = [Pair(gold, pred)]
    result = {measure: BertScore(ByHand(), 1, measure=measure)(pair)[0] for measure in MEASURES}
    assert (result["precision"], result["recall"]) == pytest.approx((precision, recall), abs=1e-6)
    assert result["f1"] == pytest.approx(2 * precision * recall / (precision + recall) if precision + recall else 0)
    assert result["bounded-f1"] == (result["f1"] if precision * recall > 0 else 0)


def test_pairs_are_compared_some_at_a_time_and_the_definition_is_signed(monkeypatch):
    pairs = [Pair(gold, pred) for gold in ("", "x", "y x", "z") for pred in ("x", "y", "z x")]
    metric = BertScore(ByHand(), 1)
    expected = metric(pairs).tolist()
    for most in (1, 40):
        monkeypatch.setattr("answersim.metrics.neural.bertscore._MOST", most)
        assert metric(pairs).tolist() == expected
    assert metric.signature == (
        "bertscore|encoder:by-hand|layer:1|max_length:512|measure:bounded-f1|idf:no|baseline:no|rev:1"
    )


def test_weights_of_tokens_by_hand():
    weights = Weights("by-hand", {0: 0.0, 2: 3.0}, 1.0)
    recall = BertScore(ByHand(), 1, measure="recall", idf=weights)([Pair("y x", "z")])[0]
    assert recall == pytest.approx((3 * 0.8 + 1 * 1.0) / 4, abs=1e-6)


def test_a_baseline_rescales_by_hand():
    plain = BertScore(ByHand(), 1)([Pair("y", "z")])[0]
    assert BertScore(ByHand(), 1, baseline=Baseline("b", 0.1, 0.2, 0.5))([Pair("y", "z")])[0] == pytest.approx(
        (plain - 0.5) / 0.5
    )


def test_a_baseline_file_is_read_by_layer(tmp_path, tiny):
    path = tmp_path / "baseline.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n")
    assert read_baseline(path, 1)[1:] == (0.4, 0.5, 0.6)
    with pytest.raises(LookupError, match="no row for layer 7"):
        read_baseline(path, 7)
    metric = answersim.metric("bertscore-trained", model=tiny(), layer=1, baseline=path)
    assert "baseline:" in metric.signature
    assert metric.signature != answersim.metric("bertscore-trained", model=tiny(), layer=1).signature


@pytest.mark.parametrize("number", ["1", "1.0", "-1", "1.5", "nan", "inf", "-inf"])
@pytest.mark.parametrize("column", ["P", "R", "F"])
def test_a_baseline_that_is_no_mean_score_of_unrelated_texts_is_refused(column, number, tmp_path):
    path = tmp_path / "baseline.csv"
    row = {"LAYER": "1", "P": "0.4", "R": "0.5", "F": "0.6", column: number}
    path.write_text(f"{','.join(row)}\n0,0.1,0.2,0.3\n{','.join(row.values())}\n")
    assert read_baseline(path, 0)[1:] == (0.1, 0.2, 0.3)
    with pytest.raises(ValueError, match=rf"baseline\.csv, line 3: {column} is {number}, but a baseline is"):
        read_baseline(path, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("LAYER,P,R\n1,0.4,0.5\n", "line 2: F is None"),
        ("LAYER,P,R,F\n1,0.4,0.5\n", "line 2: F is None"),
        ("LAYER,P,R,F\none,0.4,0.5,0.6\n", "line 2: LAYER is 'one'"),
        ("LAYER,P,R,F\n1,0.4,,0.6\n", "line 2: R is ''"),
        ("1,0.4,0.5,0.6\n1,0.4,0.5,0.6\n", "line 2: LAYER is None"),
    ],
)
def test_a_damaged_baseline_file_is_refused_with_its_line(text, message, tmp_path):
    path = tmp_path / "baseline.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_baseline(path, 1)


def test_the_layer_of_an_unknown_model_is_its_last_and_of_a_known_one_the_table_s():
    class Deep:
        layers = 12

    assert default_layer(Deep(), "someone/something") == 12  # type: ignore[arg-type]
    pytest.importorskip("bert_score")
    assert default_layer(Deep(), "bert-base-uncased") == 9  # type: ignore[arg-type]


@every("measure", MEASURES)
@every("value", [float("nan"), float("inf")])
def test_a_state_that_is_not_finite_is_an_error_and_no_score_by_any_measure(measure, value):
    class Overflowing(ByHand):
        states: ClassVar = {**ByHand.states, "y": (value, 1.0, 0.0)}

    metric = BertScore(Overflowing(), layer=0, measure=measure)
    assert metric([Pair("x", "z")]).shape == (1,)
    with pytest.raises(NonFiniteScoreError, match=r"pair 2 \(gold 'x', prediction 'y'\) is nan"):
        metric([Pair("x", "z"), Pair("x", "y")])


@pytest.mark.parametrize("value", [1.0, 2.0, float("nan"), float("inf")])
def test_a_baseline_that_nothing_can_be_rescaled_with_is_refused(value, tmp_path):
    with pytest.raises(ValueError, match="the mean score of unrelated texts, below 1"):
        BertScore(ByHand(), layer=0, baseline=Baseline("mine", 0.1, 0.1, value))
    path = tmp_path / "baseline.csv"
    path.write_text(f"LAYER,P,R,F\n0,0.1,{value},0.1\n")
    with pytest.raises(ValueError, match="between -1 and 1"):
        BertScore(ByHand(), layer=0, baseline=read_baseline(path, 0))


# What Table 6 of the paper says of each model.
ARCHITECTURES = {
    "T-Systems-onsite/cross-en-de-roberta-sentence-transformer": ("xlm-roberta", False),
    "bert-base-uncased": ("bert", False),
    "deepset/gelectra-base": ("electra", False),
    "cross-encoder/stsb-roberta-large": ("roberta", True),
    "deepset/gbert-large-sts": ("bert", True),
}


def test_every_model_of_the_profile_is_in_the_table_of_the_paper():
    behind = [value for profiles in WEIGHTS.values() for value in profiles.get("paper", {}).values()]
    named = {entry.model for entry in behind if entry.public}  # the others: see test_cross_encoder
    assert named == set(ARCHITECTURES)
