"""Regular expressions as data, and the words in them that mark an answer or a choice in twelve languages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

TOUCHING = ("zh", "ja", "ko")  # words of these languages may touch other words
_REFERENCE = re.compile(r"(?<!P)<(?:([A-Z]+)|([a-z]+(?:,[a-z]+)*))>")  # to another pattern, or to the words of roles


def table(path: str) -> list[list[str]]:
    """Return the rows of a table in the folder of ``answersim.answers``, without its header. It has no quotes."""
    _, *lines = (Path(__file__).parents[1] / path).read_text(encoding="utf-8").splitlines()
    return [line.split("," if path.endswith(".csv") else "\t") for line in lines]


def forms(path: str, parts: dict[str, str]) -> dict[str, str]:
    """Return the expressions of a table by name, with these parts, or rows of the table, for "<NAME>"."""
    expressions = {name: expression for name, expression, *_ in table(path)} | parts

    def filled(expression: str) -> str:
        return re.sub("<([A-Z]+)>", lambda part: filled(expressions[part[1]]), expression)

    return {name: filled(expression) for name, expression in expressions.items() if not name.isupper()}


_WORDS: dict[str, dict[str, tuple[str, ...]]] = {}
for _role, _lang, _listed, *_ in table("text/marks.tsv"):
    _WORDS.setdefault(_role, {})[_lang] = tuple(_listed.replace("_", " ").split("|"))
EXPRESSIONS = {(module, name): expression for module, name, _, expression, *_ in table("text/patterns.tsv")}


class Patterns:
    """The patterns of one module by name. Each is compiled at its first use: words of twelve languages take time."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> re.Pattern[str]:
        """Return a pattern, and keep it."""
        if (self._module, name) not in EXPRESSIONS:
            raise AttributeError(name)
        setattr(self, name, compiled := pattern(self._module, name))
        return compiled


@cache
def pattern(module: str, name: str, lang: str = "") -> re.Pattern[str]:
    """Return a pattern of a module with the words of only one language, or of all."""

    def filled(match: re.Match[str]) -> str:
        if match[1] is None:
            return alternation(tuple(match[2].split(",")), lang)
        return _REFERENCE.sub(filled, EXPRESSIONS[module, match[1]])

    return re.compile(_REFERENCE.sub(filled, EXPRESSIONS[module, name]))


def word_sets(module: str) -> SimpleNamespace:
    """Return the sets of words that the rules of a module count, by their names."""
    rows = table("text/word_sets.tsv")
    return SimpleNamespace(**{name: frozenset(listed.split()) for owner, name, _, listed in rows if owner == module})


def words(role: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a role by language, with spaces."""
    return _WORDS[role]


@cache
def languages(word: str, *roles: str) -> tuple[str, ...]:
    """Return the languages in which this word has one of these roles."""
    listed = ((lang, words) for role in _WORDS if role in roles for lang, words in _WORDS[role].items())
    return tuple(dict.fromkeys(lang for lang, words in listed if word.lower() in words))


@cache
def alternation(roles: tuple[str, ...], only: str = "") -> str:
    """Return a regular expression of all words of these roles, the longest first, or of ``only`` one language.

    A word in an alphabet ends and begins where no letter touches it. A space stands for up to three spaces. Without a
    word, the expression matches nothing.
    """
    touching, separate = set[str](), set[str]()
    for role in roles:
        for lang, listed in _WORDS[role].items():
            if only in ("", lang):
                (touching if lang in TOUCHING else separate).update(listed)
    short = {word for word in separate if word.startswith(("'", "’", "n't", "n’t"))}
    elided = {word for word in separate if word.endswith("'")}
    before, after = r"(?<![^\W_])(?<!-)", r"(?![^\W_])"
    kinds = ((before, separate - short - elided, after), (before, elided, ""), ("", short, after))
    parts = [f"{start}(?:{_joined(words)}){end}" for start, words, end in kinds if words]
    return f"(?:{'|'.join([*parts, _joined(touching)] if touching else parts) or '(?!)'})"


def _joined(alternatives: set[str]) -> str:
    """Return the alternatives, the longest first; those with the same first letter together, which is faster."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(alternatives, key=lambda word: (-len(word), word)):
        first = word[0] if word[0].isalpha() else ""
        rest = re.escape(word.removeprefix(first)).replace("'", "['’]").replace(r"\ ", "[ \t]{1,3}")
        by_first.setdefault(first, []).append(rest)
    return "|".join(f"{first}(?:{'|'.join(listed)})" for first, listed in by_first.items())
