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

_ANNOUNCED, _OFFER = Patterns("announced"), Patterns("reading")
_MOST_TOLD = 9  # sentences
# What is told about an answer: "It was built in 1889."
_TOLD = re.compile(r"(?:It|They|He|She|This) (?!(?:would|could|should|might|may|must|cannot|seems?|appears?)\b)[^?]+\Z")
_MOST_OTHER = 5  # words of something that an answer excludes
# What a speaker says of his knowledge before an answer: "I can't recall the date, but it was Ann".
_HEDGE = re.compile(
    r"\A(?=[^.!?\n]{0,100}\b(?:I|me|my|we)\b)(?![^.!?\n]{0,100}\b(?:only|just|if)\b)[^.!?\n]{1,100}?,? but\s"
)
_NAMES = re.compile(r"\s{0,3}(?:it|he|she|that|this) (?:is|was) [A-Z]")  # "because it is Rome"
_SOURCE = re.compile(r"\W{0,9}(?:according|due|selon|laut|según|segundo|volgens)", re.IGNORECASE)
_DOUBTFUL = frozenset("not cannot unsure forgot forget forgotten hard hardly difficult little".split())
_VAGUE = frozenset(
    "real actual expected true clear known verified today now anymore always alone proven all what here there asked "
    "reality correct".split()
)
_STATES = re.compile(
    r"\A(?P<subject>[^.,;:!?\d]{3,80})\s(?:is|are|was|were|equals|=)\s[*$]{0,2}"
    r"(?P<value>[-−$€£(]?\d[^;!?*]{0,40}?)[*$]{0,2}[.!]?\Z"
)
_UNITS = re.compile(r"\s(?:square |cubic )?units\Z")
_RANKS = frozenset("first second third fourth last next behind beside near above below under over".split())
_NUMBER, _RESULT = re.compile(r"\d[\d.,:]*\d|\d"), re.compile(r"[=≈]\s*[-−]?[$€£]?(\d[\d.,:]*\d|\d)")
_COMPUTES = re.compile(r"\d\s?=|[=≈]\s?[-$€£]?\d|\d\s?[-+−*/×÷]\s?\d")
_ROW = re.compile(r"[ \t]{0,9}(?:[-*•+|]|\d{1,2}[.)]\s)[^\n]*\S")  # of a list or of a table
# Words of a reason that judge or change what was said.
_JUDGING = frozenset(
    "answer answers correct right true actually could might may would also think believe someone nobody everyone "
    "somebody mistake option choice suppose guess doubt really antwort richtig réponse respuesta risposta resposta "
    "antwoord".split()
)
_UNPLAIN = TURNING | _JUDGING | {";"}
_NUMBERED = re.compile(
    r"\A\s{0,9}(?:(?P<named>(?:(?:question|exercise|problem|task|item|no\.|nr\.|aufgabe|frage|übung|exercice|pregunta|"
    r"ejercicio|domanda|esercizio|questão|pergunta|exercício|vraag|opgave|вопрос|задача)\s{1,3}\d{1,3}\s?(?:[):]|\.{1,40}|[-–—])|"
    r"[-*]?\s{0,3}\[[xX✓✔]\]|\(?[a-h]\)))|\d{1,2}[.)])[*_]{0,3}\s{1,9}(?=\S)",
    re.IGNORECASE,
)  # the number of the question, or a box that is ticked
_PARTICLES = re.compile(
    r"(?<=[이가은는을를와과])\([이가은는을를와과]\)|(?<=\w)\(으\)(?=로)|(?<=\w)\(이\)(?=라|다)"
)  # Korean: 이(가)
# What a task is worth: "[2 marks]"
_MARKS = re.compile(r"\s{0,3}[(\[]\d{1,2} (?:marks?|points?|pts|punkte?|puntos?|punti|pontos?)\.?[)\]]", re.IGNORECASE)
_NO_NAMES = SMALL | TURNING | frozenset("answer correct right true one could also would might".split())
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[^\W\d_])|\n+")
LIST = re.compile(r"[;|\n]|\s[/&]\s|,\s|\b(?:and|or|und|oder|et|ou|y|e|o)\b", re.IGNORECASE)
_ABBREVIATED = re.compile(rf"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Jr|Sr|vs|{'|'.join(map(str.title, ABBREVIATIONS))})|\sNo)\.\Z")
_DAY = re.compile(r"(?<![\w.,])\d{1,2}\.\Z")  # it ends no sentence before a month: "14. Juli"


def concluded(answer: str, question: str, is_last: bool) -> str:
    """Return the conclusion that an answer ends with: "5 + 7 = 12, so he has 12."; all of it if there is none.

    ``is_last``: whether the answer is the end of a longer text.
    """
    mark = conclusion(answer)
    if mark is not None:
        before, rest = answer[: mark[0]], answer[mark[1] :]
        results = _RESULT.findall(before)
        is_working = bool(results) or not answers(before, question)
        if not _is_result(rest, results, question):
            return answer
        if is_working and any(map(str.isalnum, rest)) and len(sentences_of(rest)) == 1:
            return _stated(rest, question)
    *working, last = sentences_of(answer) or (answer,)
    restates = is_last and answers(last, question) and asked_words(last, question)
    is_computed = any(map(_COMPUTES.search, working))
    is_computed = is_computed and _is_result(last, _RESULT.findall(" ".join(working)), question)
    return _stated(last, question) if is_computed or restates or _is_below_rows(answer) else answer


