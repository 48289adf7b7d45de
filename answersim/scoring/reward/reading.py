"""What a gold answer and a completion give to compare: the final answer, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from answersim._base.arguments import is_unicode, shown
from answersim._base.golds import StructuredGold, choices_of, gold_of, options_in, texts_in
from answersim.answers.extraction.extractor import Extractor, looks_like_output
from answersim.answers.extraction.markdown import bare
from answersim.answers.extraction.marked import last_line
from answersim.answers.extraction.reasoning import has_reasoning, without_reasoning
from answersim.answers.reading import GOVERNED, final_answers
from answersim.answers.relation import relate
from answersim.answers.tables.options import is_position
from answersim.answers.text.patterns import Patterns
from answersim.scoring.reward.patterns import PATTERNS as _P

_ANNOUNCED = Patterns("announced")
LONGEST_TEXT = 4_000_000  # characters from the end of a completion that are searched for reasoning
LONGEST_OUTPUT = 20_000  # characters from the end of a completion without its reasoning that are read
LONGEST_GOLD = 10_000  # characters of a gold answer
LONGEST_PLAIN = 300  # characters of an answer that no mark announces; three times the gold answer if that is more
_LONGEST_ENDING = 300  # characters at the end of a completion that may be special tokens
_ENDS = ("|>", "｜>", "</s>", "<eos>", "<pad>", "<end_of_turn>", "[EOS]")
_RARE_BLANKS = "\r\v\f\x1c\x1d\x1e\x1f"
_BLANK = "the gold answer is blank"


class Gold(NamedTuple):
    """The gold answers of a row: the texts that are read, or the reason why there are none."""

    texts: tuple[str, ...]
    problem: str = ""
    choices: tuple[str, ...] = ()  # the options of a multiple-choice question
    is_list_in_text: bool = False  # whether the texts were written as a list in one text


class Answer(NamedTuple):
    """The final answer of a completion."""

    text: str  # the answer
    rule: str  # the rule of extraction that found it; "" if the whole completion is the answer
    # whether the completion marks several different answers as final. The text then lists all of them.
    several: bool = False
    problem: str = ""  # why there is no answer to compare; "" if there is one
    label: str = ""  # the words before ":" and a box, a tag or "####": "Total cost"


def read_gold(gold: Any, choices: Any = ()) -> Gold:
    r"""Return the gold answers of one row, as ``evaluate`` reads them: a text, a number, or a list of those.

    A list that is written as text is a list. A solution with a box, a tag or "####" is read as its final answer. Blank
    entries of a list are left out. A gold answer that cannot be read, or is blank, has no texts and a problem.
    ``choices``: what lists the options of a multiple-choice question, see ``golds.options_in``. An object with "answer"
    and "choices" has them itself.
    """
    parsed = gold_of(gold)
    if parsed is None or isinstance(parsed, StructuredGold):
        is_empty = isinstance(gold, (list, tuple)) and not len(gold)
        problem = "the list of gold answers is empty" if is_empty else f"the gold answer is {shown(gold)}, not a text"
        return Gold((), problem)
    listed = texts_in(parsed) if isinstance(parsed, str) else parsed
    entries = [_read_text(text) for text in (listed or [parsed])]
    texts = tuple(dict.fromkeys(text for entry in entries for text in entry.texts))
    broken = [entry.problem for entry in entries if entry.problem not in ("", _BLANK)]
    if broken or not texts:
        return Gold((), (broken or [entries[0].problem])[0])
    options = options_in(choices) or (choices_of(parsed) if isinstance(parsed, str) else ())
    if options and any(is_position(text, options) for text in texts):
        return Gold((), f"the gold answer {texts[0]} is none of the options; give a letter for a position")
    return Gold(texts, "", options, listed is not None and isinstance(parsed, str))


def _read_text(text: str) -> Gold:
    if not is_unicode(text):
        return Gold((), "the gold answer contains half a surrogate pair, which is not a character")
    if len(text) > LONGEST_GOLD:
        return Gold((), f"the gold answer has {len(text):,} characters, more than {LONGEST_GOLD:,}")
    if looks_like_output(text):
        text = Extractor("auto", "empty")(text).text
        if not text.strip():
            return Gold((), "the gold answer has a box or a tag, and no answer in it")
    return Gold((text.strip(),)) if text.strip() else Gold((), _BLANK)


def read_answer(completion: str, extractor: Extractor | None, longest: int) -> Answer:
    r"""Return the final answer of a completion. The time is linear, and what is read is bounded.

    ``longest``: the characters of an answer that no mark announces. Of a longer text, the last line is read.
    """
    text = completion[-LONGEST_TEXT:]  # and without lone surrogates, which a decoder left there
    text = _ended(text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8"))
    if extractor is None:
        return _whole(text[-LONGEST_OUTPUT:], longest)
    if has_reasoning(text):
        text = without_reasoning(text)[1]
        if not text.strip():
            return Answer("", "reasoning", problem="the reasoning has no end, or nothing follows it")
    text = text[-LONGEST_OUTPUT:]
    runs = 4 * " " in text or 4 * "\n" in text or ("\t" in text and 4 * "\t" in text)
    if runs or not text.isascii() or any(map(text.__contains__, _RARE_BLANKS)):
        text = _P["run"].sub(r"\1\1", text)
    if "<" in text and "<!--" in text:
        text = _P["comment"].sub(" ", text)
    if extractor.rule == "auto":
        rule, marked = final_answers(text)
        if rule == GOVERNED:
            return Answer(text.strip(), GOVERNED)
        if not marked:
            return _whole(text, longest) if text.strip() else Answer("", "", problem="there is no answer")
        answers = _different(iter(marked[::-1])) if len(marked) > 1 else marked
        labels = _P["marked_label"].findall(text) if rule != "final" and len(text) <= LONGEST_PLAIN else []
        label = labels[0].strip() if len(labels) == 1 and len(_P["mark"].findall(text)) == 1 else ""
        return Answer(", ".join(answers), rule, several=len(answers) > 1, label=label)
    extraction = extractor(text)
    if extraction.rule in (None, "reasoning"):
        return _whole(text, longest) if extraction.text.strip() else Answer("", "", problem="there is no answer")
    return Answer(extraction.text, str(extraction.rule))


def _whole(text: str, longest: int) -> Answer:
    """Return a text as the answer, or its last line if it is too long for an answer."""
    text = text.strip()
    if "\\" in text and not any(map(str.isalnum, _P["command"].sub("", text))):
        return Answer("", "", problem="the answer has neither letters nor digits")
    if len(text) <= longest:
        return Answer(text, "")
    place = last_line(text)
    line = "" if place is None else bare(text[place[0] : place[1]])
    if len(line) > longest:
        stops = [stop.end() for stop in _ANNOUNCED.sentence_end.finditer(line)]
        line = line[stops[-2] :].strip() if len(stops) > 1 else line
    above = "" if place is None else text[: place[0]].rstrip().rpartition("\n")[2]
    if place is not None and _P["bullet"].match(text, place[0]) and _P["bullet"].match(above):
        return Answer("", "", problem="the text ends with a list, and marks no final answer")
    if line and len(line) <= longest:
        return Answer(line, "last-line")
    return Answer("", "", problem=f"no final answer is marked, and the last line has more than {longest} characters")


def _different(answers: Iterator[str]) -> list[str]:
    """Return the answers that no other one is equal to, in the order of the text."""
    distinct: list[str] = []
    for answer in answers:
        if answer and not any(
            answer.casefold() == earlier.casefold() or relate(earlier, answer).relation == "equal"
            for earlier in distinct
        ):
            distinct.append(answer)
    return distinct[::-1]


def _ended(text: str) -> str:
    r"""Return the text without the special tokens at its end, which some hosts decode."""
    if not text.rstrip().endswith(_ENDS):
        return text
    return text[:-_LONGEST_ENDING] + _P["ending"].sub("", text[-_LONGEST_ENDING:])
