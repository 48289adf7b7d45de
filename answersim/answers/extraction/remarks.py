"""Remarks around an answer, such as "I checked it twice." and "Let me know if you need more": an allow list."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from answersim.answers.extraction.frames import LANGUAGES, peeled, phrases
from answersim.answers.text.patterns import Patterns, word_sets

# What ends a clause: an arrow, a line, a sign behind which a blank or the end of the text stands; and an aside.
_P, _W = Patterns("remarks"), word_sets("remarks")
_CHARACTERS = ("zh", "ja")  # languages without blanks
_ANSWER = "Zork"  # in the place of an answer
_MOST_WORDS, _SHORTEST = 25, 3  # words of a clause, and letters of a phrase that a remark is about
_STOPS = frozenset(".!?;:,…—–。！？；：，、؛،؟()\n")


class _Phrases(NamedTuple):
    longest: dict[str, int]  # the length of the longest phrase, by its first word
    is_about: dict[str, bool]  # of each phrase, whether a remark may be about it
    frames: frozenset[str]  # the phrases that may touch an answer
    words: frozenset[str]  # the words of all phrases, on both sides of an answer


def without_remarks(text: str, names_answer: Callable[[str], bool]) -> str:
    """Return a text without the remarks in it: clauses that name nothing, in one of the languages of frames.

    A remark has only words of the allow list, and at least one that it is about ("check", "hope"). Punctuation
    separates it. A text of remarks alone is returned as it is, and so is an object of JSON. The time is linear.
    ``names_answer``: whether a clause names the answer, and is no remark.
    """
    listed = clauses(text) if not text.startswith(("{", "[")) else ()
    if len(listed) < 2:
        return text
    spans: list[tuple[int, int]] = []
    at, side, n_named = 0, "before", 0
    for start, end, clause in listed:
        is_named = names_answer(clause)
        side = "after" if is_named else side
        n_named += is_named
        is_item = n_named > 1 and " " not in clause.strip() and text[:start].rstrip()[-1:] == ","  # of a list
        if is_named or is_item or not is_remark(text[start:end], side):
            if spans and spans[-1][1] == start:
                start = spans.pop()[0]
            spans.append((start, end))
        at = end
    is_whole = not spans or spans == [(0, at)]
    left = " ".join(text[start:end].strip() for start, end in spans)
    return text if is_whole else _P.turn.sub("", left) if spans[0][0] else left  # "I may be wrong, but it is Rome"


def framed_places(words: Sequence[str], places: Sequence[int], lang: str) -> set[int]:
    """Return the positions of words that belong to phrases of remarks and frames; none if one makes another answer.

    All phrases are of ``lang``, or of another language that explains all words. A word that touches the answer has to
    belong to a frame: "The evidence shows Rome", and not "The show in Rome". ``words``: those of an answer, with signs,
    in lower case. ``places``: the positions of the words of the gold answer.
    """
    if not places or "{" in words or not _W.others.isdisjoint(words) or _P.asked.search(" ".join(words)):
        return set()
    spoken = {i for i, word in enumerate(words) if word[0].isalnum()} - set(places)
    framed = _framed(words, places, lang)
    has_words = any(len(words[i]) > _SHORTEST for i in spoken)  # "El" may belong to "El Salvador"
    for foreign in LANGUAGES if has_words and len(spoken) <= _MOST_WORDS and not spoken <= framed else ():
        is_known = all(words[i] in _phrases(foreign, "before").words for i in spoken)
        if foreign != lang and is_known and spoken <= (elsewhere := _framed(words, places, foreign)):
            return elsewhere
    return framed


def _framed(words: Sequence[str], places: Sequence[int], lang: str) -> set[int]:
    """Return what ``framed_places`` does, by the phrases of this language alone."""
    if lang not in LANGUAGES or lang in _CHARACTERS:
        return set()
    named = set(places)
    frames: dict[int, tuple[int, bool]] = {}  # by position: the length of the phrase, and whether it is of a frame
    for start, end, side in _stretches(words, places):
        spoken = [i for i in range(start, end) if words[i][0].isalnum()]
        _cover(spoken, words, _phrases(lang, side), frames)
    for i in places:
        for step in (-1, 1):
            beside = i + step
            while 0 <= beside < len(words) and words[beside] in _W.articles and step < 0:
                beside += step
            if beside in named or not 0 <= beside < len(words):
                continue
            length, is_frame = frames.get(beside, (1, True))
            if (length == 1 and words[beside] in _W.relating) or not (is_frame or words[beside].endswith("ly")):
                return set()
    return set(frames)


def _stretches(words: Sequence[str], places: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the stretches of words between mentions of the answer, and the side of it on which each stands."""
    stops = [i for i, word in enumerate(words) if word in _STOPS]
    at = 0
    for place in (*sorted(places), len(words)):
        start, end = at, place
        first, behind = bisect_left(stops, at), bisect_left(stops, end)  # the stops of this stretch
        if end < len(words) and first < behind:  # from the last stop before an answer
            start = stops[behind - 1] + 1
        if at and place == len(words) and first < behind:  # to the first stop behind an answer
            end = stops[first]
        if end > start:
            yield start, end, "after" if at else "before"
        at = place + 1


