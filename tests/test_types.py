"""Score and Scores: numbers that know how they were made."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.calibration.scores import Score, Scores
from answersim.stats.score_mean import mean_interval
from answersim.types import Capabilities, Metric, Pair, capabilities, of_parts, reads_questions
from tests.cases import every


def test_a_score_is_a_float_that_prints_rounds_compares_and_serialises_as_one():
    score = Score(0.5, "f1|text:en|v:0", 2)
    assert (repr(score), f"{score:.1f}", round(score, 1), score == 0.5, score < 0.6) == ("0.5", "0.5", 0.5, True, True)
    assert json.dumps({"f1": score}) == '{"f1": 0.5}'
    assert (score.signature, score.reference) == ("f1|text:en|v:0", 2)


def test_scores_are_a_sequence_and_an_array():
    scores = Scores([0.0, 0.5, 1.0], "f1|text:en|v:0", [0, 1, 0])
    assert (len(scores), list(scores), scores.mean) == (3, [0.0, 0.5, 1.0], 0.5)
    assert np.asarray(scores).tolist() == [0.0, 0.5, 1.0]
    assert np.mean(scores) == np.median(scores) == 0.5
    assert np.concatenate([scores, scores]).shape == (6,)
    assert (np.array(scores, dtype=np.float32) * 2).dtype == np.float32
    assert (scores[1], scores[1].reference, scores[-1].signature) == (0.5, 1, "f1|text:en|v:0")
    assert scores[1:] == Scores([0.5, 1.0], "f1|text:en|v:0", [1, 0])
    assert scores[np.array([True, False, True])].values.tolist() == [0.0, 1.0]
    assert 0.5 in scores


def test_an_array_of_scores_is_a_copy_if_requested():
    scores = Scores([0.0, 1.0])
    copy = np.array(scores, copy=True)
    copy[0] = 7
    assert scores.values[0] == 0.0


def test_scores_differ_by_value_signature_or_winning_reference():
    scores = Scores([0.5], "a")
    assert scores == Scores([0.5], "a")
    assert scores != Scores([0.5], "b")
    assert scores != Scores([0.4], "a")
    assert scores != Scores([0.5], "a", [1])
    assert scores != [0.5]


def test_the_interval_is_that_of_the_statistics():
    for values in ([1.0, 0.5, 1.0], [2.0, 3.0, 5.0]):
        assert Scores(values).ci() == mean_interval(values, 0.95)
        assert Scores(values).ci(0.8) == mean_interval(values, 0.8)


def test_no_scores_have_no_mean_and_no_interval():
    assert math.isnan(Scores([]).mean)
    assert all(map(math.isnan, Scores([]).ci()))


@every("level", [0, 1, -0.5, 95])
def test_a_level_outside_0_and_1_is_refused(level):
    with pytest.raises(ValueError, match=f"level is {level}"):
        Scores([0.5]).ci(level)


def test_scores_of_two_dimensions_are_refused():
    with pytest.raises(ValueError, match="one number per pair"):
        Scores([[0.5]])


def test_to_pandas_keeps_the_signature():
    pytest.importorskip("pandas")
    series = Scores([0.5, 1.0], "f1|text:en|v:0").to_pandas()
    assert (series.tolist(), series.name, series.attrs["signature"]) == ([0.5, 1.0], "f1", "f1|text:en|v:0")


def test_what_has_a_signature_and_takes_pairs_is_a_metric():
    class Mine:
        signature = "mine"

        def __call__(self, pairs: list[Pair]) -> np.ndarray:
            return np.zeros(len(pairs))

    assert isinstance(Mine(), Metric)
    assert not isinstance(len, Metric)


# --- capabilities


class Plain:
    """A metric that states nothing."""

    signature = "plain|v:1"

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        return np.zeros(len(pairs))


def test_what_a_metric_states_is_returned():
    class Stating(Plain):
        capabilities = Capabilities(batches_all=True, reads_questions=True, cost="remote")

    assert capabilities(Stating()) is Stating.capabilities
    assert reads_questions(Stating())


def test_the_attributes_of_a_metric_without_stated_capabilities_are_read():
    class OnEncoder(Plain):
        encoder = "an encoder"
        reads_questions = True

    class Sharing(OnEncoder):
        def request(self, pairs: Sequence[Pair]) -> None: ...
        def score_encoding(self, pairs: Sequence[Pair], encoding: object) -> None: ...

    class OnScorer(Plain):
        scorer = "a scorer"

    assert capabilities(OnEncoder()) == Capabilities(reads_questions=True, cost="model")
    assert capabilities(Sharing()) == Capabilities(encoder="an encoder", reads_questions=True, cost="model")
    assert capabilities(OnScorer()) == Capabilities(batches_all=True, cost="model")


def test_a_metric_costs_as_much_as_its_most_expensive_part():
    class Remote(Plain):
        capabilities = Capabilities(reads_questions=True, cost="remote")

    class Whole(Plain):
        parts = (Plain(), Remote(), answersim.metric("f1"))

    assert capabilities(Whole()) == of_parts(Whole.parts)._replace(reads_questions=False)
    assert of_parts(Whole.parts) == Capabilities(reads_questions=True, cost="remote")
    assert of_parts(()) == Capabilities()


@pytest.mark.parametrize("name", answersim.names())
def test_the_metrics_that_ship_state_what_they_are(name):
    kind = answersim.metrics.catalog.lookup.entry(name).kind
    if kind != "lexical":
        pytest.importorskip("torch")
    metric = answersim.metric(name)
    stated = metric.capabilities  # type: ignore[attr-defined] # all that ship have it
    assert stated == capabilities(metric)
    assert stated.cost == ("light" if kind == "lexical" else "model")
    assert stated.reads_questions == (name in ("sas", "sas-answers", "answersim"))
    assert (stated.encoder is not None) == name.startswith(("bi-encoder", "bertscore"))
    assert stated.batches_all == (name in ("sas", "sas-answers"))
