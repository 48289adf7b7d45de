"""What may stand around an answer without changing it: an allow list, as data, in twelve languages."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from answersim.answers.text.patterns import TOUCHING, Patterns, pattern, table, words

# Rows: a side ("before", "after", "around" for words on either side, which may be joined freely, or "remark" and
# "linking" for those of clauses without the answer, see ``remarks``), a language, what the phrases do, the phrases, an answer "G" in such a frame, and a text of the like that is no frame. Words in brackets
# may be missing: "(that)". A phrase ends where a word ends, unless the language writes words without spaces.
FRAMES = table("extraction/frames.tsv")
LANGUAGES = tuple(dict.fromkeys(lang for _, lang, *_ in FRAMES))
_P = Patterns("frames")
_SIGNS = r"[\s,.:;!?،؛…\-–—>=→∴•*#|\"'“”„«»`()\[\]]"
_GAP = rf"{_SIGNS}{{0,40}}"
_EDGE = re.compile(rf"{_SIGNS}*(\w*)")
_MOST = 48  # frames around one answer
_HEDGE = 160  # characters at its start in which a clause of doubt is searched
_ENDING = 80  # characters at the end of a text in which a closing frame is searched


@cache
def _phrases(side: str, lang: str, roles: tuple[str, ...] = ()) -> list[str]:
    """Return the phrases of a side in a language, and the words of these roles, the longest first."""
    rows = [row[3].split("|") for row in FRAMES if row[0] in (side, "around") and row[1] == lang]
    rows += [list(words(role).get(lang, ())) for role in roles]
    return sorted({phrase for row in rows for phrase in row}, key=lambda phrase: (-len(phrase), phrase))


@cache
def _by_edge(side: str, lang: str, roles: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Return the phrases of a side by their first word; of the side "after", by their last one, backwards."""
    table: dict[str, list[str]] = {}
    for phrase in _phrases(side, lang, roles):
        for word in dict.fromkeys(_edge(way, side) for way in _ways(phrase)):
            table.setdefault(word, []).append(phrase)
    return table


def _ways(phrase: str) -> list[str]:
    """Return a phrase with and without each word in brackets."""
    shorter, n = re.subn(r" \(.*?\)", "", phrase, count=1)
    return [*_ways(shorter), *_ways(re.sub(r" \((.*?)\)", r" \1", phrase, count=1))] if n else [phrase]


@cache
def phrases(side: str, lang: str) -> frozenset[str]:
    """Return the phrases of the rows of one side in a language, with and without each word in brackets."""
    listed = (phrase for row in FRAMES if row[:2] == [side, lang] for phrase in row[3].split("|"))
    return frozenset(way for phrase in listed for way in _ways(phrase))


def _edge(text: str, side: str) -> str:
    word = _EDGE.match(text if side == "before" else text[::-1])
    return word[1].lower() if word is not None else ""


def _match(side: str, lang: str, text: str, roles: tuple[str, ...] = ()) -> re.Match[str] | None:
    """Return the frame on a side of a text. Of a text in ASCII, phrases with its word on that side are searched."""
    word = _edge(text, side) if text.isascii() else None
    if word is not None and word not in _by_edge(side, lang, roles):
        return None
    frame = _pattern(side, lang, word, roles)
    return frame.match(text) if side == "before" else frame.search(text, max(0, len(text) - _ENDING))


