"""The adapter of Haystack; run where haystack-ai is installed."""

import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

pytest.importorskip("haystack", reason="the libraries of adapters are tested in environments of their own")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_an_evaluator_gives_its_individual_scores():
    subject = as_subject("haystack:AnswerExactMatchEvaluator")
    assert subject([Pair("a", "a"), Pair("a", "b")]).tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="must be provided"):
        subject([])


@pytest.mark.parametrize("classifier", [False, True])
def test_sas_runs_on_local_weights(tiny, classifier):
    subject = as_subject(f"haystack:SASEvaluator,model={tiny('bert', classifier=classifier)}")
    same, other = subject([Pair("cortex", "cortex"), Pair("cortex", "eleven")])
    assert same != other
    assert subject([]).tolist() == [0.0]  # one number for no pairs
