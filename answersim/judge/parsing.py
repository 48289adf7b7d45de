"""Parse the text of a reply into an offered verdict. An unparsed reply never counts as a verdict."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from answersim.judge.prompts import Prompt

_MOST = 200_000  # characters of a reply
_MARKS = r"[\s*_`\"'“”‘’(\[]*"  # white space, and the marks around an emphasized or quoted word
# The word is not part of a longer one, or of a choice.
_END = r"(?![\w'’/])(?!-\w)(?![\s*_`\"”’]*(?:/|\b(?:or|and|nor)\b))"
_CLOSED = r"(?=[\s*_`\"”’)\]]*(?:[.,;!—–]|\s-\s|\n|\Z))"
_STATED = r"\b(?:verdict|grade|judge?ment|conclusion|decision|final answer|answer)\b"
_IS = r"(?:[\s*_`\"”’]*(?:\b(?:is|would be|must be)\b|[:=]|->|→|–|—))+"
_SO = r"(?:\b(?:so|therefore|thus|hence|finally)\b,?|:)"
_OTHER = re.compile(r"\b(?:verdict|grade)\b[\s*_`\"”’]*[:=]", re.IGNORECASE)  # what follows claims to be the verdict
_CHOICE = re.compile(r"(?:\b(?:or|and|nor|not|neither|either|between)\b|n['’]t\b|/)" + _MARKS + r"\Z", re.IGNORECASE)
_LOOKS = re.compile(r"verdict|nuggets|grade", re.IGNORECASE)
_DECODER = json.JSONDecoder()


class Outcome(NamedTuple):
    """The outcome of a reply.

    Attributes:
        verdict: The verdict as it was offered; of a list of facts, such as "2 of 3"; "" if the reply is unparsed.
        score: The score of the verdict; None if the reply is unparsed.
        reason: Why the reply is unparsed, else "".
    """

    verdict: str
    score: float | None
    reason: str = ""


def unparsed(reason: str) -> Outcome:
    """Return the outcome of a reply from which no verdict can be read."""
    return Outcome("", None, reason)


def parse(text: str, prompt: Prompt, pred: str = "", *, complete: bool = True) -> Outcome:
    """Return the last verdict of a reply.

    A verdict is a JSON object with the key "verdict", or else a statement: a sentence that starts with an offered word
    ("Yes, the candidate ..."), or an offered word after "verdict:", "so" and the like. The last one counts. A reply is
    unparsed if its last verdict was not offered, if it contains no verdict, or if an offered word after the verdict
    contradicts it. If the candidate contains something that looks like a verdict, all verdicts of the reply must agree,
    because one of them may be a quotation.

    Args:
        text: The reply.
        prompt: The prompt with the offered verdicts.
        pred: The candidate.
        complete: Whether the server reports that the reply is complete. Truncated prose has no last verdict.

    >>> from answersim.judge.prompts import REGISTRY
    >>> parse('First I thought no. Verdict: yes', REGISTRY["equivalent"])
    Outcome(verdict='yes', score=1.0, reason='')
    >>> parse("Perhaps.", REGISTRY["equivalent"]).score is None
    True
    """
    if len(text) > _MOST:
        return unparsed(f"the reply has {len(text):,} characters")
    text = _without_quotation(text.rpartition("</think>")[2], pred)
    if not text.strip():
        return unparsed("the reply is empty, or only repeats the candidate")
    wary = bool(_LOOKS.search(pred)) or any(_statements(pred, prompt.scores))
    key = "nuggets" if prompt.form == "nuggets" else "verdict"
    if objects := [found[key] for found in _objects(text) if key in found]:
        if wary and any(found != objects[-1] for found in objects):
            return unparsed("the reply has several verdicts, and the candidate contains one too")
        return _nuggets(objects[-1], prompt) if prompt.form == "nuggets" else offered(objects[-1], prompt.scores)
    if prompt.form == "nuggets":
        return unparsed("the reply contains no list of facts")
    if not complete:
        return unparsed("the reply was truncated before a verdict")
    return stated(text, prompt.scores, agree=wary)


def offered(value: Any, scores: Mapping[str, float]) -> Outcome:
    """Return the outcome of one word, in any case and with "_" or "-" for a space.

    >>> offered("Not_attempted", {"correct": 1.0, "not attempted": 0.0}).verdict
    'not attempted'
    """
    if isinstance(value, str):
        word = _normalized(value)
        for label, score in scores.items():
            if _normalized(label) == word:
                return Outcome(label, score)
    return unparsed(f"the verdict {_short(value)} was not offered")


def stated(text: str, scores: Mapping[str, float], *, agree: bool = False) -> Outcome:
    """Return the last verdict that is stated in prose. See ``parse``.

    Args:
        text: The prose.
        scores: The offered verdicts and their scores.
        agree: Whether all statements must agree.

    >>> stated("No, it is another city.", {"yes": 1.0, "no": 0.0}).verdict
    'no'
    >>> stated("Answer yes or no.", {"yes": 1.0, "no": 0.0}).reason
    'the reply states no verdict'
    """
    statements = list(_statements(text, scores))
    if not statements:
        return unparsed("the reply states no verdict")
    end, last = statements[-1]
    if not last:
        return unparsed("the last verdict of the reply was not offered")
    if agree and any(label != last for _, label in statements):
        return unparsed("the reply has several verdicts, and the candidate contains one too")
    if any(label != last for label in _mentions(text, end, scores)):
        return unparsed(f"the reply states {last!r} and contradicts it")
    return Outcome(last, scores[last])


def _statements(text: str, scores: Mapping[str, float]) -> Iterator[tuple[int, str]]:
    """Yield the end and the label of each statement of a verdict, in order; "" for one that was not offered."""
    words = _words(scores)
    patterns = (
        rf"(?:\A|[.!?]\s|\n){_MARKS}(?P<a>{words}){_END}{_CLOSED}",
        rf"{_STATED}{_IS}{_MARKS}(?P<b>{words}){_END}",
        rf"{_SO}{_MARKS}(?P<c>{words}){_END}(?=[\s*_`\"”’)\]]*(?:[.!]|\n|\Z))",
    )
    found = {
        match.end(group): _label(match[group], scores)
        for group, pattern in zip("abc", patterns, strict=True)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    }
    for match in _OTHER.finditer(text):
        following = re.compile(rf"{_MARKS}(?:{words}){_END}", re.IGNORECASE).match(text, match.end())
        if following is None:
            found[match.end()] = ""
    yield from sorted(found.items())


def _mentions(text: str, start: int, scores: Mapping[str, float]) -> Iterator[str]:
    """Yield the offered words after this position that end a clause and are not part of a choice."""
    for match in re.compile(rf"\b(?:{_words(scores)})\b{_END}{_CLOSED}", re.IGNORECASE).finditer(text, start):
        if not _CHOICE.search(text, max(0, match.start() - 40), match.start()):
            yield _label(match[0], scores)


def _words(scores: Mapping[str, float]) -> str:
    """Return the pattern of the offered words, the longest first."""
    longest = sorted(scores, key=len, reverse=True)
    return "|".join(r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", label))) for label in longest)


def _label(word: str, scores: Mapping[str, float]) -> str:
    return next(label for label in scores if _normalized(label) == _normalized(word))


def _normalized(word: str) -> str:
    return re.sub(r"[\s_-]+", " ", word.strip().rstrip(".").casefold())


def _nuggets(value: Any, prompt: Prompt) -> Outcome:
    """Return the mean score of a list of facts with a verdict each; unparsed if one of them was not offered."""
    if not isinstance(value, list) or not value:
        return unparsed("the reply lists no facts")
    outcomes = [offered(item.get("verdict") if isinstance(item, dict) else None, prompt.scores) for item in value]
    if refused := [outcome for outcome in outcomes if outcome.score is None]:
        return refused[0]
    points = [outcome.score for outcome in outcomes if outcome.score is not None]
    return Outcome(f"{math.fsum(points):g} of {len(points)}", math.fsum(points) / len(points))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text, in order."""
    place = text.find("{")
    while place >= 0:
        try:
            found, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield found
        place = text.find("{", end)


def _without_quotation(text: str, pred: str) -> str:
    """Return a reply without the candidate, if the candidate contains something that looks like a verdict."""
    pred = pred.strip()
    if not _LOOKS.search(pred):
        return text
    for quoted in (pred, json.dumps(pred)[1:-1], json.dumps(pred, ensure_ascii=False)[1:-1]):
        text = text.replace(quoted, " ")
    return text


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
