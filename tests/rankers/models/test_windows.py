"""A long candidate has the score of its best window, and a short one keeps its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from rankers.models import neural_ranker
from rankers.models.combinations import reading, reciprocal_rank_fusion, windows
from rankers.models.minilm import MiniLmMaxSim
from rankers.models.neural_ranker import NeuralRanker
from rankers.models.scan import Config
from rankers.modules import words
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig
from tests.cases import every

LONG = "in regions of new growth ?! " * 20 + "the National Football League"


def one_each(texts: Any) -> list[int]:
    return [len(text.split()) for text in texts]


def test_windows_overlap_by_half_and_have_every_word():
    text = " ".join(map(str, range(25)))
    parts = [list(map(int, part.split())) for part in windows(text, one_each, 8)]
    assert parts == [list(range(start, min(start + 8, 25))) for start in (0, 4, 8, 12, 16, 20)]


@every("text", ["", " ", "a", "a  b\nc"])
def test_a_text_that_fits_is_its_only_window(text):
    assert windows(text, one_each, 3) == [text]


def test_words_that_are_longer_than_a_window_are_split_and_others_are_not():
    characters = windows("abcdefgh ij", lambda texts: [len(text.strip()) for text in texts], 4)
    assert characters == ["abcd", "efgh", "ij"]
    assert windows("a bb c", lambda texts: [3 * len(text.replace(" ", "")) for text in texts], 3) == ["a", "bb", "c"]


def encoder(folder: Path, length: int = 30) -> NeuralRanker:
    """SCAN on an untrained encoder, which reads pairs of at most 24 word pieces."""
    inputs = words.build(InputConfig(checkpoint=str(folder)), [], 0)
    config = Config(checkpoint=str(folder), max_length=24, pooler="cls", debias=False)
    network = neural_ranker.build("scan", config, inputs, 0)
    return NeuralRanker("scan", config, inputs, Lengths(12, length), network)


def rankers_of(tiny: Callable[..., Path], sentence_folder: Callable[..., Path]) -> list[Any]:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    bi_encoder, cross_encoder = sentence_folder("bert"), tiny("bert", classifier=True)
    loaded = sentence_transformers.SentenceTransformer(str(bi_encoder), device="cpu")
    crossed = sentence_transformers.CrossEncoder(str(cross_encoder), device="cpu")
    return [
        encoder(tiny("bert")),
        encoder(tiny("roberta"), length=9),
        MiniLmMaxSim(str(bi_encoder)),
        *(rankers.api.resolve(model) for model in (bi_encoder, cross_encoder, loaded, crossed)),
    ]


def test_a_candidate_has_the_score_of_its_best_window(tiny, sentence_folder):
    for ranker in rankers_of(tiny, sentence_folder):
        windowed, read = rankers.windowed(ranker), reading(ranker)
        parts = windows(LONG, read.pieces, read.room("the NFL"))
        assert len(parts) > 2, ranker
        assert max(read.pieces(parts)) <= read.room("the NFL")
        questions, pools = ["the NFL", "eleven", "a"], [["11", LONG, "a"], ["11"], []]
        scores = windowed.score(questions, pools)
        plain = ranker.score(["the NFL", "eleven"], [["11", "a"], ["11"]])
        of_parts = ranker.score(["the NFL"], [parts])[0]
        np.testing.assert_allclose(scores[0], [plain[0][0], of_parts.max(), plain[0][1]], atol=1e-5)
        np.testing.assert_allclose(scores[1], plain[1], atol=1e-5)
        assert len(scores[2]) == 0
        assert windowed.signature == f"{ranker.signature}|windows:max/half"


def test_a_window_is_read_whole(tiny):
    ranker = encoder(tiny("bert"))
    (part, *_), read = windows(LONG, reading(ranker).pieces, reading(ranker).room("the NFL")), ranker.network.encoder
    pair = neural_pair(ranker, "the NFL", part)
    assert read.inputs(pair).mask.sum() == 3 + sum(len(side.ids[0]) for side in pair[:2])


def neural_pair(ranker: NeuralRanker, question: str, answer: str) -> Any:
    from rankers.modules import scoring

    texts = scoring.encode(ranker.inputs.vocabulary, [question], [answer], ranker.lengths)
    return scoring.batch(texts, np.array([0]), np.array([0]))


def test_what_reads_whole_texts_has_no_windows():
    with pytest.raises(TypeError, match="PoolBm25 is not an encoder of texts"):
        rankers.windowed("bm25")


@every(
    ("scores", "k", "expected"),
    [
        ([[3.0, 2.0, 1.0]], 60.0, [1 / 61, 1 / 62, 1 / 63]),
        ([[3.0, 2.0], [0.1, 0.9]], 60.0, [1 / 61 + 1 / 62] * 2),
        ([[5.0, 5.0, 1.0]], 1.0, [1 / 2.5, 1 / 2.5, 1 / 4]),  # the equal ones share the mean of ranks 1 and 2
        ([[-1e9, 0.0], [0.0, 1.0]], 60.0, [2 / 62, 2 / 61]),  # the size of a difference does not count
        ([[]], 60.0, []),
    ],
)
def test_the_sum_of_reciprocal_ranks(scores, k, expected):
    fused = reciprocal_rank_fusion([np.array(values) for values in scores], k)
    assert fused.dtype == np.float64
    assert fused.tolist() == pytest.approx(expected, abs=1e-15)


def test_the_order_of_the_candidates_changes_nothing():
    rng = np.random.default_rng(0)
    scores = [rng.integers(0, 4, 20).astype(float) for _ in range(3)]
    order = rng.permutation(20)
    assert (reciprocal_rank_fusion([s[order] for s in scores]) == reciprocal_rank_fusion(scores)[order]).all()


@every(
    ("scores", "k", "message"),
    [
        ([], 60.0, "there are no scores to fuse"),
        ([np.zeros(2), np.zeros(3)], 60.0, "the same candidates"),
        ([np.zeros(2)], 0.0, "k is 0.0, but it must be above 0"),
        ([np.zeros(2)], float("nan"), "k is nan"),
    ],
)
def test_bad_input_is_refused(scores, k, message):
    with pytest.raises(ValueError, match=message):
        reciprocal_rank_fusion(scores, k)
