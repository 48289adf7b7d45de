r"""MATH: boxed answers, ``is_equiv`` on normalized LaTeX, and the copies in lm-eval and verl."""

from __future__ import annotations

from typing import Any

from answersim.metrics.official.raised import or_raises

_BOX, _BLANK_BOX = "\\boxed{", "\\boxed "
_DELETED = ("\\left", "\\right", "^{\\circ}", "^\\circ", "\\$")
_UNIT = "\\text{ "


def last_boxed(text: str) -> str | None:
    r"""Return the last ``\boxed`` (else ``\fbox``) with its balanced braces; None if there is none."""
    start = text.rfind("\\boxed")
    if start < 0:
        start = text.rfind("\\fbox")
    if start < 0:
        return None
    depth, end = 0, start
    while closing := text.find("}", end) + 1:
        depth += text.count("{", end, closing) - 1
        if depth == 0:
            return text[start:closing]
        end = closing
    return None


def last_boxed_or_blank(text: str) -> str | None:
    r"""Return the same, but ``\boxed `` with a blank anywhere selects the text after the last one, up to "$"."""
    if _BLANK_BOX in text:
        return _BLANK_BOX + text.split(_BLANK_BOX)[-1].split("$")[0]
    return last_boxed(text)


def unboxed(boxed: str | None) -> str | None:
    r"""Return the content of ``\boxed{...}``; None if it is none."""
    if boxed is None or not boxed.startswith(_BOX) or not boxed.endswith("}"):
        return None
    return boxed[len(_BOX) : -1]


def unboxed_or_raise(boxed: str | None) -> str:
    r"""Return the content of ``\boxed{...}`` or ``\boxed ...``."""
    if boxed is None:
        raise TypeError("the text has no boxed answer")
    start = _BLANK_BOX if _BLANK_BOX in boxed else _BOX
    if not boxed.startswith(start) or (start == _BOX and not boxed.endswith("}")):
        raise AssertionError(f"{boxed!r} is not {start}...")
    return boxed[len(start) :] if start == _BLANK_BOX else boxed[len(start) : -1]


def normalized(text: str, slash_raises: bool = False) -> str:
    r"""Return LaTeX in the form in which the MATH script compares it.

    ``slash_raises``: whether "a/b" with a part that is no integer raises ValueError, as in lm-eval.

    >>> normalized("\\frac12"), normalized("0.5"), normalized("x = 5"), normalized("10\\%")
    ('\\frac{1}{2}', '\\frac{1}{2}', '5', '10')

    Source: ``_strip_string`` of ``modeling/math_equivalence.py`` (Hendrycks et al. 2021).
    """
    text = text.replace("\n", "")
    if "\\" in text:
        text = text.replace("\\!", "").replace("\\\\", "\\")
    text = text.replace("tfrac", "frac").replace("dfrac", "frac")
    if "\\" in text:
        for deleted in _DELETED:
            text = text.replace(deleted, "")
        if _UNIT in text:
            number, *units = text.split(_UNIT)
            if len(units) != 1:
                raise AssertionError(f"{_UNIT!r} occurs {len(units)} times, but the rule reads one unit")
            text = number
        text = text.replace("\\%", "")
    text = text.replace(" .", " 0.").replace("{.", "{0.")
    if not text:
        return text
    if text[0] == ".":
        text = "0" + text
    if text.count("=") == 1 and text.find("=") <= 2:
        text = text.partition("=")[2]
    if "\\sqrt" in text:
        text = _roots(text)
    text = text.replace(" ", "")
    if "\\frac" in text:
        text = _with_braces(text)
    if text == "0.5":
        text = "\\frac{1}{2}"
    return _slash(text, slash_raises) if "/" in text else text


def _roots(text: str) -> str:
    r"""Write ``\sqrt3`` as ``\sqrt{3}``."""
    first, *others = text.split("\\sqrt")
    return first + "".join(
        "\\sqrt" + (piece if piece[0] == "{" else "{" + piece[0] + "}" + piece[1:]) for piece in others
    )


def _with_braces(text: str) -> str:
    r"""Write ``\frac12`` and ``\frac1{72}`` with both braces. A part that is too short leaves the text as it is."""
    first, *others = text.split("\\frac")
    written = first
    for piece in others:
        written += "\\frac"
        if piece[0] == "{":
            written += piece
        elif len(piece) < 2:
            return text
        elif piece[1] == "{":
            written += "{" + piece[0] + "}" + piece[1:]
        else:
            written += "{" + piece[0] + "}{" + piece[1] + "}" + piece[2:]
    return written


def _slash(text: str, raises: bool) -> str:
    r"""Write "a/b" of two integers as ``\frac{a}{b}``."""
    parts = text.split("/")
    if len(parts) != 2:
        return text
    try:
        above, below = int(parts[0]), int(parts[1])
    except ValueError:
        if raises:
            raise
        return text
    return f"\\frac{{{above}}}{{{below}}}" if text == f"{above}/{below}" else text


def equivalent(first: str | None, second: str | None, *, slash_raises: bool = False) -> bool:
    """Return whether two answers are equal after normalization, or as they are if normalization fails for one."""
    if first is None or second is None:
        return first is second
    try:
        return normalized(first, slash_raises) == normalized(second, slash_raises)
    except (AssertionError, IndexError, ValueError):
        return first == second


def math(golds: list[str], pred: str, *, mode: str = "text") -> dict[str, Any]:
    """Score as the owner.

    ``mode``: whether boxed answers are extracted first ("text") or both are bare answers ("pair").
    """
    result: dict[str, Any] = {}
    answer: str | None = pred
    gold: str | None = golds[0]
    if mode == "text":
        pred_box, gold_box = last_boxed(pred), last_boxed(golds[0])
        answer, gold = unboxed(pred_box), unboxed(gold_box)
        result = {"pred_boxed": pred_box, "gold_boxed": gold_box, "pred_answer": answer, "gold_answer": gold}
    if answer is not None:
        result["pred_norm"] = pred_norm = or_raises(normalized, answer)
    if gold is not None:
        result["gold_norm"] = gold_norm = or_raises(normalized, gold)
    if answer is None or gold is None:
        result["equiv"] = answer is gold
    elif type(pred_norm) is type(gold_norm) is str:
        result["equiv"] = pred_norm == gold_norm
    else:  # normalization fails for one
        result["equiv"] = answer == gold
    return result


def verl(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as verl: the last box of the output against a bare answer. Without a box, or if the rule fails, 0.0."""
    boxed = last_boxed_or_blank(pred)
    answer = None if boxed is None else or_raises(unboxed_or_raise, boxed)
    correct = isinstance(answer, str) and equivalent(answer, golds[0])
    return {"boxed": boxed, "answer": answer, "score": float(correct)}


def lmeval(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as lm-eval: the output between its first and its last "$" against the boxed answer of the solution.

    The output is not searched for a box. With fewer than two "$", all of it is the answer.
    """
    first, last = pred.find("$"), pred.rfind("$")
    answer = pred[first + 1 : last] if first < last else pred

    def correct() -> int:
        gold = unboxed_or_raise(last_boxed_or_blank(golds[0]))
        return int(equivalent(answer, gold, slash_raises=True))

    return {"exact_match": or_raises(correct)}
