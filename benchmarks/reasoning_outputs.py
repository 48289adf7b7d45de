"""Synthetic outputs of a reasoning model with a known final answer: what a step of a training has to score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.made_answers import vocabulary

CHARACTERS = 1500
ROLLOUTS = 8  # outputs of one prompt
KINDS = ("number", "name", "phrase")
# Of the outputs of a prompt: right, wrong, and worded in another way, which no rule decides.
_SHARES = {"right": 0.73, "wrong": 0.20, "other words": 0.07}
_FIRST = "Maria Peter Anna Omar Chen Lucia Ivan Grace Hana Leo Nora Sven Aisha Paul Irene Marco".split()
_LAST = "Keller Tanaka Novak Okafor Lindgren Moreau Rossi Haddad Petrov Silva Brandt Nakamura Osei Duarte".split()
_LEAD = ("Let me work through this. ", "First, I collect what is given. ", "We need to be careful here. ")
_FORMS = (
    "\n\n\\boxed{{{}}}",
    "\n#### {}",
    "\n<answer>{}</answer>",
    "\n\nThe answer is {}.",
    "\n\n**Final answer:** {}",
    "</think>\n\n{}",
)


class ReasoningOutput(NamedTuple):
    """A made output."""

    gold: str  # the gold answer
    completion: str  # the output
    kind: str  # the kind of the gold answer: "number", "name" or "phrase"
    answer: str  # what the final answer is: "right", "wrong" or "other words"


def reasoning_outputs(prompts: int, *, rng: np.random.Generator, characters: int = CHARACTERS) -> list[ReasoningOutput]:
    """Return ``ROLLOUTS`` outputs per prompt. A third of the gold answers each are numbers, names and phrases.

    The steps of the reasoning contain other numbers and names. No two prompts have the same gold answer.
    """
    words = vocabulary(rng)
    used: set[str] = set()
    rows = []
    for i in range(prompts):
        kind = KINDS[i % len(KINDS)]
        gold = _new(kind, words, used, rng)
        for _ in range(ROLLOUTS):
            answer = str(rng.choice(list(_SHARES), p=list(_SHARES.values())))
            final = {"right": gold, "wrong": _of(kind, words, rng), "other words": _other(kind, gold, words, rng)}[
                answer
            ]
            rows.append(ReasoningOutput(gold, _output(final, words, characters, rng), kind, answer))
    return rows


def _new(kind: str, words: list[str], used: set[str], rng: np.random.Generator) -> str:
    while (gold := _of(kind, words, rng)) in used:
        pass
    used.add(gold)
    return gold


def _of(kind: str, words: list[str], rng: np.random.Generator) -> str:
    if kind == "number":
        return str(int(rng.integers(10, 10**6))) if rng.random() < 0.8 else f"{int(rng.integers(1, 99))}/97"
    if kind == "name":
        return f"{rng.choice(_FIRST)} {chr(65 + int(rng.integers(26)))}. {rng.choice(_LAST)}"
    return " ".join(words[int(i)] for i in rng.integers(50, 5000, size=int(rng.integers(2, 5))))


def _other(kind: str, gold: str, words: list[str], rng: np.random.Generator) -> str:
    """Return the gold answer in other words: a number with a remark, a changed name, a phrase with another word."""
    word = words[int(rng.integers(50, 5000))]
    if kind == "number":
        return f"roughly {gold} {word}s"
    if kind == "name":
        return f"{gold.split()[-1]} the {word}"
    return " ".join([*gold.split()[:-1], word])


def _output(final: str, words: list[str], characters: int, rng: np.random.Generator) -> str:
    form = _FORMS[int(rng.integers(len(_FORMS)))].format(final)
    steps = [str(rng.choice(_LEAD))]
    size = len(steps[0]) + len(form)
    while size < characters:
        step = " ".join(words[int(i)] for i in rng.integers(0, 800, size=9))
        steps.append(f"{step.capitalize()}: {int(rng.integers(2, 99))} + {int(rng.integers(2, 99))} may fit. ")
        size += len(steps[-1])
    text = "".join(steps)[: characters - len(form)]
    return ("<think>" if form.startswith("</think>") else "") + text + form
