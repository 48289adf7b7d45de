"""The options that an answer to a multiple-choice question chooses: by letters, or by their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from answersim.answers.extraction.choice import choice, latin, letters, several
from answersim.answers.extraction.frames import innermost
from answersim.answers.text.patterns import Patterns, pattern
from answersim.answers.typed import clauses
from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.positions import in_letters

kind = "choice"
_P = Patterns("options")
_BEHIND = frozenset("([{'’′″#+^")  # no option has them behind its letter
_PRONOUNS = frozenset("it they he she we this that".split())
_LONGEST = 200  # characters of an answer that is read as an option
_LONGEST_FOUND = 4000  # characters of an answer in which the text of an option is searched


@dataclass(frozen=True)
class Choice:
    """One option, or several."""

    letters: str  # the letters in upper case and Latin, sorted
    text: str = ""  # the text of a single option if the answer has it: "Paris" of "B) Paris"

    kind: ClassVar[str] = kind

    def __str__(self) -> str:
        return f"{self.letters}) {self.text}" if self.text else ", ".join(self.letters)


@lru_cache(maxsize=1 << 8)
def read_choice(text: str) -> Choice | None:
    """Return an answer that is the letter of an option, maybe with its text, or several letters; None for others.

    A bare letter is in upper case, because "a" is an article and "x" a variable.
    """
    if len(text) > _LONGEST:
        return None
    # A text in ASCII begins with a letter and a delimiter, or has several letters.
    may_be = not text.isascii() or _P.may_be.match(text) is not None
    if not may_be and len(pattern("choice", "single").findall(text)) < 2:
        return None
    chosen = letters(text) if may_be else several(text)
    if len(chosen) > 1:
        return Choice(chosen) if sum(map(str.isalnum, text)) <= 4 * len(chosen) else None
    place = choice(text) if chosen and may_be else None
    if place is None or not _P.opening.fullmatch(text, 0, place[0]) or text[place[1] : place[1] + 1] in _BEHIND:
        return None  # P(A) and A' are terms
    delimiter = _P.delimiter.match(text, place[1])
    bare = text[place[0]].islower() and not _P.delimited.match(text, place[1])
    is_name = delimiter is not None and "." in delimiter[0] and text[delimiter.end() : delimiter.end() + 1].islower()
    if delimiter is None or bare or is_name:  # Y. pestis
        return None
    return Choice(latin(text[place[0] : place[1]]), text[delimiter.end() :].strip("*_`$} "))


def compare_choices(gold: Choice, pred: Choice) -> Relation:
    """Compare two answers by their letters. The same text with two letters has no relation."""
    if gold.letters == pred.letters and gold.text and pred.text and _plain(gold.text) != _plain(pred.text):
        return no_opinion(f"the letter {gold.letters} with two texts", kind)
    if gold.letters == pred.letters:
        return equal(f"both choose {', '.join(gold.letters)}", kind)
    if gold.text and _plain(gold.text) == _plain(pred.text):
        return no_opinion(f"the same text with the letters {gold.letters} and {pred.letters}", kind)
    return different(f"{pred} is not {gold}", kind)


def compare_letters(gold: Choice, pred: str) -> Relation:
    """Compare an option with what an answer of any form chooses."""
    chosen = read_choice(pred) or (Choice(several) if (several := letters(pred)) else None)
    if chosen is not None:
        return compare_choices(gold, chosen)
    if gold.text and _plain(gold.text) == _plain(pred):
        return equal(f"both are {gold.text}", kind)
    return no_opinion("the prediction chooses no letter, or one of several", kind)


def compare_options(
    gold: str, pred: str, options: Sequence[str], agrees: Callable[[str, str], bool]
) -> Relation | None:
    """Compare two answers to a question with these options; None if the gold answer is none of them.

    ``gold``: the letter or the text of an option, or both, or several letters. ``pred``: the same in any form. Another
    letter is different, also before the right text. The right letter before another text has no relation.
    """
    golds = chosen_options(gold, options, agrees)
    if not golds:
        return None
    chosen = chosen_options(pred, options, agrees)
    if not chosen:
        named = read_choice(pred)
        letters_of = _places(named.letters, options) if named is not None and named.text else golds
        if letters_of and letters_of != golds:
            return different(f"{named} has another letter than the gold answer", kind)
        return no_opinion("the prediction is none of the options, or one of several", kind)
    names = ["; ".join(options[i] for i in sorted(places)) for places in (golds, chosen)]
    return (
        equal(f"both choose {names[0]}", kind) if golds == chosen else different(f"{names[1]} is not {names[0]}", kind)
    )


def chosen_options(text: str, options: Sequence[str], agrees: Callable[[str, str], bool]) -> frozenset[int]:
    """Return the positions of the options that an answer chooses; the empty set if it is open.

    In order: the answer is the text of an option; what ``stated_options`` returns, unless the text of another option
    follows a letter; an equal value; the only option that is mentioned, in an answer without a negation.
    """
    exact = _only(" ".join(option.casefold().split()) == " ".join(text.casefold().split()) for option in options)
    same = _only(_plain(option) == _plain(text) for option in options) if not exact and _plain(text) else exact
    if stated := stated_options(text, options, agrees):
        if same:
            return same if same == stated or len(_plain(text)) > 1 else frozenset()
        named = read_choice(text)
        by_text = _only(_plain(option) == _plain(named.text) for option in options) if named and named.text else None
        return stated if not by_text or by_text <= stated else frozenset()
    if same:
        return same
    if len(text) <= _LONGEST and (same := _only(agrees(option, text) for option in options)):
        return same
    if stated := _only(without_subject(option) == without_subject(text) for option in options):
        return stated
    mentioned = _mentioned(text, options)
    if len(mentioned) != 1 or not _is_apart(option := _plain(options[mentioned[0]]), words := f" {_plain(text)} "):
        return frozenset()
    rest = text.casefold().replace(options[mentioned[0]].strip(" .").casefold(), ";")
    is_denied = _P.denial.search(rest) or (
        f" {option} " not in words and (_P.touching_denial.search(rest) or _P.asks.search(text))
    )
    return frozenset() if is_denied else frozenset(mentioned)


def stated_options(text: str, options: Sequence[str], agrees: Callable[[str, str], bool]) -> frozenset[int]:
    """Return the positions of the options that an answer states beside words of frames; the empty set if none.

    In order: several texts, or one in a script without blanks; those that are called right if each is judged; letters;
    places such as "the second one"; what one clause chooses beside others.
    """
    are_letters = any(option.isascii() and option.isalpha() and len(option) == 1 for option in options)
    text = text if are_letters else clauses.with_capitals(text, options)
    mentioned, lettered = _mentioned(text, options), text
    if not are_letters and (len(mentioned) > 1 or any(_is_touching(_plain(options[i])) for i in mentioned)):
        texts = {options[i].casefold(): chr(ord("A") + i) for i in mentioned}
        named = "|".join(sorted(map(re.escape, texts), key=len, reverse=True))
        item = re.compile(rf"(?:[(\[]?([A-J])[)\].:]{{1,2}}\s{{0,3}})?({named})", re.IGNORECASE)
        if any(match[1] and match[1].upper() != texts.get(match[2].casefold()) for match in item.finditer(text)):
            return frozenset()
        if _is_framed(text, item):
            return frozenset(mentioned)
        lettered = item.sub(lambda match: texts.get(match[2].casefold(), match[0]), text)
    verdicts = list(_P.verdict.finditer(lettered)) if len(text) <= _LONGEST_FOUND else []
    if len(verdicts) > 1 and _is_framed(lettered, _P.verdict):
        judged = {match[1].upper(): bool(match[2]) for match in verdicts}
        return _places("".join(letter for letter in judged if judged[letter]), options)
    together = _P.together.fullmatch(text.strip())
    if several := _places(together[0] if together else letters(text), options):
        return several if are_letters or len(several) > 1 else _confirmed(several, text, options, agrees)
    by_place = _places(letters(in_letters(text, options, agrees)), options)
    if by_place.issuperset(mentioned) and (by_place or are_letters):
        return by_place
    return frozenset() if are_letters else _confirmed(frozenset(), text, options, agrees)


def _confirmed(
    stated: frozenset[int], text: str, options: Sequence[str], agrees: Callable[[str, str], bool]
) -> frozenset[int]:
    """Return what clauses beside other options choose; ``stated`` if they choose nothing else; none if in doubt."""
    if _P.ends_asking.search(text) is not None:
        return frozenset()
    marked = in_letters(clauses.with_marks(text, options), options, agrees)
    lettered = clauses.with_letters(marked)
    if len(clauses.letters_in(lettered)) < 1 + bool(stated):
        return stated
    if clauses.contradicted(marked):
        return frozenset()
    several = _places(clauses.together(lettered), options)
    if several and stated <= several:
        return several
    chosen = clauses.concluded(lettered)
    if stated and (not chosen or _places(chosen[-1], options) == stated):
        return stated
    return _places(chosen, options) if len(chosen) == 1 else frozenset()


def _is_framed(text: str, item: re.Pattern[str]) -> bool:
    """Return whether an answer consists of items, "and" and words of frames, and asks nothing."""
    first = item.search(text)
    if first is None or _P.asks.search(text):
        return False
    rest = _P.joins.sub(" ", item.sub(" ", text[first.end() :]))
    return "G" in innermost(f"{_P.joins.sub(' ', text[: first.start()])}G{rest}").values()


def _mentioned(text: str, options: Sequence[str]) -> list[int]:
    """Return the positions of the options whose texts are in an answer, and in no longer one that is in it."""
    if len(text) > _LONGEST_FOUND:
        return []
    words, plain = f" {_plain(text)} ", [_plain(option) for option in options]
    inside = [
        i for i, option in enumerate(plain) if option and (option if _is_touching(option) else f" {option} ") in words
    ]
    return [i for i in inside if not any(i != j and plain[i] in plain[j] for j in inside)]


def _is_touching(option: str) -> bool:
    """Return whether words of other texts may touch this one."""
    return _P.touching.search(option[-1]) is not None


def _is_apart(option: str, words: str) -> bool:
    """Return whether the text of an option is no part of a longer word, also in a script without blanks."""
    if f" {option} " in words or not _is_touching(option):
        return True
    chinese = _P.zh_long if len(option) > 1 else _P.zh
    by_script = _P.ko if "가" <= option[-1] <= "힣" else _P.ja if _P.kana.search(words) else chinese
    return re.search(by_script.pattern.replace("①", re.escape(option)), words) is not None


def _places(chosen: str, options: Sequence[str]) -> frozenset[int]:
    """Return the positions of letters; the empty set if an option has no such letter."""
    places = frozenset(ord(letter) - ord("A") for letter in chosen)
    return places if places and max(places) < len(options) else frozenset()


def _only(true: Iterable[bool]) -> frozenset[int]:
    """Return the position of the only True; the empty set if there is none, or if there are several."""
    places = [i for i, value in enumerate(true) if value]
    return frozenset(places) if len(places) == 1 else frozenset()


def without_subject(text: str) -> str:
    """Return the words of a text without a pronoun before them: "decreases" of "It decreases"."""
    first, _, rest = _plain(text).partition(" ")
    return rest if first in _PRONOUNS and rest else f"{first} {rest}".strip()


def _plain(text: str) -> str:
    return " ".join(_P.words.findall(text.casefold()))
