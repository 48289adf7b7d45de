"""The baseline that never reads the question, and what it reaches on each collection."""

from __future__ import annotations

import math
from dataclasses import replace

import bm25s
import numpy as np
import pytest

import rankers
from rankers.models.baselines import AnswerOnly, Bm25, PoolBm25, RandomOrder, WordOverlap
from rankers.types import Ranker
from tests.cases import every
from tests.rankers.made_questions import made

pytest.importorskip("sklearn")


def test_negatives_that_return_are_found_without_the_question():
    stock = [f"stock answer {word}" for word in "one two three four five six seven eight".split()]
    train = made(*([(f"fresh text {i}", 1), *((text, 0) for text in stock[i % 4 : i % 4 + 4])] for i in range(30)))
    test = made(*([(f"unseen text {i}", 1), *((text, 0) for text in stock[:4])] for i in range(10)))
    run = rankers.run(AnswerOnly.fit(train), test)
    assert rankers.evaluate(run, test, measures=["P@1"]).mean("P@1") == 1.0


def test_a_collection_without_leaks_gives_chance():
    """Texts are drawn at random, and no text returns: the fit finds noise alone."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(300)]

    def pools(n):
        return [[(" ".join(rng.choice(words, 6)), int(j == 0)) for j in range(5)] for _ in range(n)]

    train, test = made(*pools(200)), made(*pools(400))
    result = rankers.evaluate(rankers.run(AnswerOnly.fit(train), test), test, measures=["P@1"]).mean("P@1")
    assert 0.12 < result < 0.28  # chance is .2, with a standard error of .02


def test_a_training_candidate_does_not_count_its_own_label():
    """Every text occurs once, so that counts differ only if a candidate counts its own label."""
    train = made(*({f"good thing {i}": 1, f"bad thing {i}": 0} for i in range(50)))
    test = made({"good thing new": 1, "bad thing new": 0})
    (scores,) = AnswerOnly.fit(train).score(["?"], [["good thing new", "bad thing new"]])
    assert scores[0] > scores[1]
    assert rankers.evaluate(rankers.run(AnswerOnly.fit(train), test), test, measures=["P@1"]).mean("P@1") == 1.0
    ranker, texts = AnswerOnly.fit(train), ["good thing 3", "bad thing 3"]
    (counted,) = ranker.score(["?"], [texts])
    (by_words,) = replace(ranker, seen={}).score(["?"], [texts])
    assert counted == pytest.approx(by_words, abs=1e-9)  # the counts have no weight


def test_the_question_changes_nothing():
    train = made({"yes it is": 1, "no idea": 0}, {"it is so": 1, "no clue": 0})
    ranker = AnswerOnly.fit(train)
    first, second = ranker.score(["a?", "something else?"], [["yes", "no"], ["yes", "no"]])
    assert (first == second).all()
    assert ranker.signature == f"answer-only|train:{train.fingerprint}"


def test_labels_of_one_kind_are_refused():
    with pytest.raises(ValueError, match="the 2 training candidates of made-up have 1 kinds of label"):
        AnswerOnly.fit(made({"a": 1, "b": 1}))


# P@1 on the test split, and the largest value of a clean collection; ranking-protocol.md has the table.
REACHED = {
    ("wikiqa", "test"): 0.451,
    ("trecqa", "test"): 0.397,
    ("antique", "test"): 0.545,
    ("selqa", "test"): 0.193,
    ("yahoocqa-disjoint", "test"): 0.197,
    ("fiqa-disjoint", "test"): 0.011,
    ("insuranceqa-mini", "test1"): 0.073,
    ("insuranceqa-mini", "test2"): 0.086,
}


@pytest.mark.data
@pytest.mark.parametrize(
    ("corpus", "name"), [pytest.param(*key, marks=[pytest.mark.slow] if key[0] != "wikiqa" else []) for key in REACHED]
)
def test_no_collection_reveals_more_than_is_stated(corpus, name, data_home):
    """A reader or a sample that leaks more than before fails here."""
    test = rankers.data.load(corpus, name)
    ranker = AnswerOnly.fit(rankers.data.trainable(corpus)[0])
    result = rankers.evaluate(rankers.run(ranker, test), test, measures=["P@1"]).mean("P@1")
    assert result == pytest.approx(REACHED[corpus, name], abs=0.02)


def test_a_score_follows_from_seed_question_and_candidate_alone():
    here = RandomOrder(1).score(["a", "b"], [["x", "y", "x"], ["y"]])
    assert here[0][0] == here[0][2] == RandomOrder(1).score(["a"], [["x"]])[0][0]
    assert here[0][1] != here[1][0]  # another question
    assert here[0][0] != RandomOrder(2).score(["a"], [["x"]])[0][0]  # another seed
    assert RandomOrder(3).signature == "random|seed:3"
    assert RandomOrder() == RandomOrder(0)


@every(
    ("question", "candidate", "score"),
    [
        ("who wrote Faust", "Goethe wrote FAUST.", 2 / 3),
        ("who wrote Faust", "who? wrote! faust...", 1),
        ("who wrote Faust", "nobody knows", 0),
        ("to be or not to be", "be be be", 1 / 4),  # distinct words: to, be, or, not
        ("where is Straße 5", "straße 5", 1 / 2),
        ("", "anything", 0),
        ("?!", "?!", 0),
        ("who", "", 0),
    ],
)
def test_the_share_of_the_question_s_distinct_words(question, candidate, score):
    assert WordOverlap().score([question], [[candidate]])[0].tolist() == [pytest.approx(score)]


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


def test_a_word_that_the_corpus_lacks_has_the_largest_weight_and_words_match_by_their_stem():
    ranker = Bm25.fit(CORPUS, stem=False)
    new, rare, common = (ranker.score([word], [[f"{word} here"]])[0][0] for word in ("zebra", "london", "the"))
    assert new > rare > common > 0
    assert ranker.score(["towers"], [["The Tower!"]])[0][0] == 0
    assert Bm25.fit(CORPUS).score(["towers"], [["The Tower!"]])[0][0] > 0


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
    with pytest.raises(ValueError, match="there are none"):
        Bm25.fit([])


POOL = ["the cat sat on the mat", "one dog met the cat", "no animal here", "cat cat cat"]


def test_it_is_bm25_with_the_counts_of_the_pool():
    (scores,) = PoolBm25().score(["which cat sat?"], [POOL])
    assert (scores == Bm25.fit(POOL).score(["which cat sat?"], [POOL])[0]).all()
    assert scores.argmax() == 0
    assert scores[2] == 0
    two = PoolBm25().score(["cat", "cat"], [POOL, POOL[:2]])
    assert (two[0] == PoolBm25().score(["cat"], [POOL])[0]).all()
    assert (two[1] == PoolBm25().score(["cat"], [POOL[:2]])[0]).all()
    assert two[0][0] != two[1][0]  # each pool is counted by itself
    assert PoolBm25().score(["cat"], [[]])[0].shape == (0,)


def test_a_score_is_the_same_to_the_last_bit_whatever_else_is_scored():
    ranker, question = Bm25.fit(CORPUS), "a river through paris is long and the tower stands"
    (together,) = ranker.score([question], [[*CORPUS, "zebra apple", "a tower and a river in paris"]])
    alone = [ranker.score([question], [[text]])[0][0] for text in CORPUS]
    assert together[: len(CORPUS)].tolist() == alone
