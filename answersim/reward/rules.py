"""What rules decide about a final answer, before any encoder: equal, different, or no opinion."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from answersim.composite.claims import only_mentions
from answersim.composite.same_answer import same_answer
from answersim.extraction.abstention import attempted
from answersim.extraction.choice import letter
from answersim.markup import visible_pair
from answersim.reward.reading import Answer
from answersim.text import language
from answersim.typed.answer_words import NoAnswer
from answersim.typed.api import compare_checked, parse, rules_of

REVISION = 1  # of the rules here and of the reading; raise it when a reward changes; it is signed
Outcome: TypeAlias = Literal["right", "wrong", "open"]

LONGEST_TYPED = 1000  # characters of answers that the rules of typed values read
MOST_EXTRA = 4  # words beside the gold answer with which an encoder may accept an answer that contains it
_SHORTEST_QUESTION = 10  # characters of a question that an answer can repeat
_CHOICE = re.compile(r"\(?([A-Z])\)?[.:]?")
_DOLLARS = re.compile(r"(?<![$\\])\$([^$\s](?:[^$\n]*[^$\s])?)\$(?![\d$])")  # formulas in a sentence
_WORD = re.compile(r"\w+")
# Before the answer and behind it, what does not change its meaning.
_LEAD = re.compile(
    r"(?:(?:(?:so|thus|hence|therefore|well|sure|ok(?:ay)?)\b,? )?(?:i (?:think|believe)(?: that)? )?)?"
    r"(?:(?:the|my|our) )?(?:(?:final|correct|right|short|best) )*(?:(?:answer|result|solution)(?: here)?)?"
    r"(?:(?: ?(?:it|that|this|he|she|they|there))?(?: ?(?:is|was|are|were|'s|’s|must be|would be))?)? ?[:=]? ?",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?: ?\([^()]{0,80}\))?[.!]?(?:,? (?:because|since|as (?:it|he|she|they|the)|which|who)\b.*)?", re.DOTALL
)
_OPENERS = frozenset(
    "a an the my our your this that these it is are was be let let's lets us me we i ll will 's so ok okay well "
    "now then first here thought thoughts process thinking reasoning think solve solution solutions answer answers "
    "final correct result results step steps by explanation analysis conclusion problem question and to of in on for "
    "as follows following below above can find need begin start approach model answered correctly matches reference "
    "response given boxed you asked asks q".split()
)
# An answer that names alternatives, and one that speaks to whoever grades it.
_OFFERS = re.compile(
    r"\b(?:or|either|no,? wait|i meant|alternatively|one of|any of|unless|oder|entweder)\b"
    r"|[,;.(/]\s*(?:but |and )?(?:perhaps|maybe|possibly|vielleicht)\b|\s/\s",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instructions?|rules?|prompt|above|previous|everything)\b"
    r"|\b(?:grader|verifier|judge|evaluator|reward model) (?:should|must|will|has to)\b|\b(?:mark|accept|grade|rate) "
    r"(?:it|this|the answer)\b|\byou are (?:a|an|the) (?:grader|judge|verifier)\b|\bsystem:|\b(?:matches|in) the "
    r"reference\b|\b(?:reference|expected) (?:answer|solution|result)\b|\bverdict\W"
    r"|</?(?:verdict|system|assistant|user)\b",
    re.IGNORECASE | re.DOTALL,
)


class Opinion(NamedTuple):
    """What the rules say about one gold answer and one final answer.

    Attributes:
        outcome: "right", "wrong", or "open" if an encoder may decide.
        stage: "extraction", "rules" or "recall".
        reason: The reason in words.
    """

    outcome: Outcome
    stage: str
    reason: str


def unanswered(answer: Answer, question: str) -> str:
    """Return why a final answer answers nothing, whatever the gold answer is; "" if it may answer.

    >>> unanswered(Answer("Who wrote it? ", ""), "Who wrote it?"), unanswered(Answer("Rome", ""), "")
    ('the answer only repeats the question', '')
    """
    if answer.problem:
        return answer.problem
    rest = _without_question(answer.text, question)
    repeats = rest != answer.text and not any(map(str.isalnum, rest))
    return "the answer only repeats the question" if repeats else ""


def decide(gold: str, answer: Answer, question: str, lang: str) -> Opinion:
    """Return the opinion of the rules. An answer that they call different is wrong; the encoder never overrules them.

    >>> decide("1/2", Answer("0.5", "boxed"), "", "en").outcome, decide("12 m", Answer("12 cm", ""), "", "en").outcome
    ('right', 'wrong')
    >>> decide("Paris", Answer("It is Paris.", "final"), "", "en").stage
    'recall'
    """
    wanted, given = visible_pair(gold, answer.text)
    given = _DOLLARS.sub(r"\1", _without_question(given, question) or given)
    if not any(map(str.isalnum, given)) and any(map(str.isalnum, wanted)):
        return Opinion("wrong", "extraction", "the answer has neither letters nor digits")
    if same_answer(wanted, given, lang):
        return Opinion("right", "rules", "the answers are written alike")
    if choice := _CHOICE.fullmatch(wanted):
        return _of_choice(choice.group(1), given)
    if _announces(given):
        return Opinion("wrong", "rules", "the answer only announces an answer")
    if answer.rule == "final" and given.casefold().strip(" .!") in ("correct", "right") and given != wanted:
        return Opinion("wrong", "rules", "the answer claims to be correct and names nothing")
    if _ORDERS.search(given) and not _ORDERS.search(wanted):
        return Opinion("wrong", "rules", "the answer gives orders to a grader")
    value = parse(wanted, lang) if len(wanted) <= LONGEST_TYPED else None
    if not (value is not None and isinstance(value.value, NoAnswer)) and not _attempts(given, lang):
        return Opinion("wrong", "rules", "the answer is a refusal")
    if only_mentions(wanted, given, lang):
        return Opinion("wrong", "rules", "the gold answer is only mentioned")
    single = value is None or (value.kind != "math" and (value.kind != "list" or any(map(str.isalpha, wanted))))
    offers = single and _OFFERS.search(given) is not None and _OFFERS.search(wanted) is None
    if max(len(wanted), len(given)) <= LONGEST_TYPED:
        compared = compare_checked(wanted, given, rules_of(lang), question or None)
        if compared.opinion == 1.0 and not offers and (not answer.several or compared.kind == "list"):
            return Opinion("right", "rules", compared.reason)
        if compared.opinion == 0.0:
            return Opinion("wrong", "rules", compared.reason)
    if answer.several:
        return Opinion("wrong", "rules", "several different answers are marked as final")
    if offers:
        return Opinion("wrong", "rules", "the answer offers alternatives, and the gold answer does not")
    if (value is None or value.kind == "yes/no") and _is_framed(wanted, given, lang):
        return Opinion("right", "recall", "the answer is the gold answer with words around it that change nothing")
    extra = _extra_words(wanted, given)
    if extra > (0 if value is not None and value.kind == "yes/no" else MOST_EXTRA):
        return Opinion("wrong", "rules", f"the gold answer is a part of an answer with {extra} other words")
    return Opinion("open", "rules", "the rules have no opinion")


def _of_choice(wanted: str, given: str) -> Opinion:
    """Compare the letter of an option. An answer that chooses no letter is wrong."""
    found = letter(given)
    if found == wanted:
        return Opinion("right", "rules", f"both choose {wanted}")
    return Opinion("wrong", "rules", "the answer chooses no letter" if found is None else f"the answer chooses {found}")


def _announces(given: str) -> bool:
    """Return whether an answer only opens one, such as "Thought process:" or "The answer is:"."""
    words = _WORD.findall(given.casefold())
    return bool(words) and _OPENERS.issuperset(words) and (len(words) > 1 or given.rstrip().endswith((":", "...", "…")))


def _attempts(given: str, lang: str) -> bool:
    return attempted(given, "de" if language(lang) == "de" else "en")


def _is_framed(wanted: str, given: str, lang: str) -> bool:
    """Return whether the answer is the gold answer between a lead-in, such as "It is", and an aside or a reason."""
    text = given.strip()
    place = text.casefold().find(wanted.casefold())
    if place < 0 or not wanted:
        return False
    end = place + len(wanted)
    whole = not (place and text[place - 1].isalnum()) and not text[end : end + 1].isalnum()
    lead = text[:place].strip(" \"'“*").removesuffix(" the").removesuffix(" a")
    return (
        whole and bool(_LEAD.fullmatch(f"{lead} " if lead else "")) and bool(_TAIL.fullmatch(text[end:].strip("\"'”*")))
    )


def _extra_words(wanted: str, given: str) -> int:
    """Return how many other words an answer has that contains the gold answer word by word; 0 if it does not."""
    inner, outer = _WORD.findall(wanted.casefold()), _WORD.findall(given.casefold())
    contains = f" {' '.join(inner)} " in f" {' '.join(outer)} "
    return len(outer) - len(inner) if contains else 0


def _without_question(text: str, question: str) -> str:
    """Return the text without the question that it repeats."""
    asked = question.strip().casefold()
    if len(asked) < _SHORTEST_QUESTION or (place := text.casefold().find(asked)) < 0:
        return text
    return f"{text[:place]} {text[place + len(asked) :]}".strip()
