"""The adapter of DeepEval; run where deepeval is installed."""

import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

pytest.importorskip("deepeval", reason="the libraries of adapters are tested in environments of their own")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    ("metric", "same", "other"),
    [
        ("ExactMatchMetric", 1.0, 0.0),
        ("exact_match_score", 1.0, 0.0),
        ("quasi_exact_match_score", 1.0, 0.0),
        ("rouge_score,score_type=rouge1", 1.0, 0.5),
    ],
)
def test_each_pair_has_its_own_number(metric, same, other):
    pairs = [Pair("red fox", "red fox"), Pair("red fox", "red bear")]
    assert as_subject(f"deepeval:{metric}")(pairs) == pytest.approx([same, other])
