"""Are two texts written alike? Case, punctuation and digits of other scripts do not count; signs and symbols do."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache, lru_cache

from answersim.answers.text.english import may_be_name, spelled, stem
from answersim.answers.text.patterns import Patterns, pattern, word_sets, words
from answersim.answers.text.tokens import ARTICLES, GROUPED_BY_COMMA, GROUPED_BY_POINT, language, tokenizer
from answersim.answers.typed.numerals import roman_value
from answersim.answers.typed.tokens import with_indices

_P, _W = Patterns("wording"), word_sets("wording")
ABBREVIATIONS = dict(pair.split("/") for pair in sorted(_W.abbreviations))
_OPAQUE = "\ua66e"  # a letter that no tokenizer drops, folds or splits; no answer is likely to contain it
_QUOTES = string.punctuation + "«»‹›“”„‘’…。、"
_APOSTROPHES = dict.fromkeys(map(ord, "‘’‛′´`ʼ＇"), "'")
_USUAL = _APOSTROPHES | str.maketrans("ёЁ", "еЕ")
_ABBREVIATED = re.compile(rf"\b({'|'.join(map(str.title, ABBREVIATIONS))})\b\.?(?=\s{{1,9}}[A-Z])")
# Letters that are written as two plain letters, and the others that Unicode does not take apart.
_AS_TWO = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe"})
_AS_ONE = str.maketrans({"ł": "l", "đ": "d", "ð": "d", "ø": "o", "ı": "i", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe"})
_CYRILLIC, _ROOT = re.compile(r"[\u0400-\u04ff]"), 4  # letters of a word that tell it from others
# Signs of pairs of numbers that say the same.
_PAIRED = {"to": ":", "–": "-", **dict.fromkeys(("x", "*", "by"), "×"), "over": "/"}
_LONGEST = 1000  # characters of texts whose words are compared
_LONGEST_FRAMED = 300  # characters of texts that are compared without the words that both have
_MOST_ARTICLES = 24  # letters of articles that one text has and the other lacks
# Signs that approve, deny or decorate. Other symbols, such as the suits of cards, have a meaning.
_MEANING = range(0x2600, 0x26FF)  # ♠ ♀ ♭ ☿: with the exceptions of what only decorates
_MODIFIERS = range(0x1F3FB, 0x1F400)  # colors of skin


def same_wording(one: str, other: str, lang: str = "en") -> bool:
    """Return whether two texts differ at most in how they are written. Symmetric; a text is the same as itself.

    The rule is stricter than exact match, which drops all punctuation. The tokens of the language must be equal, and
    signs, decimal points, symbols and characters that touch a digit count. An article counts if it may be a name
    ("vitamin A"). In other respects the rule is more lenient. Digits of all scripts and below the line, wide letters
    and the kinds of dashes and apostrophes are folded. Thousands separators are dropped if they are unambiguous in the
    language: "3,600" is 3600 in English, and undecided in German. A letter with a mark may be written without it, or as
    two letters ("Zuerich"), but words that are no names only in English. So may words such as "Saint" before a name.
    British and American spellings are the same.
    """
    if one == other:
        return True
    if "_" in one + other:
        one, other = (_P.index.sub(r"_\1", with_indices(text)) for text in (one, other))
    one, other = _in_full(one), _in_full(other)
    if _OPAQUE in one or _OPAQUE in other:
        return False
    if max(len(one), len(other)) > _MOST_ARTICLES and abs(_letters(one) - _letters(other)) > _MOST_ARTICLES:
        return False
    code = language(lang)
    first, second = _marked(one, code), _marked(other, code)
    if first.casefold().split() == second.casefold().split():
        return True
    tokens, others = _tokens(first, code), _tokens(second, code)
    if tokens == others or len(tokens) != len(others):
        return bool(tokens) and tokens == others
    return all(a == b or _is_spelling(a, b, code, (first, second)) for a, b in zip(tokens, others, strict=True))


@lru_cache(maxsize=64)  # of the texts that are compared now, whose rules ask several times
def _in_full(text: str) -> str:
    """Return a text with the words before a name in full, and the Roman number of a thing in digits: "type II"."""
    text = _ABBREVIATED.sub(lambda match: ABBREVIATIONS[match[1].lower()], text)
    return _P.numbered.sub(lambda match: f"{match[1]} {roman_value(match[2].upper()) or match[2]}", text)


@lru_cache(maxsize=64)
def _tokens(text: str, code: str) -> tuple[str, ...]:
    return tuple(tokenizer(code)(_with_names(text, code)))


def _names(texts: tuple[str, str]) -> set[str]:
    """Return the words that may be names in both texts, without their marks, and in one spelling of two."""
    listed = ([word for word in re.findall(r"\w+", text) if word[0].isupper()] for text in texts)
    return set.intersection(*({spelled(_unmarked(word.casefold())) for word in words} for words in listed))


def _unmarked(word: str) -> str:
    """Return a word in lower case without marks on its letters."""
    return "".join(c for c in unicodedata.normalize("NFD", word.translate(_AS_ONE)) if not unicodedata.combining(c))


def _is_spelling(one: str, other: str, code: str, texts: tuple[str, str]) -> bool:
    """Return whether two words have two spellings, or one has plain letters for those of the other with marks."""
    if code == "en" and spelled(one) == spelled(other):
        return not may_be_name(one, other) or spelled(one) not in _names(texts)
    plain, marked = (one, other) if one.isascii() else (other, one)
    if marked.isascii() or not plain.isascii():
        return False
    in_two = marked.translate(_AS_TWO)
    if plain == in_two:
        return True
    if code != "en" and _names(texts).isdisjoint(map(_unmarked, (marked, in_two))):
        return False  # "año" is not "ano"
    return plain == _unmarked(in_two) or (code != "de" and plain == _unmarked(marked))  # "Mütter" is not "Mutter"


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text[:_LONGEST])) + max(0, len(text) - _LONGEST)


@lru_cache(maxsize=64)
def _marked(text: str, code: str) -> str:
    """Return the text folded, without thousands separators, and with opaque letters for meaningful characters."""
    folded = text.translate(_USUAL)
    if not folded.isascii():
        folded = "".join(map(_folded, unicodedata.normalize("NFC", folded)))
    if folded.replace(" ", "").isalpha():
        return folded
    for grouped in (*_groups(code), _P.any_groups) if _P.digit.search(folded) else ():
        folded = grouped.sub(lambda match: re.sub(r"\D", "", match.group()), folded)
    return _P.meant.sub(_opaque_match, folded)


@lru_cache(maxsize=1 << 14)
def _folded(character: str) -> str:
    """Fold digits to ASCII, wide, narrow and low forms, and dashes. Fractions and powers become opaque letters."""
    if character.isascii():
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Cf":
        return ""
    usual = unicodedata.normalize("NFKC", character)
    if unicodedata.decomposition(character).startswith(("<wide>", "<narrow>", "<sub>")):
        return usual
    return _opaque(character) if usual != character and category in ("No", "So", "Sm", "Sc") else character


@cache
def _groups(code: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of the numbers whose commas, or points, certainly separate thousands."""
    signs = ((",", GROUPED_BY_COMMA), (r"\.", GROUPED_BY_POINT))
    return tuple(
        re.compile(rf"(?<![\w.,])[1-9]\d{{0,2}}(?:{sign}\d{{3}}){'+' if code in codes else '{2,}'}(?!{sign}?\d)")
        for sign, codes in signs
    )


