"""English words by the rules of the NLTK tokenizer: version 3.10, and version 3.6, which the SAS paper used."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial

from answersim._base.runtime.concurrency import imported
from answersim.answers.text.tokens import Pieces, has_unspaced, unspaced_words


def _compiled(*rules: tuple[str, str | Callable[[re.Match[str]], str]]) -> list[Callable[[str], str]]:
    return [partial(re.compile(pattern).sub, replacement) for pattern, replacement in rules]


@lru_cache(maxsize=4096)
def _is_word(character: str) -> bool:
    r"""Return whether ``\w`` of the package regex matches this character.

    That is Unicode's definition (UTS 18, annex C). ``re`` differs: it counts numbers such as "²" and "½", and it does
    not count marks, joiners, connectors other than "_", and circled letters.
    """
    kind = unicodedata.category(character)
    if kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or character in "\u200c\u200d":
        return True
    return _CIRCLED.match(character) is not None


# Letters in circles.
_CIRCLED = re.compile("[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")
_CLITIC = re.compile("re|ve|ll|m|t|s|d|n", re.IGNORECASE)


def _opening(match: re.Match[str]) -> str:
    r"""Split an apostrophe from the word that it opens. It stays with a word before it and with a clitic after it.

    The rule of NLTK 3.10, in the package regex: ``(?i)(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)``.
    """
    text, start, end = match.string, *match.span()
    if (start and _is_word(text[start - 1])) or not _is_word(text[end]):
        return "'"
    clitic = _CLITIC.match(text, end)
    if clitic and (clitic.end() == len(text) or not _is_word(text[clitic.end()])):
        return "'"
    return "' "


# The rules of nltk/tokenize/destructive.py (NLTK, Apache-2.0), 3.10 and 3.6, in their order. NLTK 3.10 compiles most of
# them with the package regex, 3.9 and older with re. Three things are written in another way: the white space of 3.10,
# whose engine does not count U+001C to U+001F; its word characters (see ``_is_word``); its possessive run before the
# end, which Python 3.10 does not know, as a look-ahead (without it long runs of spaces take quadratic time). Both have
# the contractions of 3.10: in 3.6 "wanna" also took the white space after it, which shows only before "'tis".
_SPACE = r"[^\S\x1c-\x1f]"
_OPENING = [(r"([«“‘„]|[`]+)", r" \1 "), (r"^\"", "``"), (r"(``)", r" \1 "), (r"([ \(\[{<])(\"|'{2})", r"\1 `` ")]
_COMMAS = [(r"([:,])([^\d])", r" \1 \2"), (r"([:,])$", r" \1 "), (r"\.{2,}", r" \g<0> "), (r"[;@#$%&]", r" \g<0> ")]
_MARKS = [(r"[?!]", r" \g<0> "), (r"([^'])' ", r"\1 ' "), (r"[*]", r" \g<0> ")]
_MARKS += [(r"[\]\[\(\)\{\}\<\>]", r" \g<0> "), (r"--", " -- ")]
_CLITICS = [(r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "), (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 ")]
_RULES_3_10 = [
    *_compiled(
        *_OPENING,
        (r"(?<![0-9A-Za-z_])'(?=[0-9A-Za-z_]|[^\x00-\x7f])", _opening),
        (rf"([^\.])(\.)(?=([\]\)}}>\"'»”’ ]*))\3{_SPACE}*$", r"\1 \2 \3 "),
        *_COMMAS,
        (r"[\u2012-\u2015]", r" \g<0> "),
        (rf"([^\.])(\.)([\]\)}}>\"']*){_SPACE}*$", r"\1 \2\3 "),
        *_MARKS,
    ),
    " {} ".format,
    *_compiled((r"([»”’])", r" \1 "), ("''", " '' "), ('"', " '' "), (rf"{_SPACE}+", " "), *_CLITICS),
]
_RULES_3_6 = [
    *_compiled(
        *_OPENING,
        (r"(?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b", r"\1 \2"),
        (r"([^\.])(\.)(?=([\]\)}>\"'»”’ ]*))\3\s*$", r"\1 \2 \3 "),
        *_COMMAS,
        (r"([^\.])(\.)([\]\)}>\"']*)\s*$", r"\1 \2\3 "),
        *_MARKS,
    ),
    " {} ".format,
    *_compiled((r"([»”’])", r" \1 "), ('"', " '' "), (r"(\S)('')", r"\1 \2 "), *_CLITICS),
]
_CONTRACTIONS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        *(r"\b(can)(not)\b", r"\b(d)('ye)\b", r"\b(gim)(me)\b", r"\b(gon)(na)\b", r"\b(got)(ta)\b"),
        *(r"\b(lem)(me)\b", r"\b(more)('n)\b", r"\b(wan)(na)(?=\s)", r" ('t)(is)\b", r" ('t)(was)\b"),
    )
]
_MARKED = re.compile(r"[^\w ,.-]|--|,,|\.\.|cannot|gimme|gonna|gotta|lemme|wanna", re.IGNORECASE)
_LONG = 200  # characters from which on the search for marks takes longer than it saves
_COMMA = re.compile(r",(?!\d)")
_MAY_CONTRACT = re.compile(r"cannot|d'ye|gimme|gonna|gotta|lemme|more'n|wanna| 't", re.IGNORECASE)
_BRACKETED = re.compile(r"([\[({«“‘„]*)(\w(?:[\w.-]*\w)?)([])}»”’?!;:,]*)")
_OTHER_SPACE = re.compile(r"[^\S ]")
_CLOSING = "])}>\"'»”’"
_ABBREVIATIONS = (
    "dr mr mrs ms prof rev gen sen rep gov capt col lt sgt maj cmdr adm hon st mt ft jr sr inc ltd co corp u.s u.k u.n "
    "d.c e.g i.e a.m p.m ph.d b.c a.d vs etc jan feb mar apr jun jul aug sep sept oct nov dec"
).split()


def nltk_words(answer: str) -> list[str]:
    """Return the tokens of ``NLTKWordTokenizer`` of NLTK 3.10, with their case; none only for an empty or blank answer.

    The rules are implemented here because NLTK changed them in 3.10 (dashes, opening apostrophes). So the score of a
    pair does not depend on the installed version.

    >>> nltk_words("St. Paul's, 1991–92.")
    ['St.', 'Paul', "'s", ',', '1991', '–', '92', '.']
    """
    if len(answer) > _LONG or _MARKED.search(answer):
        return _word_by_word(answer)
    # Only the rules for commas and the final period can apply, as for nineteen of twenty short answers, and they take a
    # twentieth of the time.
    bare = answer.rstrip()
    if bare.endswith("."):
        bare = f"{bare[:-1]} ."
    return _COMMA.sub(" , ", bare).split()


def nltk_words_and_characters(answer: str) -> list[str]:
    """Return the ``nltk_words``, in which each character of a script without spaces is a word of its own.

    >>> nltk_words_and_characters("Sony's 本社。")
    ['Sony', "'s", '本', '社', '。']
    """
    words = nltk_words(answer)
    return [piece for word in words for piece in unspaced_words(word)] if has_unspaced(answer) else words


def nltk_2021_words(answer: str) -> list[str]:
    """Return the tokens of ``nltk.word_tokenize`` in 2021 (NLTK 3.6), as in the SAS paper. Sentences are split first.

    Punkt of NLTK finds the sentences with a list of common abbreviations, instead of its trained model, which is a
    download.

    >>> nltk_2021_words("St. Paul's, 1991–92. No more.")
    ['St.', 'Paul', "'s", ',', '1991–92', '.', 'No', 'more', '.']
    """
    return [word for sentence in _sentences()(answer) for word in _split(sentence, _RULES_3_6)]


def _word_by_word(answer: str) -> list[str]:
    """Tokenize by the rules of 3.10, and split most words only once."""
    parts = _parts(answer)
    return _split(answer, _RULES_3_10) if parts is None else _WORDS.of(parts)


def _parts(answer: str) -> list[str] | None:
    """Return parts whose tokens are together those of the answer, or None for one that cannot be split in this way.

    A part that begins with a space is one token. The first word and what the end may reach are split in their places,
    because the rules read the ends of an answer, and every other word as if it were between two plain words.
    """
    words = answer.split(" ")
    last = len(words) - 1
    while last > 0 and not words[last].strip(_CLOSING):
        last -= 1
    if last < 2 or (not answer.isprintable() and _OTHER_SPACE.search(answer)):
        return None
    return [*_first(words[0]), *words[1:last], *_end(" ".join(words[last:]))]


def _first(word: str) -> list[str]:
    """Return the pieces of this word at the beginning of an answer, before a space and a word."""
    return [word] if word.isalnum() else _as_they_are(_split(f"{word} x", _RULES_3_10)[:-1])


def _end(rest: str) -> list[str]:
    """Return the pieces of this word at the end of an answer, after a word and a space."""
    if rest.isalnum():
        return [rest]
    if rest[:-1].isalnum() and rest.endswith("."):
        return [rest[:-1], " ."]
    return _as_they_are(_split(f"x {rest}", _RULES_3_10)[1:])


def _as_they_are(words: Iterable[str]) -> list[str]:
    return [f" {word}" for word in words]


def _split(answer: str, rules: Sequence[Callable[[str], str]]) -> list[str]:
    for apply in rules:
        answer = apply(answer)
    if _MAY_CONTRACT.search(answer):
        for pattern in _CONTRACTIONS:
            answer = pattern.sub(r" \1 \2 ", answer)
    return answer.split()


def _piece_words(piece: str) -> Sequence[str]:
    """Return the tokens of a piece between a word and a space on either side, if it is not a token itself."""
    if piece.startswith(" "):
        return [piece[1:]]
    plain = _BRACKETED.fullmatch(piece)
    if plain and not _MARKED.search(plain.group(2)):  # the rules only split off the marks
        return [*plain.group(1), plain.group(2), *plain.group(3)]
    return _split(f"x {piece} x", _RULES_3_10)[1:-1]


_WORDS = Pieces(_piece_words)


@cache
def _sentences() -> Callable[[str], list[str]]:
    punkt = imported("nltk.tokenize.punkt")
    parameters = punkt.PunktParameters()
    parameters.abbrev_types = set(_ABBREVIATIONS)
    return punkt.PunktSentenceTokenizer(parameters).tokenize
