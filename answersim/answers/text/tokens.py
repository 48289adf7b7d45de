"""Convert an answer to tokens by language profile: squad, en, or Unicode words for any other language.

There are three rules:

* ``squad``: the official SQuAD v2 normalization, bit for bit.
* ``en``: the same, but an answer without tokens ("A", "The The", "?") falls back to simpler words, and each
  character of a script without spaces is a token, so that such a text is not one long word.
* every other language: Unicode words, after NFKC and case folding, with that language's articles dropped. Scripts
  that write no spaces (Han, Kana, Thai, Lao, Khmer, Burmese, Tibetan ...) give one token per character.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import chain, filterfalse
from pathlib import Path

from answersim._base.arguments import shown
from answersim._base.errors import unknown

# Lexical metrics load few modules, so this one reads its table and its patterns itself.
_LINES = Path(__file__).with_name("languages.tsv").read_text(encoding="utf-8").splitlines()
_ROWS = [line.split("\t")[:4] for line in _LINES]
# de, es, vi: the official MLQA evaluation script (Lewis et al. 2020); the others by grammar.
ARTICLES = {code: frozenset(listed.split()) for kind, code, _, listed in _ROWS if kind == "articles"}
_CODES = {name: frozenset(listed.split()) for kind, _, name, listed in _ROWS if kind == "codes"}
LANGUAGES = _CODES["all"]  # for which Unicode words are supported; a mistyped code is an error, never a silent default
# By the Unicode CLDR. In other languages, and for the other sign, one group may be a decimal fraction, so that only two
# groups or more count (1,000,000).
GROUPED_BY_COMMA, GROUPED_BY_POINT = _CODES["grouped_by_comma"], _CODES["grouped_by_point"]

# Profiles that select weights only: the tokenizer is that of the language.
BY_LANGUAGE = ("embedded", "strong", "multilingual", "modern", "words")
PROFILES = ("squad", "paper", *BY_LANGUAGE, "unicode")

_IS_ENGLISH_ARTICLE = ARTICLES["en"].__contains__
_PUNCTUATION_BYTES = string.punctuation.encode()
# ASCII in lower case, its white space as spaces, other bytes as they are; 0 stands for what is neither white space nor
# part of a word: \b finds an article beside it.
_ASCII_LOWER = bytes(
    ord(" ") if i < 128 and chr(i).isspace() else i if i > 127 or chr(i).isprintable() else 0 for i in range(256)
).lower()
_ENGLISH_ARTICLE = re.compile(r"\b(a|an|the)\b", re.UNICODE)
# Scripts without spaces between words: a character (with the marks that belong to it) is a token. Han, Kana, Bopomofo,
# Tibetan, and the scripts of line breaking class SA (Thai, Lao, Khmer, Myanmar, Tai Le, New Tai Lue, Tai Tham, Tai
# Viet, Ahom). Their blocks contain punctuation too, which ``_part`` excludes.
_UNSPACED_RUN = re.compile(
    "([\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff61-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003fffd"
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
    "\U00011700-\U0001174f]+)"
)
_REMEMBERED = 40  # letters of the longest word that is stored; longer ones rarely occur again


@dataclass(frozen=True)
class Tokenizer:
    """A named function from an answer to its tokens; the name is signed."""

    name: str
    split: Callable[[str], list[str]] = field(compare=False, repr=False)

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of this answer, in order.

        The list is empty only if the answer is white space; for squad also if it is articles and punctuation.
        """
        return self.split(text)


def language(lang: str) -> str:
    """Return the ISO 639-1 code of this language tag ("de-AT" gives "de"). Raise LookupError if there is none."""
    if type(lang) is str and lang in LANGUAGES:
        return lang
    if not isinstance(lang, str):
        raise TypeError(f"lang is {shown(lang)}, but a language is an ISO 639-1 code such as 'en' or 'de'")
    code = re.split("[-_]", str.__str__(lang), maxsplit=1)[0].lower()
    if code not in LANGUAGES:
        raise LookupError(f"no language has the ISO 639-1 code {lang!r}; examples: 'en', 'de', 'zh', 'pt-BR'")
    return code


