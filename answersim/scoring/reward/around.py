"""What stands around an answer in its text, whether it changes the answer, and what is left of the text without it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from answersim.answers.extraction.asides import harms, is_clear, is_known
from answersim.answers.extraction.frames import bare, innermost, peeled
from answersim.answers.relation.explained import (
    TOKEN,
    TURNING,
    explained_places,
    has_any_word,
    linking_words,
    stating_places,
)
from answersim.answers.relation.wording import has_meaning, symbols, without_symbols
from answersim.answers.text.patterns import TOUCHING, words
from answersim.answers.text.tokens import language
from answersim.answers.typed.api import parse
from answersim.scoring.reward.patterns import PATTERNS as _P
from answersim.scoring.reward.patterns import WORDS as _WORDS

_LONGEST_ARTICLE = 3  # letters; "El Salvador" has no frame
_STOPS = (*".,;:!…–—-)",)  # that separate a frame from the answer before it
_SHORTEST_QUESTION = 10  # characters of a question that an answer can repeat
_LISTED = 3  # words of a list that is another answer
UNITS = frozenset("quantity money percentage duration".split())
_VALUES = UNITS | {"time", "number", "ordinal", "date", "range"}
_BULLETS = "•▪◦·¡ "  # before an answer


def without_question(text: str, question: str) -> str:
    """Return the text without the question that it repeats."""
    question_text = question.strip()
    if not _SHORTEST_QUESTION <= len(question_text) <= len(text):
        return text
    labeled = rf"(?:\b(?:q|question)\s{{0,3}}[:.]\s{{0,9}})?{re.escape(question_text)}"
    place = re.search(labeled, text, re.IGNORECASE)
    return text if place is None else f"{text[: place.start()]} {text[place.end() :]}".strip()


def undecorated(answer: str, gold: str) -> str:
    """Return an answer without symbols that mean nothing, its last stop "。", and quotation marks around all of it."""
    quoted = None if answer.isascii() else _P["quoted"].fullmatch(answer.rstrip("。 "))
    answer = answer if quoted is None or _P["quoted"].fullmatch(gold) is not None else quoted[1]
    answer = _P["dash"].sub("-", answer)
    answer = answer if gold[:1] in _BULLETS else answer.lstrip(_BULLETS) or answer
    is_quotation = answer.startswith("> ") and not any(map(str.isdigit, gold))  # in Markdown
    answer = answer.removeprefix("> ") if is_quotation else answer
    answer = _P["block"].sub(r"\1", answer) if "\n" in answer and "> " in answer else answer
    may_tick = "[" in answer or not answer.isascii()
    answer = _P["unticked"].sub("", answer) if may_tick and _P["ticked"].search(answer) else answer
    signs = symbols(answer)
    answer = answer if gold.endswith("。") else answer.rstrip("。 ")
    return without_symbols(answer) if signs and not symbols(gold) and not has_meaning(signs) else answer


def stands_alone(gold: str, text: str, question: str) -> bool:
    """Return whether a text has a gold answer once, and all around it surely changes nothing: "All agree on Rome"."""
    before, found, after = text.partition(gold)
    is_part = not found or _P["part_before"].search(before) is not None or _P["part_after"].match(after) is not None
    is_once = not is_part and not has_any_word(f"{before} {after}", gold)
    return is_once and is_clear(before, after, question, is_value)


def is_value(piece: str) -> bool:
    """Return whether a piece of text is, or states in a frame, a value; or is a list of words."""
    lead = _P["before_digits"].match(piece)
    value, stated = parse(bare(piece if lead is None else piece[lead.end() :])), parse(peeled(piece)[-1])
    if value is not None and value.kind == "list":
        items: tuple[str, ...] = getattr(value.value, "items", ())
        return len(items) >= _LISTED and not any(" " in item for item in items) and not is_known(piece, "before")
    is_stated = stated is not None and stated.kind in ("number", "money", "date")
    return is_stated or (value is not None and value.kind in _VALUES)


def all_cores(cores: Sequence[str], texts: tuple[str, ...], code: str) -> Iterator[tuple[str, str]]:
    """Yield each of these cores, and what is left of the texts without frames of other languages, once.

    Each has the language of its frame, in which its value is read: "18 dollari".
    """
    foreign = (pair for text in dict.fromkeys(texts) for pair in _in_other_languages(text, code))
    seen = set[str]()
    for core, lang in chain(((core, code) for core in cores), foreign):
        if core not in seen:
            seen.add(core)
            yield core, lang


def _in_other_languages(answer: str, code: str) -> list[tuple[str, str]]:
    """Return what is left of an answer without the frames of each other language, of one that has a whole frame."""
    cores, framed, sides = innermost(answer), dict[str, str](), dict[str, tuple[str, bool]]()
    if len(plain := set(cores.values())) == 1:
        return [(core, code) for core in plain]
    for lang, core in cores.items():
        if core not in sides:
            before, _, behind = answer.partition(core)
            is_behind = (behind[:1] in _STOPS or len(behind.split()) > 1) and bare(behind) != ""
            sides[core] = before.strip(), is_behind
        article, is_behind = sides[core]
        is_before = len(article) > _LONGEST_ARTICLE or article.casefold() in words("itis").get(lang, ())
        if lang != code and (lang in TOUCHING or is_before or is_behind):
            framed.setdefault(core, lang)
    return [*framed.items()]


def has_two_values(gold: str, core: str) -> bool:
    """Return whether a text has the number of the gold answer with two signs, units or currencies: "7, -7"."""
    digits = "".join(filter(str.isdigit, gold))
    numbers = {match[0].replace("−", "-") for match in _P["marked_number"].finditer(core)} if digits else set[str]()
    return sum("".join(filter(str.isdigit, number)) == digits for number in numbers) > 1


def is_harmed(core: str, tokens: Sequence[str], places: list[int]) -> bool:
    """Return whether the text around the words of the gold answer at these places surely changes it."""
    if (spans := _spans(core, tokens)) is None:
        return False
    return harms(core[: spans[places[0]][0]].strip(), core[spans[places[-1]][1] :].strip(" .,;:!"))


def residual(tokens: Sequence[str], places: list[int], question: str, core: str, lang: str) -> str | None:
    """Return the text from the first to the last word that the question does not explain; None if there is none."""
    words = [token.casefold() for token in tokens]
    explained = explained_places(words, [], question, lang) | stating_places(words, places, question)
    small = linking_words(language(lang)) | _WORDS["subjects"]
    left = [i for i, word in enumerate(words) if not (i in explained or word in small) and any(map(str.isalnum, word))]
    if not left or any(words[i] in TURNING for i in range(len(words)) if i not in explained):
        return None
    if (spans := _spans(core, words)) is None:
        return None
    end = spans[left[-1]][1]
    if core[end : end + 1] in ("%", "°", ")", "!"):
        end += 1
    start = spans[left[0]][0]
    if start and core[start - 1] in "$€£-−(+":
        start -= 1
    return core[start:end]


def _spans(core: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the places of these tokens in a text; None if one of its characters is folded into several."""
    spans = [match.span() for match in TOKEN.finditer(core)]
    return spans if len(spans) == len(tokens) else None
