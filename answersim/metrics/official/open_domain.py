"""Open-domain questions with aliases: TriviaQA, NQ-open and CuratedTREC, PopQA, Search-R1."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from typing import Any

from answersim.metrics.official.raised import or_raises
from answersim.metrics.official.squad_rules import (
    ARTICLES,
    Results,
    Rows,
    exact,
    is_contained,
    normalize,
    overlap,
    total,
)

_BLANKED = str.maketrans(dict.fromkeys(string.punctuation + "\u2018\u2019\u00b4`", " "))
_MOST_TAGS = 10  # opening or closing ones, above which verl divides the score by 4


def triviaqa_words(text: str) -> list[str]:
    """Return the tokens of TriviaQA: each punctuation character is a blank, so "U.S.A." is u, s and the article a.

    >>> triviaqa_words("the_Beatles' U.S.A.")
    ['beatles', 'u', 's']
    """
    return ARTICLES.sub(" ", text.lower().translate(_BLANKED)).split()


def triviaqa(golds: list[str], pred: str, *, human_answers: Sequence[str] = ()) -> dict[str, Any]:
    """Score as the owner: exact match and F1, each at its best gold answer.

    ``golds``: ``NormalizedAliases`` of the data. They are normalized again where they are compared. ``human_answers``:
    ``HumanAnswers`` of the data.

    Source: ``evaluation/triviaqa_evaluation.py`` (Joshi et al. 2017).
    """
    mine = triviaqa_words(pred)
    known = [triviaqa_words(gold) for gold in (*golds, *human_answers)]
    if not known:
        return {"em": {"raises": "ValueError"}, "f1": {"raises": "ValueError"}}
    overlaps = [overlap(gold, mine) for gold in known]
    return {"em": mine in known, "f1": max(0 if shared is None else shared.f1 for shared in overlaps)}


def triviaqa_table(rows: Rows, results: Results) -> dict[str, Any]:
    """Return exact match and F1 x 100 over all questions. A question without a prediction counts 0."""
    n, answered = len(results), sum(result is not None for result in results)
    return {
        "exact_match": 100.0 * total(results, "em") / n,
        "f1": 100.0 * total(results, "f1") / n,
        "common": answered,
        "denominator": n,
        "pred_len": answered,
        "gold_len": n,
    }


def nq_open(golds: list[str], pred: str, *, is_regex: bool = False) -> dict[str, Any]:
    """Score as the owner: NFD, then the normalization of SQuAD; exact match with any gold answer.

    After NFD, a mark ends a word, so that "thé" loses its letters as an article: "á" equals "thé". ``is_regex``:
    whether the gold answers are expressions (CuratedTREC). They are matched at the start of the prediction as it is. An
    invalid expression matches nothing.

    Source: ``language/orqa/utils/eval_utils.py`` (Lee et al. 2019).
    """
    if is_regex:
        return {"correct": or_raises(lambda: max(_matches(gold, pred) for gold in golds))}
    mine = unicodedata.normalize("NFD", pred)
    return {"correct": or_raises(lambda: max(exact(unicodedata.normalize("NFD", gold), mine) for gold in golds))}


def _matches(pattern: str, pred: str) -> bool:
    try:
        expression = re.compile(pattern, re.IGNORECASE | re.UNICODE | re.MULTILINE)
    except re.error:
        return False
    return expression.match(pred) is not None


def curatedtrec(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as ``nq_open`` with regular expressions as gold answers."""
    return nq_open(golds, pred, is_regex=True)


def popqa(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as PopQA: a gold answer, as it is, in lower case or capitalized, is a substring of the first line.

    Two line breaks at the start are removed. There are no word bounds, and an empty gold answer is always contained.
    """
    line = pred.removeprefix("\n\n").split("\n")[0]
    return {
        "first_line": line,
        "correct": any(form in line for gold in golds for form in (gold, gold.lower(), gold.capitalize())),
    }


def search_r1(golds: list[str] | str, pred: str) -> dict[str, Any]:
    """Score as Search-R1: the last ``<answer>`` of at least two, because the prompt in the text shows one."""
    return _tagged(golds, pred, 2)


def verl_search_r1(golds: list[str] | str, pred: str) -> dict[str, Any]:
    """Score as verl: the last ``<answer>``. More than ten opening or closing tags divide the score by four."""
    result = _tagged(golds, pred, 1)
    if max(pred.count("<answer>"), pred.count("</answer>")) > _MOST_TAGS:
        result["em"] /= 4
    return result


def _tagged(golds: list[str] | str, pred: str, least: int) -> dict[str, Any]:
    closed = pred.split("</answer>")[:-1]
    tagged = [text.partition("<answer>")[2] for text in closed if "<answer>" in text]  # regex <answer>(.*?)</answer>
    answer = tagged[-1].strip() if len(tagged) >= least else None
    known = [golds] if isinstance(golds, str) else golds
    if answer is None:
        return {"answer": None, "em": 0, "subem": 0}
    return {
        "answer": answer,
        "em": int(any(exact(gold, answer) for gold in known)),
        "subem": int(is_contained(known, normalize(answer))),
    }
