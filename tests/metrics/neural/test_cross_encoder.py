"""The cross-encoder: orders and activations. tests/oracles compares it with CrossEncoder.predict."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import fields
from functools import partial

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural.bertscore import BertScore
from answersim.metrics.neural.bi_encoder import BiEncoder, PreparedBiEncoder
from answersim.metrics.neural.cross_encoder import CrossEncoder, stated_activation
from answersim.types import Pair
from tests.cases import every


class ByHand:
    """A scorer whose logit is how much longer the first text is, and 100 more a letter of the question."""

    fingerprint = "by-hand"
    reads_questions = True

    def logits(
        self, pairs: Sequence[tuple[str, str]], questions: Sequence[str] | None = None
    ) -> tuple[FloatArray, int]:
        asked = questions or [""] * len(pairs)
        lengths = [len(one) - len(other) + 100 * len(q) for (one, other), q in zip(pairs, asked, strict=True)]
        return np.array(lengths, dtype=np.float64), 0


PAIRS = [Pair("abc", "a"), Pair("", "abcd"), Pair("x", "y")]


@every(
    ("order", "logits"), [("gold-pred", [2, -4, 0]), ("pred-gold", [-2, 4, 0]), ("mean", [0, 0, 0]), ("max", [2, 4, 0])]
)
def test_the_order_of_the_answers_is_a_setting(order, logits):
    assert CrossEncoder(ByHand(), order, "identity")(PAIRS).tolist() == logits


@every(
    ("order", "logits"),
    [("gold-pred", [102, -4, 200]), ("pred-gold", [98, 4, 200]), ("mean", [100, 0, 200]), ("max", [102, 4, 200])],
)
def test_the_question_goes_with_its_pair_in_every_order(order, logits):
    assert CrossEncoder(ByHand(), order, "identity")(PAIRS, ["?", "", "??"]).tolist() == logits


def test_as_many_questions_as_pairs():
    with pytest.raises(ValueError, match="3 pairs have 2 questions"):
        CrossEncoder(ByHand())(PAIRS, ["", ""])


def test_the_sigmoid_is_applied_to_each_order_before_the_mean():
    result = CrossEncoder(ByHand(), "mean")([Pair("abc", "a")])[0]
    assert result == pytest.approx((1 / (1 + np.exp(-2)) + 1 / (1 + np.exp(2))) / 2)


def test_the_sigmoid_does_not_overflow():
    assert CrossEncoder(ByHand())([Pair("x" * 5000, ""), Pair("", "x" * 5000)]).tolist() == [1.0, 0.0]


def test_orders_sign_differently():
    signed = {CrossEncoder(ByHand(), order).signature for order in ("gold-pred", "pred-gold", "mean", "max")}
    assert len(signed) == 4


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "sigmoid"),
        ({"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}}, "identity"),
        ({"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"}}, "sigmoid"),
        ({"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}, "identity"),
    ],
)
def test_the_activation_is_the_one_that_the_model_asks_for(tiny, tmp_path, config, expected):
    folder = tmp_path / "model"
    shutil.copytree(tiny(classifier=True), folder)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))
    assert stated_activation(find(folder)) == expected
    assert f"activation:{expected}" in answersim.metric("sas", model=folder).signature
    assert "activation:sigmoid" in answersim.metric("sas", model=folder, activation="sigmoid").signature


def test_an_activation_that_is_not_offered_is_an_error(tiny, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny(classifier=True), folder)
    path = folder / "config.json"
    stated = {"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Tanh"}}
    path.write_text(json.dumps(json.loads(path.read_text()) | stated))
    with pytest.raises(ValueError, match="Tanh"):
        answersim.metric("sas", model=folder)


def test_the_number_of_a_pair_does_not_depend_on_a_large_one_beside_it(tiny):
    metric = answersim.metric("sas", model=tiny(classifier=True), activation="identity")
    alone = metric([Pair("paris", "cortex")])[0]
    beside = metric([Pair("paris", "cortex"), Pair("eleven", "eleven"), Pair("in paris", "in paris")])[0]
    assert alone == pytest.approx(beside, abs=1e-5)


@every("kind", [CrossEncoder, BiEncoder, partial(PreparedBiEncoder, prompt="a"), partial(BertScore, layer=1)])
def test_the_signature_is_computed_once_and_not_pickled(kind):
    metric = kind(ByHand())
    assert metric.signature is metric.signature
    assert set(metric.__getstate__()) == {setting.name for setting in fields(metric)}
    assert metric == kind(metric.encoder if hasattr(metric, "encoder") else metric.scorer)
