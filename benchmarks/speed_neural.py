"""The speed of the neural metrics beside their reference libraries, with the same weights.

    python -m benchmarks.speed neural
    python -m benchmarks.speed neural --precisions fp32,bf16 --repetitions 5 --clock wall --format json

The pairs are those of the NQ-open set of the SAS paper if ``--folder`` or $ANSWERSIM_DATA has them, else synthetic
pairs of that length. The peers run as a careful user runs them: built once, on as many threads, with their own sorting
by length. They compute in fp32. With ``bf16`` ours do not, and the table has the resulting difference.

The limit is the rate of matrix products of the sizes of the encoder layers, measured in the same run and precision. The
share counts the operations that the tokens of the texts need, without padding.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.neural.engines import choice
from answersim.types import Metric, Pair
from benchmarks import speed_lexical
from benchmarks.machine import machine
from benchmarks.options import FOLDER, FORM, OUTPUT, chosen, show
from benchmarks.products import multiplied_a_second, needs
from benchmarks.references import path_without_t5
from benchmarks.speed_rows import CLOCK, Clocks, Row, compared, table
from benchmarks.tables import Format

PRECISIONS = ("fp32", "bf16")
PEERS = ("sentence-transformers", "bert_score", "CrossEncoder.predict", "torch engine", "one after the other")
_LAYER = 6
_KERNELS = {
    "linear layers": ("linear", "addmm"),
    "attention": ("bmm", "softmax", "attention"),
    "copies": ("copy_", "index", "cat"),
}
"""Parts of the names of torch's kernels, by what they do."""


