"""EM, F1, ROUGE-L and BLEU against the programs whose numbers they are, on the SAS sets and on made-up texts."""

from __future__ import annotations

import csv
import re
import string
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import answersim
from answersim.types import Pair

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.lists(
    st.sampled_from(
        'the a an The cat, cat sat. on-mat 3.5 1,000 ü &amp; É 北京 -\n <skipped> \' "x" \x85 \u2028'.split(" ")
    ),
    max_size=14,
).map(" ".join)


# The official SQuAD v2 evaluation script (evaluate-v2.0.py), its four functions by their definition.
def official_normalize(text: str) -> str:
    text = "".join(each for each in text.lower() if each not in set(string.punctuation))
    return " ".join(re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text).split())


def official_tokens(text: str) -> list[str]:
    return official_normalize(text).split() if text else []


def official_em(gold: str, pred: str) -> float:
    return float(official_normalize(gold) == official_normalize(pred))


def official_f1(gold: str, pred: str) -> float:
    gold_tokens, pred_tokens = official_tokens(gold), official_tokens(pred)
    same = sum((Counter(gold_tokens) & Counter(pred_tokens)).values())
    if not gold_tokens or not pred_tokens:
        return float(gold_tokens == pred_tokens)
    if same == 0:
        return 0.0
    precision, recall = same / len(pred_tokens), same / len(gold_tokens)
    return 2 * precision * recall / (precision + recall)


@lru_cache
def scorer() -> object:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=False)


def by_rouge_score(gold: str, pred: str) -> float:
    return scorer().score(gold, pred)["rougeL"].fmeasure  # type: ignore[attr-defined]


def by_sacrebleu(gold: str, pred: str) -> float:
    import sacrebleu

    return sacrebleu.sentence_bleu(pred, [gold]).score / 100


def by_sacrebleu_zh(gold: str, pred: str) -> float:
    import sacrebleu

    return sacrebleu.sentence_bleu(pred, [gold], tokenize="zh").score / 100


def by_nltk(gold: str, pred: str) -> float:
    """The paper's column: corpus BLEU of one pair with the gold answer as hypothesis."""
    from nltk.translate.bleu_score import corpus_bleu

    if len(gold.split()) < 4 or len(pred.split()) < 4:
        return 0.0
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = corpus_bleu([[pred.split()]], [gold.split()])
    return 0.0 if found < 1e-50 else float(found)  # its substitute for log 0


ORACLES: dict[tuple[str, str, str], Callable[[str, str], float]] = {
    ("em", "en", "squad"): official_em,
    ("f1", "en", "squad"): official_f1,
    ("rouge-l", "en", "squad"): by_rouge_score,
    ("bleu", "en", "embedded"): by_sacrebleu,
    ("bleu", "zh", "embedded"): by_sacrebleu_zh,
    ("bleu-paper", "en", "embedded"): by_nltk,
}


@pytest.mark.parametrize(("name", "lang", "profile"), ORACLES)
@given(gold=texts, pred=texts)
@settings(max_examples=400, deadline=None)
def test_equal_to_its_reference_on_any_text(name: str, lang: str, profile: str, gold: str, pred: str) -> None:
    if name == "bleu" and (not gold.split() or not pred.split() or "<skipped>" in gold + pred):
        return  # where sacrebleu has no words left, ours falls back to the plain ones, and two empty answers agree
    if name == "rouge-l" and not gold.strip() and not pred.strip():
        return
    expected = ORACLES[name, lang, profile](gold, pred)
    if name == "rouge-l" and not re.search("[a-z0-9]", gold.lower()) and not re.search("[a-z0-9]", pred.lower()):
        expected = 1.0  # nothing against nothing: 1 in the paper's table, 0 in rouge_score
    assert answersim.score(gold, pred, metric=name, lang=lang, profile=profile) == pytest.approx(expected, abs=1e-9)


@pytest.mark.data
@pytest.mark.parametrize("file", ["SQuAD_SAS.csv", "NQ-open_SAS.csv", "GermanQuAD_SAS.csv"])
@pytest.mark.parametrize(("name", "lang", "profile"), ORACLES)
def test_equal_to_its_reference_on_every_pair_of_the_sas_sets(
    data_home: Path, name: str, lang: str, profile: str, file: str
) -> None:
    with (data_home / "sas" / file).open(newline="", encoding="utf-8") as rows:
        pairs = [Pair(row["answer1"] or "", row["answer2"] or "") for row in csv.DictReader(rows)]
    pairs = [pair for pair in pairs if any(pair)]
    assert len(pairs) > 400
    ours = answersim.metric(name, lang=lang, profile=profile)(pairs)
    theirs = [ORACLES[name, lang, profile](*pair) for pair in pairs]
    assert ours.tolist() == pytest.approx(theirs, abs=1e-9)


@pytest.mark.data
@pytest.mark.parametrize("file", ["SQuAD_SAS.csv", "NQ-open_SAS.csv"])
@pytest.mark.parametrize(("name", "official"), [("em", official_em), ("f1", official_f1), ("rouge-l", by_rouge_score)])
def test_the_english_default_differs_only_where_normalisation_would_empty(
    data_home: Path, name: str, official: Callable[[str, str], float], file: str
) -> None:
    with (data_home / "sas" / file).open(newline="", encoding="utf-8") as rows:
        pairs = [Pair(row["answer1"], row["answer2"]) for row in csv.DictReader(rows)]
    plain = [
        pair for pair in pairs if all(official_tokens(each) and re.search("[a-z0-9]", each.lower()) for each in pair)
    ]
    assert len(plain) > 0.98 * len(pairs)
    assert answersim.metric(name)(plain).tolist() == pytest.approx([official(*pair) for pair in plain], abs=1e-9)
