"""Answers that a text announces: "the final answer is", "Answer:", in twelve languages."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from answersim.answers.extraction.frames import bare, peeled
from answersim.answers.extraction.marked import Place, last_line
from answersim.answers.text.patterns import TOUCHING, Patterns, languages, pattern, words

_P = Patterns("announced")
# One of these words is in each text that ``_P.doubt`` finds.
_DOUBTS = ("no ", "not", "n't", "n’t", "doubt", "whether", "un", "kein", "zweif", "nicht")
_WINDOW = 160  # characters before the noun that are read
_PART = 4  # letters at least of a part that several nouns share
_MOST_WORDS = 4  # of an answer behind "actually"
_INTRODUCING = ("the", "kind", "last", "so", "conclude", "derive")  # roles of words that may touch a noun
_ROWS = 3  # of a table with one answer: the head, a rule, and a row
_MOST = 20  # nouns from the start, and as many from the end, that are read
_BLOCKS = (("\\[", "\\]"), ("$$", "$$"), ("```", "```"))
LAST, PLAIN, CONDITIONAL = 2, 1, 0  # the ranks of an announced answer


class Announced(NamedTuple):
    """An answer that a text announces."""

    start: int  # where the answer begins
    end: int  # where it ends
    rank: int  # ``LAST`` for "the final answer", ``CONDITIONAL`` for "if ..., the answer is", else ``PLAIN``
    revises: bool  # whether it takes back or concludes what was announced before


def chosen(marks: list[Announced]) -> Announced | None:
    """Return the announced answer that counts; None if there is none.

    The first announcement counts, unless a later one is final ("the final answer is"), revises it ("no wait", "on
    second thought") or concludes ("therefore"). One with a condition ("if ..., the answer is") counts if there is no
    other.
    """
    best: Announced | None = None
    for mark in marks:
        is_inside = best is not None and best.start <= mark.start and mark.end <= best.end
        if best is None or is_inside or mark.rank > best.rank or (mark.rank == best.rank and mark.revises):
            best = mark
    return best


def announced(text: str) -> list[Announced]:
    """Return all answers that a text announces, in order.

    Between an article and "answer" only words such as "correct" and "final" may stand. The answer ends with its line,
    or with its sentence; a list has several lines. If the line is empty, the answer is the next line with text.
    """
    lowered = text.replace("İ", "I").lower()  # of the same length
    # A single sign is found ten times faster than two, also below.
    is_field = ('"' in text and 'answer"' in lowered) or ("|" in text and "answer" in lowered)
    if is_field or ("[" in text and "finish[" in lowered):
        fields = [match.span(match.lastindex or 0) for match in _P.field.finditer(text)]
        stated = [Announced(start, end, LAST, True) for start, end in fields or _column(text)]
        if stated and not _P.disowned.search(text):
            return stated
    marks: list[Announced] = []
    for role in ("answer", "option"):
        if nouns := _present(role, lowered):
            marks += _announced(text, lowered, role, nouns, 0)
    if not marks and (nouns := _present("result", lowered)):
        # These may open a derivation, so what they announce counts on the last line with text only.
        last = last_line(text) or (0, 0)
        begin = (last_line(text[: last[0]]) or last)[0]
        marks = [mark for mark in _announced(text, lowered, "result", nouns, begin) if mark.start >= last[0]]
    marks = sorted(marks)
    nested = {m for m, n in pairwise(marks) if m.end < n.start and not text[m.end : n.start].strip(" \t\n:*_>")}
    return [mark for mark in marks if mark not in nested]  # "## Answer⏎The answer is:⏎Rome" announces Rome


def _column(text: str) -> list[Place]:
    """Return the place of the only cell below "answer" in the head of a table in Markdown; [] if there is none."""
    rows = list(_P.row.finditer(text))
    if len(rows) != _ROWS or not _P.rule.fullmatch(rows[1][0].strip()):
        return []
    head, cells = ([cell.span() for cell in _P.cell.finditer(row[0])] for row in (rows[0], rows[2]))
    answer_columns = [i for i, (a, b) in enumerate(head) if "answer" in rows[0][0][a:b].lower().split()]
    if len(answer_columns) != 1 or len(cells) != len(head):
        return []
    start, end = cells[answer_columns[0]]
    return [(rows[2].start() + start, rows[2].start() + end)]


def announces(text: str) -> bool:
    """Return whether a text has a noun that may announce an answer."""
    lowered = text.replace("İ", "I").lower()
    return any(_present(role, lowered) for role in ("answer", "option", "result"))


def _present(role: str, lowered: str) -> tuple[str, ...]:
    """Return the nouns of a role that a text in lower case contains, in all languages, also as parts of words."""
    parts = _by_part(role, lowered.isascii()).items()
    return tuple([noun for part, nouns in parts if part in lowered for noun in nouns if noun in lowered])


@cache
def _by_part(role: str, ascii_only: bool) -> dict[str, tuple[str, ...]]:
    """Return the nouns of a role, those in ASCII or all, by a part that some share: a text has few parts."""
    left = {word for listed in words(role).values() for word in listed if not ascii_only or word.isascii()}
    by_part: dict[str, tuple[str, ...]] = {}
    while left:
        shared: Counter[str] = Counter()
        for noun in left:
            shortest = min(_PART, len(noun))
            shared.update({noun[i:j] for i in range(len(noun)) for j in range(i + shortest, len(noun) + 1)})
        part = max(shared, key=lambda part: (shared[part], len(part), part))
        by_part[part] = tuple(sorted(noun for noun in left if part in noun))
        left.difference_update(by_part[part])
    return by_part


@lru_cache(maxsize=256)
def _any_of(nouns: tuple[str, ...]) -> re.Pattern[str]:
    """Return an expression of these nouns: those of an alphabet as whole words, the longest first."""
    ordered = sorted(nouns, key=len, reverse=True)
    separate = "|".join(re.escape(noun) for noun in ordered if not _P.touches.search(noun))
    touching = "|".join(re.escape(noun) for noun in ordered if _P.touches.search(noun))
    whole = f"(?<![^\\W_])(?<!-)(?:{separate})(?![^\\W_])"
    return re.compile("|".join(expression for expression in (whole if separate else "", touching) if expression))


def _nouns(present: tuple[str, ...], lowered: str, begin: int) -> list[re.Match[str]]:
    """Return these nouns in a text in lower case from ``begin`` on, in order, without overlaps."""
    places: set[int] = set()
    for noun in present:
        place = lowered.find(noun, begin)
        while place >= 0:
            places.add(place)
            place = lowered.find(noun, place + 1)
    matches: list[re.Match[str]] = []
    for place in sorted(places):
        if (not matches or place >= matches[-1].end()) and (noun_here := _any_of(present).match(lowered, place)):
            matches.append(noun_here)
    return matches


def revised(between: str) -> bool:
    """Return whether the text between two answers takes the first one back."""
    return _P.revised.search(between[-_WINDOW:]) is not None


def wavers(text: str) -> bool:
    """Return whether the text behind "yes" or "no" takes it back. "No, that is wrong" does not."""
    return _P.wavers.search(text[-_WINDOW:]) is not None


def taken_back(text: str, places: list[Place]) -> list[Place]:
    """Return what counts of marked answers after the text behind them: another answer if it takes them back.

    "4. Sorry, I meant 5." is the answer 5. Both are answers if the text offers another one ("Or 5.") or only takes back
    ("Just kidding."). If it repeats the answer in the end, it confirms it.
    """
    start, end = places[-1]
    tail = text[end : end + 2 * _WINDOW]
    if _P.silent.match(tail) is not None:
        return places
    back, offer = _P.taken_back.match(tail), _P.offer.match(tail)
    behind = back or offer or _P.afterthought.match(tail)
    rest = "" if behind is None else tail[behind.end() :]
    is_weak = back is None and offer is None
    if behind is None or (is_weak and not 0 < len(rest.split()) <= _MOST_WORDS):
        return places
    takes_back, answer = back is not None or is_weak, text[start:end].strip(" .").casefold()
    if takes_back and answer in (_P.clause.split(rest.strip(" .!"))[-1] or "").casefold():
        return places
    offered = _sentence(text, end + behind.end()) if any(map(str.isalnum, rest)) else None
    if offered is None or offered[1] - offered[0] > _WINDOW:
        return [*places, (end, end + len(tail))] if takes_back else places
    return [*places, offered] if not takes_back or answer in rest.casefold() else [offered]


def revision(text: str) -> Place | None:
    """Return the last part of a short text that takes back what stands before it: "Peru - sorry, Bolivia."."""
    if len(text) > _WINDOW:
        return None
    last = next(reversed(list(_P.revision.finditer(text))), None)
    before = "" if last is None else text[: last.start()]
    if last is None or not any(map(str.isalnum, before)) or _P.only_reply.fullmatch(before):
        return None
    excuse = _P.excuse.match(text, last.end())
    begin = last.end() if excuse is None else excuse.end()
    place = _sentence(text, begin) if any(map(str.isalnum, text[begin:])) else None
    if place is None and text[last.start()] == "," and _P.sentence_end.search(before) is not None:
        return None  # "Rome. Some say Oslo, but that is wrong" takes nothing of its own back
    start, end = place or (last.start(), len(text))  # "Peru. Just kidding." names nothing else
    return (start, end) if "(" in text[start:end] else (start, start + len(text[start:end].rstrip(")")))


def lead_of(sentence: str) -> str:
    """Return what stands before the words that announce an answer at the end of a sentence, in the same clause."""
    announcing = _P.announcing.search(sentence)
    lead = "" if announcing is None else sentence[: announcing.start()].strip(" *_")
    is_concluded = _P.concluding.search(lead) is not None and _P.if_.search(sentence) is None
    return "" if is_concluded or _P.apart.search(lead) is not None else lead


def conclusion(text: str) -> Place | None:
    """Return the last mark in a text behind which it draws a conclusion, as in "5 + 7 = 12, so he has 12."."""
    last = next(reversed(list(_P.conclusion.finditer(text))), None)
    return None if last is None or _P.if_.search(text[: last.start()]) else last.span()


def _announced(text: str, lowered: str, role: str, nouns: tuple[str, ...], begin: int) -> list[Announced]:
    """Return the answers that these nouns of a role announce from ``begin`` on, in order. ``lowered``: lower case."""
    marks: list[Announced] = []
    at = 0
    matches = _nouns(nouns, lowered, begin)
    for noun in matches[:_MOST] + matches[max(_MOST, len(matches) - _MOST) :]:
        before = text[max(0, noun.start() - _WINDOW) : noun.start()]
        line = before[before.rfind("\n") + 1 :]
        starts = (_start(lang, text, noun, line, role) for lang in languages(noun[0], "answer", "result", "option"))
        is_name = before[-1:] in ("<", '"', "'", "’") or (before[-1:] == "_" and not _P.heading_before.fullmatch(line))
        start = None if is_name else next((start for start in starts if start is not None), None)
        place = None if start is None else _sentence(text, start)
        if place is None:
            continue
        sentence = line[max((stop.end() for stop in _P.sentence_end.finditer(line)), default=0) :]
        rank = LAST if _P.last.search(text, max(0, noun.start() - 24), place[0]) else PLAIN
        if _P.if_.search(sentence.lstrip()) is not None:
            rank = CONDITIONAL
            if _P.unreal.search(text, noun.start(), place[0]) and not _P.of_speaker.search(sentence):
                continue  # "If pigs could fly, the answer would be Rome"
        between = text[at : noun.start()][-_WINDOW:]
        revises = bool(marks) and (_P.revised.search(between) is not None or _P.so.search(between[-48:]) is not None)
        marks.append(Announced(*place, rank, revises))
        at = place[1]
    return marks


def _start(lang: str, text: str, noun: re.Match[str], line: str, role: str) -> int | None:
    """Return where the answer begins after this noun by the words of one language; None if it announces none."""
    rest, is_named, has_article = line, False, False
    after = pattern("announced", "after", lang).match(text, noun.end())
    if role == "option" and after is None:
        return None
    for _ in range(3):
        kind = pattern("announced", "kind", lang).search(rest[-32:])
        if kind is None:
            break
        rest, is_named = rest[: len(rest) - len(kind[0])], True
    if (article := pattern("announced", "the", lang).search(rest[-24:])) is not None:
        rest, has_article = rest[: len(rest) - len(article[0])], True
    is_heading = _P.heading_before.fullmatch(line) is not None
    if after is not None:
        if role == "option" and not is_named and not _P.kind_inside.search(text, noun.end(), after.end()):
            return None
        is_clear = has_article or is_heading or _P.edge.search(rest) or _P.lead.search(rest[-24:])
        is_known = is_clear or (lang in TOUCHING and _is_introduction(rest, lang))
        if not is_known or _P.denied.search(rest[-24:]) or _is_doubted(line):
            return None
        return after.end()
    if is_heading and (heading := _P.heading_after.match(text, noun.end())) is not None:
        return heading.end()
    turned = has_article and text[noun.end() : noun.end() + 1] == " " and _P.turned.search(rest[-16:]) is not None
    return noun.end() + 1 if turned and not _is_doubted(line) and not _P.to.match(text, noun.end()) else None


@lru_cache(maxsize=256)
def _is_introduction(rest: str, lang: str) -> bool:
    """Return whether what touches a noun, up to the last punctuation, has only words that introduce an answer."""
    clause = _P.clause.split(rest)[-1]
    return clause is not None and bare(peeled(f"{clause}G", lang, _INTRODUCING)[-1]) == "G"


def _is_doubted(line: str) -> bool:
    lowered = line.lower()
    is_doubted = any(word in lowered for word in _DOUBTS) and _P.doubt.search(line) is not None
    return is_doubted or (":" in line and _P.denounced.search(line) is not None)


def _sentence(text: str, start: int) -> Place | None:
    """Return the place of the first sentence from here on, on its line or on the next line with text."""
    while (blank := _P.blank.match(text, start)) is not None and blank.end() > start:
        start = blank.end()
    end = _line_end(text, start)
    line = text[start:end]
    for opening, closing in _BLOCKS:  # a displayed formula, a block of code
        rest = line[len(opening) :]
        if line.startswith(opening) and not rest.strip(" \tabcdefghijklmnopqrstuvwxyz" if opening == "```" else " \t"):
            close = text.find(closing, end)
            return end, close if close > 0 else len(text)
    if _P.item.match(line):
        if _P.two_items.match(line):
            return start, end
        first = end
        while _P.item.match(text, end + 1):
            end = _line_end(text, end + 1)
        if end > first:
            return start, end
    for stop in _P.sentence_end.finditer(line):
        if not _P.abbreviation.search(line, max(0, stop.start() - 9), stop.start()):
            end = start + stop.start()
            break
    for ending, n_read in ((_P.reason, end - start), (_P.end, 24)):
        behind = ending.search(text, max(start, end - n_read), end)
        if behind is not None and behind.start() > start:
            end = behind.start()
    content = text[start:end].strip(" \t,;:*_`|")
    return (start, start + len(text[start:end].rstrip(" \t,;:"))) if content else None


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
