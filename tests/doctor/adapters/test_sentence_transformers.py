"""The adapter of sentence-transformers, and the cross-encoder that reads white space."""

import numpy as np
import pytest

from answersim.doctor import as_subject
from answersim.testing import properties
from answersim.types import Pair

library = pytest.importorskip("sentence_transformers")
pytestmark = pytest.mark.filterwarnings("ignore")
PAIRS = [Pair("National Football League", "the NFL"), Pair("eleven", "11"), Pair("cortex", "cortex")]


def test_cosines_are_those_of_the_library(tiny):
    folder = str(tiny("bert"))
    encoder = library.SentenceTransformer(folder, device="cpu")
    one, other = encoder.encode([pair.gold for pair in PAIRS]), encoder.encode([pair.pred for pair in PAIRS])
    expected = (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    subject = as_subject(f"sentence_transformers:SentenceTransformer,model={folder}")
    np.testing.assert_allclose(subject(PAIRS), expected, atol=1e-5)
    assert subject([]).shape == (0,)


def test_scores_of_a_cross_encoder_are_those_of_the_library(tiny):
    folder = str(tiny("bert", classifier=True))
    expected = library.CrossEncoder(folder, device="cpu").predict([tuple(pair) for pair in PAIRS])
    subject = as_subject(f"sentence_transformers:CrossEncoder,model={folder}")
    np.testing.assert_allclose(subject(PAIRS), expected, atol=1e-6)
    assert subject([]).shape == (0,)


def test_a_cross_encoder_that_reads_white_space_is_found(tiny, tmp_path):
    """Its tokenizer has another piece for "A" at the start of a text than for " A", as that of RoBERTa."""
    subject = as_subject(f"sentence_transformers:CrossEncoder,model={tiny('roberta', classifier=True)}")
    finding = properties.white_space(subject, [Pair("A", "A"), Pair("eleven", "eleven")], 1e-4)
    assert finding.holds is False
    assert finding.largest > 0.001
    other = as_subject(f"sentence_transformers:CrossEncoder,model={tiny('bert', classifier=True)}")
    assert properties.white_space(other, [Pair("A", "A"), Pair("eleven", "eleven")], 1e-4).holds


def test_settings_are_checked():
    with pytest.raises(TypeError, match="the setting model= is missing"):
        as_subject("sentence_transformers:CrossEncoder")
    with pytest.raises(TypeError, match="has no setting 'x'; its settings are model, device"):
        as_subject("sentence_transformers:CrossEncoder,model=a,x=1")
