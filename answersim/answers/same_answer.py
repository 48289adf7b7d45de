"""Do two answers differ only in how they are written: case, punctuation, digits, thousands separators?"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache, lru_cache

from answersim.answers.formulas import same_formula
from answersim.text import ARTICLES, GROUPED_BY_COMMA, GROUPED_BY_POINT, language, tokenizer

_ANY_GROUPS = re.compile("(?<![\\w.,])[1-9]\\d{0,2}([\u00a0\u202f\u2009'\u2019\u066c])\\d{3}(?:\\1\\d{3})*(?!\\d)")

_OPAQUE = "\ua66e"  # a letter that no tokenizer drops, folds or splits; no answer is likely to contain it
# Characters with a meaning that a tokenizer may drop. Digits and dashes are folded before.
_MEANT = re.compile(
    "|".join(
        (
            r"[+#%$&*/<=>@\\^_|~‰‱٪§†‡]",  # C++, C#, 50%, $5, 3/4, A*
            r"(?<=(?<![\w'])[a-z])!",  # n!
            r"(?<=\d)[^\w\s.,;:?)\]}»›“…。、]",  # 5', 5!, 1939-1945; not what ends or encloses a number
            r"[^\w\s\"'‘“„«‹([{](?=\d)",  # -5, .5, 1.5, 10:30
            r"-(?=\s*\d)",
            r"(?<=\w)-(?!\w)|(?<!\w)-(?=\w)|-(?=\w\b)",  # A-, -x, vitamin-A
            r"(?<!\w)\.(?=\w)",  # .NET
            r"(?<=\w)[(\[{]|\A\s*[(\[{](?=\d)",  # f(x), (5) for minus five
            r"(?P<unit>(?<=\d)\s?[^\W\d_]{1,3}(?![^\W_]))",  # 5 mW, 5 MW
        )
    )
)
_QUOTES = string.punctuation + "«»‹›“”„‘’…。、"


def same_answer(gold: str, pred: str, lang: str = "en") -> bool:
    """Return whether the answers differ at most in how they are written. Symmetric; an answer is the same as itself.

    The rule is stricter than exact match, which drops all punctuation. The tokens of the language must be equal, and
    signs, decimal points, symbols and characters that touch a digit count. An article counts if it may be a name
    ("vitamin A"). Two different formulas are never the same (see ``formulas``). In other respects the rule is more
    lenient. Digits of all scripts, wide letters and the kinds of dashes are folded. Thousands separators are dropped if
    they are unambiguous in the language: "3,600" is 3600 in English, and undecided in German.

    >>> same_answer("3,600", "3600"), same_answer("The Beatles", "beatles."), same_answer("１１", "11")
    (True, True, True)
    >>> same_answer("-5", "5"), same_answer("1.5", "15"), same_answer("C++", "C"), same_answer("1,5", "1.5")
    (False, False, False, False)
    """
    if gold == pred:
        return True
    if _OPAQUE in gold + pred or same_formula(gold, pred) is False:
        return False
    code = language(lang)
    one, other = _marked(gold, code), _marked(pred, code)
    if one.casefold().split() == other.casefold().split():
        return True
    split = tokenizer(code)
    return split(_with_names(one, code)) == split(_with_names(other, code))


def _marked(text: str, code: str) -> str:
    """Return the text folded, without thousands separators, and with opaque letters for meaningful characters."""
    folded = "".join(map(_folded, unicodedata.normalize("NFC", text)))
    for pattern in (*_groups(code), _ANY_GROUPS):
        folded = pattern.sub(lambda match: re.sub(r"\D", "", match.group()), folded)
    return _MEANT.sub(_opaque_match, folded)


@lru_cache(maxsize=1 << 14)
def _folded(character: str) -> str:
    """Fold a decimal digit to ASCII, a wide or narrow form to the usual one, and a dash to a hyphen.

    A fraction, a power or another symbol that a tokenizer may replace by letters or digits becomes opaque letters.
    """
    if character.isascii():
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":
        return "-"
    usual = unicodedata.normalize("NFKC", character)
    if unicodedata.decomposition(character).startswith(("<wide>", "<narrow>")):
        return usual
    return _opaque(character) if usual != character and category in ("No", "So", "Sm", "Sc") else character


@cache
def _groups(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of the numbers whose commas, or points, certainly separate thousands."""
    signs = ((",", GROUPED_BY_COMMA), (r"\.", GROUPED_BY_POINT))
    comma, point = (
        re.compile(rf"(?<![\w.,])[1-9]\d{{0,2}}(?:{sign}\d{{3}}){'+' if code in codes else '{2,}'}(?!{sign}?\d)")
        for sign, codes in signs
    )
    return comma, point


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
        is_letter = len(bare) == 1 and bare.isupper()
        is_last = i == len(words) - 1
        before_number = not is_last and words[i + 1][0].isdigit()
        if (i > 0 and (is_last or is_letter)) or (is_letter and before_number):
            words[i] = word + _OPAQUE
    return " ".join(words)