def _cover(spoken: Sequence[int], words: Sequence[str], known: _Phrases, frames: dict[int, tuple[int, bool]]) -> None:
    """Add the positions of the longest phrases in a stretch of words."""
    at = 0
    while at < len(spoken):
        first = words[spoken[at]]
        for n in range(min(known.longest.get(first, 0), len(spoken) - at), 0, -1):
            phrase, around = " ".join(words[i] for i in spoken[at : at + n]), (spoken[at] - 1, spoken[at + n - 1] + 1)
            is_joined = any(0 <= i < len(words) and words[i] in _W.joining for i in around)  # "so-called"
            if phrase in known.is_about and not is_joined:
                frames.update(dict.fromkeys(spoken[at : at + n], (n, phrase in known.frames)))
                at += n
                break
        else:
            at += 1


@lru_cache(maxsize=64)  # of the texts that are compared now, whose rules ask several times
def clauses(text: str) -> Sequence[tuple[int, int, str]]:
    """Return the clauses and asides of a text, with their places; that of a clause has the sign behind it."""
    at, listed = 0, list[tuple[int, int, str]]()
    for sign in _P.sign.finditer(text):
        aside = sign["aside"]
        end = sign.end() if aside is None else sign.start()
        if end > at:
            listed.append((at, end, text[at : sign.start()]))
        if aside is not None:
            listed.append((sign.start(), sign.end(), aside))
        at = sign.end()
    if at < len(text):
        listed.append((at, len(text), text[at:]))
    return tuple(listed)


def is_remark(text: str, side: str) -> bool:
    """Return whether each clause of a text on a side of the answer, with the sign behind it, is a remark."""
    is_label = side == "before" and text.rstrip().endswith(":")
    return all(_is_remark(piece, side, is_label) for piece in _P.sign.split(text) if piece and piece.strip())


def _is_remark(clause: str, side: str, is_label: bool) -> bool:
    """Return whether a clause is a remark. A short label before the answer is a frame."""
    plain = clause.replace("’", "'")
    folded = plain.casefold()
    has_name = any(word[0].isupper() and word not in _W.loud for word in _P.word.findall(plain)[1:])
    words = _P.word.findall(folded)
    langs = _beginning(side).get(words[0], ()) if words else ()
    langs = tuple({"de"}.intersection(langs)) if has_name else langs  # which begins all nouns with a capital letter
    if any(_is_of(_phrases(lang, side), words, lang, is_label) for lang in langs):
        return True
    framed = f"{clause}，{_ANSWER}" if side == "before" else f"{_ANSWER}，{clause}"
    return not (has_name or folded.isascii()) and any(peeled(framed, lang)[-1] == _ANSWER for lang in _CHARACTERS)


@cache
def _beginning(side: str) -> dict[str, tuple[str, ...]]:
    """Return the languages with phrases of a side, but those without blanks, by the first word of a phrase."""
    by_word: dict[str, tuple[str, ...]] = {}
    for lang in LANGUAGES:
        for word in _phrases(lang, side).longest if lang not in _CHARACTERS else ():
            by_word[word] = (*by_word.get(word, ()), lang)
    return by_word


def _is_of(known: _Phrases, words: Sequence[str], lang: str, is_label: bool) -> bool:
    """Return whether words are a row of known phrases, the longest first, and a remark may be about one of them."""
    is_title = is_label and len(words) <= (6 if lang == "en" else 1) and _W.spoken.isdisjoint(words)  # "Second place:"
    allowed = known.frames if is_title else known.is_about
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    at, is_about = 0, False
    while at < len(words):
        for n in range(min(known.longest.get(words[at], 0), len(words) - at), 0, -1):
            if (phrase := " ".join(words[at : at + n])) in allowed:
                is_about = is_about or known.is_about[phrase]
                at += n
                break
        else:
            return False
    return is_about


@cache
def _phrases(lang: str, side: str) -> _Phrases:
    """Return the phrases of remarks and frames of a language on a side of the answer."""
    is_about: dict[str, bool] = {}
    longest: dict[str, int] = {}
    frames: set[str] = set()
    for role in (side, "around", "remark", "linking"):
        for phrase in phrases(role, lang):
            words = _P.word.findall(phrase)
            is_about[" ".join(words)] = role != "linking" and len(phrase) >= _SHORTEST
            if role in (side, "around"):
                frames.add(" ".join(words))
            if words:
                longest[words[0]] = max(longest.get(words[0], 0), len(words))
    other_side = phrases("after" if side == "before" else "before", lang)
    known = {word for phrase in (*is_about, *other_side) for word in _P.word.findall(phrase)}
    return _Phrases(longest, is_about, frozenset(frames), frozenset(known))
