"""What an answer commits to: its conclusion, without hedges, reasons and what it names as an error."""

from __future__ import annotations

import re
from functools import lru_cache

from answersim.answers.extraction.announced import conclusion
from answersim.answers.extraction.contrast import (
    Contrast,
    closing,
    corrected,
    excluded,
    is_judged,
    is_vague,
    opening,
    pieces_of,
)
from answersim.answers.extraction.frames import bare
from answersim.answers.relation import relate
from answersim.answers.relation.explained import (
    BEING,
    SMALL,
    TURNING,
    answers,
    asked_words,
    denials_in,
    has_any_word,
    has_words,
    lowered,
    tokens_of,
)
from answersim.answers.relation.wording import ABBREVIATIONS
from answersim.answers.text.patterns import Patterns
from answersim.answers.typed.api import parse
from answersim.scoring.reward.patterns import PATTERNS as _P
from answersim.scoring.reward.patterns import WORDS as _WORDS

_ANNOUNCED, _OFFER = Patterns("announced"), Patterns("reading")
_MOST_TOLD = 9  # sentences
_MOST_OTHER = 5  # words of something that an answer excludes
_UNPLAIN = TURNING | _WORDS["judging"] | {";"}
_NO_NAMES = SMALL | TURNING | frozenset("answer correct right true one could also would might".split())
_ABBREVIATED = re.compile(rf"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Jr|Sr|vs|{'|'.join(map(str.title, ABBREVIATIONS))})|\sNo)\.\Z")


def concluded(answer: str, question: str, is_last: bool) -> str:
    """Return the conclusion of an answer, "5 + 7 = 12, so he has 12.", which may end a longer text; else all of it."""
    mark = conclusion(answer)
    if mark is not None:
        before, rest = answer[: mark[0]], answer[mark[1] :]
        results = _P["result"].findall(before)
        is_working = bool(results) or not answers(before, question)
        if not _is_result(rest, results, question):
            return answer
        if is_working and any(map(str.isalnum, rest)) and len(sentences_of(rest)) == 1:
            return _stated(rest, question)
    *working, last = sentences_of(answer) or (answer,)
    restates = is_last and answers(last, question) and asked_words(last, question)
    is_computed = any(map(_P["computes"].search, working))
    is_computed = is_computed and _is_result(last, _P["result"].findall(" ".join(working)), question)
    return _stated(last, question) if is_computed or restates or _is_below_rows(answer) else answer


def _is_below_rows(answer: str) -> bool:
    """Return whether the last line of an answer stands below the rows of a list or of a table, and is none of them."""
    rows = [_P["row"].match(line) is not None for line in answer.split("\n") if line.strip()] if "\n" in answer else []
    return sum(rows) > 1 and not rows[-1] and rows[-2]


def _is_result(sentence: str, results: list[str], question: str) -> bool:
    """Return whether the last number of a sentence that the question lacks, if any, is nearly one of these results."""
    asked = frozenset(_P["number"].findall(question))
    numbers = [number for number in _P["number"].findall(sentence) if number not in asked]
    return not numbers or not results or any(relate(n, numbers[-1]).relation in ("equal", "near") for n in results)


def _stated(sentence: str, question: str) -> str:
    """Return the value that a sentence states for what is asked, "The speed is 5 m/s.", else the sentence."""
    stated = _P["states"].match(sentence)
    if stated is None or not _is_plain(stated["subject"]) or not asked_words(stated["subject"], question):
        return sentence
    is_plain = _WORDS["ranks"].isdisjoint(lowered(stated["subject"]))
    value = _P["units"].sub("", stated["value"])
    return value if is_plain and parse(value) is not None else sentence


def committed(answer: str, gold: str, question: str) -> str:
    """Return what an answer commits to in the end: without what it names as an error."""
    answer = answer if answer.isascii() else _P["particles"].sub("", answer)
    hedge = _P["hedge"].match(answer) if " but" in answer else None
    if hedge is not None and _is_doubt(hedge[0]) and not has_words(hedge[0], gold):
        answer = answer[hedge.end() :]
    last = corrected(answer)
    if last is not None and not has_words(last.other, gold) and bare(last.rest):
        answer = last.rest
    may_ask = "?" in answer and opening(answer) is None  # "Oslo? No, Rome" is read below
    for split in (sentences_of, pieces_of):
        parts = split(answer)
        affirmed, is_excluding = list[str](), False
        for part in parts if len(parts) > 1 else ():
            is_short = part.rstrip().endswith("?") and len(part.split()) <= _MOST_OTHER
            is_asking = may_ask and is_short and not has_any_word(part, gold)
            is_judging = is_excluding and is_judged(bare(part))
            is_excluding = is_judging or is_asking or _is_excluding(part.strip("()"), gold)
            affirmed += [] if is_excluding else [part]
        if affirmed and len(affirmed) < len(parts):
            answer = " ".join(affirmed)
    tail = closing(answer)
    if tail is not None and _is_sure(tail, gold, question) and _is_other(tail.other, gold):
        answer = tail.rest
    head = opening(answer)
    if head is not None and _is_sure(head, gold, question) and _is_other(head.other, gold):
        answer = head.rest
    answer = _without_reason(_unexplained(answer, gold, question), gold, question)
    answer = _P["marks"].sub("", answer) if "(" in answer or "[" in answer else answer
    number = _P["numbered"].match(answer)
    is_first = number is not None and number[0].strip() in ("1.", "1)") and answer[number.end()].isdigit()
    if (
        number is not None
        and (is_first or number["named"] or not gold[:1].isdigit())
        and not _is_date(number[0].strip(), answer[number.end() :])
    ):
        answer = answer[number.end() :]
    return answer.strip()


