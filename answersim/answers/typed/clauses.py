"""The option that one clause of an answer chooses, where others are only mentioned: "A and B float, so I take C"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from answersim.answers.extraction.frames import LANGUAGES, bare, peeled, vocabulary
from answersim.answers.text.patterns import Patterns

_P = Patterns("clauses")
_LONGEST = 300  # characters of an answer that is read
_MOST = 16  # clauses
# The words around an option in a clause that chooses it.
_AROUND = (
    *("so", "but", "choose", "sure", "is", "the", "kind", "last", "option", "answer", "right"),
    *("remain", "toward", "end"),
)
_PLACEHOLDER = "G"  # stands for the letter, which may be a word: "A"
_FIRST = ord("ⓐ")  # stands for the text of the first option
_CIRCLED = {_FIRST + i: chr(ord("A") + i) for i in range(26)}


def with_capitals(text: str, options: Sequence[str]) -> str:
    """Return a text with capital letters for options: "so it is C". The word "a" needs an article or a noun."""
    if any(map(_P.small.search, options)):
        return text
    text = _P.small_list.sub(lambda match: match[1] + match[2].upper(), text)
    last = chr(ord("a") + len(options) - 1)
    return _P.small.sub(lambda match: match[0][:-1] + (end.upper() if (end := match[0][-1]) <= last else end), text)


def with_marks(text: str, options: Sequence[str]) -> str:
    """Return a text with "ⓐ" for the text of the first option, also without its article: "Not the ⓑ: C, the ⓒ."."""
    marks = {_P.article.sub("", option).casefold(): chr(_FIRST + i) for i, option in enumerate(options[:26])}
    named = [option for option in sorted(marks, key=len, reverse=True) if _P.word.search(option)]
    apart = "|".join(re.escape(option) for option in named if not _P.touching.search(option))
    touching = "|".join(re.escape(option) for option in named if _P.touching.search(option))
    items = [rf"(?<![^\W_])(?<!-)(?:{apart})(?![^\W_])(?!-\w)"] * bool(apart) + [touching] * bool(touching)
    item = re.compile("|".join(items), re.IGNORECASE) if items else None
    return text if item is None else item.sub(lambda match: marks.get(match[0].casefold(), match[0]), text)


def with_letters(marked: str) -> str:
    """Return a text with letters for the marks of ``with_marks``; each letter once in a row: "Not B: C."."""
    return _P.twice.sub(r"\1", _P.articles.sub("", marked).translate(_CIRCLED))


def letters_in(text: str) -> set[str]:
    """Return the capital letters of options in a text, whatever it says of them."""
    return {match[0] for match in _P.letter.finditer(text)}


def contradicted(marked: str) -> bool:
    """Return whether the text of another option stands beside a letter: "It is B, the ⓒ."."""
    return any(match[1] != match[2].translate(_CIRCLED) for match in _P.beside.finditer(marked))


def concluded(text: str) -> str:
    """Return the letters that clauses of a text choose, in order: "C", or "AC" if a text changes its mind.

    A clause chooses a letter if it has no other one and consists of it, words of frames, and a word that chooses or
    links, if not the letter alone. Other letters may stand in clauses before it, in reasons and in denials; else "" is
    returned. ``text``: an answer with letters for texts and places of options.
    """
    if len(text) > _LONGEST or _P.asks.search(text):
        return ""
    chosen = ""
    # Letters of a list stay together.
    clauses = (clause for clause in _P.stop.split(_P.listed.sub(" & ", text))[: _MOST + 1] if clause)
    for clause in filter(None, map(str.strip, clauses)):
        mentioned = letters_in(clause)
        if len(mentioned) == 1 and _chooses(clause):
            chosen += "".join(mentioned - {chosen[-1:]})
        elif (
            _takes_back(clause, chosen[-1], mentioned)
            if chosen
            else _P.condition.match(clause) and not _is_frame(clause)
        ):
            return ""  # a condition of what follows, and none of the speaker: "if I am right"
    return chosen


def together(text: str) -> str:
    """Return the letters of the only list that clauses of a text choose, sorted; "" if they choose none."""
    lists = dict.fromkeys("".join(sorted(letters_in(match[0]))) for match in _P.several.finditer(text))
    spare = next((sign for sign in "JHGFE" if sign not in letters_in(text)), "")
    for letters in lists if spare else ():
        single = text
        for match in reversed(list(_P.several.finditer(text))):
            if letters_in(match[0]) == set(letters):
                single = f"{single[: match.start()]}{spare}{single[match.end() :]}"
        if concluded(single) == spare:
            return letters
    return ""


def _chooses(clause: str) -> bool:
    """Return whether a clause with one letter chooses it."""
    framed = _P.letter.sub(_PLACEHOLDER, clause)
    if _P.alone.fullmatch(framed) is None and _P.choosing.match(framed) is None:
        return False
    return any(_P.left.fullmatch(peeled(framed, lang, _AROUND)[-1]) for lang in _languages(framed))


def _is_frame(clause: str) -> bool:
    """Return whether a clause is a frame of an answer: "If I am not mistaken"."""
    framed = f"{clause}; {_PLACEHOLDER}"
    return any(bare(peeled(framed, lang, _AROUND)[-1]) == _PLACEHOLDER for lang in _languages(framed))


def _languages(framed: str) -> list[str]:
    """Return the languages whose frames have all words of a text beside the placeholder."""
    listed = {word for word in _words(framed) if word != _PLACEHOLDER.casefold()}
    return [lang for lang in LANGUAGES if listed <= _known(lang)]


@cache
def _known(lang: str) -> frozenset[str]:
    return frozenset(word for phrase in vocabulary(lang, _AROUND) for word in _words(phrase))


def _words(text: str) -> list[str]:
    """Return the words of a text; each sign of a script without blanks."""
    return _P.words.findall(text.replace("’", "'").casefold())


def _takes_back(clause: str, chosen: str, mentioned: set[str]) -> bool:
    """Return whether a clause behind one that chooses may choose otherwise."""
    if _P.reason.match(clause) or _is_frame(clause):
        return False
    if _P.turn.match(clause):
        return True
    is_denial = _P.denial.search(clause) is not None
    return is_denial if mentioned <= {chosen} and mentioned else bool(mentioned) and not is_denial
