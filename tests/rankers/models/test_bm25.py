from __future__ import annotations

import math

import bm25s
import numpy as np
import pytest

from rankers.models.baselines import Bm25, PoolBm25, WordCounts
from rankers.types import Ranker
from tests.cases import every

CORPUS = [
    "the tower stands in paris",
    "the river runs through paris and the river is long",
    "towers and rivers",
    "london",
    "a bridge crosses the river",
]
QUERIES = ["which river runs through paris", "tower", "the the bridge", "unheard words"]


@every(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (1.2, 0.0), (2.0, 1.0)])
def test_scores_on_its_own_corpus_are_those_of_bm25s_s_index(k1, b):
    def words(texts):
        return bm25s.tokenize(texts, stopwords=None, return_ids=False, show_progress=False)

    index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64")
    index.index(words(CORPUS), show_progress=False)
    ranker = Bm25.fit(CORPUS, k1=k1, b=b, stem=False)
    result = ranker.score(QUERIES, [CORPUS] * len(QUERIES))
    for query, scores in zip(words(QUERIES), result, strict=True):
        known = [word for word in query if word in ranker.counts.containing]
        expected = index.get_scores(known) if known else np.zeros(len(CORPUS))
        np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_a_score_by_hand():
    ranker = Bm25.fit(["red fox", "red dog barks loud"], k1=1.0, b=0.5, stem=False)  # 2 texts of 3 words on average
    idf_red, idf_fox = math.log(1 + 0.5 / 2.5), math.log(1 + 1.5 / 1.5)
    held_back = 1.0 * (0.5 + 0.5 * 4 / 3)  # the candidate has 4 words
    expected = idf_red * 1 / (held_back + 1) + 2 * idf_fox * 2 / (held_back + 2)  # fox is asked twice and said twice
    assert ranker.score(["red fox fox"], [["fox red fox here"]])[0].tolist() == [pytest.approx(expected)]


def test_a_word_that_the_corpus_lacks_has_the_largest_weight():
    ranker = Bm25.fit(CORPUS, stem=False)
    new, rare, common = (ranker.score([word], [[f"{word} here"]])[0][0] for word in ("zebra", "london", "the"))
    assert new > rare > common > 0


def test_words_match_by_their_stem_by_default():
    for stem, expected in ((True, True), (False, False)):
        ranker = Bm25.fit(CORPUS, stem=stem)
        assert bool(ranker.score(["towers"], [["The Tower!"]])[0][0]) is expected


@every(("question", "candidate"), [("", ""), ("", "river"), ("river", ""), ("?", "?")])
def test_without_words_the_score_is_zero(question, candidate):
    assert Bm25.fit(CORPUS).score([question], [[candidate]])[0].tolist() == [0.0]


def test_everything_that_changes_a_score_changes_the_signature():
    rankers = [
        Bm25.fit(CORPUS),
        Bm25.fit(CORPUS[1:]),
        Bm25.fit(CORPUS, k1=1.2),
        Bm25.fit(CORPUS, b=0.5),
        Bm25.fit(CORPUS, stem=False),
    ]
    assert len({ranker.signature for ranker in rankers}) == len(set(rankers)) == len(rankers)
    assert Bm25.fit(CORPUS) == Bm25.fit(CORPUS + CORPUS[:2])  # a text counts once
    assert isinstance(rankers[0], Ranker)


@every(
    ("settings", "error", "message"),
    [
        ({"k1": -1.0}, ValueError, "k1 is -1.0"),
        ({"b": 1.5}, ValueError, "b is 1.5"),
        ({"k1": "1"}, TypeError, "k1 is '1'"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(settings, error, message):
    with pytest.raises(error, match=message):
        Bm25(WordCounts(1, 1.0, {}), **settings)  # type: ignore[arg-type]


def test_no_texts_are_refused():
    with pytest.raises(ValueError, match="there are none"):
        Bm25.fit([])


POOL = ["the cat sat on the mat", "one dog met the cat", "no animal here", "cat cat cat"]


def test_it_is_bm25_with_the_counts_of_the_pool():
    (scores,) = PoolBm25().score(["which cat sat?"], [POOL])
    assert (scores == Bm25.fit(POOL).score(["which cat sat?"], [POOL])[0]).all()
    assert scores.argmax() == 0
    assert scores[2] == 0


def test_each_pool_is_counted_by_itself():
    two = PoolBm25().score(["cat", "cat"], [POOL, POOL[:2]])
    assert (two[0] == PoolBm25().score(["cat"], [POOL])[0]).all()
    assert (two[1] == PoolBm25().score(["cat"], [POOL[:2]])[0]).all()
    assert two[0][0] != two[1][0]
    assert PoolBm25().score(["cat"], [[]])[0].shape == (0,)


def test_a_score_is_the_same_to_the_last_bit_whatever_else_is_scored():
    ranker, question = Bm25.fit(CORPUS), "a river through paris is long and the tower stands"
    (together,) = ranker.score([question], [[*CORPUS, "zebra apple", "a tower and a river in paris"]])
    alone = [ranker.score([question], [[text]])[0][0] for text in CORPUS]
    assert together[: len(CORPUS)].tolist() == alone
