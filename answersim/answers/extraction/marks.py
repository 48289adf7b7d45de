"""The words that mark an answer or a choice, in twelve languages, as data: one row per language and role."""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast


class Marks(NamedTuple):
    """Words of one role in one language.

    Attributes:
        role: "answer": names an answer. "result": names one on the last lines. "option": names an option. "kind": may
            stand between an article and "answer". "last": a kind that outranks the others. "the": an article or a
            possessive before these. "is": links the name and the answer. "so": begins a conclusion. "choose": precedes
            a chosen letter. "sure": stresses or weakens a letter behind it. "right", "wrong": call a letter right or
            wrong. "not": denies what follows. "and", "or": join letters. "because": begins a reason. "revise": takes
            back what was said before. "if": a condition. "end": ends a sentence after an answer.
        lang: An ISO 639-1 code.
        words: The words, separated by "|". "_" in a word is a space.
    """

    role: str
    lang: str
    words: str


def _read() -> tuple[Marks, ...]:
    _, *lines = (Path(__file__).with_suffix(".tsv")).read_text(encoding="utf-8").splitlines()
    return tuple(Marks(*line.split("\t")) for line in lines)


# The words are in lower case. Words of Chinese, Japanese and Korean may touch other words.
ROWS = _read()
TOUCHING = ("zh", "ja", "ko")  # words of these languages may touch other words
_NO_LETTER = r"(?<![^\W_])(?<!-)", r"(?![^\W_])"


def words(role: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a role by language, with spaces.

    >>> words("answer")["de"]
    ('antwort', 'antworten')
    """
    return {row.lang: tuple(row.words.replace("_", " ").split("|")) for row in ROWS if row.role == role}


@cache
def languages(word: str, *roles: str) -> tuple[str, ...]:
    """Return the languages in which this word has one of these roles.

    >>> languages("option", "answer", "option"), languages("Antwort", "answer")
    (('en', 'de', 'fr'), ('de',))
    """
    rows = (row for row in ROWS if row.role in roles and word.lower() in row.words.replace("_", " ").split("|"))
    return tuple(dict.fromkeys(row.lang for row in rows))


@cache
def alternation(roles: tuple[str, ...], only: str = "") -> str:
    """Return a regular expression of all words of these roles, the longest first, or of ``only`` one language.

    A word in an alphabet ends and begins where no letter touches it. A space stands for up to three spaces. Without a
    word, the expression matches nothing.
    """
    touching, separate = set[str](), set[str]()
    for role in roles:
        for lang, listed in words(role).items():
            if only in ("", lang):
                (touching if lang in TOUCHING else separate).update(listed)
    before, after = _NO_LETTER
    short = {word for word in separate if word.startswith(("'", "’", "n't", "n’t"))}
    elided = {word for word in separate if word.endswith("'")}
    plain = separate - short - elided
    parts = (
        f"{before}(?:{_joined(plain)}){after}" if plain else "",
        f"{before}(?:{_joined(elided)})" if elided else "",
        f"(?:{_joined(short)}){after}" if short else "",
        _joined(touching),
    )
    return f"(?:{'|'.join(expression for expression in parts if expression) or '(?!)'})"


def _joined(alternatives: set[str]) -> str:
    ordered = sorted(alternatives, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace("'", "['’]").replace(r"\ ", "[ \t]{1,3}") for word in ordered)


class LazyPattern:
    """A pattern that is compiled at its first use, because words of twelve languages take milliseconds."""

    def __init__(self, expression: str, lang: str) -> None:
        self.expression, self.lang = expression, lang

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern, in any case."""

        def filled(match: re.Match[str]) -> str:
            return alternation(tuple(match[1].split(",")), self.lang)

        return re.compile(re.sub(r"<([a-z]+(?:,[a-z]+)*)>", filled, self.expression), re.IGNORECASE)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, and keep it."""
        value = getattr(self.compiled, name)
        setattr(self, name, value)
        return value


@cache
def pattern(expression: str, lang: str = "") -> re.Pattern[str]:
    """Return the pattern of an expression in which ``<role>`` or ``<role,role>`` stands for the words of roles.

    ``lang``: the only language whose words count; "" for all.

    >>> bool(pattern("<the> <kind,last> <answer>").fullmatch("La bonne réponse"))
    True
    """
    return cast("re.Pattern[str]", LazyPattern(expression, lang))
