"""EM, F1, ROUGE-L and BLEU against the programs whose numbers they are, on the SAS sets and on made-up texts."""

import csv
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import answersim
from answersim._base.arrays import FloatArray
from answersim.answers.text.tokens import has_unspaced
from answersim.types import Pair
from benchmarks import references

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.lists(
    st.sampled_from(
        'the a an The cat, cat sat. on-mat 3.5 1,000 ü &amp; É 北京 -\n <skipped> \' "x" \x85 \u2028'.split(" ")
    ),
    max_size=14,
).map(" ".join)


ORACLES: dict[tuple[str, str, str], Callable[[list[Pair]], FloatArray]] = {
    ("em", "en", "squad"): references.squad_em,
    ("f1", "en", "squad"): references.squad_f1,
    ("rouge-l", "en", "squad"): references.rouge_l,
    ("bleu", "en", "squad"): references.sentence_bleu,
    ("bleu", "en", "embedded"): references.sentence_bleu,
    ("bleu", "zh", "embedded"): partial(references.sentence_bleu, tokenize="zh"),
    ("bleu-paper", "en", "embedded"): references.corpus_bleu,
}


@pytest.fixture(autouse=True)
def _their_warnings() -> Iterator[None]:
    """What the reference libraries themselves warn of is theirs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize(("name", "lang", "profile"), ORACLES)
@given(gold=texts, pred=texts)
def test_equal_to_its_reference_on_any_text(name, lang, profile, gold, pred):
    if name == "bleu" and (not gold.split() or not pred.split() or "<skipped>" in gold + pred):
        return  # where sacrebleu has no words left, ours falls back to the plain ones, and two empty answers agree
    if (name, lang, profile) == ("bleu", "en", "embedded") and has_unspaced(gold + pred):
        return  # whose characters are words by default
    if name == "rouge-l" and not gold.strip() and not pred.strip():
        return  # two blank answers: 1 in the paper's table, 0 in rouge_score
    (expected,) = ORACLES[name, lang, profile]([Pair(gold, pred)])
    assert answersim.score(gold, pred, metric=name, lang=lang, profile=profile) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "official"), [("em", references.squad_em), ("f1", references.squad_f1), ("rouge-l", references.rouge_l)]
)
@given(gold=texts, pred=texts)
def test_the_english_default_is_the_reference_for_texts_with_spaces(name, official, gold, pred):
    if has_unspaced(gold + pred):
        return
    if not all(references.squad_tokens(entry) and re.search("[a-z0-9]", entry.lower()) for entry in (gold, pred)):
        return
    assert answersim.metric(name)([Pair(gold, pred)]) == pytest.approx(official([Pair(gold, pred)]), abs=1e-9)


@pytest.mark.data
@pytest.mark.parametrize("file", ["SQuAD_SAS.csv", "NQ-open_SAS.csv", "GermanQuAD_SAS.csv"])
@pytest.mark.parametrize(("name", "lang", "profile"), ORACLES)
def test_equal_to_its_reference_on_every_pair_of_the_sas_sets(data_home, name, lang, profile, file):
    with (data_home / "sas" / file).open(newline="", encoding="utf-8") as rows:
        pairs = [Pair(row["answer1"] or "", row["answer2"] or "") for row in csv.DictReader(rows)]
    pairs = [pair for pair in pairs if any(pair)]  # two blank answers score 1, as in the paper's table
    assert len(pairs) > 400
    ours = answersim.metric(name, lang=lang, profile=profile)(pairs)
    np.testing.assert_allclose(ours, ORACLES[name, lang, profile](pairs), atol=1e-9, rtol=0)


@pytest.mark.data
@pytest.mark.parametrize("file", ["SQuAD_SAS.csv", "NQ-open_SAS.csv"])
@pytest.mark.parametrize(
    ("name", "official"), [("em", references.squad_em), ("f1", references.squad_f1), ("rouge-l", references.rouge_l)]
)
def test_the_english_default_differs_only_where_normalization_would_empty(data_home, name, official, file):
    with (data_home / "sas" / file).open(newline="", encoding="utf-8") as rows:
        pairs = [Pair(row["answer1"], row["answer2"]) for row in csv.DictReader(rows)]
    plain = [
        pair
        for pair in pairs
        if all(references.squad_tokens(entry) and re.search("[a-z0-9]", entry.lower()) for entry in pair)
    ]
    assert len(plain) > 0.98 * len(pairs)
    np.testing.assert_allclose(answersim.metric(name)(plain), official(plain), atol=1e-9, rtol=0)