def tokenizer(lang: str = "en", profile: str | None = None) -> Tokenizer:
    """Return the tokenizer of this language or profile.

    ``lang``: an ISO 639-1 code, with or without a region. ``profile``: None, or one of ``BY_LANGUAGE``, which select
    weights only: the tokenizer of the language. "squad" or "paper": the official SQuAD v2 normalization for every
    language, as in the SAS paper. "unicode": Unicode words without any articles dropped.

    >>> tokenizer("en")("The Eiffel Tower!")
    ['eiffel', 'tower']
    >>> tokenizer("de")("der «Eiffelturm»")
    ['eiffelturm']
    >>> tokenizer("zh")("北京 2008")
    ['北', '京', '2008']
    """
    code = language(lang)
    if profile in ("squad", "paper"):
        return Tokenizer("squad", squad_words)
    if profile == "unicode":
        return Tokenizer("unicode", unicode_words)
    if profile not in (None, *BY_LANGUAGE):
        raise unknown("profile", profile, PROFILES)
    return Tokenizer(code, english_words if code == "en" else _words_of(code))


@cache
def _words_of(code: str) -> Callable[[str], list[str]]:
    """Return one function per language, so that metrics with the same tokenizer can be recognized."""
    return partial(unicode_words, articles=ARTICLES.get(code, frozenset()))


class Pieces(dict[str, tuple[str, ...]]):
    """The tokens of each word, computed once and stored, for rules that process one word at a time.

    ``split``: returns the tokens of a word without white space. ``most``: the maximum number of stored words. When
    there are more, all are dropped.
    """

    def __init__(self, split: Callable[[str], Iterable[str]], most: int = 1 << 15) -> None:
        super().__init__()
        self.split = split
        self.most = most

    def __missing__(self, word: str) -> tuple[str, ...]:
        tokens = tuple(self.split(word))
        if len(word) <= _REMEMBERED:
            if len(self) >= self.most:
                self.clear()
            self[word] = tokens
        return tokens

    def of(self, words: Iterable[str]) -> list[str]:
        """Return the tokens of these words, in order."""
        return list(chain.from_iterable(map(self.__getitem__, words)))


def squad_words(text: str) -> list[str]:
    """Return the tokens of the official SQuAD v2 script: lower case, no ASCII punctuation, no ``a an the``.

    Joined by single spaces they are the result of ``normalize_answer``. There may be none. Signs, decimal points and
    symbols are dropped too: "-5" is "5", "1.5" is "15", "C++" is "C".
    """
    # In UTF-8, an ASCII byte is always a whole character, and bytes are translated without a dict look-up for each.
    bare = text.encode("utf-8", "surrogatepass").translate(_ASCII_LOWER, _PUNCTUATION_BYTES)
    if 0 in bare or "Σ" in text:  # the one letter whose lower case depends on its neighbors, punctuation included
        return _without_articles(_bare_words(text))
    tokens = list(filterfalse(_IS_ENGLISH_ARTICLE, bare.decode("utf-8", "surrogatepass").split()))
    if not text.isascii():
        for i in [i for i, word in enumerate(tokens) if not word.isascii()][::-1]:
            tokens[i : i + 1] = _BEYOND_ASCII[tokens[i]]
    return tokens


def squad_or_plain_words(text: str) -> list[str]:
    """Return the SQuAD tokens; if there are none, the words with articles, and else the plain words in lower case."""
    return squad_words(text) or _bare_words(text) or text.lower().split()


def english_words(text: str) -> list[str]:
    """Return the tokens of ``squad_or_plain_words``; a character of a script without spaces is one, without signs."""
    tokens = squad_words(text) or squad_or_plain_words(text)
    if text.isascii() or not has_unspaced(text):
        return tokens
    pieces = [piece for word in tokens for piece in unspaced_words(word, punctuation=False)]
    return list(filterfalse(_IS_ENGLISH_ARTICLE, pieces))


