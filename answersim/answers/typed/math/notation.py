"""LaTeX and plain notation -> tokens of a formula, in linear time; and what looks like mathematics at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from answersim.answers.text.patterns import Patterns, table
from answersim.answers.typed.tokens import fold, with_indices

LONGEST_FORMULA = 1000  # characters of a text that is read as a formula
_MOST_WRAPPERS = 8
_P = Patterns("formula")
_ROWS = [(kind, meaning.replace("␣", " "), words) for kind, meaning, words in table("typed/math/notation.tsv")]


def _words(kind: str) -> frozenset[str]:
    return frozenset(word for row, _, words in _ROWS if row == kind for word in words.split())


FUNCTIONS, GREEK = _words("function"), _words("letter")
# Words that are no products of variables, but units after a number; and words of two letters that are none either.
UNIT_WORDS, SHORT_WORDS = _words("unit"), _words("word")
_SYMBOLS = str.maketrans({words: meaning for kind, meaning, words in _ROWS if kind == "symbol"})
_ALIASES = {word: meaning for kind, meaning, words in _ROWS if kind == "alias" for word in words.split()}
_COMMANDS = FUNCTIONS | GREEK | _words("command") | {name[1:] for name in _ALIASES if name[1:].isalpha()}
# What only sets a formula, or has a shorter form.
_REWRITTEN = [(re.compile(words), meaning) for kind, meaning, words in _ROWS if kind == "rewriting"]
_LATEX = re.compile(
    rf"\\(?:(?:{'|'.join(sorted(_COMMANDS))})(?![a-zA-Z])|[(\[{{%$,;!])|\d\{{,\}}\d|[\^_]\{{|{_P.dollars.pattern}"
)
_DEPTHS = {"(": 1, "[": 1, "{": 1, r"\{": 1, r"\langle": 1, ")": -1, "]": -1, "}": -1, r"\}": -1, r"\rangle": -1}


class Token(NamedTuple):
    """A token: its kind ("n" number, "t" text, "c" command, "w" letters, "i" index, "o" another sign), and its text."""

    kind: str
    text: str


class Notation(NamedTuple):
    """A text without what only sets it: the tokens, and what they are made of."""

    text: str  # the text without delimiters, boxes and spacing commands
    tokens: tuple[Token, ...]  # the tokens
    grouped: bool  # whether a comma outside brackets may separate thousands or items, as in 10,100


def has_latex(text: str) -> bool:
    """Return whether a text contains a known LaTeX command, a formula in dollar signs, or an index in braces."""
    return ("\\" in text or "$" in text or "{" in text) and _LATEX.search(text) is not None


def has_operator(text: str) -> bool:
    """Return whether a text has a sign that ordinary answers seldom have, a bracketed list, or a term such as 3x."""
    is_listed = "," in text and text.lstrip(" -$\\")[:1] in ("(", "[", "{")
    return is_listed or _P.operator.search(text) is not None or _P.coefficient.search(text) is not None


def without_wrappers(text: str) -> str:
    """Return the text without dollar signs, boxes and a period at the end."""
    if r"\\" in text and _P.doubled.fullmatch(text):  # all backslashes are doubled, as in a string of JSON
        text = text.replace(r"\\", "\\")
    text = text.strip().rstrip(".,;: \n")
    for _ in range(_MOST_WRAPPERS if "$" in text or text[:1] in ("\\", "*") else 0):
        before = text
        text = _P.dollars.sub(r"\1", text.replace("$$", "$"))
        for opening, closing in ((r"\(", r"\)"), (r"\[", r"\]"), ("**", "**")):
            if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening):
                text = text[len(opening) : -len(closing)]
        for command in (r"\boxed", r"\fbox"):
            inner = text.removeprefix(command).strip()
            if text.startswith(command) and _is_one_group(inner):
                text = inner[1:-1]
        text = text.strip().rstrip(".,;: \n").removesuffix(r" \\")
        if text == before:
            break
    return text + " " * text.endswith("\\")


def _is_one_group(text: str) -> bool:
    """Return whether a text is one group in braces."""
    depths = list(accumulate((character == "{") - (character == "}") for character in text))
    return text.startswith("{") and 0 in depths and depths.index(0) == len(text) - 1


def plain_text(text: str) -> str | None:
    r"""Return what a text in LaTeX writes in words; None if it contains other commands than \text, or is long.

    A power of a unit, as in "m/s^2", stays.
    """
    if len(text) > LONGEST_FORMULA:
        return None
    text = _P.words.sub(r"\1", _rewritten(without_wrappers(text)))
    text = _P.unit_power.sub(r"\1^\2", text.replace(r"\%", "%").replace(r"\$", "$"))
    is_plain = "\\" not in text and "{" not in text and text.count("^") == len(_P.unit_power.findall(text))
    return text.strip() if is_plain else None


def _repeating(match: re.Match[str]) -> str:
    """Return a decimal number whose last digits repeat as a fraction."""
    whole, once, again = match.groups()
    under = (10 ** len(again) - 1) * 10 ** len(once)
    return f"({int(whole + once + again) - int((whole + once) or 0)}/{under})"


def _rewritten(text: str) -> str:
    if r"\overline" in text:
        text = _P.repeating.sub(_repeating, text)
    for pattern, short in _REWRITTEN if "\\" in text or "{" in text or "~" in text else ():
        text = pattern.sub(short, text)
    return text


def _mixed(match: re.Match[str]) -> str:
    """Write a proper fraction after a whole number as a sum; leave another one, which no rule reads."""
    whole, *parts = (part for part in match.groups() if part is not None)
    return rf"({whole}+\frac{{{parts[0]}}}{{{parts[1]}}})" if 0 < int(parts[0]) < int(parts[1]) else match[0]


def notation(text: str) -> Notation | None:
    """Return the tokens of a text, or None if it is too long or empty."""
    if len(text) > LONGEST_FORMULA:
        return None
    text = text if text.isascii() else with_indices(text).translate(_SYMBOLS)
    text = _rewritten(without_wrappers(fold(text)).replace("**", "^"))
    written: list[Token] = []
    depth, grouped = 0, False
    for match in _P.token.finditer(_P.mixed.sub(_mixed, _P.by.sub("*", text))):
        kind, token = match.lastgroup or "o", match[0]
        if kind == "s":
            continue
        depth += _DEPTHS.get(token, 0)
        if kind == "n" and "," in token:
            grouped = grouped or depth == 0
            if depth > 0 and ",0" not in token:
                written += split([Token(kind, token)])
                continue
        elif kind == "t":
            command, _, content = token[:-1].partition("{")
            token = " ".join(content.split())
            is_variable = len(token) == 1 and command.strip() in (r"\mathbf", r"\mathit", r"\textbf", r"\textit")
            kind = "w" if is_variable or (command.startswith(r"\operatorname") and token in FUNCTIONS) else "t"
        elif kind == "i":
            token = "_" + "".join(token[1:].split()).strip("{}")
        elif token in _ALIASES:
            token = _ALIASES[token]
            kind = "c" if token[0] == "\\" else "o"
        written.append(Token(kind, token))
    return Notation(text, tuple(written), grouped) if written else None


def split(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with commas in numbers as separators of items."""
    return [
        Token("o" if item == "," else token.kind, item)
        for token in tokens
        for item in (re.split("(,)", token.text) if token.kind == "n" else (token.text,))
    ]