def main(
    peers: str = typer.Option(",".join(PEERS), help="Peers, separated by commas."),
    precisions: str = typer.Option(",".join(PRECISIONS), help="Precisions of our encoders, separated by commas."),
    size: int = typer.Option(0, min=0, help="The number of pairs; 0 for 3,658."),
    repetitions: int = typer.Option(5, min=1, help="The number of measurements of each, in turns."),
    folder: Path | None = FOLDER,
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the seconds of the bi-encoder, BERTScore and the cross-encoder and of their reference libraries."""
    with user_errors():
        names = chosen("peer", peers, PEERS)
        ways = chosen("precision", precisions, PRECISIONS)
        measured = rows(names, ways, size, repetitions, folder, clock)
    show([table("Metrics of encoders", measured, notes(clock))], measured, form, output)


def rows(
    peers: Sequence[str] = PEERS,
    precisions: Sequence[str] = PRECISIONS,
    size: int = 0,
    repetitions: int = 5,
    folder: Path | None = None,
    clock: Clocks = Clocks.processor,
) -> list[Row]:
    """Measure each of our metrics beside its reference library, in each precision."""
    pairs = speed_lexical.short_pairs(size or speed_lexical.SHORT, folder)
    measured = []
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builders = {
            "sentence-transformers": _bi_encoder,
            "bert_score": _bert_score,
            "CrossEncoder.predict": _cross_encoder,
            "torch engine": _engines,
        }
        for peer in peers:
            if peer not in builders:
                continue
            name, ours, theirs = builders[peer](pairs, Path(place))
            for precision in precisions:
                if peer == "torch engine" and precision != "fp32":
                    continue  # only torch has another precision
                metric = ours(precision)
                share = _limit_share(metric, pairs, precision, clock)
                row = compared(name, peer, _numbers(metric, pairs), theirs, repetitions, clock=clock.clock)
                spent = None if peer == "torch engine" else _spent(_numbers(metric, pairs))
                measured.append(row._replace(limit_share=share(row.ours_s), precision=precision, spent=spent))
        if PEERS[-1] in peers:
            measured += [_in_one_call(pairs, precision, repetitions, clock) for precision in precisions]
    return measured


def notes(clock: Clocks = Clocks.processor) -> tuple[str, ...]:
    """Return the conditions of the measurement."""
    return (
        f"seconds of {clock.description}; medians of alternating repetitions",
        "bert_score counts padding as a token of similarity 0: its scores of unlike answers depend on their batch, "
        "and with a batch of one pair they equal ours (difference 4e-7)",
        "limit: our speed as a share of the speed of matrix products of the same sizes on this machine, in the same "
        "run",
        "spent: shares of the wall time of one more run under torch's profiler",
        machine().line,
    )


Built = tuple[str, Callable[[str], Metric], Callable[[], FloatArray]]


def _bi_encoder(pairs: Sequence[Pair], place: Path) -> Built:
    from sentence_transformers import SentenceTransformer

    from answersim.metrics.checkpoints import profiles, search
    from answersim.metrics.neural.bi_encoder import cosine

    golds, preds = [pair.gold for pair in pairs], [pair.pred for pair in pairs]
    model = SentenceTransformer(str(search.find(profiles.MINILM).folder))

    def theirs() -> FloatArray:
        one, other = (model.encode(texts, show_progress_bar=False).astype(np.float64) for texts in (golds, preds))
        return cosine(one, other)

    return "bi-encoder", lambda precision: answersim.metric("bi-encoder", device=precision), theirs


def _bert_score(pairs: Sequence[Pair], place: Path) -> Built:
    from bert_score import BERTScorer

    from answersim.metrics.checkpoints import profiles, search

    golds, preds = [pair.gold for pair in pairs], [pair.pred for pair in pairs]
    folder = search.find(profiles.MINILM).folder
    with path_without_t5(folder) as safe:
        scorer = BERTScorer(model_type=str(safe), num_layers=_LAYER, device=_device())

    def theirs() -> FloatArray:
        return scorer.score(preds, golds)[2].double().numpy()

    def ours(precision: str) -> Metric:
        return answersim.metric("bertscore-vanilla", layer=_LAYER, measure="f1", device=precision)

    return f"bertscore, layer {_LAYER}", ours, theirs


def _cross_encoder(pairs: Sequence[Pair], place: Path) -> Built:
    """Return ``sas`` and its library, on a folder with the merged weights."""

    def ours(precision: str) -> Metric:
        return answersim.metric("sas", order="gold-pred", device=precision)

    peer = library_cross_encoder(getattr(ours("fp32"), "scorer"), place, _device())  # noqa: B009
    return "sas, gold before pred", ours, lambda: predicted(peer, pairs)


def library_cross_encoder(scorer: Any, place: Path, device: str) -> Any:
    """Return the ``CrossEncoder`` of sentence-transformers with the weights of our scorer, by way of this folder."""
    from sentence_transformers import CrossEncoder

    from answersim.metrics.neural import loading

    model = loading.classifier(scorer.checkpoint.folder, scorer.fingerprint, scorer.adapter, "fp32", scorer.device.name)
    model.save_pretrained(place / "sas")
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        if (scorer.checkpoint.folder / name).is_file():
            (place / "sas" / name).write_bytes((scorer.checkpoint.folder / name).read_bytes())
    return CrossEncoder(str(place / "sas"), device=device)


def predicted(peer: Any, pairs: Sequence[Pair], batch: int = 32) -> FloatArray:
    """Return what this ``CrossEncoder`` predicts, with so many pairs at a time."""
    import torch

    texts = [(pair.gold, pair.pred) for pair in pairs]
    settings = {"activation_fn": torch.nn.Sigmoid(), "show_progress_bar": False}
    return np.asarray(peer.predict(texts, batch_size=batch, **settings), dtype=np.float64)


def _engines(pairs: Sequence[Pair], place: Path) -> Built:
    """Return ``sas`` on numpy, and on torch as its peer."""

    def on(engine: str) -> Metric:
        before = os.environ.get(choice.VARIABLE, "")
        os.environ[choice.VARIABLE] = engine
        try:
            return answersim.metric("sas", order="gold-pred")
        finally:
            os.environ[choice.VARIABLE] = before

    torch_metric = on("torch")
    return "sas on numpy, gold before pred", lambda precision: on("numpy"), _numbers(torch_metric, pairs)


def _in_one_call(pairs: Sequence[Pair], precision: str, repetitions: int, clock: Clocks) -> Row:
    """Measure three metrics of one encoder in one call, beside one call per metric."""
    metrics = [
        answersim.metric("bi-encoder", device=precision),
        answersim.metric("bertscore-vanilla", device=precision),
        answersim.metric("bertscore-vanilla", layer=_LAYER, device=precision),
    ]

    def together() -> FloatArray:
        scored = answersim.score_pairs(pairs, metrics, progress=False)
        return np.concatenate([scored[metric.signature].values for metric in metrics])

    def apart() -> FloatArray:
        return np.concatenate(
            [answersim.score_pairs(pairs, [metric], progress=False)[metric.signature] for metric in metrics]
        )

    row = compared("bi-encoder and two bertscores", PEERS[-1], together, apart, repetitions, clock=clock.clock)
    return row._replace(n=len(pairs), precision=precision)


def _numbers(metric: Metric, pairs: Sequence[Pair]) -> Callable[[], FloatArray]:
    return lambda: answersim.score_pairs(pairs, [metric], progress=False)[metric.signature].values


def _limit_share(metric: Metric, pairs: Sequence[Pair], precision: str, clock: Clocks) -> Callable[[float], float]:
    """Return a function from the seconds of the metric to its share of the limit of the machine."""
    shapes = needs(metric, pairs)
    least = sum(count / multiplied_a_second(shape, precision, clock=clock.clock) for shape, count in shapes.items())
    return lambda seconds: least / seconds


def _spent(run: Callable[[], FloatArray]) -> str:
    """Return the shares of the wall time by kind of operation, from a profile of one run."""
    from torch.profiler import ProfilerActivity, profile

    start = time.perf_counter()
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        run()
        seconds = time.perf_counter() - start
    shares = dict.fromkeys([*_KERNELS, "other kernels"], 0.0)
    for event in profiled.key_averages():
        kind = next((kind for kind, names in _KERNELS.items() if any(n in event.key for n in names)), "other kernels")
        shares[kind] += event.self_cpu_time_total / 1e6 / seconds
    shares["no kernel"] = max(1 - sum(shares.values()), 0.0)
    return ", ".join(f"{kind} {share:.2f}" for kind, share in shares.items())


def _device() -> str:
    from answersim.metrics.neural import loading

    return str(loading.device("auto"))
