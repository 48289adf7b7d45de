"""The adapter of qa-metrics; run where qa-metrics is installed. Its other metrics need downloaded data."""

import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

pytest.importorskip("qa_metrics", reason="the libraries of adapters are tested in environments of their own")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_match_with_one_or_several_references():
    subject = as_subject("qa_metrics:em_match")
    assert subject([Pair("Rome", "in Rome"), Pair("Rome", "Milan")]).tolist() == [1.0, 0.0]
    assert subject.scores([["Rome", "Milan"]], ["Milan"]).tolist() == [1.0]
    with pytest.raises(TypeError, match="has no setting 'threshold'"):
        as_subject("qa_metrics:em_match,threshold=0.5")
