"""Each pattern that reads answers, and each function that uses them, needs linear time for hostile texts."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

import answersim
from answersim import Reward, answers, scoring
from answersim.answers.extraction.frames import peeled
from answersim.answers.reading import read
from answersim.answers.relation import relate
from answersim.answers.text.patterns import EXPRESSIONS, pattern
from answersim.metrics import official
from answersim.metrics.lexical import nltk_words
from answersim.metrics.official import choices, minerva, open_domain

# What hostile texts repeat, between two letters.
PIECES = (
    *("\n", " ", "a", "1", ".", "(", "[", "{", "\\", "$", "*", "_", "<", "`", "#", '"', "|", "=", "-", "答", "a "),
    *("1,", "a. ", "{#", "<a ", "<!--", "\\boxed{", "${", "answer is ", "[a](", "~~"),
)  # fmt: skip
TAGS = ("<answer>", "\\text{", "Final Answer: ")  # of official metrics
OF_PATTERN, OF_READER = 400, 2000  # characters of the shorter text
CHEAP = 0.002  # seconds of the longer text below which nothing is compared
GROWTH = 10.0  # of the time for four times the text: 4 if it is linear, 16 if it is quadratic
RULES = Reward("rules")


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Return all patterns of the modules that read answers, compiled and of the table, each once, with a name."""
    modules = [nltk_words]
    modules += [
        importlib.import_module(module.name)
        for package in (answers, official, scoring)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if package is not scoring or ".reward" in module.name
    ]
    named = [
        (f"{module.__name__}.{name}", compiled)
        for module in modules
        for name, value in vars(module).items()
        for compiled in _compiled(value)
    ]
    named += [(f"{key[0]}.{key[1]}", pattern(*key)) for key in EXPRESSIONS]
    return iter({compiled: (name, compiled) for name, compiled in named if isinstance(compiled.pattern, str)}.values())


def _compiled(value: Any) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, dict)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _compiled(entry)


def seconds(call: Callable[[str], Any], text: str, times: int) -> float:
    """Return the least time of the processor that a call needs."""
    measured = []
    for _ in range(times):
        begin = time.process_time()
        call(text)
        measured.append(time.process_time() - begin)
    return min(measured)


def slow(name: str, call: Callable[[str], Any], length: int, pieces: Sequence[str] = PIECES) -> list[str]:
    """Return a message for each piece of which four times as many take far more than four times as long."""
    results = []
    for piece in pieces:
        short, long, longest = (f"x{piece * (n // len(piece))}y" for n in (length, 4 * length, 16 * length))
        once = seconds(call, long, 1)
        if once < CHEAP or once <= GROWTH * seconds(call, short, 1):
            continue
        # Something may have disturbed the machine. A quadratic call shows it again with four times the text.
        times = seconds(call, long, 3), seconds(call, longest, 3)
        if times[1] > GROWTH * max(CHEAP, times[0]):
            results.append(f"{name}, {piece!r}: {times[0]:.4f} s, {times[1]:.4f} s")
    return results


def test_a_quadratic_call_is_slow() -> None:
    assert slow("", lambda text: [sum(map(ord, text)) for _ in text[::100]], OF_READER, ["a"]) != []


def test_each_pattern_needs_linear_time() -> None:
    named = list(patterns())
    assert len(named) > 100
    assert [message for name, pattern in named for message in slow(name, pattern.search, OF_PATTERN)] == []


@pytest.mark.parametrize(
    "call",
    [
        read,
        peeled,
        lambda text: relate("3/4", text),
        lambda text: RULES(["Paris"], [text]),
        nltk_words.nltk_words,
        minerva.normalized,
        lambda text: choices.mmlu_pro(["A"], text),
        lambda text: open_domain.search_r1(["A"], text),
    ],
    ids=["read", "peeled", "relate", "reward", "nltk_words", "minerva", "mmlu_pro", "search_r1"],
)
def test_each_reader_needs_linear_time(call: Callable[[str], Any]) -> None:
    call("Paris")  # compiles patterns
    assert slow("", call, OF_READER, (*PIECES, *TAGS)) == []


def test_a_long_output_takes_a_fraction_of_a_second() -> None:
    def score(text: str) -> Any:
        return answersim.score("Paris", text, "typed+recall")

    score("Rome")
    assert seconds(score, "x" + "\n" * 80_000 + "y", 3) < 0.2
    for call in (score, lambda text: RULES(["Paris"], [text])):
        call("\\boxed{a b}")
        assert seconds(call, "\\boxed{a" + " " * 16_000 + "b}", 3) < 0.05
        assert seconds(call, "\\boxed{a" + " " * 16_001, 3) < 0.05
