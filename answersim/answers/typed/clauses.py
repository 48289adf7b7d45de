"""The option that one clause of an answer chooses, where others are only mentioned: "A and B float, so I take C"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answersim.answers.extraction.frames import LANGUAGES, bare, peeled
from answersim.answers.text.patterns import Patterns

_P = Patterns("clauses")
_LONGEST = 300  # characters of an answer that is read
_MOST = 16  # clauses
# The words around an option in a clause that chooses it, and those around one that is named alone: "option C".
_AROUND = ("so", "but", "choose", "sure", "is", "the", "kind", "last", "option", "answer", "right", "remain", "toward")
_PLACEHOLDER = "G"  # stands for the letter, which may be a word: "A"


def with_capitals(text: str, options: Sequence[str]) -> str:
    """Return a text with capital letters for options: "so it is c" has a "C". The word "a" needs an article or a noun.

    >>> with_capitals("Het juiste antwoord is c, de mus.", ["de mol", "de haas", "de mus"])
    'Het juiste antwoord is C, de mus.'
    """
    if any(map(_P.small.search, options)):
        return text
    last = chr(ord("a") + len(options) - 1)
    return _P.small.sub(lambda match: match[0][:-1] + (end.upper() if (end := match[0][-1]) <= last else end), text)


def with_letters(text: str, options: Sequence[str]) -> str:
    """Return a text with letters for the texts of options, without their articles; each letter once in a row.

    >>> with_letters("Not the owl: C, the penguin.", ["eagle", "owl", "penguin"])
    'Not B: C.'
    """
    letters = {_P.article.sub("", text).casefold(): chr(ord("A") + i) for i, text in enumerate(options)}
    named = "|".join(re.escape(text) for text in sorted(letters, key=len, reverse=True) if _P.word.search(text))
    if not named:
        return text
    item = re.compile(_P.item.pattern.replace("①", named), re.IGNORECASE)
    lettered = item.sub(lambda match: letters.get(match[1].casefold(), match[0]), text)
    return _P.twice.sub(r"\1", lettered)


def concluded(text: str) -> str:
    """Return the letter that one clause of a text chooses; "" if none does, or another clause may choose another.

    A clause chooses a letter if it has no other one and consists of it, words of frames, and a word that chooses or
    links, if not the letter alone. Other letters may stand in clauses before it, in reasons and in denials.
    ``text``: an answer with letters for texts and places of options.

    >>> concluded("A and B float, so I take C."), concluded("I like C, but A is best."), concluded("C, or else A.")
    ('C', 'A', '')
    """
    if len(text) > _LONGEST or _P.asks.search(text):
        return ""
    chosen = ""
    for clause in _clauses(text):
        mentioned = {match[0] for match in _P.letter.finditer(clause)}
        if len(mentioned) == 1 and _chooses(clause, letter := mentioned.pop()):
            if chosen not in ("", letter):
                return ""
            chosen = letter
        elif chosen and _takes_back(clause, chosen, mentioned):
            return ""
        elif not chosen and _P.condition.match(clause) and not _is_frame(clause):
            return ""
    return chosen


def _clauses(text: str) -> list[str]:
    """Return the clauses of a text. Letters of a list stay together."""
    joined = _P.listed.sub(" & ", text)
    return [clause.strip() for clause in _P.stop.split(joined)[: _MOST + 1] if clause and clause.strip()]


def _chooses(clause: str, letter: str) -> bool:
    """Return whether a clause with one letter chooses it."""
    framed = _P.letter.sub(_PLACEHOLDER, clause)
    if _P.alone.fullmatch(framed) is None and _P.choosing.search(framed) is None:
        return False
    return any(_P.left.fullmatch(peeled(framed, lang, _AROUND)[-1]) for lang in LANGUAGES)


def _is_frame(clause: str) -> bool:
    """Return whether a clause is a frame of an answer: "If I am not mistaken"."""
    framed = f"{clause}; {_PLACEHOLDER}"
    return any(bare(peeled(framed, lang, _AROUND)[-1]) == _PLACEHOLDER for lang in LANGUAGES)


def _takes_back(clause: str, chosen: str, mentioned: set[str]) -> bool:
    """Return whether a clause behind one that chooses may choose otherwise."""
    if _P.reason.match(clause) or _is_frame(clause):
        return False
    if _P.turn.match(clause):
        return True
    is_denial = _P.denial.search(clause) is not None
    return is_denial if mentioned <= {chosen} and mentioned else bool(mentioned) and not is_denial
