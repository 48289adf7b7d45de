"""The differences between our numbers and those of the reference libraries, on the same pairs and weights.

    python -m benchmarks.parity
    python -m benchmarks.parity --limit 1000 --format markdown

The pairs are those of the paper's sets that are here, else those of the probe.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.evaluation.data.datasets import names, present
from answersim.metrics.catalog.lookup import entry
from answersim.metrics.checkpoints.profiles import ANSWERS_ADAPTER, MINILM, NAMES_ADAPTER, SAS_ADAPTER
from answersim.metrics.checkpoints.search import find
from answersim.types import Metric, Pair
from benchmarks import references
from benchmarks.options import FORM, OUTPUT, program, show
from benchmarks.paper_sets import PROBES, SHIPPED
from benchmarks.tables import Format, Table, difference

app = program()


class Peer(NamedTuple):
    """A metric of ours and its reference library, both as functions of pairs."""

    metric: str
    library: str
    ours: Metric
    theirs: Callable[[list[Pair]], FloatArray]


class Row(NamedTuple):
    """The largest difference between our metric and its reference over n pairs of a data set."""

    dataset: str
    metric: str
    reference: str
    n: int
    max_abs_diff: float
    signature: str


@app.command()
def main(
    limit: int = typer.Option(300, min=1, help="The maximum number of pairs of a set for the neural metrics."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Print the largest difference of each metric from its reference library."""
    sets = [name for name in names() if present(name)]
    sets = [name for name in sets if name not in SHIPPED] or [name for name in sets if name in PROBES]
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries about these texts
        rows = [row for name in sets for row in compared(name, list(peers(stack)), limit)]
    show([table(rows)], rows, form, output)


def peers(stack: ExitStack) -> Iterator[Peer]:
    """Yield every metric that has a reference. One that is not available is left out, with the reason on stderr."""
    yield Peer("em", "SQuAD v2 script", answersim.metric("em", profile="squad"), references.squad_em)
    yield Peer("f1", "SQuAD v2 script", answersim.metric("f1", profile="squad"), references.squad_f1)
    yield Peer("rouge-l", _named("rouge-score"), answersim.metric("rouge-l", profile="squad"), references.rouge_l)
    yield Peer("bleu", _named("sacrebleu"), answersim.metric("bleu", profile="squad"), references.sentence_bleu)
    yield Peer("bleu-paper", _named("nltk"), answersim.metric("bleu-paper"), references.corpus_bleu)
    try:
        wordnet = stack.enter_context(references.nltk_wordnet())
        ours = answersim.metric("meteor", profile="squad")
        yield Peer("meteor", _named("nltk"), ours, lambda p: references.meteor(p, wordnet))
    except FileNotFoundError as error:
        typer.echo(f"meteor is left out: {error}", err=True)
    try:
        base = find(MINILM).folder
        merged = stack.enter_context(references.merged(base, SAS_ADAPTER))
        vanilla, trained = (
            answersim.metric(f"bertscore-{weights}", measure="f1") for weights in ("vanilla", "trained")
        )
        library = _named("bert-score")
        yield Peer("bertscore-vanilla", library, vanilla, lambda p: references.bertscore(p, base, 2)[2])
        yield Peer("bertscore-trained", library, trained, lambda p: references.bertscore(p, base, 6)[2])
        library = _named("sentence-transformers")
        bi_encoder, sas = answersim.metric("bi-encoder"), answersim.metric("sas", order="gold-pred")
        yield Peer("bi-encoder", library, bi_encoder, lambda p: references.bi_encoder(p, base))
        yield Peer("sas", library, sas, lambda p: references.cross_encoder(p, merged))
        for kind, adapter in (("names", NAMES_ADAPTER), ("answers", ANSWERS_ADAPTER)):
            yield from _adapted(kind, stack.enter_context(references.merged_encoder(base, adapter)))
    except (CheckpointNotFoundError, MissingExtraError, ImportError) as error:
        typer.echo(f"the neural metrics are left out: {error}", err=True)


def _adapted(kind: str, folder: Path) -> Iterator[Peer]:
    """Yield the two metrics on an encoder with an adapter, and the libraries on a folder that peft has merged."""
    ours = answersim.metric(f"bertscore-{kind}", measure="f1")
    yield Peer(f"bertscore-{kind}", _named("bert-score"), ours, lambda p: references.bertscore(p, folder, 6)[2])
    ours = answersim.metric(f"bi-encoder-{kind}")
    yield Peer(f"bi-encoder-{kind}", _named("sentence-transformers"), ours, lambda p: references.bi_encoder(p, folder))


def compared(dataset: str, wanted: list[Peer], limit: int) -> Iterator[Row]:
    """Yield one row per metric: on all pairs for lexical ones, on ``limit`` evenly spaced pairs for neural ones."""
    loaded = answersim.evaluation.data.load(dataset, cleaning="none")
    # If both answers are empty, rouge_score and sacrebleu return 0 and ours 1. bert_score fails on an empty answer.
    pairs = [pair for pair in loaded.pairs if pair.gold.strip() and pair.pred.strip()]
    sampled = pairs[:: -(-len(pairs) // limit)]
    for metric, library, ours, theirs in wanted:
        chosen = sampled if entry(metric).kind == "neural" else pairs
        gap = np.abs(ours(chosen) - theirs(chosen)).max(initial=0.0)
        yield Row(dataset, metric, library, len(chosen), float(gap), ours.signature)


def table(rows: list[Row]) -> Table:
    """Return the rows as a table, with the signatures below it."""
    names = ("metric", "reference", "data set", "n", "largest difference")
    lines = ((row.metric, row.reference, row.dataset, row.n, difference(row.max_abs_diff)) for row in rows)
    return Table.of("Our numbers against their references", names, lines, dict.fromkeys(row.signature for row in rows))


def _named(package: str) -> str:
    return f"{package} {version(package)}"


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.parity")