def _bare_words(text: str) -> list[str]:
    """Return the words in lower case and without ASCII punctuation."""
    lower = text.lower().encode("utf-8", "surrogatepass")
    return lower.translate(None, _PUNCTUATION_BYTES).decode("utf-8", "surrogatepass").split()


def _without_articles(bare: Iterable[str]) -> list[str]:
    """Return these words after replacing each article, also beside signs ("«the»"), by a space, as the script does."""
    return _ENGLISH_ARTICLE.sub(" ", " ".join(bare)).split()


# Of a word in which only the ASCII letters are in lower case.
_BEYOND_ASCII = Pieces(lambda word: _without_articles(word.lower().split()))


def unicode_words(text: str, articles: frozenset[str] = frozenset()) -> list[str]:
    """Return the tokens of a text in any script: NFKC, case folded, without punctuation and these articles.

    Punctuation is the Unicode category and the ASCII symbols. Between two digits a point, comma, colon or slash
    stays ("1,5" is not "15"), and a hyphen or dash separates. A text without tokens falls back as for English.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = "".join(_kept(character, i, folded) for i, character in enumerate(folded))
    tokens = _apart(plain).split()
    return [word for word in tokens if word not in articles] or tokens or folded.split() or text.split()


def has_unspaced(text: str) -> bool:
    """Return whether the text contains a character of a script that writes no spaces between words."""
    return not text.isascii() and "unspaced" in map(_part, "".join(_UNSPACED_RUN.findall(text)))


def unspaced_words(word: str, *, punctuation: bool = True) -> list[str]:
    """Split a word before and after each character of a script without spaces; its marks stay with it.

    The runs of such characters are normalized (NFKC), and the text between them is not. ``punctuation``: whether to
    keep punctuation and format characters beside such a character, as tokens.
    """
    if not has_unspaced(word):
        return [word]
    parts = _UNSPACED_RUN.split(word)  # the text before, a run, the text between, a run, ..., the text after
    parts[1::2] = [unicodedata.normalize("NFKC", run) for run in parts[1::2]]
    if not punctuation:
        parts[::2] = [piece.strip("".join(filterfalse(_is_letter, piece))) for piece in parts[::2]]
        parts[1::2] = ["".join(c if _is_letter(c) else " " for c in run) for run in parts[1::2]]
    return _apart("".join(parts)).split()


@lru_cache(maxsize=1 << 14)
def _is_letter(character: str) -> bool:
    """Return whether this is neither punctuation nor a format character; marks, numbers and symbols count too."""
    category = unicodedata.category(character)
    return category[0] != "P" and category != "Cf"


def _apart(text: str) -> str:
    """Put spaces around each character of a script without spaces; a mark stays with the character before it."""
    if not has_unspaced(text):
        return text
    pieces: list[str] = []
    is_open = False  # the last character that is not a mark belongs to such a script
    for character in text:
        kind = _part(character)
        if kind == "unspaced" or (kind == "spaced" and is_open):
            pieces.append(" ")
        pieces.append(character)
        is_open = kind == "unspaced" or (kind == "mark" and is_open)
    return "".join(pieces)


@lru_cache(maxsize=1 << 14)
def _part(character: str) -> str:
    """Return "mark", "unspaced" (of a script without spaces, no punctuation) or "spaced" (any other)."""
    kind = unicodedata.category(character)[0]
    if kind == "M":
        return "mark"
    return "unspaced" if kind != "P" and _UNSPACED_RUN.match(character) else "spaced"


def _kept(character: str, i: int, text: str) -> str:
    kind = _kind(character)
    if kind == "letter":
        return character
    if kind == "format":
        return ""
    between_digits = 0 < i < len(text) - 1 and text[i - 1].isdigit() and text[i + 1].isdigit()
    if between_digits:
        return character if character in ".,:/" else " "
    return "" if kind == "symbol" else " "


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    """Return "letter" (kept), "format" (invisible), "symbol" (both dropped) or "break" (dash, slash, apostrophe)."""
    category = unicodedata.category(character)
    if category == "Cf":
        return "format"
    if category == "Pd" or character in "/'’‐":
        return "break"
    if category[0] == "P" or character in string.punctuation:
        return "symbol"
    return "letter"
