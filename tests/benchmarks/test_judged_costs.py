"""The cost of a metric: pairs per second, sequences, and megabytes."""

import numpy as np
import pytest

import answersim
from answersim.types import Capabilities
from benchmarks import judged_costs
from benchmarks.judged_scores import QUESTION
from tests.benchmarks.judged_samples import ANSWERS, Reader, metrics


class TestCosts:
    def test_a_metric_without_a_network_has_neither_sequences_nor_weights(self):
        (cost,) = judged_costs.costs(ANSWERS, metrics("f1"), 10)
        assert (cost.metric, cost.pairs, cost.sequences, cost.megabytes) == ("f1", 10, 0, 0)
        assert cost.pairs_per_second > 0
        assert cost.pairs_per_cpu_second > 0

    def test_a_metric_that_reads_questions_is_timed_twice(self):
        assert [cost.metric for cost in judged_costs.costs(ANSWERS, {"r": Reader()}, 4)] == ["r", f"r{QUESTION}"]

    def test_answers_are_spread_over_the_set(self):
        seen = []

        class Spy(Reader):
            reads_questions = False
            capabilities = Capabilities()

            def __call__(self, pairs, questions=None):
                seen.append([pair.pred for pair in pairs])
                return np.zeros(len(pairs))

        list(judged_costs.costs(ANSWERS, {"spy": Spy()}, 4))
        assert seen[-1] == ["gold 0", "gold 5", "gold 10", "gold 15"]
        with pytest.raises(ValueError, match="there are no answers"):
            list(judged_costs.costs([], {"spy": Spy()}))

    def test_sequences_and_weights_of_networks_are_counted_once(self, tiny):
        encoder, crossed = str(tiny("bert")), str(tiny("bert", classifier=True))
        weights = (tiny("bert") / "model.safetensors").stat().st_size / 1e6
        one = answersim.metric("bi-encoder", model=encoder)
        other = answersim.metric("bertscore-trained", model=encoder, layer=2)
        assert (judged_costs.sequences(one), judged_costs.megabytes(one)) == (2, weights)
        for order, n in (("gold-pred", 1), ("mean", 2)):
            assert judged_costs.sequences(answersim.metric("sas", model=crossed, order=order)) == n

        class Both:
            signature = "both"
            parts = (one, other, answersim.metric("sas", model=crossed), answersim.metric("f1"))

            def __call__(self, pairs):
                return np.zeros(len(pairs))

            def combine(self, pairs, columns):
                return np.zeros(len(pairs))

        assert judged_costs.sequences(Both()) == 2 + 1
        head = (tiny("bert", classifier=True) / "model.safetensors").stat().st_size / 1e6
        assert judged_costs.megabytes(Both()) == pytest.approx(weights + head)
