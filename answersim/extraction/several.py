"""Texts that mark more than one answer as final."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from answersim.extraction.boxed import boxed
from answersim.extraction.markdown import bare
from answersim.extraction.marked import answer_tag, hash_answer, hash_mark

MOST = 8  # marked answers that are read
_MARKS: tuple[Callable[[str], tuple[int, int] | None], ...] = (answer_tag, boxed, hash_answer)


def all_marked(text: str) -> Iterator[str]:
    """Yield the contents of all marks of the kind that decides: tags, else boxes, else "####", from the last one.

    >>> list(all_marked("<answer>Rome</answer> <answer>Oslo</answer>"))
    ['Oslo', 'Rome']
    """
    for first in _MARKS:
        mark, rest, found = first, text, 0
        while found < MOST and (place := mark(rest)) is not None:
            content = bare(rest[place[0] : place[1]])
            inner = boxed(content)
            yield content if inner is None else bare(content[inner[0] : inner[1]])
            found += 1
            mark = hash_mark if mark is hash_answer else mark
            rest = rest[: max(rest.rfind(sign, 0, place[0]) for sign in ("<", "\\", "#"))]
        if found:
            return