@cache
def _pattern(side: str, lang: str, edge: str | None, roles: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return one expression of the phrases of a side in a language, anchored at the start or the end of a text.

    ``edge``: the word at that end, as of ``_by_edge``; None for all phrases.
    """
    expressions = []
    for phrase in _phrases(side, lang, roles) if edge is None else _by_edge(side, lang, roles)[edge]:
        words = re.escape(phrase).replace("'", "['’]").replace(r"\ ", r"\s{1,3}")
        expressions.append(re.sub(r"\\s\{1,3\}\\\((.*?)\\\)", r"(?:\\s{1,3}\1)?", words))
    phrases = f"(?:{'|'.join(expressions)})"
    words = phrases if lang in TOUCHING else f"(?<![\\w'’])(?<!\\w-){phrases}(?!['’]?\\w|-\\w)"
    return re.compile(rf"{_GAP}{words}{_GAP}" if side == "before" else rf"{_GAP}{words}{_GAP}\Z", re.IGNORECASE)


def bare(text: str) -> str:
    """Return a text without punctuation and quotation marks at both ends."""
    return text.strip(" \t\r\n,.:;!?،؛…–—>=→∴•*#|\"'“”„«»`")


def peeled(text: str, lang: str = "en", roles: tuple[str, ...] = ()) -> list[str]:
    """Return a text and what is left after each frame around it was removed, from the outside to the inside.

    ``lang``: the language of the frames, an ISO 639-1 code. A language without frames removes punctuation only.
    ``roles``: those whose words are frames, too.

    >>> peeled("I think it is Rome, of course.")[-1], peeled("I'm not so sure, but it must be Rome.")[-1]
    ('Rome', 'Rome')
    >>> peeled("It is not Rome.")[-1]
    'not Rome'
    """
    cores, core = [text.strip()], bare(text)
    for _ in range(_MOST if lang in LANGUAGES else 0):
        if core and core != cores[-1]:
            cores.append(core)
        if (certain := bare(_unhedged(core, lang))) and certain != core:
            core = certain
            continue
        # Words that touch the answer are short at its start, so those behind it are removed first.
        after = _match("after", lang, core, roles) if lang in TOUCHING else None
        before = None if after is not None and after.start() else _match("before", lang, core, roles)
        if before is not None and 0 < before.end() < len(core) and not _P.joined.match(core):
            core = bare(core[before.end() :])
            continue
        after = after or _match("after", lang, core, roles)
        if after is None or not after.start():
            break
        core = bare(core[: after.start()])
    return cores if lang in LANGUAGES else list(dict.fromkeys((*cores, core)))


@lru_cache(maxsize=64)
def _may_hedge(text: str) -> bool:
    """Return whether a text has a word of doubt at its start or end."""
    return _P.unsure.search(f"{text[:_HEDGE]} {text[-_ENDING:]}") is not None


def _unhedged(text: str, lang: str) -> str:
    """Return a text without the clause at its start or end in which the speaker is not sure: "I'm not sure, but"."""
    if not _may_hedge(text):
        return text
    before = pattern("frames", "hedge_before", lang).match(text)
    after = pattern("frames", "hedge_after", lang).search(text, max(0, len(text) - _ENDING))
    if before is not None and before.end() < len(text):
        return text[before.end() :]
    return text if after is None else text[: after.start()]


def vocabulary(lang: str, roles: tuple[str, ...] = ()) -> frozenset[str]:
    """Return all phrases of the frames of a language, on both sides, and all words of clauses of doubt."""
    roles = (*roles, "unsure", "unsureword", "but")
    return frozenset(phrase for side in ("before", "after") for phrase in _phrases(side, lang, roles))


def innermost(text: str) -> dict[str, str]:
    """Return what ``peeled`` leaves of a text in the end, by language of the frames."""
    core = bare(text)
    if not core.isascii() or _may_hedge(core):
        return {lang: peeled(text, lang)[-1] for lang in LANGUAGES}
    framed = _languages("before").get(_edge(core, "before"), ()), _languages("after").get(_edge(core, "after"), ())
    plain = core or text.strip()
    return {lang: peeled(text, lang)[-1] if lang in framed[0] or lang in framed[1] else plain for lang in LANGUAGES}


@cache
def _languages(side: str) -> dict[str, frozenset[str]]:
    """Return the languages in which a phrase has a word on a side."""
    words = {word for lang in LANGUAGES for word in _by_edge(side, lang)}
    return {word: frozenset(lang for lang in LANGUAGES if word in _by_edge(side, lang)) for word in words}