def _is_below_rows(answer: str) -> bool:
    """Return whether the last line of an answer stands below the rows of a list or of a table, and is none of them."""
    rows = [_ROW.match(line) is not None for line in answer.split("\n") if line.strip()] if "\n" in answer else []
    return sum(rows) > 1 and not rows[-1] and rows[-2]


def _is_result(sentence: str, results: list[str], question: str) -> bool:
    """Return whether the last number of a sentence, if it has one, is one of these results, maybe rounded.

    Numbers of the question do not count.
    """
    asked = frozenset(_NUMBER.findall(question))
    numbers = [number for number in _NUMBER.findall(sentence) if number not in asked]
    return not numbers or not results or any(relate(n, numbers[-1]).relation in ("equal", "near") for n in results)


def _stated(sentence: str, question: str) -> str:
    """Return the value that a sentence states for what is asked, as in "The speed of the trip is 5 m/s.".

    Another sentence is returned as it is.
    """
    stated = _STATES.match(sentence)
    if stated is None or not _is_plain(stated["subject"]) or not asked_words(stated["subject"], question):
        return sentence
    is_plain = _RANKS.isdisjoint(lowered(stated["subject"]))
    value = _UNITS.sub("", stated["value"])
    return value if is_plain and parse(value) is not None else sentence


def committed(answer: str, gold: str, question: str) -> str:
    """Return what an answer commits to in the end: without what it names as an error."""
    answer = answer if answer.isascii() else _PARTICLES.sub("", answer)
    hedge = _HEDGE.match(answer) if " but" in answer else None
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
    answer = _MARKS.sub("", answer) if "(" in answer or "[" in answer else answer
    number = _NUMBERED.match(answer)
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
    doubts = [token for token in tokens if token.casefold() in _DOUBTFUL or token.casefold().endswith("n't")]
    return bool(doubts) and not any(token[0].isupper() for token in tokens[1:] if token not in ("I", "AI"))


def _unexplained(answer: str, gold: str, question: str) -> str:
    """Return a sentence that restates the question with the gold answer, without what is then told about it.

    Each sentence behind it begins with a pronoun, and neither denies nor judges anything.
    """
    first, *others = sentences_of(answer) or (answer,)
    is_told = 0 < len(others) < _MOST_TOLD and all(map(_TOLD.match, others)) and not any(map(_NAMES.match, others))
    is_told = is_told and has_words(first, gold) and answers(first, question) and asked_words(first, question)
    return first if is_told and len(first.split()) > _MOST_OTHER and all(map(_is_plain, others)) else answer


def _without_reason(answer: str, gold: str, question: str) -> str:
    """Return an answer without the reason behind it, and without the things that a number counts.

    The reason neither denies nor names another answer. As many things as the number says stand behind a colon.
    """
    behind = _ANNOUNCED.reason.search(answer)
    if behind is not None and behind.start() and has_words(answer[: behind.start()], gold):
        rest = answer[behind.end() :]
        known = {*lowered(f"{question} {gold}")}
        names = [t for t in tokens_of(rest) if (t[0].isupper() or t[0].isdigit()) and t.casefold() not in known]
        is_source = _SOURCE.match(behind[0]) is not None or _NAMES.match(rest) is not None
        is_source = is_source or not any(map(str.isalnum, rest))  # "what you want" is no "because" in Dutch
        if not is_source and not (names and asked_words(rest, question)):
            is_reason = _is_plain(rest) and len(sentences_of(rest)) == 1
            answer = answer[: behind.start()] if is_reason else answer
    counted, colon, rest = answer.partition(": ")
    value = parse(gold) if colon else None
    if value is not None and value.kind in ("number", "quantity"):  # "two moons: Phobos and Deimos"
        items = [item for item in LIST.split(bare(rest)) if item.strip()]
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
    return not any(word.endswith("ly") for word in words) and _VAGUE.isdisjoint(words) and not is_vague(text)


@lru_cache(maxsize=64)  # of the texts that are compared now, whose rules ask several times
def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences of a text. An initial or a title ends none."""
    sentences: list[str] = []
    for piece in _SENTENCE.split(text):
        if sentences and (_ABBREVIATED.search(sentences[-1]) or _is_date(sentences[-1], piece)):
            sentences[-1] += f" {piece}"
        elif piece.strip():
            sentences.append(piece.strip())
    return tuple(sentences)


def _is_date(before: str, after: str) -> bool:
    """Return whether a number with a period and the word behind it are a day and its month, as in German."""
    day = _DAY.search(before)
    month = after.split(maxsplit=1)[0].strip(".,;:!?") if day is not None else ""
    return day is not None and (value := parse(f"{day[0]} {month}", "de")) is not None and value.kind == "date"
