"""Does a text attempt an answer? A small classifier recognizes refusals and "I do not know" in ten languages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arguments import text as checked_text
from answersim.answers.extraction.abstention_features import SHORT, has_known_words, hashed
from answersim.answers.extraction.choice import letters
from answersim.answers.extraction.reasoning import without_reasoning

REVISION = 5  # of the classifier; raise it when a text is read otherwise
_WEIGHTS = Path(__file__).with_name("abstention_weights.npz")
_COMMAND = re.compile(r"\\(?:boxed|fbox|mbox|text\w*|mathrm|mathbf)")
_MARKS = re.compile(r"[*_`$#<>{}\\\[\]()]+")
_MARKUP = re.compile(
    r"</?(?:i|b|u|p|em|br|strong|span|div|sub|sup|code|small|font)(?:\s[^<>]{0,100})?/?>", re.IGNORECASE
)
_WITHOUT_WORDS = re.compile(r"(?=.{0,99}\d)(?!.*[^\W\d_]{2})")  # m + n = 4993 + 7
_LETTER = re.compile(r"\w")
_SYMBOL = re.compile(r"[^\s*_`$#<>{}\\\[\]()\"“”„.!?,;:–—…-]")
_LEAD = re.compile(
    r"(?:(?:the )?(?:final )?(?:answer|antwort|réponse|respuesta|risposta|resposta|a)(?:\s?:| is:?))\s", re.I
)


class Weights(NamedTuple):
    """The logistic regression over hashed features.

    Attributes:
        weights: One per position of the table, shape (size,).
        intercept: What is added to the weighted sum.
    """

    weights: NDArray[np.float64]
    intercept: float


def attempted(text: str) -> bool:
    """Return whether a text attempts an answer: it is not empty, no refusal, and not "I don't know".

    A hedge that an answer follows is an attempt, and so is the letter of an option. Names such as "Unknown Pleasures"
    and answers such as "No" or "None of them" are attempts. Reasoning is removed first, so that reasoning without an
    answer is none. The text may be in English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese or
    Japanese. The classifier was trained on texts made from templates, and on right answers
    (``tools.weights.abstentions``).

    Args:
        text: The prediction.

    Raises:
        TypeError: If it is not a string.

    >>> texts = "I don't know.", "Unknown Pleasures", "Das weiß ich nicht."
    >>> tuple(attempted(text) for text in texts)
    (False, True, False)
    >>> attempted("I'm not sure, but I think Rome")
    True
    """
    text = text if type(text) is str else checked_text("text", text)
    left = without_reasoning(text)[1] if "<" in text or "[" in text or "◁" in text else text
    left = _MARKUP.sub(" ", left) if "<" in left else left
    plain = " ".join(_MARKS.sub(" ", _COMMAND.sub(" ", left)).split()).strip(" -–—\"'“”„")
    if not _LETTER.search(plain):
        return bool(_SYMBOL.search(left))
    lead = _LEAD.match(plain)
    if _WITHOUT_WORDS.match(plain):
        return True
    if len(plain) >= SHORT and plain.isascii() and not has_known_words(plain):
        return True
    weights, intercept = _weights()
    positions = hashed(plain if lead is None or lead.end() == len(plain) else plain[lead.end() :])
    attempts = float(weights[positions].sum() / np.sqrt(len(positions))) + intercept <= 0
    return attempts or bool(letters(left))  # "I don't know, I guess B"


@cache
def _weights() -> Weights:
    with np.load(_WEIGHTS) as stored:
        return Weights(stored["weights"] * float(stored["scale"]), float(stored["intercept"]))
