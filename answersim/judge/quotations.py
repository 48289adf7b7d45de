"""What a reply of a judge quotes from its request. A quotation is no verdict, and does not end the reasoning."""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

OPENING, CLOSING = "<think>", "</think>"  # the words that stand for the tags around the reasoning
KEYS = frozenset({"verdict", "verdicts", "grade", "judgment", "judgement", "nuggets", "conclusion", "decision"})
# Words that a statement of a verdict consists of, so that they do not show that it is a quotation.
_COMMON = KEYS | frozenset("the a is so and it my final answer json fact reason therefore thus hence".split())
_BACK = r"\\{1,8}"  # the backslashes of an escape, which may be escaped several times
_TAG = (
    rf"(?:<|{_BACK}u003c|&lt;|\[)\s{{0,4}}(?P<slash>\\{{0,8}}/)?\s{{0,4}}think(?:ing)?\s{{0,4}}"
    rf"(?:>|{_BACK}u003e|&gt;|\])"
)
_PIECE = re.compile(
    rf"(?P<tag>{_TAG})|(?P<pair>{_BACK}ud[89ab][0-9a-f]{{2}}{_BACK}ud[c-f][0-9a-f]{{2}})"
    rf"|(?P<unit>{_BACK}u[0-9a-f]{{4}})|(?P<escape>{_BACK}[nrtbf\"'/])"
    r"|(?P<entity>&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});)|(?P<word>[^\W_]+)",
    re.IGNORECASE,
)
_OPENED = re.compile(r"[\"“'‘`«]\s*\Z")
_ENDED = re.compile(r"[^\S\n]*(?:[.!?;\"”’'`»)\]}]|\n|\Z)")
_SIGNS = 200  # characters around a quotation in which signs are compared
_SKIPPED = frozenset("\\\"'“”‘’`")  # signs that escaping and other quotation marks add


class Word(NamedTuple):
    """A word of a text without case, escapes and marks, and its place in the text."""

    form: str
    start: int
    end: int


class _Match(NamedTuple):
    """A run of words of a reply that is a run of words of a source: the positions after its last word in both."""

    end: int
    length: int
    source_end: int


def words(text: str) -> list[Word]:
    r"""Return the words of a text. A text has the same words if it is escaped in JSON or HTML, or its case changes.

    >>> [word.form for word in words('Rome <\\/think>{\\"Verdict\\":\\n\\"yes\\"}')]
    ['rome', '</think>', 'verdict', 'yes']
    """
    found: list[Word] = []
    joined = False  # whether the last word may continue
    done = 0
    for match in _PIECE.finditer(text):
        start, end = match.span()
        joined = joined and _is_invisible(text[done:start])
        done = end
        if match["tag"]:
            found.append(Word(CLOSING if match["slash"] else OPENING, start, end))
            joined = False
            continue
        decoded = _decoded(match)
        form = "".join(c for c in unicodedata.normalize("NFKC", decoded).casefold() if c.isalnum())
        if not form:
            joined = joined and _is_invisible(decoded)
            continue
        if joined:
            form, start = found[-1].form + form, found.pop().start
        found.append(Word(form, start, end))
        joined = True
    return found


def _is_invisible(text: str) -> bool:
    return all(unicodedata.category(c) in ("Cf", "Mn") for c in text)


def _decoded(match: re.Match[str]) -> str:
    raw = match[0]
    if match["unit"]:
        return chr(int(raw[-4:], 16))
    if match["pair"]:
        high, low = (int(part, 16) for part in re.findall(r"u([0-9a-f]{4})", raw, re.IGNORECASE))
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return " " if match["escape"] else html.unescape(raw) if match["entity"] else raw


class Source(NamedTuple):
    """A text of the request."""

    text: str  # the text
    words: tuple[Word, ...]  # its words
    forms: tuple[str, ...]  # its words without their places

    def contains(self, forms: Sequence[str]) -> bool:
        """Return whether these words occur in the text, in a row."""
        mine, n = self.forms, len(forms)
        return any(mine[i : i + n] == tuple(forms) for i in range(len(mine) - n + 1))


