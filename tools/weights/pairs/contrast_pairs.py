"""Minimal pairs from judged answers: one text with the gold answer, and its twin with another answer of the same kind.

Each positive pair has a negative twin of the same form, so that the form alone decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from answersim.answers.text.tokens import tokenizer
from answersim.training.data.pairs import TrainingPair
from benchmarks.system_answers import SystemAnswer
from tools.weights.pairs import statements
from tools.weights.pairs.draws import draw_one
from tools.weights.pairs.judged_pairs import by_question, main_gold, names_of

LONGEST = 90  # words of an answer that is read
UNDECIDED = 0.1  # the label of a text that offers the gold answer and another one
INCOMPLETE = 0.2  # the label of a list that lacks one of several items
POSSIBLE = 0.7  # the label of an answer that annotators called possibly correct

_NUMBER = re.compile(r"^[\W\d]*\d[\d,.]*\W*(?:\w+)?$")
_YEAR = re.compile(r"^(?:1\d|20)\d\d$")
_MONTH = re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b")
_KIND = re.compile(
    r"\b(who|whose|where|when|how many|how much|how old|how long|(?:which|what) (?:\w+ )?(?:year|country|city|state|"
    r"king|president|river|actor|actress|singer|band|group|film|movie|song|book|novel|play|animal|bird|fish|island|"
    r"company|team|sport|colou?r|language|planet|element|country's|capital|century|month|day|artist|author|writer|composer|"
    r"programme|show|series|character|ship|battle|war|mountain|town|county|football club|instrument))\b"
)


def kind_of(question: str, gold: str) -> str:
    """Return the kind of the gold answer, as far as its form and the question determine it.

    >>> kind_of("Which river flows through Paris?", "Seine"), kind_of("When did it end?", "1945")
    ('which river/1', 'year')
    """
    folded = gold.casefold()
    if _YEAR.match(folded):
        return "year"
    if _MONTH.search(folded):
        return "date"
    if _NUMBER.match(folded):
        return "number"
    match = _KIND.search(" ".join(question.casefold().split()))
    kind = match[1].replace("what ", "which ") if match else "other"
    capital = "" if gold[:1].isupper() else " common"
    return f"{kind}{capital}/{min(len(gold.split()), 3)}"


def contrast_pairs(judged: Sequence[SystemAnswer], *, rng: np.random.Generator) -> list[TrainingPair]:
    """Build minimal pairs from the answers to each question; see the functions below for the forms.

    Another answer of the same kind is a wrong answer of a system, if one is short, or the gold answer of another
    question of this kind. The draws of each question depend on rng alone.
    """
    questions = by_question(judged)
    golds = [main_gold(question) for question in questions]
    pools = golds_by_kind(questions, golds)
    sentences = [answer for answer in judged if answer.verdict and len(answer.answer.split()) > 6]
    pairs: list[TrainingPair] = []
    for question, gold in zip(questions, golds, strict=True):
        rivals = rivals_of(question, gold, pools, golds, rng)
        for label, first, second, form in _of_question(question, gold, rivals, sentences, golds, rng):
            if first.strip() and second.strip() and len(second.split()) <= LONGEST:
                pairs.append(
                    TrainingPair(
                        first, second.strip(), label, question[0].part, f"contrast:{form}", question[0].question
                    )
                )
    return pairs


def verdict_pairs(
    judged: Sequence[SystemAnswer], source: str, *, most_golds: int, rng: np.random.Generator
) -> list[TrainingPair]:
    """Pair every answer with some gold answers of its question. The label is the verdict.

    A wrong answer differs from every gold answer, so it is paired with several. A correct one is paired with the main
    gold answer, or with a gold answer that shares a word with it if there is one, because not all gold answers of a
    question are synonyms. ``most_golds``: how many gold answers a wrong answer is paired with.
    """
    pick, pairs = tokenizer("en"), []
    for question in by_question(judged):
        names, main = names_of(question[0]), main_gold(question)
        for answer in question:
            text = answer.answer.strip()
            if not 0 < len(text.split()) <= LONGEST:
                continue
            if answer.verdict:
                words = set(pick(text))
                golds = [max([main, *names], key=lambda name: len(set(pick(name)) & words) / (len(pick(name)) or 1))]
            else:
                others = [name for name in names if name != main]
                golds = [main, *(others[i] for i in rng.permutation(len(others))[: most_golds - 1])]
            label = float(answer.verdict) if answer.certain else POSSIBLE
            for gold in golds:
                pairs.append(TrainingPair(gold, text, label, answer.part, f"{source}:verdict", answer.question))
    return pairs


def exchanged(text: str, names: Sequence[str], other: str) -> str | None:
    """Return the text with every mention of one of the names replaced, or None if it mentions none.

    >>> exchanged("The capital of France is Paris, and Paris is old.", ["Paris"], "Rome")
    'The capital of France is Rome, and Rome is old.'
    """
    for name in sorted(names, key=len, reverse=True):
        changed, count = re.subn(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text, flags=re.IGNORECASE)
        if count:
            return changed
    return None


def golds_by_kind(questions: Sequence[Sequence[SystemAnswer]], golds: Sequence[str]) -> dict[str, list[str]]:
    """Return the main gold answers of these questions by their kind."""
    pools: dict[str, list[str]] = {}
    for question, gold in zip(questions, golds, strict=True):
        pools.setdefault(kind_of(question[0].question, gold), []).append(gold)
    return pools


def rivals_of(
    question: Sequence[SystemAnswer],
    gold: str,
    pools: Mapping[str, Sequence[str]],
    golds: Sequence[str],
    rng: np.random.Generator,
) -> list[str]:
    """Return wrong answers to the question, the most plausible ones first."""
    right = {_plain(name) for name in (*names_of(question[0]), gold)}
    wrong = [
        answer.answer.strip().rstrip(".")
        for answer in question
        if not answer.verdict and 0 < len(answer.answer.split()) <= 5
    ]
    pool = pools[kind_of(question[0].question, gold)]
    near = [pool[i] for i in rng.permutation(len(pool))[:6]]
    far = [golds[i] for i in rng.permutation(len(golds))[:3]]
    return [name for name in dict.fromkeys((*wrong, *near, *far)) if not _alike(_plain(name), right)]


def _alike(name: str, right: set[str]) -> bool:
    """Return whether a name may be one of the right ones: equal, or one contains the other."""
    return not name or any(
        name == other or f" {name} " in f" {other} " or f" {other} " in f" {name} " for other in right
    )


def _of_question(
    question: Sequence[SystemAnswer],
    gold: str,
    rivals: Sequence[str],
    sentences: Sequence[SystemAnswer],
    golds: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[tuple[float, str, str, str]]:
    """Yield label, gold answer, text and the name of the form."""
    if not rivals:
        return
    asked, names = question[0].question, names_of(question[0])

    def rival() -> str:
        return rivals[min(int(rng.exponential(1.5)), len(rivals) - 1)]

    yield from _in_answers(question, gold, names, rival, rng)
    other = draw_one(sentences, rng) if sentences else None
    if other and other.question != asked and exchanged(other.answer, names, "") is None:
        yield 0.0, gold, other.answer, "other question"
    # The gold answer and a wrong one, short, in a sentence, and with another name of the gold answer.
    wrong, name = rival(), draw_one(names, rng)
    yield 0.0, gold, wrong, "rival"
    yield 1.0, gold, statements.asserted(asked, name if rng.random() < 0.3 else gold, rng), "statement"
    yield 0.0, gold, statements.asserted(asked, rival(), rng), "statement"
    wrong = rival()
    yield 1.0, gold, statements.mentioned(gold, wrong, rng), "mention"
    yield 0.0, gold, statements.mentioned(wrong, gold, rng), "mention"
    form = rng.integers(3)
    if form == 0:
        yield UNDECIDED, gold, statements.undecided(gold, rival(), rng), "undecided"
    elif form == 1:
        yield 0.0, gold, statements.refused(gold, rng), "refusal"
    elif sentence := statements.negated(statements.asserted(asked, gold, rng)):
        yield 0.0, gold, sentence, "negation"
    if rng.random() < 0.25:
        yield from _lists(gold, rival(), golds, rng)


def _in_answers(
    question: Sequence[SystemAnswer],
    gold: str,
    names: Sequence[str],
    rival: Callable[[], str],
    rng: np.random.Generator,
) -> Iterator[tuple[float, str, str, str]]:
    """Yield sentences of systems with their answer exchanged, and with the gold answer exchanged alike."""
    right = [answer.answer for answer in question if answer.verdict and len(answer.answer.split()) > 3]
    for i in rng.permutation(len(right))[:2]:
        wrong = rival()
        changed = exchanged(right[i], (gold, *names), wrong)
        if changed is None:
            continue
        yield 0.0, gold, changed, "exchanged"
        yield (1.0, gold, right[i], "as given") if rng.random() < 0.5 else (0.0, wrong, right[i], "as given")
        if rng.random() < 0.4:
            yield 1.0, wrong, changed, "both exchanged"
        if rng.random() < 0.2 and (denied := statements.negated(right[i])):
            yield 0.1, gold, denied, "negation"


def _lists(
    gold: str, wrong: str, golds: Sequence[str], rng: np.random.Generator
) -> Iterator[tuple[float, str, str, str]]:
    """Yield a list of answers against itself in another order, with an item changed, and with an item missing."""
    others = [golds[i] for i in rng.permutation(len(golds))[:2] if golds[i] not in (gold, wrong)]
    items = [gold, *others]
    if len(items) < 2:
        return
    order = [items[i] for i in rng.permutation(len(items))]
    changed = [wrong if item == gold else item for item in order]
    yield 1.0, _list(items, rng), _list(order, rng), "list"
    yield 0.0, _list(items, rng), _list(changed, rng), "list"
    yield INCOMPLETE, _list(items, rng), _list([item for item in order if item != gold], rng), "list"


def _list(items: Sequence[str], rng: np.random.Generator) -> str:
    if len(items) == 1 or rng.random() < 0.4:
        return ", ".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _plain(name: str) -> str:
    return " ".join(tokenizer("en")(name))
