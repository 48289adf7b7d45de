r"""The last balanced ``\boxed`` or ``\fbox``."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\(?:boxed|fbox)\s*\{|\\(?:boxed|fbox) +(?P<bare>[^\s{}$\\]+)|\\.|[{}]", re.DOTALL)


def boxed(text: str) -> tuple[int, int] | None:
    r"""Return the place of the content of the last box with balanced braces; None if there is none.

    A box inside another one belongs to it. Escaped braces do not count. A box that was cut off is none.

    >>> text = r"So \boxed{3}, or rather \boxed{\frac{1}{2}}."
    >>> start, end = boxed(text)
    >>> text[start:end]
    '\\frac{1}{2}'
    """
    if "\\boxed" not in text and "\\fbox" not in text:
        return None
    found: tuple[int, int] | None = None
    open_braces: list[tuple[int, bool]] = []
    boxes = 0
    for token in _TOKEN.finditer(text):
        part = token.group()
        if token["bare"] is not None:
            if not boxes:
                found = token.span("bare")
        elif part == "{":
            open_braces.append((token.end(), False))
        elif part == "}":
            if open_braces:
                start, is_box = open_braces.pop()
                boxes -= is_box
                if is_box and text[start : token.start()].strip() and (not boxes or found is None or found[0] < start):
                    found = start, token.start()
        elif part.endswith("{") and len(part) > 2:
            open_braces.append((token.end(), True))
            boxes += 1
    return found
