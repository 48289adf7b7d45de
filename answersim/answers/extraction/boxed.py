r"""The last balanced ``\boxed`` or ``\fbox``."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\\{1,2}(?:boxed|fbox)\s{0,9}\{|\\{1,2}(?:boxed|fbox) {1,9}(?P<bare>[^\s{}$\\]{1,200})|\\.|[{}]", re.DOTALL
)


def boxed(text: str) -> tuple[int, int] | None:
    r"""Return the place of the content of the last box with balanced braces; None if there is none.

    >>> text = r"So \boxed{3}, or rather \boxed{\frac{1}{2}}."
    >>> start, end = boxed(text)
    >>> text[start:end]
    '\\frac{1}{2}'
    """
    places = boxes(text)
    return places[-1] if places else None


def boxes(text: str) -> list[tuple[int, int]]:
    r"""Return the places of the contents of all boxes with balanced braces, in order.

    A box inside another one belongs to it. Escaped braces do not count. A box that was cut off is none.

    >>> text = r"\boxed{4} and \boxed{x = \boxed{5}}"
    >>> [text[start:end] for start, end in boxes(text)]
    ['4', 'x = \\boxed{5}']
    """
    if "\\boxed" not in text and "\\fbox" not in text:
        return []
    places: list[tuple[int, int]] = []
    open_braces: list[tuple[int, bool]] = []
    n_open = 0  # boxes
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if token["bare"] is not None:
            if not n_open:
                places.append(token.span("bare"))
        elif sign == "{":
            open_braces.append((token.end(), False))
        elif sign == "}":
            if open_braces:
                start, is_box = open_braces.pop()
                n_open -= is_box
                if is_box and text[start : token.start()].strip(" \t\r\n.…_?"):
                    while places and places[-1][0] > start:
                        places.pop()
                    places.append((start, token.start()))
        elif sign.endswith("{") and len(sign) > 2:
            open_braces.append((token.end(), True))
            n_open += 1
    return places
