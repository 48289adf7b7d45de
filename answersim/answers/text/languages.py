"""Which language do texts look like? Frequent words and scripts, for a warning if the wrong language is set.

The decision is about many texts together and needs much evidence. Names such as "Rio de Janeiro" are part of English
answers, so the tables leave out the words of names (de, la, van, von, der, das).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from answersim.answers.text.patterns import Patterns, table

MOST = 300  # texts that are looked at
_WORDS = 8  # frequent words of a language that are needed
_TEXTS = 4  # texts with one of them
_LETTERS = 20  # letters of a script that are needed
_OWN, _OWN_SHARE = 2, 0.01  # letters that only one language of a script has: their number, and share of its letters
_TIMES = 3  # how often the frequent words of the language must outnumber those of English
_SHARE = 0.03  # of all words that are frequent words of the language

_P = Patterns("languages")
_ROWS = [row[:4] for row in table("text/languages.tsv")]
FREQUENT = {code: frozenset(words.split()) for kind, code, _, words in _ROWS if kind == "frequent"}
_NAMES = {code: name for kind, code, name, _ in _ROWS if kind == "frequent" and code != "en"}
_SCRIPTS = {script: (code, name) for kind, code, name, script in _ROWS if kind == "script"}
_LETTERS_OF = [(code, name, letters) for kind, code, name, letters in _ROWS if kind == "letters"]
SUPPORT = {name: tuple(words.split()) for kind, _, name, words in _ROWS if kind == "support"}


class TextLanguage(NamedTuple):
    """The language that texts look like."""

    code: str  # its ISO 639-1 code, such as "de". For a script of several languages, that of the most frequent one.
    name: str  # its English name
    showing: int  # the number of texts that show it: with a frequent word, or mainly in its script
    n: int  # the number of texts that were looked at


def text_language(texts: Iterable[str]) -> TextLanguage | None:
    """Return the language that these texts look like; None if it is English, another Latin one, or not clear.

    ``texts``: gold answers, predictions and questions together. The first 300 different ones are looked at.

    >>> text_language(["Wer ist das und wann?", "Im Mai und im Juni", "nach dem Krieg", "Sie ist nicht hier", "Ulm"])
    TextLanguage(code='de', name='German', showing=4, n=5)
    >>> text_language(["Rio de Janeiro", "Der Spiegel", "Ludwig van Beethoven", "La Paz", "Müller"]) is None
    True
    """
    different: dict[str, None] = {}
    for text in texts:
        if text not in different and text.strip():
            different[text] = None
            if len(different) == MOST:
                break
    return _by_script(list(different)) or _by_words(list(different))


def _by_script(texts: list[str]) -> TextLanguage | None:
    """Return the language of the script of most letters, if they are enough."""
    letters: Counter[str] = Counter()
    mainly: Counter[str] = Counter()
    for text in texts:
        if not text.isascii():
            here = Counter(map(_script, text))
            del here[""]
            letters.update(here)
            mainly.update([script for script, _ in here.most_common(1)])
    if (count := sum(map(letters.__getitem__, _SCRIPTS))) < _LETTERS:
        return None
    n_ascii = sum(map(str.isalpha, "".join(filter(str.isascii, texts))))
    if 2 * count <= letters.total() + n_ascii:
        return None
    kana = letters["HIRAGANA"] + letters["KATAKANA"]
    script = max(_SCRIPTS, key=letters.__getitem__)
    if script == "CJK" and kana > 0.05 * letters["CJK"]:
        script = "HIRAGANA"
    text = "".join(texts)
    for code, name, own in _LETTERS_OF:
        if _script(own[0]) == script and sum(map(text.count, own)) >= max(_OWN, _OWN_SHARE * letters[script]):
            return TextLanguage(code, name, sum(map(mainly.__getitem__, _SCRIPTS)), len(texts))
    return TextLanguage(*_SCRIPTS[script], sum(map(mainly.__getitem__, _SCRIPTS)), len(texts))


@lru_cache(maxsize=1 << 14)
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""


@cache
def _codes_of() -> dict[str, tuple[str, ...]]:
    """Return the languages of each frequent word."""
    words = dict.fromkeys(word for frequent in FREQUENT.values() for word in frequent)
    return {word: tuple(code for code, frequent in FREQUENT.items() if word in frequent) for word in words}


def _by_words(texts: list[str]) -> TextLanguage | None:
    """Return the language whose frequent words are the most, if they are enough and far more than those of English."""
    words, codes_of = _words("\n".join(texts)), _codes_of()
    hits = Counter([code for word in words if word in codes_of for code in codes_of[word]])
    first = max(_NAMES, key=hits.__getitem__)
    needed = max(_WORDS, _SHARE * len(words), _TIMES * hits["en"])
    if hits[first] < needed:
        return None
    showing = sum(not FREQUENT[first].isdisjoint(_words(text)) for text in texts)
    return None if showing < _TEXTS else TextLanguage(first, _NAMES[first], showing, len(texts))


def _words(text: str) -> list[str]:
    return _P.word.findall(text.lower().replace("’", "'"))