def _is_doubt(clause: str) -> bool:
    """Return whether a speaker says that he does not know, and names nothing."""
    tokens = tokens_of(clause)
    doubts = [token for token in tokens if token.casefold() in _WORDS["doubtful"] or token.casefold().endswith("n't")]
    return bool(doubts) and not any(token[0].isupper() for token in tokens[1:] if token not in ("I", "AI"))


def _unexplained(answer: str, gold: str, question: str) -> str:
    """Return a sentence that restates the question with the gold answer, without what is then told about it."""
    first, *others = sentences_of(answer) or (answer,)
    is_told = (
        0 < len(others) < _MOST_TOLD and all(map(_P["told"].match, others)) and not any(map(_P["names"].match, others))
    )
    is_told = is_told and has_words(first, gold) and answers(first, question) and asked_words(first, question)
    return first if is_told and len(first.split()) > _MOST_OTHER and all(map(_is_plain, others)) else answer


def _without_reason(answer: str, gold: str, question: str) -> str:
    """Return an answer without the reason behind it, and without the things that a number counts behind a colon."""
    behind = _ANNOUNCED.reason.search(answer)
    if behind is not None and behind.start() and has_words(answer[: behind.start()], gold):
        rest = answer[behind.end() :]
        known = {*lowered(f"{question} {gold}")}
        names = [t for t in tokens_of(rest) if (t[0].isupper() or t[0].isdigit()) and t.casefold() not in known]
        is_source = _P["source"].match(behind[0]) is not None or _P["names"].match(rest) is not None
        verb = "_".join(lowered(f"{answer[: behind.start()].rpartition(' ')[2]} {behind[0]}")[:2])  # "serves as"
        is_source = (
            is_source or verb in BEING or not any(map(str.isalnum, rest))
        )  # "what you want" is no "because" in Dutch
        if not is_source and not (names and asked_words(rest, question)):
            is_reason = _is_plain(rest) and len(sentences_of(rest)) == 1
            answer = answer[: behind.start()] if is_reason else answer
    counted, colon, rest = answer.partition(": ")
    value = parse(gold) if colon else None
    if value is not None and value.kind in ("number", "quantity"):  # "two moons: Phobos and Deimos"
        items = [item for item in _P["list"].split(bare(rest)) if item.strip()]
        is_list = all(item.strip()[0].isalpha() and parse(item.strip()) is None for item in items) and _is_plain(rest)
        if is_list and len(items) > 1 and relate(gold, str(len(items))).relation in ("equal", "near"):
            return counted
    return answer


def _is_plain(clause: str) -> bool:
    """Return whether a clause neither denies nor judges anything."""
    return _UNPLAIN.isdisjoint(lowered(clause))


def _is_excluding(sentence: str, gold: str) -> bool:
    """Return whether a sentence only says what the answer is not."""
    denied = excluded(plain := bare(sentence))
    is_sure = denied is not None and (gold[:1].isupper() or plain.isascii() or parse(gold) is not None)
    return denied is not None and is_sure and _is_sure(denied, gold, "") and _is_named(denied.other, gold)


def _is_sure(contrast: Contrast, gold: str, question: str) -> bool:
    """Return whether a contrast cannot be about the gold answer: "agua, no funciona", "北京，不是首都".

    What the question has may be what it asks for, unless it offers several things. A name with a capital letter and a
    value are alike only with another one; for other gold answers, a short word may deny a verb.
    """
    is_asked = contrast.other.strip().casefold() in question.casefold()
    if is_asked and _OFFER.offered.search(question) is None:
        return False
    return gold[:1].isupper() or parse(gold) is not None or not contrast.is_bare


def _is_other(text: str, gold: str) -> bool:
    """Return whether a short text names something, and not the gold answer. "112 km" has the word of "112%"."""
    if len(text.split()) > _MOST_OTHER or not TURNING.isdisjoint(lowered(text)) or denials_in(text):
        return False
    return _is_named(text, gold) or (_is_alike(text, gold) and relate(gold, text.strip()).relation == "different")


def _is_named(text: str, gold: str) -> bool:
    """Return whether a text names something, and not the gold answer. "Correct" and "right" name nothing."""
    return not has_words(text, gold) and not _NO_NAMES.issuperset(lowered(text)) and _is_alike(text, gold)


def _is_alike(text: str, gold: str) -> bool:
    """Return whether a text may be an answer as the gold answer is: a value beside a value, a name beside a name."""
    value = parse(gold)
    if value is not None and value.kind != "person name":
        other = parse(text.strip(" .,"))
        return other is not None and (other.kind == value.kind or any(map(str.isdigit, text)))
    if gold[:1].isupper():
        return any(word[:1].isupper() for word in text.split())
    words = text.casefold().split()
    return not any(word.endswith("ly") for word in words) and _WORDS["vague"].isdisjoint(words) and not is_vague(text)


@lru_cache(maxsize=64)  # of the texts that are compared now, whose rules ask several times
def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of a text. An initial or a title ends none."""
    sentences: list[str] = []
    for piece in _P["sentence"].split(text):
        if sentences and (_ABBREVIATED.search(sentences[-1]) or _is_date(sentences[-1], piece)):
            sentences[-1] += f" {piece}"
        elif piece.strip():
            sentences.append(piece.strip())
    return tuple(sentences)


def _is_date(before: str, after: str) -> bool:
    """Return whether a number with a period and the word behind it are a day and its month, as in German."""
    day = _P["day"].search(before)
    month = after.split(maxsplit=1)[0].strip(".,;:!?") if day is not None else ""
    return day is not None and (value := parse(f"{day[0]} {month}", "de")) is not None and value.kind == "date"
