"""Asides around a stated answer, such as "Sorry for the late reply.": a classifier tells which change nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from answersim.answers.extraction.announced import lead_of
from answersim.answers.extraction.frames import peeled
from answersim.answers.extraction.linear import margin, positions
from answersim.answers.extraction.remarks import clauses, is_remark
from answersim.answers.text.patterns import Patterns, word_sets
from answersim.answers.text.patterns import words as roles

_P, _W = Patterns("remarks"), word_sets("asides")
_READ = 240  # characters of a piece of text
_SURE, _RISKY, _BRIEF = -1.5, 1.2, 2.0  # the margin of a piece that changes nothing, and what is added to it
_CLEAR = 2.0  # that of what may stand in the clause of the answer
_HARMFUL = -2.5  # the margin of a piece that changes an answer
_TAKEN_BACK = -4.0  # the margin of a sentence that takes an answer back
_BEHIND = ".!?:;…—– "  # signs between the answer and a piece
SIZE = 1 << 19  # of the table of weights
_ANSWER = "Zork"  # in the place of an answer
_NAME = "W"  # in the place of a name or a number
_LONG = 4  # letters of a word whose start and end count, too
_MOST = 12  # words that are counted
_LONGEST = 40  # words of a piece, or Chinese characters
_DENIALS = _W.denying | (_W.turning - {"but", "if", "sino"})
_LABEL = 5  # words and signs before ":" that name what follows
_FEWEST = 3  # words of a piece beside the answer; "Rome, Oslo" are two answers
_SHORT = 3  # letters of words of the question that say nothing


def without_asides(
    text: str, names_answer: Callable[[str], bool], question: str = "", is_value: Callable[[str], bool] | None = None
) -> str:
    """Return the clauses of a text that name the answer, if all text before and behind them changes nothing.

    A clause that is a question is no answer, and a piece beside it has no word of content of the question, and is no
    value by ``is_value``: "1995; the nineties" are two guesses.
    """
    split = _split(text, names_answer) if not text.startswith(("{", "[")) else None
    if split is None:
        return text
    before, middle, after = split
    sides = [*((piece, "before") for piece in before), *((piece, "after") for piece in after)]
    if not _is_plain(sides, question, is_value):
        return text
    return _P.turn.sub("", middle) if before else middle


def is_clear(before: str, after: str, question: str = "", is_value: Callable[[str], bool] | None = None) -> bool:
    """Return whether what stands around an answer in its clause, but whole frames, surely leaves it the answer."""
    if "?" in before + after or not _W.quotes.isdisjoint(before):
        return False
    sides = [*((piece, "before") for piece in pieces(before)), *((piece, "after") for piece in pieces(after))]
    is_framed = all(is_known(piece, side) for piece, side in sides)
    return not is_framed and _is_plain(sides, question, is_value, _CLEAR)


def _is_plain(
    sides: list[tuple[str, str]], question: str, is_value: Callable[[str], bool] | None, sure: float = _SURE
) -> bool:
    """Return whether no piece is a value, and each is a frame or changes nothing and has no word of the question."""
    asked = {word for word in tokens(question)[0] if len(word) > _SHORT}
    labels = [piece for piece, _ in sides if piece.endswith(":") and len(tokens(piece)[0]) <= _LABEL]
    if not all(map(_may_introduce, labels)) or any(_P.refusal.search(piece) for piece, _ in sides):
        return False  # "A bad answer: Rome", "I decline to answer. Rome."
    if any(side == "before" and not is_known(piece, side) and _P.joining.search(piece) for piece, side in sides):
        return False  # "Oslo, a.k.a. Rome"
    others = ((piece, side) for piece, side in sides if not is_known(piece, side))
    is_plain = all(asked.isdisjoint(tokens(piece)[0]) and changes_nothing(piece, side, sure) for piece, side in others)
    return is_plain and not (is_value is not None and any(is_value(piece) for piece, _ in sides))


def _may_introduce(label: str) -> bool:
    """Return whether a label calls nothing wrong, and each of its words is known if it names an answer."""
    words = set(tokens(label)[0])
    is_answer = not _answer_nouns().isdisjoint(words)
    return is_known(label, "before") if is_answer else _judgments().isdisjoint(words)


@cache
def _answer_nouns() -> frozenset[str]:
    return frozenset().union(*roles("answer").values())


def _split(text: str, names_answer: Callable[[str], bool]) -> tuple[list[str], str, list[str]] | None:
    """Return the pieces before the clauses that name an answer, these, and the pieces behind; None if one asks."""
    listed = clauses(text)
    named = [i for i, (*_, clause) in enumerate(listed) if names_answer(clause)]
    if not named or len(named) == len(listed):
        return None
    start, (last, end, clause) = listed[named[0]][0], listed[named[-1]]
    behind = last + len(clause)
    if len(named) > 1 and text[behind : behind + 1] == "," and " " not in text[behind + 1 :].strip():
        return None  # one more item of a list
    is_call = text[behind : behind + 1] == "(" and not clause[-1:].isspace()  # f(x)
    is_conditional = start > 0 and _P.then.match(text, start) is not None  # "If it was not Oslo, then Rome"
    clause_before = tokens(text[listed[named[0] - 1][0] : start])[0] if named[0] else []
    is_called_wrong = clause_before[:1] == ["which"] and not _judgments().isdisjoint(clause_before)
    if "?" in text[start:end] or text[start] == "(" or is_call or is_conditional or is_called_wrong:
        return None
    return pieces(text[:start]), text[start:behind], pieces(text[behind:])


def is_governed(text: str, answer: str) -> bool:
    """Return whether other words govern the announcement of an answer in a text, so that it announces none."""
    at = max(0, text.rfind(answer))
    sentences = pieces(text[:at])
    lead = lead_of(sentences[-1]) if sentences else ""
    behind = text[at + len(answer) :].lstrip(' *_"”')
    is_asked = behind.startswith("?") or (bool(lead) and text.rstrip().endswith("?"))  # "Is the answer Rome? No way."
    if is_asked or not _W.quotes.isdisjoint(lead):
        return True
    if _is_called_wrong(behind):
        return True  # "On reflection, that is false."
    return any(map(str.isalnum, lead)) and not (is_known(lead, "before") or changes_nothing(lead, "before"))


def denies(before: str, behind: str) -> bool:
    """Return whether the clause before a marked answer denies it, or a sentence behind it calls it wrong."""
    words = tokens(_P.clause.split(before)[-1] or "")[0]
    is_denied = not (_judgments() | _DENIALS).isdisjoint(words) or any(word.endswith("n't") for word in words)
    return is_denied or _is_called_wrong(behind)


def _is_called_wrong(behind: str) -> bool:
    judging = (piece for piece in pieces(behind) if not _judgments().isdisjoint(tokens(piece)[0]))
    return any(margin("aside", hashed(piece, "after")) < _TAKEN_BACK for piece in judging)


@cache
def _judgments() -> frozenset[str]:
    """Return the words that call something wrong. "Not" and "left" may tell something about it, too."""
    return frozenset().union(*roles("wrong").values()) - _W.turning - {"out", "left"}


def pieces(stretch: str) -> list[str]:
    """Return the sentences of a stretch of text, each with the sign behind it."""
    ends = [0, *(match.end() for match in _P.end.finditer(stretch)), len(stretch)]
    return [piece for a, b in pairwise(ends) if any(map(str.isalnum, piece := stretch[a:b].strip().lstrip(_BEHIND)))]


def is_known(piece: str, side: str) -> bool:
    """Return whether all words of a piece are those of remarks or of frames."""
    framed = f"{piece} {_ANSWER}" if side == "before" else f"{_ANSWER}, {piece}"
    return is_remark(piece, side) or peeled(framed)[-1] == _ANSWER


def changes_nothing(piece: str, side: str, sure: float = _SURE) -> bool:
    """Return whether a piece of text leaves the answer beside it the answer of the speaker.

    A piece that denies something, has a name or a number, or two words needs a margin above ``sure``. One word may be
    another answer.
    """
    words, named = tokens(piece)
    is_risky = _NAME in named or not _W.turning.isdisjoint(words) or any(word.endswith("n't") for word in words)
    listed = words if piece.endswith("?") else [word for word in named if word != _NAME]  # "Oslo + Bern" are answers
    n_words = sum(word[0].isalpha() for word in listed)
    least = sure + _RISKY * is_risky + _BRIEF * (n_words < _FEWEST)
    is_other = _P.stated.search(" ".join(named)) is not None  # "The city is Oslo."
    return 1 < n_words <= _LONGEST and not is_other and margin("aside", hashed(piece, side)) > least


def harms(before: str, after: str) -> bool:
    """Return whether what stands before or behind an answer surely changes it, unless whole frames stand there."""
    if peeled(f"{before} {_ANSWER} {after}")[-1] == _ANSWER:
        return False  # whole frames
    sides = ((before, "before"), (after, "after"))
    return any(margin("aside", hashed(text, side)) < _HARMFUL for text, side in sides if any(map(str.isalpha, text)))


def tokens(piece: str) -> tuple[list[str], list[str]]:
    """Return the words and signs of a piece in lower case, and the same with "W" for each name and number."""
    plain, named = list[str](), list[str]()
    is_first = True
    for token in _P.token.findall(unicodedata.normalize("NFKC", piece[:_READ]).replace("’", "'")):
        lower = token.lower()
        letters = list(lower) if _P.touching.search(lower) else [lower]
        plain += letters
        is_name = token[0].isdigit() or (token[0].isupper() and not is_first and lower not in _W.loud)
        if not is_name:
            named += letters
        elif named[-1:] != [_NAME]:
            named.append(_NAME)
        is_first = token in (".", "!", "?", ":", "。")
    return plain, named


def features(piece: str, side: str) -> set[str]:
    """Return the names of the features of a piece, each of which is present or absent."""
    listed = set[str]()
    for words in tokens(piece):
        padded = [f"<{side}", *words, f"{side}>"]
        listed.update(padded, map(" ".join, pairwise(padded)), (f"{side} {word}" for word in words))
        listed.update(f"{first} _ {last}" for first, last in zip(padded, padded[2:], strict=False))
        for word in words:
            if len(word) > _LONG:
                listed.update((f"{word[:4]}*", f"*{word[-3:]}"))
    listed.update(map(" ".join, zip(padded, padded[1:], padded[2:], strict=False)))
    listed.add(f"words {min(len(words), _MOST)} {side}")
    return listed


def hashed(piece: str, side: str) -> list[int]:
    """Return the positions of the features of a piece in the table, sorted, each once."""
    return sorted(set(positions(features(piece, side), SIZE)))
