"""The cost of the metrics on judged answers: pairs per second, sequences through a network per pair, and weights."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import answersim
from answersim.metrics.checkpoints.adapter import WEIGHTS as ADAPTER_WEIGHTS
from answersim.metrics.checkpoints.search import Checkpoint, weight_files
from answersim.metrics.neural.cross_encoder import CrossEncoder
from answersim.metrics.neural.encoders import EncoderMetric, placement
from answersim.types import CompositeMetric, Metric, Pair, reads_questions
from benchmarks.judged_scores import QUESTION
from benchmarks.system_answers import SystemAnswer

PAIRS, WARM_UP = 300, 16
_TICK = 1e-6  # seconds: shorter times are not measured


class Cost(NamedTuple):
    """The cost of a metric."""

    metric: str  # the name of the metric in the tables
    pairs: int  # the number of pairs that were timed
    # pairs per second of wall time, in one run, without a cache and after a first call that loads the metric
    pairs_per_second: float
    pairs_per_cpu_second: float  # pairs per second of CPU time in the same run, which other programs hardly change
    # token sequences that go through a network per pair, if no text repeats: 2 for an encoder of texts, 1 or 2 for a
    # cross-encoder, and the sum of its networks for a composite metric. 0 if there is no network.
    sequences: int
    megabytes: float  # the size of the files of its weights (10 ** 6 bytes), each file once; 0 if there are none
    signature: str  # the signature of the metric


def costs(answers: Sequence[SystemAnswer], metrics: Mapping[str, Metric], size: int = PAIRS) -> Iterator[Cost]:
    """Yield the cost of each metric, with and without questions if it reads them.

    Each pair is the first gold answer and the answer. The answers are spread evenly over the set. Raise ValueError if
    there are no answers.
    """
    if not answers:
        raise ValueError("there are no answers, so that nothing can be timed; give at least one")
    n = min(size, len(answers))
    spread = [answers[i * len(answers) // n] for i in range(n)]
    pairs = [Pair(answer.golds[0], answer.answer) for answer in spread]
    questions = [answer.question for answer in spread]
    for name, metric in metrics.items():
        for suffix, asked in (("", None), (QUESTION, questions)):
            if asked is None or reads_questions(metric):
                seconds(metric, pairs[:WARM_UP], asked and asked[:WARM_UP])
                wall, cpu = (len(pairs) / taken for taken in seconds(metric, pairs, asked))
                size_of = (sequences(metric), megabytes(metric))
                yield Cost(name + suffix, len(pairs), wall, cpu, *size_of, metric.signature)


def sequences(metric: Metric) -> int:
    """Return how many token sequences go through a network per pair. Parts that share an encoder share its pass."""
    parts = _parts(metric)
    encoders = {(part.encoder, placement(part)) for part in parts if isinstance(part, EncoderMetric)}
    crossed = {part.signature: part for part in parts if isinstance(part, CrossEncoder)}
    return 2 * len(encoders) + sum(1 + (part.order in ("mean", "max")) for part in crossed.values())


def megabytes(metric: Metric) -> float:
    """Return the size of the files of the weights of this metric and its parts, each file once."""
    files: set[Path] = set()
    for part in _parts(metric):
        network = getattr(part, "encoder", getattr(part, "scorer", None))
        checkpoint, adapter = getattr(network, "checkpoint", None), getattr(network, "adapter", None)
        if isinstance(checkpoint, Checkpoint):
            files.update(path.resolve() for path in weight_files(checkpoint.folder))
        if isinstance(adapter, Path):
            files.add((adapter / ADAPTER_WEIGHTS).resolve())
    return sum(file.stat().st_size for file in files) / 1e6


def _parts(metric: Metric) -> list[Metric]:
    if not isinstance(metric, CompositeMetric):
        return [metric]
    return [basic for part in metric.parts for basic in _parts(part)]


def seconds(metric: Metric, pairs: Sequence[Any], questions: Sequence[str] | None) -> tuple[float, float]:
    """Return the wall time and the CPU time that the metric needs for these pairs."""
    wall, cpu = time.perf_counter(), time.process_time()
    answersim.score_pairs(pairs, [metric], question=questions, progress=False)
    return time.perf_counter() - wall, max(time.process_time() - cpu, _TICK)
