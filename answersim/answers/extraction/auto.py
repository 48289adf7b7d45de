"""Which marks of a text count: tags, boxes, "####", "the answer is", or an answer on the last line after working."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from answersim.answers.extraction.boxed import boxes
from answersim.answers.extraction.last import last_line
from answersim.answers.extraction.markdown import bare
from answersim.answers.extraction.marked import (
    LAST,
    Announced,
    announced,
    answer_tags,
    chosen,
    hash_answers,
    revised,
)
from answersim.answers.extraction.marks import pattern

Place: TypeAlias = tuple[int, int]

_BETWEEN = 24  # characters between two boxes or tags that are given side by side
_LONGEST_LINE = 60  # characters of a last line that is an answer
_LEAST_WORDS = 4  # of a line that is working
_ENDS = (".", "!", ":", "…", ")", "。", "！", "：")  # of a sentence
_WORKING = re.compile(r"[=≈]|\d\s{0,2}[-+*/×÷^]\s{0,2}\d|(?i:\bstep\b|\bfirst\b|\bthen\b)")
_STOP = re.compile(r"[\"*_)`]{0,4}[.!。！\n][^?？]*")  # the end of a sentence, and no question behind it
_WORD = re.compile(r"\w+")
_SO, _COMMAND = pattern(r"(?:<so>)[\s,:]{1,3}"), re.compile(r"\\[A-Za-z]{1,20}")


class Marked(NamedTuple):
    """The final answers that marks of one kind give.

    Attributes:
        rule: "answer-tag", "boxed", "hash", "final" or "line".
        places: Where they are: one, or several that are given side by side.
    """

    rule: str
    places: tuple[Place, ...]


def marked(text: str) -> Marked | None:
    r"""Return the final answers of a text without reasoning; None if nothing marks one.

    Tags come first. A box comes before "####" and "the answer is", unless "the final answer is" follows it. Of several
    boxes or tags, those that are given side by side count together: ``\boxed{4} and \boxed{5}``. If other text stands
    between them, or a revision ("no wait"), the last one counts. "The answer is 4. The answer is 5." are two answers.

    >>> text = r"\boxed{4}. No wait, \boxed{6}"
    >>> [text[start:end] for start, end in marked(text).places]
    ['6']
    >>> marked("First compute 6*7.\n42"), marked("Rome\nOslo")
    (Marked(rule='line', places=((19, 21),)), None)
    """
    if tags := answer_tags(text):
        return Marked("answer-tag", _side_by_side(text, tags))
    announcements = announced(text)
    final = chosen(announcements)
    in_boxes = boxes(text)
    if in_boxes and not (final is not None and final.rank == LAST and final.start > in_boxes[-1][1]):
        return Marked("boxed", _side_by_side(text, in_boxes))
    hashed = hash_answers(text)
    if hashed and (final is None or final.rank < LAST or final.start < hashed[-1][0]):
        return Marked("hash", _side_by_side(text, hashed))
    if final is not None:
        return Marked("final", _announced_beside(text, announcements, final))
    place = _last_line_after_working(text)
    return None if place is None else Marked("line", (place,))


def _announced_beside(text: str, announcements: list[Announced], final: Announced) -> tuple[Place, ...]:
    """Return the place of the announced answer that counts, and of those in the next sentences."""
    places = [(final.start, final.end)]
    for next_announcement in announcements:
        end = places[-1][1]
        is_next = end <= next_announcement.start <= end + _BETWEEN + len("the correct answer is ")
        if (
            is_next
            and _STOP.fullmatch(text, end, next_announcement.start)
            and next_announcement.rank == final.rank
            and not next_announcement.revises
        ):
            places.append((next_announcement.start, next_announcement.end))
    return tuple(places)


def _side_by_side(text: str, places: list[Place]) -> tuple[Place, ...]:
    """Return the last places between which only short text stands that revises nothing."""
    first = len(places) - 1
    while first > 0:
        between = text[places[first - 1][1] : places[first][0]]
        if len(between) > _BETWEEN + len("</answer><answer>") or revised(between):
            break
        first -= 1
    return tuple(places[first:])


def _last_line_after_working(text: str) -> Place | None:
    """Return the last line if it is short, stands alone, and follows lines of working."""
    place = last_line(text)
    if place is None or place[0] == 0 or place[1] - place[0] > _LONGEST_LINE:
        return None
    line = bare(text[slice(*place)])
    words = _WORD.findall(_COMMAND.sub("", line[lead.end() :] if (lead := _SO.match(line)) else line))
    if not line or len(words) > _LEAST_WORDS or line.endswith((":", "?")):
        return None
    above = [line for line in text[: place[0]].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return place if above and all(map(_is_working, above)) else None


def _is_working(line: str) -> bool:
    """Return whether a line is a step or a sentence. Words without the end of a sentence are another guess."""
    is_sentence = len(_WORD.findall(line)) >= _LEAST_WORDS and line.rstrip("*_ ").endswith(_ENDS)
    return is_sentence or _WORKING.search(line) is not None
