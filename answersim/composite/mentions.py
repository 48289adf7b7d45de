"""Where a prediction mentions the gold answer, or some words of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from answersim.text import ARTICLES

MENTION = "\0"  # stands for a mention

_WORD = re.compile(r"[^\W_]+")
_GRAMMAR = frozenset("in on at by from for with of and or to is are was were be".split())
_STEM, _SHORT = 4, 25  # letters that make two words alike; words of a prediction in which parts of a name are searched
ENDS = " .,;:!?\"'"


def with_mentions(gold: str, pred: str) -> str:
    r"""Return the prediction in lower case, with ``MENTION`` for each mention of the gold answer.

    If the gold answer is not mentioned as it is, words of it count in a short prediction, also if only their first four
    letters are equal.

    >>> with_mentions("The Beatles", "Not the Beatles!"), with_mentions("Toy dolls", "the father of Doll")
    ('not the \x00!', 'the father of \x00')
    """
    wanted, text = plain(gold).strip(ENDS), plain(pred)
    for article in ("the ", "a ", "an "):
        wanted = wanted.removeprefix(article)
    if wanted and wanted in text:
        mentions, n = re.subn(rf"(?<!\w){re.escape(wanted)}(?!\w)", MENTION, text)
        if n:
            return mentions
    if len(text.split()) > _SHORT:
        return text
    known = content(words(gold))
    stems = {word[:_STEM] for word in known if len(word) >= _STEM}
    some = _WORD.sub(lambda match: MENTION if match[0] in known or match[0][:_STEM] in stems else match[0], text)
    return re.sub(rf"{MENTION}(?:[ ,.'-]{{1,3}}(?:(?:the|of|and|a) )?{MENTION})+", MENTION, some)


def words(text: str) -> list[str]:
    """Return the words in lower case, without punctuation and articles."""
    return [word for word in _WORD.findall(text.casefold()) if word not in ARTICLES["en"]]


def content(answer: Iterable[str]) -> set[str]:
    """Return the words that are not of grammar; all words if there are no others."""
    unique = set(answer)
    return unique - _GRAMMAR or unique


def plain(text: str, kept: str = "") -> str:
    """Return the text in lower case, with one kind of apostrophe, "and" for "&", and single spaces.

    White space that is kept stays.
    """
    text = text.casefold().replace("\u2019", "'").replace("&", " and ").replace(MENTION, " ")
    return re.sub(rf"[^\S{kept}]+", " ", text)
