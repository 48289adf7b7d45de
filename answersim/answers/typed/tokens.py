"""An answer -> folded tokens for the grammars of values: one pass, linear in the length, with a limit on the length."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

from answersim.answers.text.patterns import table
from answersim.answers.typed.cjk import in_digits

LONGEST_ANSWER = 200  # characters of an answer that is read as one value
LONGEST_TEXT = 4000  # characters of a prediction in which values are searched
# A number with its separators; a word, with apostrophes inside; any other character; the end, after white space. There
# is a match wherever one is tried, and no two alternatives begin with the same character, so the expression is linear.
_TOKEN = re.compile(r"(\s*)([0-9]+(?:[.,][0-9]+|'[0-9]{3}(?![0-9]))*|[^\W\d_]+(?:'[^\W\d_]+)*|\S|\Z)")
_SPACED = re.compile(r"(?<![\d.,])([1-9]\d{0,2})((?: \d{3})+)(?![\d.,]?\d)")  # 1 500 000
_FRACTION = "\x00"  # stands before the fraction that one character means, until the text is folded
_AFTER_DIGIT = re.compile(rf"(?<=\d){_FRACTION}")
_POINTED = re.compile(r"(?<![^\s$€£=(+-])\.(?=\d)")  # .75
_POWER = re.compile(r"(?<=[\d)])\*\*(?=[\d(-])")  # 2**3
_RAISED = re.compile(r"[⁺⁻]?[⁰¹²³⁴-⁹ⁿ]+(?:[⁺⁻][⁰¹²³⁴-⁹ⁿ]+)?")  # an exponent
_LOWERED = re.compile(r"[₀-₉ₐ-ₜᵢ-ᵪⱼ]+")  # an index
_APART = re.compile(r"\d \d{3}")
_LIKE_ASCII = {  # "U+00A0" is an invisible character; one without a usual form is dropped
    int(sign[2:], 16) if len(sign) > 1 else ord(sign): usual or None
    for usual, signs in table("typed/signs.tsv")
    for sign in signs.split(" ")
}


class Tokens:
    """The tokens of a folded text."""

    def __init__(self, text: tuple[str, ...], low: tuple[str, ...], glued: tuple[bool, ...]) -> None:
        self.text = text  # the tokens in their own case
        self.low = low  # the tokens after case folding
        self.glued = glued  # whether a token follows the one before it without a space
        self.numbers: dict[int, Any] = {}  # what ``number.scan_number`` has read, which several grammars need

    @cached_property
    def line(self) -> str:
        """The tokens after case folding, each with its end: a tab if the next token is glued to it, else a space."""
        ends = ("\t" if glued else " " for glued in (*self.glued[1:], False))
        return "".join(part for token in zip(self.low, ends, strict=True) for part in token)

    @cached_property
    def starts(self) -> list[int]:
        """The position in ``line`` at which each token begins, and the length of the line."""
        return [0, *accumulate(len(word) + 1 for word in self.low)]

    def index(self, position: int) -> int:
        """Return the number of the token that begins at a position in ``line``."""
        return bisect_left(self.starts, position)


def token_pattern(expression: str) -> re.Pattern[str]:
    """Return a pattern for ``Tokens.line``: a space ends a token, and ~ ends one to which the next token is glued."""
    return re.compile(expression.replace(" ", r"[ \t]").replace("~", r"\t"))


def any_of(words: Iterable[str]) -> str:
    """Return an expression of these words, of tokens with a space between them."""
    return "|".join(map(re.escape, words)).replace(r"\ ", " ")


def fold(text: str) -> str:
    """Return the text with ASCII digits, hyphens, quotation marks and spaces; ½ is written as 1/2, and .5 as 0.5."""
    if not text.isascii():
        text = _RAISED.sub(_exponent, text)
        text = in_digits("".join(map(_character, text.translate(_LIKE_ASCII))))
        if _FRACTION in text:
            text = _AFTER_DIGIT.sub(" ", text).replace(_FRACTION, "")
    text = _POWER.sub("^", text) if "**" in text else text
    text = _POINTED.sub("0.", text) if "." in text else text
    return _SPACED.sub(lambda match: match[0].replace(" ", ""), text) if _APART.search(text) else text


def _exponent(match: re.Match[str]) -> str:
    """Return an exponent on the line, in brackets if it is a sum."""
    text = unicodedata.normalize("NFKC", match[0])
    return f"^({text})" if re.search("[+−]", text[1:]) else f"^{text}"


def with_indices(text: str) -> str:
    """Return a text with each index below the line in braces: x₁₂ is x_{12}."""
    if text.isascii():
        return text
    return _LOWERED.sub(lambda match: f"_{{{unicodedata.normalize('NFKC', match[0])}}}", text)


def matches(text: str) -> list[tuple[str, str]]:
    """Return the white space before each token and the token; "" for the end. Together they are the text."""
    return _TOKEN.findall(text)


def tokens(text: str) -> Tokens:
    """Return the tokens of a folded text."""
    spaced = [match for match in matches(text) if match[1]]
    words = tuple(word for _, word in spaced)
    glued = tuple(i > 0 and not space for i, (space, _) in enumerate(spaced))
    return Tokens(words, tuple(map(str.casefold, words)), glued)


@lru_cache(maxsize=1 << 14)
def _character(character: str) -> str:
    """Return the usual form of a character: a digit, the form without width, or a fraction."""
    if character.isascii():
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    shape = unicodedata.decomposition(character)
    if not shape.startswith(("<fraction>", "<wide>", "<narrow>", "<square>", "<compat>")):
        return character
    plain = unicodedata.normalize("NFKC", character).translate(_LIKE_ASCII)
    return _FRACTION + plain if shape.startswith("<fraction>") else plain