@lru_cache(maxsize=64)
def source(text: str) -> Source:
    """Return a text of the request with its words."""
    found = tuple(words(text))
    return Source(text, found, tuple(word.form for word in found))


def without_quotations(
    text: str, sources: Collection[Source], labels: Collection[str], objects: Sequence[tuple[int, int]] = ()
) -> tuple[str, int | None]:
    """Return a reply in which white space replaces each quotation of a source that contains a label or a closing tag.

    A run of words that a source contains too counts as a quotation if it is the whole source or long enough, so that it
    is not a verdict of the judge that has the same words by chance. A source that is only a label, such as "yes", is no
    quotation: see ``parsing`` for the phrases that attribute a word to the candidate. ``objects``: the places of JSON
    objects with a verdict. A quotation inside one of their texts may stay there. The result is the reply, of the same
    length, and the place of the first quotation that starts with a closing tag and is only a part of its source, or
    None. Such a tag may also be the end of the reasoning of the judge.
    """
    reply = _Reply(text, labels)
    known = [of for of in sources if reply.first.intersection(of.forms) and reply.first.intersection(reply.forms)]
    spans: list[tuple[int, int]] = []
    doubtful: int | None = None
    for of in known:
        for match in _matches(reply.forms, of.forms):
            if not reply.quotes(match, of):
                continue
            start, end = reply.span(match, of)
            if not reply.has_tag(match) and any(
                a < start and end <= b and reply.has_words((a, start), (end, b)) for a, b in objects
            ):
                continue
            if reply.forms[match.end - match.length] == CLOSING and match.length < len(of.words):
                doubtful = start if doubtful is None else min(start, doubtful)
            spans.append((start, end))
    parts, done = [], 0
    for start, end in sorted(spans):
        if end > done:
            parts += [text[done : max(start, done)], " " * (end - max(start, done))]
            done = end
    return "".join([*parts, text[done:]]), doubtful


class _Reply:
    """The words of a reply, and which of them belong to a label, are common, or are a key or a closing tag."""

    def __init__(self, text: str, labels: Collection[str]) -> None:
        self.text, self.words = text, words(text)
        self.forms = [word.form for word in self.words]
        self.starts = [word.start for word in self.words]
        self.labels = {tuple(word.form for word in words(label)) for label in labels}
        self.first = {label[0] for label in self.labels if label} | {CLOSING}
        of_labels = {form for label in self.labels for form in label}
        self._labeled = _counts(self._starts_label(i) for i in range(len(self.forms)))
        self._tags = _counts(form == CLOSING for form in self.forms)
        self._keys = _counts(form in KEYS for form in self.forms)
        self._content = _counts(
            form not in of_labels and form not in _COMMON and form not in (CLOSING, OPENING) for form in self.forms
        )

    def _starts_label(self, i: int) -> bool:
        return any(tuple(self.forms[i : i + len(label)]) == label for label in self.labels)

    def has_tag(self, match: _Match) -> bool:
        """Return whether a run of words contains a closing tag."""
        return self._tags[match.end] > self._tags[match.end - match.length]

    def has_words(self, *places: tuple[int, int]) -> bool:
        """Return whether words are at one of these places."""
        return any(bisect_left(self.starts, end) > bisect_left(self.starts, start) for start, end in places)

    def quotes(self, match: _Match, of: Source) -> bool:
        """Return whether a run of words is a quotation that contains a label or a closing tag."""
        a, b = match.end - match.length, match.end
        whole = match.length == len(of.words)
        labeled, content = self._labeled[b] - self._labeled[a], self._content[b] - self._content[a]
        if self.has_tag(match):  # a closing tag of the judge may be beside a word that is beside one in the source too
            return whole or labeled > 0 or content > 2
        if not labeled or (whole and of.forms in self.labels):
            return False
        if self._keys[b] > self._keys[a]:
            return content > 0 or match.length > 4 or (whole and (match.length > 2 or self._has_signs(of)))
        marked = bool(_OPENED.search(self.text[max(0, self.starts[a] - 20) : self.starts[a]]))
        if whole:
            return marked or bool(_ENDED.match(self.text, self.span(match, of)[1]))
        return marked and content > 0

    def span(self, match: _Match, of: Source) -> tuple[int, int]:
        """Return the place of a quotation with the signs around it that are in the source too."""
        start, end = self.starts[match.end - match.length], self.words[match.end - 1].end
        i, j = match.source_end - match.length, match.source_end
        before = of.text[of.words[i - 1].end if i else 0 : of.words[i].start][-_SIGNS:]
        after = of.text[of.words[j - 1].end : of.words[j].start if j < len(of.words) else len(of.text)][:_SIGNS]
        left = _common(self.text[max(0, start - _SIGNS) : start][::-1], before[::-1])
        return start - left, end + _common(self.text[end : end + _SIGNS], after)

    @cached_property
    def _signs(self) -> str:
        return squeezed(self.text)

    def _has_signs(self, of: Source) -> bool:
        """Return whether the reply contains the whole source with its signs, and these are more than a verdict has."""
        signs = squeezed(of.text)
        return not re.fullmatch(r"\{?[\w\s:=*]+\}?\.?", signs) and signs in self._signs


