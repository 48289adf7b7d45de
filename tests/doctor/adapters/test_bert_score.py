"""The adapter of bert_score gives the numbers of bert_score."""

from importlib.metadata import version

import numpy as np
import pytest

from answersim.doctor import as_subject
from answersim.types import Pair

bert_score = pytest.importorskip("bert_score")
pytestmark = pytest.mark.filterwarnings("ignore")
PAIRS = [Pair("National Football League", "the NFL"), Pair("eleven", "11"), Pair("cortex", "cortex")]


@pytest.mark.parametrize(("part", "index"), [("precision", 0), ("recall", 1), ("f1", 2)])
def test_the_numbers_are_those_of_the_library(tiny, part, index):
    folder = str(tiny("bert"))
    subject = as_subject(f"bert_score:{part},model_type={folder},num_layers=2")
    expected = bert_score.score(
        [pair.pred for pair in PAIRS], [pair.gold for pair in PAIRS], model_type=folder, num_layers=2
    )[index]
    np.testing.assert_allclose(subject(PAIRS), expected.numpy(), atol=1e-6)
    assert subject([]).shape == (0,)
    assert subject.signature.endswith("|bert-score:" + version("bert-score"))


def test_the_best_of_several_references_counts(tiny):
    subject = as_subject(f"bert_score:f1,model_type={tiny('bert')},num_layers=2")
    assert subject.references
    assert subject.scores([["eleven", "cortex"]], ["cortex"])[0] == pytest.approx(1.0, abs=1e-5)


def test_weights_of_the_batch_make_the_scores_depend_on_it(tiny):
    from answersim.testing import properties

    subject = as_subject(f"bert_score:f1,model_type={tiny('bert')},num_layers=2,idf=true")
    assert properties.batch(subject, PAIRS, None, 1e-4).holds is False
    assert properties.batch(
        as_subject(f"bert_score:f1,model_type={tiny('bert')},num_layers=2"), PAIRS, None, 1e-4
    ).holds
