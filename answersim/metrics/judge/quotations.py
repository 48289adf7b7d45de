"""What a reply of a judge quotes from its request. A quotation is no verdict of the judge.

The rule: a run of the reply that is a whole text of the request is removed, if this text could decide the judge. Both
are compared in a form without case, white space, quotation marks, and the escapes of JSON, HTML and quoted lines.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_BACK = r"\\{1,8}"  # the backslashes of an escape, which may be escaped several times
_PIECE = re.compile(
    rf"(?P<pair>{_BACK}ud[89ab][0-9a-f]{{2}}{_BACK}ud[c-f][0-9a-f]{{2}})"
    rf"|(?P<unit>{_BACK}u[0-9a-f]{{4}})|(?P<space>{_BACK}[nrtbf])"
    r"|(?P<entity>&(?:amp;){0,4}(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_SKIPPED = frozenset("\\\"'“”‘’`«»*>")  # signs that escaping, quotation and emphasis add
_TAG = re.compile(r"[<\[]/think")  # the end of the reasoning, in the form of ``folded``
_OPENED = re.compile(r"[\"“'‘`«*>(]\s*\Z")
_ENDED = re.compile(r"[^\S\n]*(?:[.!?;\"”’'`»)\]}*]|\n|\Z)")


class Folded(NamedTuple):
    """A text as it is compared."""

    form: str  # its characters without case, white space, marks, escapes and quotation marks
    places: tuple[tuple[int, int], ...]  # the place of each of them in the text


class Source(NamedTuple):
    """A text of the request, and what the reply does by quoting it."""

    form: str  # as of ``folded``
    decides: bool  # whether it could decide the judge: it contains an offered word or the end of a reasoning, and more
    states: bool  # whether it states a verdict, or contains the end of a reasoning, so that it is a quotation anywhere
    tagged: bool  # whether it contains the end of a reasoning
    has_verdict: bool  # whether it contains anything that would be read as a verdict, or the end of a reasoning


@lru_cache(maxsize=64)
def folded(text: str) -> Folded:
    r"""Return a text as it is compared: the same for each way to escape, quote or space it.

    >>> folded('Rome <\\/think>{\\"Verdict\\":\\n\\"yes\\"}').form
    'rome</think{verdict:yes}'
    """
    pieces = [(_folded(_decoded(match)), match.span()) for match in _PIECE.finditer(text)]
    places = tuple(span for piece, span in pieces for _ in piece)
    return Folded("".join(piece for piece, _ in pieces), places)


def decoded(text: str) -> str:
    """Return a text without the escapes of JSON and HTML."""
    return _PIECE.sub(_decoded, text).replace("\\", "")


def has_tag(text: str) -> bool:
    """Return whether a text contains a tag that ends a reasoning, however it is written."""
    return bool(_TAG.search(folded(text).form))


def without_quotations(text: str, sources: Iterable[Source]) -> str:
    """Return a reply of the same length, in which white space replaces each whole quotation of a source.

    A source that states no verdict, such as "No, Oslo", is a quotation only if it is set off: between marks, or up to
    the end of a sentence.
    """
    reply, spans = folded(text), []
    for source in sources:
        at = reply.form.find(source.form) if source.decides else -1
        while at >= 0:
            start, end = reply.places[at][0], reply.places[at + len(source.form) - 1][1]
            if not _is_in_word(text, start, end) and (source.states or _is_set_off(text, start, end)):
                spans.append((start, end))
            at = reply.form.find(source.form, at + len(source.form))
    parts, done = [], 0
    for start, end in sorted(spans):
        if end > done:
            parts += [text[done : max(start, done)], " " * (end - max(start, done))]
            done = end
    return "".join([*parts, text[done:]])


def _is_in_word(text: str, start: int, end: int) -> bool:
    """Return whether a place begins or ends inside a word."""
    borders = (at for at in (start, end) if 0 < at < len(text))
    return any(text[at - 1 : at + 1].isalnum() for at in borders)


def _is_set_off(text: str, start: int, end: int) -> bool:
    return bool(_OPENED.search(text[max(0, start - 20) : start]) or _ENDED.match(text, end))


@lru_cache(maxsize=4096)
def _folded(characters: str) -> str:
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", characters).casefold())
    return "".join(c for c in plain if not (c.isspace() or c in _SKIPPED or unicodedata.category(c) in ("Cf", "Mn")))


def _decoded(match: re.Match[str]) -> str:
    raw = match[0]
    if match["plain"]:
        return raw
    if match["unit"]:
        return chr(int(raw[-4:], 16))
    if match["pair"]:
        high, low = (int(digits, 16) for digits in re.findall(r"u([0-9a-f]{4})", raw, re.IGNORECASE))
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return html.unescape(re.sub("&(?:amp;)+", "&", raw, flags=re.IGNORECASE).lower()) if match["entity"] else " "
