"""The network is that of transformers: layers, attention, and relative positions."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.device import Device
from answersim._base.errors import TruncationWarning
from answersim.metrics.neural import (
    architecture,
    loading,
    unpadded,
)
from answersim.metrics.neural.encoders import chunks
from answersim.metrics.neural.relative_positions import (
    bucket,
)
from answersim.metrics.neural.unpadded import Batch, Unpadded
from answersim.metrics.neural.windows import Batch as Windows
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


torch = pytest.importorskip("torch")


transformers = pytest.importorskip("transformers")


LENGTHS = (300, 299, 130, 129, 128, 65, 33, 33, 32, 31, 17, 16, 9, 9, 8, 2, 1)


@pytest.fixture(scope="module")
def texts() -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [[0, *rng.integers(5, 60, size=length - 1).tolist()] for length in LENGTHS]


def library(tiny: Callable[..., Path], *, pairs: bool) -> Any:
    auto = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
    model = auto.from_pretrained(tiny("mpnet", classifier=pairs, positions=300)).eval()
    with torch.no_grad():  # a bias that matters as much as the scores
        model.get_parameter(f"{'mpnet.' if pairs else ''}encoder.relative_attention_bias.weight").normal_(0, 2)
    return model


def batch(texts: list[list[int]]) -> Windows:
    return unpadded.batch_of(texts, None, torch.device("cpu"))


def test_buckets_are_those_of_transformers_at_every_distance():
    encoder = transformers.models.mpnet.modeling_mpnet.MPNetEncoder
    distance = np.arange(-2000, 2001)
    assert bucket(distance).tolist() == encoder.relative_position_bucket(torch.from_numpy(distance)).tolist()
    assert len(set(bucket(distance).tolist())) == architecture.BUCKETS - 1  # none is for a distance of "+0"


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_every_layer_at_every_length_is_that_of_the_model(tiny, texts, kind):
    model = library(tiny, pairs=False).to(kind)
    described = architecture.read(model.config.to_dict(), pairs=False)
    assert described is not None
    with torch.inference_mode():
        result = unpadded.Unpadded(described, dict(model.named_parameters())).states(batch(texts), range(4))
        own = [model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states for ids in texts]
    near = {"rtol": 0, "atol": 1e-5} if kind is torch.float32 else {"rtol": 5e-2, "atol": 1e-1}
    for layer in range(4):
        torch.testing.assert_close(result[layer], torch.cat([hidden[layer][0] for hidden in own]), **near)


def test_a_table_with_fewer_buckets_is_left_to_transformers(tiny):
    config = library(tiny, pairs=False).config.to_dict()
    assert architecture.read(config, pairs=False) is not None
    assert architecture.read(config | {"relative_attention_num_buckets": 31}, pairs=False) is None
    assert architecture.read(config | {"relative_attention_num_buckets": None}, pairs=False) is None


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
