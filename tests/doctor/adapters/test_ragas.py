"""The adapter of ragas; run where ragas is installed."""

import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

pytest.importorskip("ragas", reason="the libraries of adapters are tested in environments of their own")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    ("metric", "same", "other"), [("ExactMatch", 1.0, 0.0), ("StringPresence", 1.0, 0.0), ("RougeScore", 1.0, 0.5)]
)
def test_each_pair_has_its_own_number(metric, same, other):
    pairs = [Pair("red fox", "red fox"), Pair("red fox", "red bear")]
    assert as_subject(f"ragas:{metric}")(pairs) == pytest.approx([same, other])


def test_similarity_runs_on_a_local_encoder(tiny):
    subject = as_subject(f"ragas:SemanticSimilarity,model={tiny('bert')}")
    same, other = subject([Pair("cortex", "cortex"), Pair("cortex", "eleven")])
    assert same == pytest.approx(1.0, abs=1e-5)
    assert other < same
