"""What may stand around an answer without changing it: an allow list, as data, in twelve languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from answersim.answers.text.patterns import TOUCHING, Patterns, pattern, table, words

# Sides: "before", "after", "around" for words on either side, which may be joined freely; "remark" and "linking" for
# clauses without the answer, see ``remarks``. "G" is an answer. Words in round brackets may be missing: "(that)", and
# so may a comma. One of those in square brackets stands there: "[we/you] need". A phrase ends where a word ends, but in
# a language that writes words without spaces.
FRAMES = table("extraction/frames.tsv")
LANGUAGES = tuple(dict.fromkeys(lang for _, lang, *_ in FRAMES))
_P = Patterns("frames")
_MOST = 48  # frames around one answer
_MOST_WAYS = 24  # of a phrase that is looked up word by word
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
    end = 1 if lang in TOUCHING else None
    for phrase in _phrases(side, lang, roles):
        for word in dict.fromkeys(_edge(text, side)[:end] for text in _ends(phrase, side)):
            table.setdefault(word, []).append(phrase)
    return table


class _Slot(NamedTuple):
    """A place of a phrase with the words of which one stands there."""

    words: tuple[str, ...]
    is_optional: bool  # whether it may be missing
    is_apart: bool  # whether a space stands before it


@cache
def phrases(side: str, lang: str) -> frozenset[str]:
    """Return the phrases of the rows of one side in a language, in all their ways; of a phrase with few ways."""
    listed = (phrase for row in FRAMES if row[:2] == [side, lang] for phrase in row[3].split("|"))
    few = (text for text in listed if prod(len(slot.words) + slot.is_optional for slot in _slots(text)) <= _MOST_WAYS)
    return frozenset(way for text in few for way in _ways(text))


@cache
def _slots(phrase: str) -> tuple[_Slot, ...]:
    """Return the places of a phrase, in order."""
    slots: list[_Slot] = []
    is_apart = False
    for optional, one_of, word, space in _P.slot.findall(phrase):
        if not space:
            listed = tuple((optional or one_of).split("/")) if optional or one_of else (word,)
            slots.append(_Slot(listed, bool(optional), is_apart))
        is_apart = bool(space)
    return tuple(slots)


def _ways(phrase: str) -> Iterator[str]:
    """Return the texts of a phrase: with and without what may be missing, and without commas."""
    slots = _slots(phrase)
    for listed in product(*((*slot.words, "") if slot.is_optional else slot.words for slot in slots)):
        parts = (f" {word}" if slot.is_apart and word else word for slot, word in zip(slots, listed, strict=True))
        yield "".join(parts).replace(",", "").strip()


def _ends(phrase: str, side: str) -> Iterator[str]:
    """Return the words with which a phrase may begin; on the side "after", end."""
    for slot in _slots(phrase) if side == "before" else reversed(_slots(phrase)):
        yield from filter(None, slot.words)
        if not slot.is_optional and "" not in slot.words and slot.words != (",",):
            return


def _edge(text: str, side: str) -> str:
    """Return the first word of a text, or the last one, backwards."""
    word = _P.edge.match(text if side == "before" else text[::-1])
    return word[1].lower() if word is not None else ""


def _match(side: str, lang: str, text: str, roles: tuple[str, ...] = ()) -> tuple[int, int] | None:
    """Return the place of the longest frame on a side of a text: one of the phrases with its word on that side."""
    word = _edge(text, side)[: 1 if lang in TOUCHING else None]
    if word not in _by_edge(side, lang, roles):
        return None
    if side == "after":
        frame = _after(lang, word, roles).search(text, max(0, len(text) - _ENDING))
        return None if frame is None else frame.span()
    start = _gap_end(text, 0)
    places = (start, start - 1) if text[start - 1 : start] in ("'", "’") else (start,)  # "'s"
    frames = (phrase.match(text, place) for phrase in _before(lang, word, roles) for place in places)
    end = max((frame.end() for frame in frames if frame is not None), default=0)
    return (0, _gap_end(text, end)) if end else None


def _gap_end(text: str, start: int) -> int:
    """Return where the signs end that begin here."""
    gap = _P.gap.match(text, start)
    return start if gap is None else gap.end()


@cache
def _before(lang: str, edge: str, roles: tuple[str, ...] = ()) -> list[re.Pattern[str]]:
    """Return expressions of the phrases of a language before an answer that begin with a word, or with "'"."""
    return [re.compile(_whole(phrase, lang), re.IGNORECASE) for phrase in _by_edge("before", lang, roles)[edge]]


@cache
def _after(lang: str, edge: str, roles: tuple[str, ...] = ()) -> re.Pattern[str]:
    """Return one expression of the phrases behind an answer that end with a word, at the end of a text."""
    phrases = "|".join(_whole(phrase, lang) for phrase in _by_edge("after", lang, roles)[edge])
    return re.compile(rf"{_P.gap.pattern}(?:{phrases}){_P.gap.pattern}\Z", re.IGNORECASE)


def _whole(phrase: str, lang: str) -> str:
    """Return a phrase as a regular expression that no letter touches, unless the language has no spaces."""
    expression, is_open = "", True  # whether nothing stands before that has to be there
    for slot in _slots(phrase):
        one_of = "|".join(map(_literal, sorted(slot.words, key=len, reverse=True)))
        one_of = f"(?:{one_of})" if "|" in one_of else one_of
        space = r"\s{1,3}" if slot.is_apart and not is_open else ""
        if slot.is_optional and is_open:
            expression += rf"(?:{one_of}\s{{1,3}})?"
        else:
            expression += f"(?:{space}{one_of})?" if slot.is_optional else f"{space}{one_of}"
        is_open = is_open and slot.is_optional
    if lang in TOUCHING:
        return expression
    return rf"(?<![\w'’])(?<!\w-)(?:{expression})(?:(?<=\s[dl]['’])|(?!['’]?\w|-\w))"


def _literal(words: str) -> str:
    return re.escape(words).replace(",", ",?").replace("'", "['’]").replace(r"\ ", r"\s{1,3}")


def bare(text: str) -> str:
    """Return a text without punctuation and quotation marks at both ends."""
    return text.strip(" \t\r\n,.:;!?،؛¡。，：！、；～…–—>=→∴•*#|\"'“”„«»「」『』《》`")


@lru_cache(maxsize=256)  # of the texts that are compared now, whose rules ask several times
def peeled(text: str, lang: str = "en", roles: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return a text and what is left after each frame around it was removed, from the outside to the inside.

    ``lang``: the language of the frames, an ISO 639-1 code. A language without frames removes punctuation only.
    ``roles``: those whose words are frames, too.
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
        before = None if after is not None and after[0] else _match("before", lang, core, roles)
        if before is not None and before[1] < len(core) and not _P.joined.match(core):
            core = bare(core[before[1] :])
            continue
        after = after or _match("after", lang, core, roles)
        if after is None or not after[0]:
            break
        core = bare(core[: after[0]])
    return tuple(cores if lang in LANGUAGES else dict.fromkeys((*cores, core)))


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


@lru_cache(maxsize=64)
def innermost(text: str) -> Mapping[str, str]:
    """Return what ``peeled`` leaves of a text in the end, by language of the frames."""
    core = bare(text)
    if _may_hedge(core):
        return {lang: peeled(text, lang)[-1] for lang in LANGUAGES}
    plain = core or text.strip()
    cores = dict.fromkeys(LANGUAGES, plain)
    for side in ("before", "after"):
        edge = _edge(core, side)
        for lang in (*_framing(side, False).get(edge, ()), *_framing(side, True).get(edge[:1], ())):
            if cores[lang] == plain:
                cores[lang] = peeled(text, lang)[-1]
    return cores


@cache
def _framing(side: str, touching: bool) -> dict[str, list[str]]:
    """Return the languages with phrases of a side by their first word, those without spaces by its first sign."""
    table: dict[str, list[str]] = {}
    for lang in LANGUAGES:
        for edge in _by_edge(side, lang) if (lang in TOUCHING) == touching else ():
            table.setdefault(edge, []).append(lang)
    return table
