"""The speed of the rules that read final answers, beside the expression for the last number in lm-eval.

    python -m benchmarks.speed extraction
    python -m benchmarks.speed extraction --size 10000 --format json

The outputs are synthetic sentences of about 2,000 characters. A third begins with reasoning in tags, and five of six
end with a mark: a box, a tag, "####", a heading or "The final answer is". The peer is ``flexible-extract`` of GSM8K in
lm-eval, which finds all numbers of an output.
"""

from __future__ import annotations

import random
import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

from answersim.extraction import NAMES, Extractor
from answersim.runtime.cli_errors import user_errors
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.speed_rows import CLOCK, Clocks
from benchmarks.tables import Format, Table

SIZE, LENGTH, SEED = 6_000, 2_000, 39
_PER = 100_000  # outputs
_PEER = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
_WORDS = (
    "the of and to in is it we so then value number first second compute because therefore total each add multiply "
    "since Rome Paris equals gives step question"
).split()
_ENDS = ("The answer is \\boxed{72}.", "<answer>Paris</answer>", "#### 72", "**Final Answer:** 72",
         "The final answer is Rome.", "")  # fmt: skip


class ExtractionSpeed(NamedTuple):
    """The CPU time of a rule for 100,000 outputs, the median of the repetitions; ``outputs`` were measured."""

    rule: str
    outputs: int
    seconds_per_100k: float


def made_output(i: int, rng: random.Random) -> str:
    """Return one output of about ``LENGTH`` characters."""
    parts: list[str] = []
    while sum(map(len, parts)) < LENGTH - 60:
        words = " ".join(rng.choice(_WORDS) for _ in range(rng.randrange(6, 18)))
        sums = f"${rng.randrange(99)} + {rng.randrange(99)} = {rng.randrange(199)}$ " if rng.random() < 0.2 else ""
        parts.append(f"{sums}{words.capitalize()}.{chr(10) * 2 if rng.random() < 0.1 else ' '}")
    text = "".join(parts)
    reasoned = f"<think>{text[:1500]}</think>{text[1500:]}" if i % 3 == 0 else text
    return reasoned + _ENDS[i % len(_ENDS)]


def rows(size: int = SIZE, repetitions: int = 3, clock: Clocks = Clocks.processor) -> list[ExtractionSpeed]:
    """Return one row per rule, and the peer first."""
    rng = random.Random(SEED)
    outputs = [made_output(i, rng) for i in range(size)]
    programs = {"lm-eval, all numbers": _PEER.findall} | {name: partial(_text, Extractor(name)) for name in NAMES}
    found = []
    for name, program in programs.items():
        seconds = []
        for _ in range(repetitions):
            start = clock.clock()
            for text in outputs:
                program(text)
            seconds.append(clock.clock() - start)
        found.append(ExtractionSpeed(name, size, round(float(np.median(seconds)) / size * _PER, 2)))
    return found


def _text(extractor: Extractor, output: str) -> str:
    return extractor(output).text


def main(
    size: int = typer.Option(SIZE, min=1, help="The number of outputs."),
    repetitions: int = typer.Option(3, min=1, help="The number of measurements of each rule."),
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Seconds of each rule of extraction for 100,000 outputs of 2,000 characters, on one thread."""
    with user_errors():
        measured = rows(size, repetitions, clock)
    columns = ("rule", "outputs", "s for 100,000")
    notes = (f"seconds of {clock.description}; medians of {repetitions} repetitions; one thread",)
    shown = Table.of("Final answers", columns, (tuple(row) for row in measured), notes)
    show([shown], measured, form, output)