def _opaque_match(match: re.Match[str]) -> str:
    if match["unit"] is not None:
        return "".join(f"{letter}{_OPAQUE}" if letter.isupper() else letter for letter in match.group())
    return _opaque(match.group())


def _opaque(text: str) -> str:
    return "".join(f"{_OPAQUE}{ord(character):x}{_OPAQUE}" for character in text)


def _with_names(text: str, code: str) -> str:
    """Return the text with opaque letters at articles that may be names: the last word, or a capital letter."""
    words = text.split()
    for i, word in enumerate(words):
        bare = word.strip(_QUOTES)
        if bare.casefold() not in ARTICLES.get(code, ()):
            continue
        is_letter = len(bare) == 1 and (bare.isupper() or word[-1] != bare)
        is_last = i == len(words) - 1
        before_number = not is_last and words[i + 1][0].isdigit()
        listed = is_letter and word != bare  # A, D
        if (i > 0 and (is_last or is_letter)) or (is_letter and before_number) or listed:
            words[i] = word + _OPAQUE
    return " ".join(words)


def symbols(text: str) -> tuple[str, ...]:
    """Return the symbols of a text besides letters, digits and punctuation; all that approve, or deny, are one."""
    if text.isascii():
        return ()
    listed = (c for c in text if _is_symbol(c))
    return tuple("✓" if sign in _W.approving else "✗" if sign in _W.denying else sign for sign in listed)


@lru_cache(maxsize=1 << 12)
def _is_symbol(character: str) -> bool:
    """Return whether a character is a symbol, and neither a letter in a circle nor a sign such as °."""
    if unicodedata.category(character) != "So" or character in _W.no_symbols or ord(character) in _MODIFIERS:
        return False
    return not any(map(str.isalnum, unicodedata.normalize("NFKC", character)))


def without_symbols(text: str) -> str:
    """Return a text without symbols, and without what only joins or colors them."""
    if text.isascii():
        return text
    dropped = (c for c in text if not _is_symbol(c) and c not in "\ufe0e\ufe0f\u200d" and ord(c) not in _MODIFIERS)
    return " ".join("".join(dropped).split(" ")).strip()


def has_meaning(signs: tuple[str, ...]) -> bool:
    """Return whether a symbol beside equal words may change them: it denies, or is a suit, a sex, a sign of music."""
    return any(sign == "✗" or ord(sign[0]) in _MEANING for sign in signs)


@lru_cache(maxsize=64)
def words_of(text: str) -> list[str]:
    """Return the words in lower case, without articles."""
    listed = _P.word.findall(_with_names(text.translate(_APOSTROPHES), "en").casefold())
    return [word for word in listed if word not in ARTICLES["en"]]


