"""The parts of a card that no file records: the formula, the range and the symmetry of a metric."""

from __future__ import annotations

from typing import NamedTuple

UNIT, COSINE, BINARY = "0 to 1", "-1 to 1", "0 or 1"


class Definition(NamedTuple):
    """The definition of a metric.

    Attributes:
        formula: Plain text, one line per statement.
        range: ``UNIT``, ``COSINE`` or ``BINARY``. A test compares it with the promises of the metric.
        symmetric: Whether gold answer and prediction can be exchanged.
        one_on_itself: Whether each answer scores 1 against itself.
    """

    formula: str
    range: str = UNIT
    symmetric: bool = False
    one_on_itself: bool = True


_CROSS_ENCODER = """logit(a, b) = cross-encoder([CLS] a [SEP] b [SEP])
  (with the question before a, if it is given)"""
_BI_ENCODER = """u = mean of the token states of gold (last layer)
v = mean of the token states of pred
score = u · v / (|u| |v|)"""
_BERTSCORE = """cos(g, p) = cosine of a token of gold and one of pred, at layer {}
P = mean over the tokens p of pred of max over g of cos(g, p)
R = mean over the tokens g of gold of max over p of cos(g, p)
score = 2 P R / (P + R); 0 if P and R have opposite signs"""
_OVERLAP = "G, Q = normalized tokens of gold and pred, as multisets"

DEFINITIONS: dict[str, Definition] = {
    "em": Definition("score = 1 if the normalized tokens of gold and pred are equal, in order;\nelse 0", BINARY, True),
    "f1": Definition(f"{_OVERLAP}\nP = |G ∩ Q| / |Q|, R = |G ∩ Q| / |G|\nscore = 2 P R / (P + R)", symmetric=True),
    "recall": Definition(f"{_OVERLAP}\nscore = |G ∩ Q| / |G|"),
    "containment": Definition("score = 1 if the normalized tokens of gold are in pred, in a row; else 0", BINARY),
    "bleu": Definition("""p(n) = share of the n-grams of pred that gold contains,
  each as often as in gold
  (the k-th p(n) without a match = 1 / (2^k · number of n-grams of pred))
N = min(4, tokens of pred)
b = min(1, exp(1 - tokens of gold / tokens of pred))
score = b · exp(mean of log p(n) for n = 1 .. N)"""),
    "bleu-paper": Definition(
        """p(n) = share of the n-grams of gold that pred contains,
  each as often as in pred
b = min(1, exp(1 - tokens of pred / tokens of gold))
score = b · exp(mean of log p(n) for n = 1 .. 4)
score = 0 if gold has no 4-gram that pred contains""",
        one_on_itself=False,
    ),
    "rouge-l": Definition(
        """L = length of the longest common subsequence of the words of gold and pred
P = L / words of pred, R = L / words of gold
score = 2 P R / (P + R)""",
        symmetric=True,
    ),
    "meteor": Definition(
        """m = words aligned by form, else by stem, else by WordNet synonym
c = chunks of aligned words in a row
P = m / words of pred, R = m / words of gold
F = P R / (alpha P + (1 - alpha) R), alpha = .9
score = F · (1 - gamma (c / m)^beta), beta = 3, gamma = .5""",
        one_on_itself=False,
    ),
    "bi-encoder": Definition(_BI_ENCODER, COSINE, True),
    "bi-encoder-names": Definition(_BI_ENCODER, COSINE, True),
    "bi-encoder-answers": Definition(_BI_ENCODER, COSINE, True),
    "bertscore-vanilla": Definition(_BERTSCORE.format("2"), COSINE, True),
    "bertscore-trained": Definition(_BERTSCORE.format("6 of 6"), COSINE, True),
    "bertscore-names": Definition(_BERTSCORE.format("6 of 6"), COSINE, True),
    "bertscore-answers": Definition(_BERTSCORE.format("6 of 6"), COSINE, True),
    "sas": Definition(
        f"{_CROSS_ENCODER}\nscore = mean of sigmoid(logit(gold, pred))\n  and sigmoid(logit(pred, gold))",
        UNIT,
        True,
        False,
    ),
    "sas-answers": Definition(f"{_CROSS_ENCODER}\nscore = sigmoid(logit(gold, pred))", one_on_itself=False),
    "answersim": Definition(
        """x = features of sas-answers, bertscore-names, recall, containment
  and the form of the answers
score = sigmoid(w · x + b) with w >= 0
score >= .96 if the answers differ only in how they are written,
  or the rules of typed values call them equal
score <= .04 if the rules call them different
score <= .41 if the prediction only mentions the gold answer,
  or is another formula""",
        one_on_itself=False,
    ),
    "typed": Definition("""score = 1 if the rules of answersim.answers.typed call both answers equal values
score = 0 if they call them different values
score = min(.3, recall) if the prediction only mentions the gold answer,
  or is another formula
score = recall otherwise"""),
    "judge": Definition(
        "score = the number that the prompt assigns to the verdict of the model\n  (correct: 1, wrong: 0)",
        one_on_itself=False,
    ),
}


def definition(name: str) -> Definition:
    """Return the definition of a metric.

    Raises:
        LookupError: If it has none here.
    """
    if name not in DEFINITIONS:
        raise LookupError(f"DEFINITIONS of tools/site/definitions.py lacks {name!r}; add its formula and range")
    return DEFINITIONS[name]
