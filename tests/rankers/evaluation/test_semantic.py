"""Semantic judgement: the top candidate against the gold answers, doubtful labels, and whose weights judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import answersim
from answersim import Pair
from answersim._base.arrays import FloatArray
from answersim.types import Capabilities
from rankers.evaluation.semantic import TopCandidate, evaluate_semantic, shares_weights, signatures, top_candidates
from rankers.types import Candidate, Question, Questions, Run
from tests.cases import every

ITEMS = (
    # The top candidate is a gold answer itself.
    Question("right", "Where?", (Candidate("a", "in Rome", 1), Candidate("b", "in Paris", 0))),
    # It is labeled wrong, and says what a gold answer says.
    Question("doubt", "Who?", (Candidate("a", "Ada Lovelace", 1), Candidate("b", "The Ada Lovelace", 0))),
    # It is wrong, and shares one word of two.
    Question("wrong", "When?", (Candidate("a", "in May", 1), Candidate("b", "in June", 0), Candidate("c", "May", 1))),
    # Its gold answers are known apart from the pool.
    Question("golds", "How?", (Candidate("a", "by air", 1), Candidate("b", "by boat", 0)), ("a ship", "by boat")),
    # No gold answer is known.
    Question("none", "Why?", (Candidate("a", "so", 0),)),
    # The run says nothing of it.
    Question("missing", "What?", (Candidate("a", "tea", 1),)),
)
QUESTIONS = Questions("made", "test", ITEMS)
RUN = Run(
    "made",
    {
        "right": {"a": 2.0, "b": 1.0},
        "doubt": {"a": 1.0, "b": 2.0},
        "wrong": {"a": 1.0, "b": 2.0, "c": 0.0},
        "golds": {"a": 1.0, "b": 2.0},
        "none": {"a": 1.0},
    },
    "made|seed:0",
)


def test_the_first_choices_are_judged_by_the_best_of_the_gold_answers():
    result = evaluate_semantic(RUN, QUESTIONS, ["f1"], threshold=0.9)["f1"]
    np.testing.assert_allclose(result.values, [1.0, 1.0, 0.5, 1.0, np.nan, 0.0])
    assert result.mean == pytest.approx(3.5 / 5)
    # The mean where P@1 is 0 leaves out what is right by identity.
    assert result.irrelevant.tolist() == [False, True, True, True, False, True]
    assert result.mean_irrelevant == pytest.approx(2.5 / 4)
    # Wrong first choices that mean the same are listed with their texts, the highest first.
    assert [(row.question_id, row.choice, row.gold, row.value) for row in result.false_negatives] == [
        ("doubt", "The Ada Lovelace", "Ada Lovelace", 1.0),
        ("golds", "by boat", "by boat", 1.0),
    ]
    lower = evaluate_semantic(RUN, QUESTIONS, ["f1", "em"], threshold={"f1": 0.5})
    assert [row.question_id for row in lower["f1"].false_negatives] == ["doubt", "golds", "wrong"]
    assert (lower["f1"].threshold, lower["em"].threshold) == (0.5, 0.8)
    # A question that the run does not know gets the empty answer.
    *_, missing = top_candidates(RUN, QUESTIONS)
    assert missing == TopCandidate(ITEMS[-1], None, False, ("tea",))
    assert missing.text == ""


def test_all_questions_and_metrics_go_through_one_call(monkeypatch):
    calls = []
    score_pairs = answersim.score_pairs

    def counted(pairs, metrics, **options):
        calls.append((len(pairs), len(metrics)))
        return score_pairs(pairs, metrics, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(answersim, "score_pairs", counted)
    evaluate_semantic(RUN, QUESTIONS, ["f1", "em", answersim.metric("recall")])
    assert calls == [(8, 3)]  # the top candidates, and three wrong candidates for the floor


def test_a_metric_that_was_built_goes_by_its_given_name_or_the_first_word_of_its_signature():
    english, german = answersim.metric("f1"), answersim.metric("f1", lang="de")
    assert list(evaluate_semantic(RUN, QUESTIONS, [english, german])) == ["f1", german.signature]
    assert list(evaluate_semantic(RUN, QUESTIONS, {"mine": english, "german": german})) == ["mine", "german"]


def test_a_first_choice_without_a_text_is_an_error():
    run = Run("r", {"right": {"elsewhere": 1.0, "a": 0.5}})
    with pytest.raises(LookupError, match="'elsewhere' first for the question 'right'"):
        evaluate_semantic(run, QUESTIONS, ["f1"])


def test_first_choices_break_ties_as_the_measures_do():
    from rankers.evaluation.measures import measure
    from rankers.evaluation.qrels import qrels_of

    items = tuple(Question(f"q{i}", "?", tuple(Candidate(c, c, int(c == "a")) for c in "abc")) for i in range(30))
    questions = Questions("made", "test", items)
    run = Run("ties", {item.id: dict.fromkeys("abc", 1.0) for item in items})
    for seed in range(3):
        right = [top_candidate.is_relevant for top_candidate in top_candidates(run, questions, seed)]
        assert right == measure(run, qrels_of(questions), ["P@1"], ties_seed=seed).values["P@1"].tolist()
        assert 0 < sum(right) < 30


MINILM = "all-MiniLM-L6-v2@17cdabe5708b"


@every(
    ("ranker", "metric", "expected"),
    [
        (f"minilm-biencoder|encoder:{MINILM}/fp32", f"bi-encoder|encoder:{MINILM}/fp32|pooling:mean", "yes"),
        (f"minilm-biencoder|encoder:{MINILM}/fp32", f"sas|scorer:{MINILM}+sas-minilm@4f9c5ed2979b/fp32", "yes"),
        (f"r|encoder:{MINILM}+own@4f9c5ed2979b", "m|scorer:4f9c5ed2979b", "yes"),  # an adapter alone
        (f"man|settings:aaaaaaaaaaaa|words:{MINILM}/input|weights:bbbbbbbbbbbb", f"m|encoder:{MINILM}/fp32", "partly"),
        (f"committee|0.5 x man|words:{MINILM}/input|0.5 x r|encoder:{MINILM}/fp32", f"m|encoder:{MINILM}", "yes"),
        (f"man|words:{MINILM}/input", "m|encoder:all-MiniLM-L6-v2@000000000000/fp32", "no"),
        ("bm25|k1:1.2|b:0.75", f"m|encoder:{MINILM}/fp32", "no"),
        (f"r|encoder:{MINILM}", "f1|text:en|v:0.2.0", "no"),
        ("", f"m|encoder:{MINILM}/fp32", "unknown"),
        ("", "f1|text:en|v:0.2.0", "no"),
        ("r|data:117cdabe5708bff", "m|encoder:17cdabe5708b", "no"),  # a longer hash that holds the fingerprint
    ],
)
def test_circularity_follows_from_the_weights_in_the_signatures(ranker, metric, expected):
    assert shares_weights(ranker, metric) == expected


def test_a_combined_metric_is_known_by_its_parts():
    class Part:
        signature = f"bi-encoder|encoder:{MINILM}/fp32"

        def __call__(self, pairs, /):
            return np.ones(len(pairs))

    class Whole(Part):
        signature = "whole|weights:cccccccccccc"
        parts = (Part(),)

    assert signatures(Whole()) == [Whole.signature, Part.signature]
    run = RUN._replace(signature=f"r|encoder:{MINILM}/fp32")
    result = evaluate_semantic(run, QUESTIONS, [Whole()])["whole"]
    assert result.shares_weights == "yes"
    assert evaluate_semantic(RUN, QUESTIONS, [Whole()])["whole"].shares_weights == "no"


class Asking:
    """A metric that scores 1 where the question that it reads has a given word, else 0."""

    capabilities = Capabilities(reads_questions=True)

    def __init__(self, word: str) -> None:
        self.signature = f"asking|word:{word}|rev:1"
        self.word = word

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None, /) -> FloatArray:
        """One number per pair, (n,); without questions, 0."""
        asked = questions if questions is not None else [""] * len(pairs)
        return np.array([float(self.word in question) for question in asked], dtype=np.float64)


def test_a_metric_that_reads_questions_gets_that_of_each_first_choice():
    result = evaluate_semantic(RUN, QUESTIONS, {"asking": Asking("W"), "f1": answersim.metric("f1")})
    # Where, Who, When and What have the letter; How has not; Why has no gold answer.
    np.testing.assert_allclose(result["asking"].values, [1.0, 1.0, 1.0, 0.0, np.nan, 1.0])
    assert result["asking"].signature == "asking|word:W|question:yes|rev:1"
    assert result["f1"].signature == answersim.metric("f1").signature
    np.testing.assert_allclose(result["f1"].values, [1.0, 1.0, 0.5, 1.0, np.nan, 0.0])
    silent = Questions("made", "test", tuple(item._replace(text="") for item in ITEMS))
    untold = evaluate_semantic(RUN, silent, {"asking": Asking("W")})["asking"]
    np.testing.assert_allclose(untold.values, [0.0, 0.0, 0.0, 0.0, np.nan, 0.0])
    assert untold.signature == "asking|word:W|rev:1"
