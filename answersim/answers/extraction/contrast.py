"""What an answer names to exclude it, before or behind what it affirms: "not Oslo but Rome", in twelve languages."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from answersim.answers.extraction.frames import LANGUAGES, vocabulary
from answersim.answers.text.patterns import TOUCHING, Patterns, words

_P = Patterns("contrast")
_LONGEST = 400  # characters of a text that is searched


class Contrast(NamedTuple):
    """An answer that a text excludes."""

    other: str  # what is excluded
    rest: str  # the text without it
    is_bare: bool = False  # whether only a short word denies it, which may deny a verb: "no" of "no funciona"


def opening(text: str) -> Contrast | None:
    """Return what a text excludes at its start, and what it says instead."""
    start = text[:_LONGEST]
    is_plain = start.isascii() and "?" not in start
    others = () if is_plain else (_P.crossed, _P.denied_behind, _P.asked)
    for find in (_P.instead, _P.labels, *others, _P.although):
        match = find.match(start)
        if match is not None and _P.only.search(match["other"]) is None:
            return Contrast(match["other"], text[match.end() :])
    return None


def is_labeled(text: str) -> bool:
    """Return whether a text begins with a wrong answer and a right one, each behind a label."""
    return _P.labels.match(text[:_LONGEST]) is not None


def corrected(text: str) -> Contrast | None:
    """Return what a text says to be an error, and what it says instead."""
    last = next(reversed(list(_P.correction.finditer(text[:_LONGEST]))), None)
    return None if last is None else Contrast(text[: last.start()], text[last.end() :])


def closing(text: str) -> Contrast | None:
    """Return what a text excludes at its end, and what it says before."""
    start = max(0, len(text) - _LONGEST)
    for find in (_P.rather_than, _P.not_at_end, *(() if text.isascii() else (_P.crossed_at_end,))):
        match = find.search(text, start)
        groups = {} if match is None else match.groupdict()
        other = groups.get("other") or groups.get("behind")
        if match is not None and other and match.start() and _P.only.search(other) is None:
            return Contrast(other, text[: match.start()], _is_bare(groups.get("deny")))
    return None


def excluded(sentence: str) -> Contrast | None:
    """Return what a sentence only excludes: "Oslo" of "No, it is not Oslo"; None for any other."""
    if len(sentence) > _LONGEST:
        return None
    behind = () if sentence.isascii() else (_P.denial_behind,)
    finds = (_P.denial, *behind, _P.mistaken, _P.confused, _P.believed)
    match = next((match for find in finds if (match := find.fullmatch(sentence)) is not None), None)
    if match is None or _P.only.search(match["other"]) is not None:
        return None
    return Contrast(match["other"], "", _is_bare(match.groupdict().get("deny")))


def is_judged(sentence: str) -> bool:
    """Return whether a sentence calls wrong what stands before it: "They are wrong"."""
    return _P.judged.fullmatch(sentence) is not None


def pieces_of(text: str) -> list[str]:
    """Return the sentences and clauses of a text of which each may exclude something."""
    return [piece for piece in _P.pieces.split(text) if piece and piece.strip()]


def _is_bare(denial: str | None) -> bool:
    last = (denial or "").casefold().split()[-1:]
    return bool(last) and last[0] in _bare_words()


@cache
def _bare_words() -> frozenset[str]:
    """Return the single words before what an answer excludes, which may deny a verb, too. "Not" may not."""
    listed = (word for lang, listed in words("exclude").items() if lang not in ("en", *TOUCHING) for word in listed)
    return frozenset(word for word in listed if " " not in word and not word.startswith("و"))


def is_vague(text: str) -> bool:
    """Return whether a text names nothing, but has a word of the speaker, or one that points back."""
    separate, touching = _vague()
    return any(word in separate for word in _P.words.findall(text.casefold())) or any(word in text for word in touching)


@cache
def _vague() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words of frames and those that point back: of alphabets, and of languages without spaces."""
    separate, touching = set[str](), set[str]()
    for lang in LANGUAGES:
        spoken = {word for phrase in vocabulary(lang) for word in _P.words.findall(phrase.casefold())}
        spoken = {word for word in spoken if len(word) > 1 or lang not in TOUCHING} | {*words("vague").get(lang, ())}
        (touching if lang in TOUCHING else separate).update(spoken)
    nouns = {word for role in ("the", "is", "and", "or") for listed in words(role).values() for word in listed}
    return frozenset(separate - nouns), tuple(touching)
