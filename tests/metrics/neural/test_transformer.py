"""The torch back end: no padding, no neighbours, every distinct text once; what is cut is counted."""

import dataclasses
import json
import shutil
import warnings
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.device import Device
from answersim._base.errors import TruncationWarning
from answersim.metrics.checkpoints.search import find
from answersim.metrics.neural import loading, transformer
from answersim.metrics.neural.encoders import chunks
from answersim.metrics.neural.tokens import max_length
from answersim.metrics.neural.transformer import PairTransformer, Transformer
from answersim.metrics.neural.unpadded import Batch, Unpadded
from answersim.types import Pair
from tests.cases import every
from tests.pairwise import pairwise

WORDS = "national football league the nfl eleven der eiffelturm steht in paris regions of new growth cortex".split()
LONG = " ".join(WORDS * 10)


def made_up(n: int, seed: int = 0) -> list[Pair]:
    rng = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(rng.choice(WORDS, size=rng.integers(1, 12)))

    return [Pair(text(), text()) for _ in range(n)]


@every(
    ("kind", "name", "batch_tokens"),
    pairwise(
        ["bert", "electra", "roberta", "xlm-roberta", "mpnet"],
        ["bi-encoder", "bertscore-trained", "sas"],
        [1, 37, 100_000],
    ),
)
def test_numbers_do_not_depend_on_the_batch(tiny, kind, name, batch_tokens):
    folder = tiny(kind, classifier=name == "sas", positions=200)
    pairs = made_up(25)
    once = answersim.metric(name, model=folder)(pairs)
    again = answersim.metric(name, model=folder, device=Device(batch_tokens=batch_tokens))(pairs[::-1])[::-1]
    np.testing.assert_allclose(once, again, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained"])
def test_numbers_do_not_depend_on_the_chunk(tiny, monkeypatch, name):
    metric, pairs = answersim.metric(name, model=tiny()), made_up(50)
    once = metric(pairs)
    monkeypatch.setattr("answersim.metrics.neural.encoders._CHUNK_PAIRS", 7)
    assert [stop - start for start, stop in chunks(pairs, 64)] == [7] * 7 + [1]
    np.testing.assert_allclose(metric(pairs), once, atol=1e-6, rtol=0)


@every(
    ("gold", "max_length", "expected"),
    [
        ("x" * 1500, 64, 1_000_000 // 3500),  # what lies beyond 512 tokens, about 2,000 bytes, does not count
        ("x" * 1500, 512, 1_000_000 // 3500),
        ("x" * 1500, 1024, 1_000_000 // 5500),
        ("x" * 1500, 8192, 1_000_000 // 11_500),
        ("ü" * 600, 512, 1_000_000 // 3200),  # two bytes each
    ],
)
def test_chunks_hold_a_bounded_number_of_bytes(gold, max_length, expected):
    pairs = [Pair(gold, "y" * 10_000)] * 700
    sizes = [stop - start for start, stop in chunks(pairs, max_length)]
    assert sum(sizes) == 700
    assert max(sizes) == expected
    assert list(chunks([], max_length)) == []


def test_pairs_are_read_in_chunks_too(tiny, monkeypatch):
    metric = answersim.metric("sas", model=tiny(classifier=True))
    pairs = [Pair(f"eleven {i}", "cortex " * (i % 9)) for i in range(40)]
    once = metric(pairs)
    seen: list[int] = []
    read = transformer.tokenize

    def counting(checkpoint: Any, texts: Any, *more: Any) -> Any:
        seen.append(len(texts))
        return read(checkpoint, texts, *more)

    monkeypatch.setattr(transformer, "tokenize", counting)
    monkeypatch.setattr(transformer, "_PAIRS_AT_A_TIME", 15)
    np.testing.assert_allclose(metric(pairs), once, atol=1e-6, rtol=0)
    assert seen == [15, 15, 10]


def test_every_distinct_text_goes_through_the_model_once(tiny, monkeypatch):
    seen: list[int] = []
    original = Unpadded.states

    def counting(self: Unpadded, batch: Batch, *arguments: Any, **more: Any) -> Any:
        seen.append(sum((stop - start) // length for start, stop, length in batch.runs))
        return original(self, batch, *arguments, **more)

    monkeypatch.setattr(Unpadded, "states", counting)
    pairs = [Pair("paris", "in paris"), Pair("in paris", "paris"), Pair("paris", "cortex")]
    settings = {"model": tiny()}
    metrics = [
        answersim.metric("bi-encoder", **settings),
        answersim.metric("bertscore-vanilla", layer=1, **settings),
        answersim.metric("bertscore-trained", layer=3, **settings),
    ]
    together = answersim.score_pairs(pairs, metrics)
    assert sum(seen) == 3
    for metric in metrics:
        np.testing.assert_allclose(together[metric.signature], metric(pairs), atol=1e-6, rtol=0)


def test_a_text_that_metrics_cut_at_different_lengths_serves_each_of_them(sentence_folder):
    folder = sentence_folder(limit=8)
    pairs = [Pair(LONG, "cortex"), Pair("paris", "in paris")]
    metrics = [answersim.metric("bi-encoder", model=folder), answersim.metric("bertscore-trained", model=folder)]
    with pytest.warns(TruncationWarning):
        together = answersim.score_pairs(pairs, metrics)
    for metric in metrics:
        with pytest.warns(TruncationWarning):
            np.testing.assert_allclose(together[metric.signature], metric(pairs), atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "sas"])
def test_what_is_cut_is_counted_and_reported_once(tiny, name):
    folder = tiny(classifier=name == "sas")
    metric = answersim.metric(name, model=folder)
    with pytest.warns(TruncationWarning) as caught:
        metric([Pair(LONG, "paris"), Pair("paris", "paris"), Pair("cortex", LONG + " paris")])
    assert len(caught) == 1
    message = str(caught[0].message)
    assert message.startswith("2 ")
    assert metric.signature in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answersim.metric(name, model=tiny(classifier=name == "sas", positions=200))(made_up(5))


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-trained", "sas"])
def test_a_million_characters_are_scored_by_their_beginning(tiny, name):
    metric = answersim.metric(name, model=tiny(classifier=name == "sas"))
    with pytest.warns(TruncationWarning):
        numbers = metric([Pair("paris " * 170_000, "paris"), Pair("paris " * 200, "paris")])
    assert np.isfinite(numbers).all()
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "positions", "stated", "expected"),
    [
        *((kind, 64, 10**30, 64) for kind in ("bert", "electra", "roberta", "xlm-roberta", "mpnet")),
        ("mpnet", 64, 1000, 64),
        ("roberta", 64, 20, 20),
        ("bert", 20, 10**30, 20),
    ],
)
def test_of_two_limits_of_length_the_smaller_holds(tiny, tmp_path, kind, positions, stated, expected):
    folder = tmp_path / "model"
    shutil.copytree(tiny(kind, positions=positions), folder)
    settings = folder / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"model_max_length": stated}))
    assert max_length(find(folder)) == expected
    metric = answersim.metric("bertscore-trained", model=folder)
    with pytest.warns(TruncationWarning):
        assert np.isfinite(metric([Pair(LONG, "paris")])).all()  # a longer text would have no position


def test_no_texts_give_no_numbers(tiny):
    for name in ("bi-encoder", "bertscore-trained", "sas"):
        assert answersim.metric(name, model=tiny(classifier=name == "sas"))([]).shape == (0,)


def test_weights_sign_by_their_bytes_and_not_by_their_place(tiny, tmp_path):
    copied = tmp_path / "elsewhere"
    shutil.copytree(tiny(), copied)
    here, there = answersim.metric("bi-encoder", model=tiny()), answersim.metric("bi-encoder", model=copied)
    assert (here, here.signature, hash(here)) == (there, there.signature, hash(there))
    other = answersim.metric("bi-encoder", model=tiny(seed=1))
    assert other != here
    assert other.signature != here.signature


@pytest.mark.parametrize(
    "option", [{"layer": 1}, {"measure": "recall"}, {"max_length": 9}, {"device": "bf16"}, {"idf": ["paris"]}]
)
def test_only_what_can_change_a_number_is_signed(tiny, option):
    plain = answersim.metric("bertscore-trained", model=tiny())
    same = answersim.metric("bertscore-trained", model=tiny(), device="cpu,7")
    other = answersim.metric("bertscore-trained", model=tiny(), **option)
    assert (plain, plain.signature) == (same, same.signature)
    assert other != plain
    assert other.signature != plain.signature


def test_half_precision_is_near_the_full_one(tiny):
    pairs = made_up(20)
    full = answersim.metric("bi-encoder", model=tiny())(pairs)
    half = answersim.metric("bi-encoder", model=tiny(), device="bf16")(pairs)
    assert 0 < np.abs(full - half).max() < 0.05


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_pooling_and_length_come_from_a_sentence_transformers_folder(sentence_folder, pooling):
    metric = answersim.metric("bi-encoder", model=sentence_folder(pooling, limit=9))
    assert f"pooling:{pooling}|max_length:9|" in metric.signature


@pytest.mark.parametrize(
    ("pooling", "extra", "message"),
    [("lasttoken", {}, "pools by 'lasttoken'"), ("mean", {"extra": "Dense"}, r"modules \['Dense'\]")],
)
def test_a_pooling_or_a_module_that_is_not_offered_is_an_error(sentence_folder, pooling, extra, message):
    with pytest.raises(ValueError, match=message):
        answersim.metric("bi-encoder", model=sentence_folder(pooling, **extra))


def test_a_classifier_of_three_labels_is_no_similarity(tiny):
    metric = answersim.metric("sas", model=tiny(classifier=True, labels=3))
    with pytest.raises(ValueError, match="3 labels"):
        metric([Pair("paris", "paris")])


def test_a_pair_scorer_gives_logits_in_order(tiny):
    scorer = PairTransformer(checkpoint=find(tiny(classifier=True, positions=200)))
    pairs = [tuple(pair) for pair in made_up(9)]
    logits, truncated = scorer.logits([*pairs, pairs[0]])
    assert (logits.shape, truncated) == ((10,), 0)
    assert logits[0] == logits[9]
    np.testing.assert_allclose(logits[3], scorer.logits([pairs[3]])[0][0], atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_model_of_another_build_runs_by_its_own_pass_to_the_same_numbers(family, tiny, monkeypatch):
    pairs = [Pair("paris", "in paris"), Pair("a", "in regions of new growth"), Pair("?!", "eleven")]
    metrics = [
        answersim.metric("bi-encoder", model=tiny(family)),
        answersim.metric("bertscore-trained", model=tiny(family), layer=2),
        answersim.metric("sas", model=tiny(family, classifier=True)),
    ]
    without_padding = [metric(pairs) for metric in metrics]
    monkeypatch.setattr(loading, "unpadded_encoder", lambda *arguments: None)
    monkeypatch.setattr(loading, "unpadded_classifier", lambda *arguments: None)
    for metric, expected in zip(metrics, without_padding, strict=True):
        np.testing.assert_allclose(metric(pairs), expected, atol=1e-6, rtol=0)


def test_batches_of_mixed_lengths_are_full_in_order_and_whole(tiny):
    encoder = Transformer(checkpoint=find(tiny()), device=Device(batch_tokens=10))
    lengths = np.array([3, 4, 12, 3, 4, 2])
    batches = [batch.tolist() for batch in encoder.batches(lengths, mixed=True)]
    assert batches == [[2], [1, 4], [0, 3, 5]]
    assert list(encoder.batches(np.array([], dtype=np.int64), mixed=True)) == []


def test_a_processor_takes_no_more_tokens_than_it_keeps_near(tiny, monkeypatch):
    made = Transformer(checkpoint=find(tiny()), device=Device("cpu"))
    width = made.checkpoint.config["intermediate_size"]
    assert made.tokens_at_a_time == made.device.batch_tokens  # of a narrow model there is room for all
    monkeypatch.setattr("answersim.metrics.neural.transformer._NEAR", 40 * width)
    assert made.tokens_at_a_time == 10
    assert [batch.tolist() for batch in made.batches(np.array([6, 4, 4]), mixed=True)] == [[0, 1], [2]]
    assert dataclasses.replace(made, device=Device(precision="bf16")).tokens_at_a_time == 20
    assert dataclasses.replace(made, device=Device(batch_tokens=3)).tokens_at_a_time == 3
    monkeypatch.setattr("answersim.metrics.neural.transformer._NEAR", 1)
    assert made.tokens_at_a_time == 1