def _counts(flags: Iterable[bool]) -> list[int]:
    """Return how many of the flags before each position are true."""
    return [0, *accumulate(map(int, flags))]


def squeezed(text: str) -> str:
    """Return a text without case, white space, quotation marks and escapes, but with all other signs."""
    decoded = _PIECE.sub(lambda match: match[0][-1] if match["escape"] else _decoded(match), text)
    signs = unicodedata.normalize("NFKC", decoded).casefold()
    return "".join(c for c in signs if not c.isspace() and c not in _SKIPPED)


def _common(text: str, signs: str) -> int:
    """Return how many characters at the start of a text are these signs, apart from white space and quotation marks."""
    wanted = [c for c in signs if not c.isspace() and c not in _SKIPPED]
    end = 0
    for i, c in enumerate(text):
        if not wanted:
            break
        if c == wanted[0]:
            del wanted[0]
            end = i + 1
        elif not c.isspace() and c not in _SKIPPED:
            break
    return end


def _matches(reply: Sequence[str], of: Sequence[str]) -> Iterator[_Match]:
    """Yield the longest common runs: at each place of the reply where a run ends that no further word continues.

    Source: the matching statistics of a suffix automaton (Blumer et al. 1985), linear in both texts.
    """
    following: list[dict[str, int]] = [{}]
    link, length, ends = [-1], [0], [0]
    last = 0
    for i, form in enumerate(of):
        new = len(following)
        following.append({})
        link.append(0)
        length.append(length[last] + 1)
        ends.append(i + 1)
        state = last
        while state >= 0 and form not in following[state]:
            following[state][form] = new
            state = link[state]
        if state >= 0:
            old = following[state][form]
            if length[old] == length[state] + 1:
                link[new] = old
            else:
                clone = len(following)
                following.append(dict(following[old]))
                link.append(link[old])
                length.append(length[state] + 1)
                ends.append(ends[old])
                link[old] = link[new] = clone
                while state >= 0 and following[state].get(form) == old:
                    following[state][form] = clone
                    state = link[state]
        last = new
    state = run = 0
    for i, form in enumerate(reply):
        if form not in following[state] and run:
            yield _Match(i, run, ends[state])
        while state and form not in following[state]:
            state = link[state]
            run = length[state]
        if form in following[state]:
            state, run = following[state][form], run + 1
        else:
            state = run = 0
    if run:
        yield _Match(len(reply), run, ends[state])
