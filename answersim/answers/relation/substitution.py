"""Is one word of a phrase replaced by another one? "Solar eclipse" is no lunar eclipse, though most words are equal."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import filterfalse

from answersim.answers.text.patterns import Patterns, table, word_sets
from answersim.answers.text.tokens import ARTICLES

_MOST_TOKENS = 6  # of a phrase; a longer text is a statement, where another word often has the same meaning
_MOST_WORDS = 4  # of a phrase without articles and particles
_MOST_REPLACED = 2
_LONGEST = 300  # characters of texts that are compared
_P, _W = Patterns("substitution"), word_sets("substitution")
_CLOSED = _W.statement | _W.particles | _W.passed | _W.closed
_OPPOSED = frozenset(frozenset(pair.split("/")) for pair in _W.opposed)
_ENDINGS = [tuple(pair.split("/")) for pair in _W.endings]
_ENDS = (".", "!", "?")
_MOST_SAID = 12  # words of a phrase that may say the opposite of a question
_LEAST_EQUAL = 3  # words around another word of content
_ALIKE = 0.75  # of the letters: another form or spelling of one word
_STEM = 4  # letters at the start that two forms of a word share


def is_replaced(one: str, other: str, lang: str = "en") -> bool:
    """Return whether a word of one text is replaced by a word with another meaning in the other text. Symmetric.

    In English texts of up to 300 characters, a word and its opposite count (those of WordNet 3.0, and function words
    such as "before"), with equal words around them. So do two names among at least three equal words. In phrases of up
    to six words, any two words count that are not forms, spellings or initials of each other, if another word is the
    same. Such phrases mostly name two things, and sometimes one in other words. ``lang``: a code without a region. An
    empty text replaces nothing.
    """
    if max(len(one), len(other)) > _LONGEST:
        return False
    first, second = _P.token.findall(one.casefold()), _P.token.findall(other.casefold())
    if set(first).isdisjoint(second) and not (lang == "en" and len(set(first) - _W.passed) == 1):
        return False  # no word is equal
    words, n = _replaced(first, second) if lang == "en" else (None, 0)
    if words and (_are_opposite(*words) or (n > _LEAST_EQUAL and _are_names(one, other, words))):
        return True
    if max(len(first), len(second)) > _MOST_TOKENS or not _W.statement.isdisjoint((*first, *second)):
        return False
    if (len(first) > 3 and one.rstrip().endswith(_ENDS)) or (len(second) > 3 and other.rstrip().endswith(_ENDS)):
        return False  # a statement
    is_passed = (ARTICLES.get(lang, frozenset()) | _W.particles).__contains__
    first, second = list(filterfalse(is_passed, first)), list(filterfalse(is_passed, second))
    left = list(filterfalse(set(second).__contains__, first))
    right = list(filterfalse(set(first).__contains__, second))
    if len(left) == len(first) or max(len(first), len(second)) > _MOST_WORDS:
        return False
    if not (1 <= len(left) <= _MOST_REPLACED and 1 <= len(right) <= _MOST_REPLACED):
        return False
    if any("".join(word[0] for word in side) == "".join(short) for side, short in ((left, right), (right, left))):
        return False
    alike = [(a, b) for a in left for b in right if _alike(a, b)]
    return {a for a, _ in alike} != set(left) and {b for _, b in alike} != set(right)


def _alike(one: str, other: str) -> bool:
    """Return whether two words may be forms, spellings or abbreviations of one word. Numbers are compared elsewhere."""
    if any(word.isdecimal() or _P.roman.fullmatch(word) for word in (one, other)):
        return True
    if min(len(one), len(other)) == 1:
        return one[0] == other[0]
    if one[:_STEM] == other[:_STEM] and min(len(one), len(other)) >= _STEM:
        return True
    short, long = sorted((one, other), key=len)
    letters = iter(long)
    if len(short) <= 3 and long.startswith(short[0]) and all(letter in letters for letter in short):
        return True  # in this order
    shared = sum(min(one.count(letter), other.count(letter)) for letter in set(one))  # at most these match
    is_possible = 2 * shared / (len(one) + len(other)) >= _ALIKE
    return is_possible and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _replaced(*texts: list[str]) -> tuple[tuple[str, str] | None, int]:
    """Return the only words in which two English texts of equal length differ, or None; and the length."""
    first, second = (list(filterfalse(_W.passed.__contains__, words)) for words in texts)
    pairs = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    return pairs[0] if len(pairs) == 1 and len(first) == len(second) else None, len(first)


def other_content(one: str, other: str) -> bool:
    """Return whether two English sentences differ in one word of content alone, which may be a wrong detail. Symmetric.

    Of 178 such pairs in STS-B, annotators give a third 4 points or more of 5.
    """
    if max(len(one), len(other)) > _LONGEST:
        return False
    words, n = _replaced(*(_P.token.findall(text.casefold()) for text in (one, other)))
    return words is not None and n > _LEAST_EQUAL and _CLOSED.isdisjoint(words) and not _alike(*words)


def opposes(pred: str, question: str, gold: str) -> bool:
    """Return whether a phrase has the opposite of a word of an English question: "It fell by 6 %" for "rise".

    The opposite is no word of the question or the gold answer, and the phrase repeats nothing of what it replaces.
    """
    if max(len(pred), len(question)) > _LONGEST:
        return False
    said = _P.token.findall(pred.casefold())
    known = (_CLOSED, _all_forms(question), _all_forms(gold))
    others = [word for word in said if all(words.isdisjoint(_forms(word)) for words in known)]
    if not others or len(said) > _MOST_SAID:
        return False
    asked, opposites = _P.token.findall(question.casefold()), _opposites()
    opposed = {opposite for word in others for form in _forms(word) for opposite in opposites.get(form, ())}
    words = set(asked).difference(_CLOSED) if opposed else set[str]()
    return any(not opposed.isdisjoint(forms := _forms(word)) and not set(forms).intersection(said) for word in words)


def _are_names(one: str, other: str, words: tuple[str, str]) -> bool:
    """Return whether two words are names, or letters that are, inside their texts: "Vitamin C", "in Prague"."""
    inside = (word for text in (one, other) for word in _P.token.findall(text)[1:])
    return not _alike(*words) and {word.casefold() for word in inside if word[0].isupper()}.issuperset(words)


def _are_opposite(a: str, b: str) -> bool:
    """Return whether two words are opposites, in any of their forms."""
    if frozenset((a, b)) in _OPPOSED or ((a in _W.nothing) != (b in _W.nothing) and _W.zero.isdisjoint((a, b))):
        return True
    return any(other in _opposites().get(form, ()) for form in _forms(a) for other in _forms(b))


@lru_cache(maxsize=1 << 12)
def _forms(word: str) -> tuple[str, ...]:
    """Return a word and the words that it may be a form of."""
    endings = [(end, base) for end, base in _ENDINGS if word.endswith(end)] if len(word) > 3 else []
    return (word, *(word.removesuffix(end) + base for end, base in endings))


@lru_cache(maxsize=64)  # of the texts that are compared now
def _all_forms(text: str) -> frozenset[str]:
    return frozenset(form for word in _P.token.findall(text.casefold()) for form in _forms(word))


@cache
def _opposites() -> dict[str, frozenset[str]]:
    """Return the opposites of each English word. Source: WordNet 3.0, by ``tools.wordnet``."""
    return {word: frozenset(others.split()) for word, others in table("relation/opposites.tsv")}