@lru_cache(maxsize=64)
def operands(text: str) -> tuple[list[str], list[str]]:
    """Return the operands of a text in lower case, and the signs between them: "p - q", "3:1" or "3 to 1", "km/h"."""
    plain = text.strip(" .$").casefold()
    if (pair := _P.pair.fullmatch(plain)) is not None:  # 1920 x 1080, 120 over 80
        return [pair[1], pair[3]], [_PAIRED.get(pair[2], pair[2])]
    parts = _P.operators.split(_P.ratio.sub(":", plain))
    return parts[::2], parts[1::2]


def reordered(one: str, other: str) -> bool:
    """Return whether two texts have the same words in another order, which may change who does what to whom.

    Two sides of "is", and a time or a place that moved to the other end, change nothing. Neither do two words of a
    name, in capitals or with a comma: "Smith, John".
    """
    if max(len(one), len(other)) > _LONGEST:
        return False
    first, second = words_of(one), words_of(other)
    if len(first) == len(second) == 1 and _P.unspaced.search(one):  # a sentence without blanks
        first, second = list(first[0]), list(second[0])
    if len(first) > 2 and _CYRILLIC.search(one):  # whose names change their endings with their roles
        first, second = ([word[:_ROOT] for word in side] for side in (first, second))
        if first == second:
            return False
    if len(first) < 2 or len(first) != len(second) or first == second or sorted(first) != sorted(second):
        return False
    if len(first) == 2 and ("," in one + other or one.istitle() or other.istitle()):
        return False
    for start, end in ((first, second), (second, first)):
        for i in range(1, len(start)):
            if start[i:] + start[:i] == end and (start[0] in _W.movable or start[i] in _W.movable):
                return False
        verbs = [i for i, word in enumerate(start) if word in _W.copulas]
        if len(verbs) == 1 and [*start[verbs[0] + 1 :], start[verbs[0]], *start[: verbs[0]]] == end:
            return False
    return True


def negated(one: str, other: str, lang: str = "en") -> bool:
    """Return whether one text denies the other one: the same words with another number of negations. Symmetric.

    The forms of "do", endings of verbs, articles, and "yes" or "no" before a comma do not count.
    """
    if max(len(one), len(other)) > _LONGEST:
        return False
    if lang == "zh":
        denial = pattern("wording", "denial", lang)
        denials = [denial.findall(text) for text in (one, other)]
        left = [denial.sub("", text).replace("了", "") for text in (one, other)]
        return (len(denials[0]) + len(denials[1])) % 2 == 1 and same_wording(left[0], left[1], lang)
    both = (_P.particle.findall(_denying(text, lang)) for text in (one, other))
    sides = [[_negation_or_stem(word, lang) for word in listed] for listed in both]
    first, second = ([word for word in side if word not in ("", "not")] for side in sides)
    odd = (sides[0].count("not") + sides[1].count("not")) % 2
    return bool(odd) and first == second and len(first) > 1


def _denying(text: str, lang: str) -> str:
    """Return a text in lower case with "not" as a word of its own, and without "yes," and "no," before it."""
    low = _P.reply.sub("", text.translate(_APOSTROPHES).casefold())
    for short, long in (("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not")):
        low = low.replace(short, long)
    return _P.elided.sub("", low) if lang == "fr" else low


def _negation_or_stem(word: str, lang: str) -> str:
    if word in words("negation").get(lang, ()):
        return "not"
    if word in _W.do or word in ARTICLES.get(lang, ()):
        return ""
    return stem(word) if lang == "en" else word


def turned(one: str, other: str) -> bool:
    """Return whether only one of two English texts is passive, with the same words in the same order. Symmetric."""
    if max(len(one), len(other)) > _LONGEST:
        return False
    sides = words_of(one), words_of(other)
    passive = [not _W.be.isdisjoint(side) and "by" in side for side in sides]
    left = [[word for word in side if word not in _W.passive] for side in sides]
    return passive[0] != passive[1] and left[0] == left[1] and len(left[0]) > 2


def frame(one: str, other: str) -> tuple[str, str] | None:
    """Return two texts without the words that both begin and end with; None without any, and for equations."""
    first, second = one.split(), other.split()
    if "=" in first or "=" in second or max(len(one), len(other)) > _LONGEST_FRAMED or not first or not second:
        return None
    start = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a.casefold() != b.casefold()), 0)
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end].casefold() == second[-1 - end].casefold():
        end += 1
    if not start and not end:
        return None
    left = [" ".join(words[start : len(words) - end]) for words in (first, second)]
    return (left[0], left[1]) if all(left) else None


def initials(short: str, words: str) -> bool:
    """Return whether a text in capitals has the initials of the words of the other, maybe without the small ones."""
    letters = short.replace(".", "").replace("&", "").strip()
    if not (2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper()):
        return False
    parts = re.findall(r"[^\W\d_]+", words)
    large = [word for word in parts if word.casefold() not in _W.small]
    return len(parts) > 1 and letters in {"".join(word[0] for word in listed).upper() for listed in (parts, large)}
