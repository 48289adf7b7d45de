"""Parse the text of a reply into an offered verdict. An unparsed reply never counts as a verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from answersim._base.errors import shortened
from answersim.metrics.judge.quotations import Source, decoded, folded, has_tag, without_quotations

_MOST = 200_000  # characters of a reply
_STATEMENTS = 100  # verdicts in a reply
_ATTEMPTS = 1000  # braces that do not start an object
_BEFORE = len("</think")  # characters before a bare word that a quotation of it has too
_LOOK = 200  # characters in which they are looked for
_BRACE = re.compile(r"\{(?=\s{0,40}[\"}])")
_MARKS = r"[\s*_`\"'“”‘’(\[]{0,40}"  # white space, and the marks around an emphasized or quoted word
# The word is not part of a longer one, or of a choice.
_END = r"(?![\w'’/])(?!-\w)(?![\s*_`\"”’]{0,40}(?:/|\b(?:or|and|nor)\b))"
_CLOSED = r"(?=[\s*_`\"”’)\]]{0,40}(?:[.,;!—–]|\s-\s|\n|\Z))"
_STATED = r"\b(?:verdict|grade|judge?ment|conclusion|decision|final answer|answer)\b"
_IS = r"(?:[\s*_`\"”’]{0,40}(?:\b(?:is|would be|must be)\b|[:=]|->|→|–|—))+"
_SO = r"(?:\b(?:so|therefore|thus|hence|finally)\b,?|(?:\b\w+\b[\s*_`\"”’]{0,40})?:)"
_OTHER = re.compile(r"\b(?:verdict|grade)\b[\s*_`\"”’]{0,40}[:=]", re.IGNORECASE)  # a claim to be the verdict
# The name before a colon reverses the word behind it, as in "incorrect: yes".
_REVERSED = re.compile(
    r"(?:\A|\n)[\s*_`#>-]{0,9}(?:in(?:correct|accurate)|not (?:correct|equivalent|the same)|wrong|different|false)"
    r"[\s*_`]{0,9}:[\s*_`\"'“”‘’(\[]{0,40}\Z",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"(?:\b(?:or|and|nor|not|neither|either|between)\b|n['’]t\b|/)" + _MARKS + r"\Z", re.IGNORECASE)
# What precedes a word that is attributed to the candidate or to another text of the request.
_QUOTED = r"(?:[^\S\n]|[\"“”'‘’`*_>({\[])*(?:[:,][\s\"“”'‘’`*_>({\[]*(?:(?:\.\.\.|…)\s*)?)?\Z"
_SAYS = re.compile(
    r"\b(?:wrote|writes|written|says?|said|states?|stated|claims?|claimed|answers|answered|replies|replied|contains?|"
    r"includes?|quot(?:es?|ed|ation|ing)|repeats?|repeating)\b(?:\s+(?:that|only|the|this|following|word|words|text))*"
    + _QUOTED,
    re.IGNORECASE,
)
_ANSWER_IS = re.compile(
    r"\b(?:candidate|prediction|reference|gold|(?:candidate(?:['’]s)?|predicted|gold(?:en)?|known|reference|expected|"
    r"correct|given|its|their)\s+(?:answer|text|response|reply)|answer\s+[AB])\b(?:\s+(?:is|was))?" + _QUOTED,
    re.IGNORECASE,
)
_VERDICT = re.compile(r"\b(?:verdict|grade|judge?ment|conclusion|decision)\b", re.IGNORECASE)
_FENCE = re.compile(r"```\w*|~~~\w*")
_OPEN = re.compile(r"\s{0,999}[<\[]\s{0,4}think(?:ing)?\s{0,4}[>\]]", re.IGNORECASE)
_CLOSE = re.compile(r"[<\[]\s{0,4}/\s{0,4}think(?:ing)?\s{0,4}[>\]]", re.IGNORECASE)
# How a verdict is given: as an object, as "verdict: ...", as the first or the last line, after "so" or a colon, or as
# the first word of a sentence.
OBJECT, STATED, LINE, CONCLUDED, BEGUN = "object", "stated", "line", "concluded", "begun"


class Outcome(NamedTuple):
    """The outcome of a reply."""

    verdict: str  # the verdict as it was offered; "" if the reply is unparsed
    score: float | None  # the score of the verdict; None if the reply is unparsed
    reason: str = ""  # why the reply is unparsed, else ""

    @property
    def contradicts(self) -> bool:
        """Whether the reply is unparsed because of two verdicts, so that other words cannot be the verdict either."""
        return "two verdicts" in self.reason or "contradicts" in self.reason


class _Given(NamedTuple):
    """A verdict that a text gives: its place, where the offered word starts, how it is given, and its outcome."""

    start: int
    label: int
    end: int
    form: str
    outcome: Outcome


_REPEATED = object()  # the value of a key that an object has twice, with different values


def unparsed(reason: str) -> Outcome:
    """Return the outcome of a reply from which no verdict can be read."""
    return Outcome("", None, reason)


def parse(
    text: str, scores: Mapping[str, float], pred: str = "", others: Sequence[str] = (), *, complete: bool = True
) -> Outcome:
    """Return the verdict of a reply.

    The reasoning at the start of the reply, up to its closing tag, does not count. Nor does what the reply quotes from
    the request, or attributes to the candidate. A verdict is a JSON object with the key "verdict", or else a statement:
    a sentence that starts with an offered word ("Yes, the candidate ..."), or an offered word after "verdict:", "so"
    and the like. A reply is unparsed if it contains no verdict, a verdict that was not offered, or two that differ.
    Only an explicit verdict (an object, "verdict: ...", or a word that is the first or the last line) may differ from
    what is stated before it in passing ("No, wait. ... Verdict: yes").

    A verdict that could be the judge's own or a part of a text of the request counts if it is the whole reply.

    Args:
        text: The reply.
        scores: The offered verdicts, and the score of each.
        pred: The candidate.
        others: The other texts of the request: the gold answers and the question.
        complete: Whether the server reports that the reply is complete. Truncated prose has no verdict.

    >>> parse("First I thought no. Verdict: yes", {"yes": 1.0, "no": 0.0})
    Outcome(verdict='yes', score=1.0, reason='')
    >>> parse("Perhaps.", {"yes": 1.0, "no": 0.0}).score is None
    True
    """
    if len(text) > _MOST:
        return unparsed(f"the reply has {len(text):,} characters")
    sources = [
        _source(source_text, tuple(scores)) for source_text in dict.fromkeys((pred, *others)) if source_text.strip()
    ]
    verdicts = _given(text, scores)
    if not (_is_alone(text, verdicts) and (complete or verdicts[0].form == OBJECT) and _is_new(text, sources)):
        prose = _without_reasoning(without_quotations(text, sources), any(of.tagged for of in sources))
        if prose is None:
            return unparsed("the reply ends inside its reasoning")
        if not prose.strip():
            return unparsed("the reply is empty, or only quotes the request")
        text, verdicts = prose, _given(prose, scores)
    objects = [verdict for verdict in verdicts if verdict.form == OBJECT]
    if not objects and not complete:
        return unparsed("the reply was truncated before a verdict")
    if len(verdicts) - len(objects) > _STATEMENTS:
        return unparsed(f"the reply states {len(verdicts) - len(objects):,} verdicts")
    verdicts = [verdict for verdict in verdicts if not _is_attributed(text, verdict)]
    own = (
        verdicts
        if _is_alone(text, verdicts)
        else [verdict for verdict in verdicts if not _may_be_quoted(text, verdict, sources)]
    )
    return _agreed(_without(text, objects), verdicts, own, scores, strict=any(of.has_verdict for of in sources))


@lru_cache(maxsize=64)
def _source(text: str, labels: tuple[str, ...]) -> Source:
    """Return a text of the request as a source of quotations."""
    form, tagged = folded(text).form, has_tag(text)
    is_label = _letters(text) in map(_letters, labels)
    decides = not is_label and (tagged or any(folded(label).form in form for label in labels))
    forms = {verdict.form for verdict in _given(decoded(text), dict.fromkeys(labels, 0.0))}
    return Source(form, decides, tagged or bool(forms - {BEGUN, LINE}), tagged, tagged or bool(forms))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", folded(text).form)


def _given(text: str, scores: Mapping[str, float]) -> list[_Given]:
    """Return the verdicts that a text gives: JSON objects, and statements outside of them."""
    objects = list(_given_objects(text, scores))
    return [*objects, *_statements(_without(text, objects), scores)]


def _without(text: str, objects: Sequence[_Given]) -> str:
    """Return a text with white space in the place of these objects."""
    for verdict in objects:
        text = text[: verdict.start] + " " * (verdict.end - verdict.start) + text[verdict.end :]
    return text


def _is_alone(text: str, verdicts: Sequence[_Given]) -> bool:
    """Return whether a text is one verdict and nothing else."""
    return len(verdicts) == 1 and not re.search(
        r"\w", _FENCE.sub("", text[: verdicts[0].start] + text[verdicts[0].end :])
    )


def _is_new(text: str, sources: Sequence[Source]) -> bool:
    """Return whether a text is not the whole of a text of the request."""
    return folded(_FENCE.sub("", text)).form not in (of.form for of in sources if of.decides)


def offered(value: Any, scores: Mapping[str, float]) -> Outcome:
    """Return the outcome of one word, in any case and with "_" or "-" for a space.

    >>> offered("Not_attempted", {"correct": 1.0, "not attempted": 0.0}).verdict
    'not attempted'
    """
    if value is _REPEATED:
        return unparsed("the reply gives two different verdicts under one key")
    if isinstance(value, str) and (label := _label(value, scores)):
        return Outcome(label, scores[label])
    return unparsed(f"the verdict {shortened(ascii(value))} was not offered")


def _agreed(
    prose: str, verdicts: Sequence[_Given], own: Sequence[_Given], scores: Mapping[str, float], *, strict: bool
) -> Outcome:
    """Return the verdict that decides. ``own``: those not quoted. ``strict``: whether those in passing must agree."""
    if not own:
        return unparsed(
            "the reply only repeats a verdict of the request" if verdicts else "the reply states no verdict"
        )
    explicit = [verdict for verdict in verdicts if verdict.form in (OBJECT, STATED, LINE)]
    concluded = [verdict for verdict in verdicts if verdict.form == CONCLUDED]
    deciding = verdicts if strict else explicit or concluded or verdicts
    last = max(deciding, key=lambda verdict: verdict.start)
    for verdict in (*deciding, *(verdict for verdict in verdicts if verdict.start > last.start)):
        if verdict.outcome.score is None:
            return verdict.outcome
        if verdict.outcome != last.outcome:
            return unparsed(f"the reply gives two verdicts: {verdict.outcome.verdict} and {last.outcome.verdict}")
    if last.form != OBJECT and any(label != last.outcome.verdict for label in _mentions(prose, last.end, scores)):
        return unparsed(f"the reply states {last.outcome.verdict!r} and contradicts it")
    return last.outcome


def _given_objects(text: str, scores: Mapping[str, float]) -> Iterator[_Given]:
    for start, end, value, constants in _objects(text):
        if "verdict" in value:
            outcome = offered(value["verdict"], scores)
            if constants:
                outcome = unparsed(f"an object of the reply contains {constants[0]}, which is not JSON")
            yield _Given(start, start, end, OBJECT, outcome)


def _statements(text: str, scores: Mapping[str, float]) -> Iterator[_Given]:
    """Yield each statement of a verdict, in order; unparsed for one that was not offered."""
    any_label = _labels(scores)
    patterns = {
        BEGUN: rf"(?:\A|[.!?]\s|\n){_MARKS}(?P<label>{any_label}){_END}{_CLOSED}",
        CONCLUDED: rf"{_SO}{_MARKS}(?P<label>{any_label}){_END}(?=[\s*_`\"”’)\]]{{0,40}}(?:[.!]|\n|\Z))",
        STATED: rf"{_STATED}{_IS}{_MARKS}(?P<label>{any_label}){_END}",
    }
    by_end: dict[int, _Given] = {}
    for form, pattern in patterns.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            label = _label(match["label"], scores)
            at, end = match.span("label")
            outer = form == BEGUN and _is_outer_line(text, at, end)
            start = at if form == BEGUN else match.start()
            outcome = Outcome(label, scores[label])
            if _REVERSED.search(text[max(0, at - 100) : at]):
                outcome = unparsed("the name before the verdict reverses it")
            by_end[end] = _Given(start, at, end, LINE if outer else form, outcome)
    for match in _OTHER.finditer(text):
        if re.compile(rf"{_MARKS}(?:{any_label}){_END}", re.IGNORECASE).match(text, match.end()) is None:
            outcome = unparsed("a verdict of the reply was not offered")
            by_end[match.end()] = _Given(match.start(), match.start(), match.end(), STATED, outcome)
    yield from (by_end[end] for end in sorted(by_end))


def _is_outer_line(text: str, start: int, end: int) -> bool:
    """Return whether a word, with the marks around it, is the first or the last line of a text."""
    before, after = text[:start], text[end:]
    line = before.rpartition("\n")[2] + after.partition("\n")[0]
    alone = not re.search(r"[^\s*_`\"'“”‘’().!\[\]#]", line)
    return alone and (not before.strip(" \n\t*_`\"'“‘([#") or not after.strip(" \n\t*_`\"'”’.!)]"))


def _is_attributed(text: str, verdict: _Given) -> bool:
    """Return whether the words before a verdict attribute it to the candidate or to another text."""
    if _SAYS.search(text[max(0, verdict.start - 200) : verdict.start]):
        return True
    before = text[max(0, verdict.label - 200) : verdict.label]
    sentence = re.split(r"[.!?]\s|\n", text[max(0, verdict.start - 200) : verdict.start])[-1]
    if verdict.form == OBJECT or _VERDICT.search(sentence + text[verdict.start : verdict.label]):
        return False
    return bool(_SAYS.search(before) or _ANSWER_IS.search(before))


def _may_be_quoted(text: str, verdict: _Given, sources: Sequence[Source]) -> bool:
    """Return whether a text of the request contains a verdict; a bare word, with the characters before it."""
    form = folded(text[verdict.start : verdict.end]).form
    if verdict.form in (BEGUN, LINE):
        before = folded(text[max(0, verdict.start - _LOOK) : verdict.start]).form[-_BEFORE:]
        if not before:
            return False
        form = before + form
    return any(form in of.form for of in sources)


def _mentions(text: str, start: int, scores: Mapping[str, float]) -> Iterator[str]:
    """Yield the offered words after this position that end a clause and are not part of a choice."""
    for match in re.compile(rf"\b(?:{_labels(scores)})\b{_END}{_CLOSED}", re.IGNORECASE).finditer(text, start):
        before = text[max(0, match.start() - 200) : match.start()]
        answer = _ANSWER_IS.search(before)
        is_known = answer is not None and re.match("gold|known|reference|expected|correct", answer[0], re.IGNORECASE)
        if not (is_known or _CHOICE.search(before) or _SAYS.search(before)):
            yield _label(match[0], scores)


def _labels(scores: Mapping[str, float]) -> str:
    """Return the pattern of the offered words, the longest first."""
    longest = sorted(scores, key=len, reverse=True)
    return "|".join(r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", label))) for label in longest)


def _label(word: str, scores: Mapping[str, float]) -> str:
    """Return the offered word that this one is; "" if it is none."""
    return next((label for label in scores if _normalized(label) == _normalized(word)), "")


def _normalized(word: str) -> str:
    return re.sub(r"[\s_-]+", " ", word.strip().rstrip(".").casefold())


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any], list[str]]]:
    """Yield the outermost JSON objects in a text, in order: place, end, content, and words such as NaN in it."""
    constants: list[str] = []
    decoder = json.JSONDecoder(object_pairs_hook=_members, parse_constant=constants.append)
    end = failed = 0
    while failed < _ATTEMPTS and (brace := _BRACE.search(text, end)):
        place = brace.start()
        constants.clear()
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end, failed = place + 1, failed + 1
        else:
            yield place, end, value, list(constants)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object. A key that it has twice with different values has the value ``_REPEATED``."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        members[key] = value if members.setdefault(key, value) == value else _REPEATED
    return members


def _without_reasoning(text: str, tagged: bool) -> str | None:
    """Return a reply without the reasoning at its start, unless its tag may be quoted; None if it ends inside it."""
    opening = _OPEN.match(text)
    closing = _CLOSE.search(text, opening.end() if opening else 0)
    if closing is None:
        return None if opening else text
    return text if tagged else text[closing.end() :]
