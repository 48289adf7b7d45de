"""Are two answers the same formula? A sign, an operator, a bracket or a digit is all of the difference between two."""

from __future__ import annotations

import re
import unicodedata

_FUNCTIONS = "sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|exp|sqrt|mod|lim|max|min|det|gcd|lcm"
_GREEK = "alpha|beta|gamma|delta|epsilon|theta|lambda|mu|pi|rho|sigma|tau|phi|omega"
_COMMAND = re.compile(r"\\(?:left|right|,|;|:|!|quad|displaystyle)(?![a-z])")
_NAMES = {"cdot": "*", "times": "*", "div": "/", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "neq": "≠"}
_NAMES |= {"ne": "≠", "infty": "∞", "cup": "∪", "cap": "∩", "to": "→", "lt": "<", "gt": ">"}
_TEX = re.compile(r"\\([a-z]+)")
_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))")
_SYMBOL = r"+\-*/^=<>()\[\]{}|√±≤≥≠∞∪∩→#"
_HAS_SYMBOL = re.compile(f"[{_SYMBOL}]")
_MAY_HAVE = re.compile(rf"[{_SYMBOL}\\×·÷⁰¹²³⁴-⁹⁺⁻−–]")  # before they are folded
_WORD = re.compile(rf"(?<![^\W\d_])(?!(?:{_FUNCTIONS}|{_GREEK})(?![^\W\d_]))[^\W\d_]{{2,}}")
_CERTAIN = re.compile(  # not in dates, ranges, grades and names
    r"[\^=√±≤≥≠<>]|[\da-z)\]]\s*[+*]\s*[\da-z(\[]|\b\d*[a-z]\s*[-/]\s*[\da-z]\b|\bfrac\b"
    r"|[(\[][^()\[\]]*,[^()\[\]]*[)\]]"
)
_LONGEST = 2000  # characters that are read
_SUPERSCRIPT = re.compile("[⁰¹²³⁴-⁹⁺⁻]+")
_FOLDED = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "∕": "/", "⁄": "/", "$": None}
)


def same_formula(gold: str, pred: str) -> bool | None:
    r"""Return whether the answers are the same formula; None if they are no formulas.

    Answers are formulas if neither contains a word and one contains an operator or a bracket: "3x+5", "[0,1)", "C++"
    and "C". A gold answer that is certainly one, such as "x^2-1", is also compared with a prediction in words, which is
    the same if it contains the formula. Spaces, case, the writing of fractions, powers and roots, and "x = " do not
    count.

    >>> same_formula("3x+5", "3x-5"), same_formula(r"\frac{3}{4}", "3/4"), same_formula("C++", "C")
    (False, True, False)
    >>> same_formula("AC/DC", "AC DC"), same_formula("x^2-1", "The result is x^2 - 1.")
    (None, True)
    """
    if len(gold) + len(pred) > _LONGEST or not (_MAY_HAVE.search(gold) or _MAY_HAVE.search(pred)):
        return None
    one, other = _prepared(gold), _prepared(pred)
    if not one.strip() or not other.strip() or _WORD.search(one):
        return None
    if not _WORD.search(other):
        wanted, found = _written(one), _written(other)
        if not (_HAS_SYMBOL.search(wanted) or _HAS_SYMBOL.search(found)):
            return None
        return wanted == found or _without_name(wanted) == _without_name(found)
    if not _CERTAIN.search(one):
        return None
    wanted = _without_name(_written(one))
    chunks = [_written(chunk) for chunk in _WORD.split(other)]
    return any(wanted in (chunk, chunk.removeprefix("a")) or chunk.endswith(f"={wanted}") for chunk in chunks)


def _prepared(text: str) -> str:
    """Return the text in lower case, with operators for the commands of TeX and for superscripts."""
    text = _SUPERSCRIPT.sub(lambda match: f"^({unicodedata.normalize('NFKC', match.group())})", text)
    text = unicodedata.normalize("NFKC", text.translate(_FOLDED)).translate(_FOLDED).casefold().replace("π", " pi ")
    if "\\" in text:
        text = _COMMAND.sub(" ", text)
        for _ in range(3):
            text = _FRACTION.sub(lambda match: f"({match[1] or match[2] or ''})/({match[3] or match[4] or ''})", text)
        text = _TEX.sub(lambda match: _NAMES.get(match[1], f" {match[1]} "), text)
    return text


def _written(text: str) -> str:
    """Return a formula without spaces, and with one writing of brackets, roots and powers."""
    text = re.sub(r"sqrt\s*", "√", text.replace("**", "^"))
    text = "".join(text.replace("{", "(").replace("}", ")").split()).strip(".,;:")
    if re.fullmatch(r"\(?[^\W\d_]\)?", text):  # (c), c), c: an option
        return text.strip("()")
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"^([^\W\d_])-(\d+)$", r"\1\2", text)  # U-2 and F-16 are names
    for _ in range(3):
        text = re.sub(r"(?<=[√^/])\((\w+)\)|(?<![\w)\]])\((\w+)\)(?=/)", lambda match: match[1] or match[2], text)
    return text


def _without_name(formula: str) -> str:
    return re.sub(r"^(?:[a-z]|[a-z]\([a-z]\))=", "", formula)
