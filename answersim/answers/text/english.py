"""English words without their endings, and in one spelling of two."""

from __future__ import annotations

from functools import cache, lru_cache

from answersim.answers.text.patterns import Patterns, table, word_sets

_P = Patterns("english")
_FORMS = {form: forms.split("/")[0] for forms in word_sets("english").verbs for form in forms.split("/")[1:]}


@cache
def _spellings() -> dict[str, str]:
    """Return one spelling of each word that has another one. Source: WordNet 3.0, by ``tools.wordnet``."""
    return dict(table("text/spellings.csv"))


@lru_cache(maxsize=1 << 12)
def spelled(word: str) -> str:
    """Return a word in lower case in one spelling, British or American, also if it has an ending."""
    table = _spellings()
    if word in table:
        return table[word]
    for ending in ("s", "d", "r", "rs", "ed", "er", "ers", "ing", "ly"):
        root = word.removesuffix(ending)
        if root != word and root in table:
            return table[root] + ending
        if root != word and f"{root}e" in table:
            return table[f"{root}e"].removesuffix("e") + ending
    return word


def may_be_name(one: str, other: str) -> bool:
    """Return whether two spellings of a word may be two names, as "Gray" and "Grey", "Marshall" and "Marshal" are."""
    for longer, shorter in (("ll", "l"), ("ey", "ay"), ("oul", "ol"), ("ae", "e"), ("oe", "e")):
        one, other = one.replace(longer, shorter), other.replace(longer, shorter)
    return one == other


@lru_cache(maxsize=1 << 12)
def stem(word: str) -> str:
    """Return a word without a usual English ending, also that of a possessive."""
    word = spelled(word.removesuffix("'s"))
    word = _FORMS.get(word, word)
    if len(word) <= 3:
        return word
    root = _P.ending.sub("", _P.plural.sub("", word))
    is_doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] in "bdgmnprt" and word.endswith(("ed", "ing"))
    return root[:-1] if is_doubled else root
