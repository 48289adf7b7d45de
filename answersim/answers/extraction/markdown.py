"""Remove the marks around an answer: Markdown emphasis, code, quotes, dollar signs, LaTeX wrappers, a final point."""

from __future__ import annotations

from answersim.answers.text.patterns import Patterns

_P = Patterns("markdown")
_PAIRS = (("**", "**"), ("__", "__"), ("*", "*"), ("`", "`"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"),
          ('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"))  # fmt: skip
_OPENING = frozenset("#>-•<\\").union(left[0] for left, _ in _PAIRS)
_MOST = 16  # marks that are removed around an answer, so that the time is linear


def bare(text: str) -> str:
    """Return an answer without the marks around it. What is inside stays."""
    text = text.strip()
    for _ in range(_MOST):
        inner = _unwrapped(text)
        if inner == text:
            return text
        text = inner
    return text


def _unwrapped(text: str) -> str:
    """Return the text without one mark, or the same text."""
    if text[:1] in _OPENING and (inner := _opened(text)) is not None:
        return inner
    for mark in ("**", "__", "`"):  # of emphasis that began before the answer, as in "**Answer: Paris**"
        if text.endswith(mark) and text.count(mark) == 1:
            return text[: -len(mark)].rstrip()
        if text.startswith(mark) and text.count(mark) == 1:
            return text[len(mark) :].lstrip()
    is_stopped = len(text) > 1 and text[-1] == "." and text[-2] != "."
    return text[:-1].rstrip() if is_stopped and not _P.abbreviation.fullmatch(text.split()[-1]) else text


def _opened(text: str) -> str | None:
    """Return the text without a mark that begins it; None if there is none."""
    if (heading := _P.heading.match(text)) and heading.end() < len(text):
        return text[heading.end() :]
    if element := _P.element.fullmatch(text):
        return element[2].strip()
    for left, right in _PAIRS:
        inner, is_around = text[len(left) : -len(right)], text.startswith(left) and text.endswith(right)
        if is_around and len(text) > len(left) + len(right) and left not in inner and right not in inner:
            return inner.strip()
    if wrapped := _P.wrapped.match(text):
        if text.endswith("}") and _closes_last(text, wrapped.end()):
            return text[wrapped.end() : -1].strip()
        if "}" not in text:  # it was cut off
            return text[wrapped.end() :].lstrip()
    return None


def _closes_last(text: str, start: int) -> bool:
    """Return whether the brace that opened before ``start`` is closed by the last character."""
    depth = 1
    for i in range(start, len(text)):
        if text[i] in "{}" and text[i - 1] != "\\":
            depth += 1 if text[i] == "{" else -1
            if depth == 0:
                return i == len(text) - 1
    return False
