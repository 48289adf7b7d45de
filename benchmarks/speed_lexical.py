"""The speed of the lexical metrics beside their reference implementations, on short and on long answers.

    python -m benchmarks.speed lexical
    python -m benchmarks.speed lexical --metrics f1,bleu --repetitions 21 --format json

Short: the pairs of the NQ-open set of the SAS paper if ``--folder`` or $ANSWERSIM_DATA has them, else synthetic pairs
of that length. Long: synthetic pairs of 100 to 300 words, a text and an edited copy.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.data.labeled import read_csv
from answersim.types import Metric, Pair
from benchmarks import references
from benchmarks.machine import processor
from benchmarks.made_answers import made_pairs
from benchmarks.options import FOLDER, FORM, OUTPUT, chosen, show
from benchmarks.speed_rows import CLOCK, Clocks, Row, compared, table
from benchmarks.tables import Format

SHORT, LONG = 3658, 2000
WORDS = {"short": (1, 4), "long": (100, 300)}
METRICS = ("em", "f1", "rouge-l", "bleu", "meteor")
PACKAGES = ("answersim", "numpy", "nltk", "sacrebleu", "rouge-score")
_SLOW = 2.0  # seconds; a slower peer is repeated less often


class Peer(NamedTuple):
    """A program that computes the same numbers as our metric."""

    name: str  # the name of the program
    metric: Metric  # our metric, with its settings
    # the function from pairs to the numbers of the program, which builds what it needs once per call
    score: Callable[[Sequence[Pair]], FloatArray]


def main(
    metrics: str = typer.Option(",".join(METRICS), help="Metrics, separated by commas."),
    size: int = typer.Option(0, min=0, help="Pairs of each kind; 0 for 3,658 short and 2,000 long ones."),
    repetitions: int = typer.Option(
        9, min=1, help="The number of measurements of each, in turns; at most 3 of slow peers."
    ),
    folder: Path | None = FOLDER,
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the seconds of EM, F1, ROUGE-L, BLEU and METEOR and of their references, on one thread."""
    with user_errors():
        names = chosen("metric with a peer", metrics, METRICS)
        measured = rows(names, size, repetitions, folder, clock)
    show([table("Metrics of words", measured, notes(clock))], measured, form, output)


def rows(
    metrics: Sequence[str] = METRICS,
    size: int = 0,
    repetitions: int = 9,
    folder: Path | None = None,
    clock: Clocks = Clocks.processor,
) -> list[Row]:
    """Return one row per kind of pairs and metric; METEOR only if the WordNet files that NLTK reads are installed."""
    measured = []
    with ExitStack() as stack:
        peers = dict(_peers(metrics, stack))
        for kind, pairs in (("short", short_pairs(size or SHORT, folder)), ("long", long_pairs(size or LONG))):
            for name, peer in peers.items():
                ours, theirs = partial(peer.metric, pairs), partial(peer.score, pairs)
                title = f"{name}, {kind}"
                measured.append(compared(title, peer.name, ours, theirs, repetitions, slow=_SLOW, clock=clock.clock))
    return measured


def short_pairs(n: int, folder: Path | None = None) -> list[Pair]:
    """Return the first n pairs of NQ-open, or synthetic pairs of the same length if there is no file."""
    home = folder or os.environ.get("ANSWERSIM_DATA")
    path = Path(home) / "sas" / "NQ-open_SAS.csv" if home else None
    if folder and path and not path.is_file():
        raise FileNotFoundError(f"--folder is {folder}, but it has no sas/NQ-open_SAS.csv; omit it for synthetic pairs")
    if path is None or not path.is_file():
        return made_pairs(n, *WORDS["short"], rng=np.random.default_rng(0))
    return [Pair(row["answer1"], row["answer2"]) for row in read_csv(path, ["answer1", "answer2"])[:n]]


def long_pairs(n: int) -> list[Pair]:
    """Return n synthetic pairs of 100 to 300 words, the same ones each time."""
    return made_pairs(n, *WORDS["long"], rng=np.random.default_rng(1))


def notes(clock: Clocks = Clocks.processor) -> list[str]:
    """Return the conditions of the measurement, and the meaning of the numbers."""
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return [
        f"seconds of {clock.description}; medians of alternating repetitions after a first round that is not counted",
        "caches that last from call to call (stems, synonyms, tokens of words with marks) are filled by then",
        f"{processor()}, Python {platform.python_version()}, {versions}",
    ]


def _peers(names: Sequence[str], stack: ExitStack) -> Iterator[tuple[str, Peer]]:
    squad = partial(answersim.metric, profile="squad")
    if "em" in names:
        yield "em", Peer("squad_v2 script", squad("em"), references.squad_em)
    if "f1" in names:
        yield "f1", Peer("squad_v2 script", squad("f1"), references.squad_f1)
    if "rouge-l" in names:
        yield "rouge-l", Peer("rouge_score", squad("rouge-l"), references.rouge_l)
    if "bleu" in names:
        yield "bleu", Peer("sacrebleu", squad("bleu"), sacrebleu)
    if "meteor" in names:
        try:
            wordnet = stack.enter_context(references.nltk_wordnet())
        except FileNotFoundError as error:
            typer.echo(f"no row of METEOR: {error}", err=True)
            return
        yield "meteor", Peer("nltk", squad("meteor"), partial(references.meteor, wordnet=wordnet))


def sacrebleu(pairs: Sequence[Pair]) -> FloatArray:
    """Compute ``sentence_score`` of one ``BLEU`` object, as sacrebleu recommends for many sentences; from 0 to 1."""
    from sacrebleu.metrics import BLEU

    scorer = BLEU(effective_order=True)
    return np.array([scorer.sentence_score(pair.pred, [pair.gold]).score / 100 for pair in pairs])
