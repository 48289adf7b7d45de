"""Claims as sentences: every system of a claim has a name in words, and every claim of the SAS paper is a sentence."""

from __future__ import annotations

import pytest

from benchmarks.claim_sentences import metric_sentence, ranking_sentence, system
from benchmarks.ranking_claims import CLAIMS


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("man", "plain MAN"),
        ("man-ckpt-committee", "a committee of ordinary states of MAN"),
        ("addax-delta-3e-06", "ADDAX with delta = 3e-06"),
        ("ggsa-heads-1", "GGSA with 1 head"),
        ("qa-lstm-multihop-plus", "QA-LSTM with multihop attention and more dropout"),
        ("iggsa-att-pointwise", "pointwise iGGSA with attention"),
        ("not-yet-named", "`not-yet-named`"),
    ],
)
def test_a_system_has_a_name_in_words(name: str, words: str) -> None:
    assert system(name) == words


def test_every_system_of_a_claim_has_a_name_in_words() -> None:
    without = sorted({name for claim in CLAIMS for name in (claim.better, claim.other) if "`" in system(name)})
    assert without == []


def test_two_systems_never_share_a_name() -> None:
    names = {name for claim in CLAIMS for name in (claim.better, claim.other)}
    words = [system(name) for name in names if "the same" not in system(name)]  # those refer to the other side
    assert len(set(words)) == len(words) > 70


def test_the_sentence_says_who_is_better_than_whom_by_what_and_where() -> None:
    assert ranking_sentence("iggsa", "ggsa", "P@1", "WikiQA") == "On WikiQA, iGGSA has a higher P@1 than GGSA."


@pytest.mark.parametrize(
    ("compared", "coefficient", "subset", "margin", "sentence"),
    [
        (
            "sas > best of bi-encoder, f1",
            "pearson",
            "F1!=0",
            False,
            "On NQ-open, a common word, SAS has a higher Pearson's r than the best of the bi-encoder and F1.",
        ),
        (
            "sas > sas on germanquad",
            "kendall",
            "F1=0",
            False,
            "On NQ-open, no common word, SAS has a higher tau than SAS on GermanQuAD.",
        ),
        (
            "best of sas, f1 > rouge-l",
            "kendall",
            "F1=0",
            True,
            "On NQ-open, no common word, the best of SAS and F1 has about the same tau as ROUGE-L.",
        ),
    ],
)
def test_a_claim_of_the_sas_paper_is_a_sentence(
    compared: str, coefficient: str, subset: str, margin: bool, sentence: str
) -> None:
    assert metric_sentence(compared, coefficient, "nq-open", subset, margin) == sentence
