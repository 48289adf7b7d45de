"""Figures of ranking, as PNG and SVG: from a folder of results, from trainings, and from the weights of SCAN.

    python -m benchmarks.figures_ranking results runs/results --output figures
    python -m benchmarks.figures_ranking weights --dataset wikiqa --output figures
    python -m benchmarks.figures_ranking epochs runs/ranking/wikiqa/cpu/seed-0 --output figures
    python -m benchmarks.figures_ranking forgetting runs/ranking/toy/cpu/seed-0 --output figures
    python -m benchmarks.figures_ranking codes QUESTION ANSWER --model F/addax/model --model F/addax-wo-hd/model

``results`` draws the files of ``python -m benchmarks.ranking --results``: systems between measures and metrics,
Kendall's tau between their orders, and the sweeps of a setting that are among the systems.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.checkpoints.search import read_json
from answersim.runtime.cli_errors import user_errors
from benchmarks import drawing
from benchmarks import ranking_drawings as drawings
from benchmarks.options import names_in, program
from benchmarks.ranking_drawings import Forgotten, Placed, Point, Tau, Weighed
from benchmarks.ranking_tables import base_of
from rankers.evaluation.evaluate import WRONG

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

    from rankers.modules.decorrelation import Reweighting

RATES = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
POOLERS = ("cls", "checkpoint")
PAIRS = 140  # the batch of the paper

Output = Annotated[Path, typer.Option(help="The folder for PNG and SVG.")]

app = program()


@app.command()
def results(
    folder: Annotated[Path, typer.Argument(help="Files of `python -m benchmarks.ranking --results`, or one of them.")],
    output: Output = Path("figures"),
    measures: Annotated[
        str, typer.Option(help="Measures, separated by commas; the default is the first of the file.")
    ] = "",
    metrics: Annotated[str, typer.Option(help="Metrics, separated by commas; the default is all of the file.")] = "",
) -> None:
    """Draw systems by measure and metric, the similarity of their orders, and sweeps."""
    with user_errors():
        for path in _files(folder):
            stored = read_json(path)
            for name, figure in of_results(stored, names_in(measures), names_in(metrics)):
                _keep(figure, output, f"{path.stem}.{name}")


@app.command("weights")
def weights_(
    output: Output = Path("figures"),
    dataset: Annotated[str, typer.Option(help="A corpus; the pairs are of its dev split.")] = "wikiqa",
    model: Annotated[
        Path | None, typer.Option(help="A trained network of the kind 'scan', in addition to its start.")
    ] = None,
    batches: Annotated[
        int, typer.Option(help="The number of times that the learner gets the pairs before the measurement.", min=1)
    ] = 1,
    seed: Annotated[int, typer.Option(help="The random seed of the choice of pairs.", min=0)] = 0,
) -> None:
    """Draw the weights of SCAN by learning rate: their range, the effective sample size and the covariance."""
    with user_errors():
        effects = {name: weighed(vectors, batches) for name, vectors in features(dataset, model, seed).items()}
        rows = [{"features": name, **row._asdict()} for name, rows in effects.items() for row in rows]
        figure = drawings.weights(effects, title=f"{dataset}, {PAIRS} pairs of dev")
        _keep(figure, output, f"weights.{dataset}" + (".trained" if model else ""))
        typer.echo(json.dumps(rows, indent=1))


@app.command()
def epochs(
    folder: Annotated[Path, typer.Argument(help="The folder of the trainings of one seed and preset.")],
    output: Output = Path("figures"),
) -> None:
    """Draw the effective sample size and the largest weight by epoch, of all trainings with learned weights."""
    with user_errors():
        trainings = {path.parent.name: list(_weight_statistics(path)) for path in sorted(folder.glob("*/history.json"))}
        trainings = {name: rows for name, rows in trainings.items() if any(row[1:] != (1, 1) for row in rows)}
        if not trainings:
            raise ValueError(f"no training in {folder} has statistics of weights; give a folder with trainings of SCAN")
        _keep(drawings.epochs(trainings, title=str(folder)), output, "epochs")


@app.command()
def forgetting(
    folder: Annotated[Path, typer.Argument(help="Where trainings are kept: one seed of one preset.")],
    output: Output = Path("figures"),
) -> None:
    """How many adversarial examples of earlier epochs a network still ranks, and its generator's entropy and reward.

    Of every training in the folder that recorded this: those of systems such as ``man-adv`` and ``man-adv-k5``.
    """
    with user_errors():
        records = {path.parent.name: read_json(path) for path in sorted(folder.glob("*/history.json"))}
        trainings = {name: forgotten(record) for name, record in records.items() if record.get("forgetting")}
        if not trainings:
            raise ValueError(
                f"no training in {folder} has accuracies on earlier examples; train one: python -m benchmarks.ranking "
                "--dataset toy --systems match-pyramid-adv-k5"
            )
        _keep(drawings.forgetting(trainings, title=str(folder)), output, "forgetting")
        typer.echo(json.dumps({name: row._asdict() for name, row in trainings.items()}, indent=1))


@app.command()
def codes(
    question: Annotated[str, typer.Argument(help="A question.")],
    answer: Annotated[str, typer.Argument(help="An answer to it.")],
    model: Annotated[
        list[Path], typer.Option(help="A trained ADDAX. May be repeated; the maps are drawn below each other.")
    ],
    output: Output = Path("figures"),
) -> None:
    """Draw the codes of the words of an answer (Figure 4 d of the ADDAX paper)."""
    with user_errors():
        from benchmarks.addax_codes import heat_map
        from rankers.artifacts import neural

        maps = {str(path): heat_map(neural.load(path), question, answer) for path in model}
        panels = {name: (word_map.tokens, word_map.values) for name, word_map in maps.items()}
        _keep(drawings.heat_maps(panels, title=question), output, "codes")


def of_results(
    stored: Mapping[str, Any], measures: Sequence[str] = (), metrics: Sequence[str] = ()
) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of a file of results, by name. Raise LookupError if a measure or metric is not in the file."""
    from answersim.errors import unknown

    rows = {(row["system"], row["measure"]): row for row in stored["systems"]}
    judged = _in_order(row["measure"] for row in rows.values() if row["is_metric"])
    ranked = _in_order(row["measure"] for row in rows.values() if not row["is_metric"])
    whole = [metric for metric in judged if WRONG not in metric]
    for kind, names, of in (("measure", measures, ranked), ("metric", metrics, judged)):
        for name in names:
            if name not in of:
                raise unknown(f"{kind} of these results", name, of)
    title = f"{stored['title']} ({stored['preset']}, {stored['machine']['device']})"
    names = _in_order(system for system, _ in rows)
    for measure in measures or ranked[:1]:
        for metric in metrics or whole:
            placed = [
                Placed(system, base_of(system) or system, _point(rows[system, measure]), _point(rows[system, metric]),
                       rows[system, metric]["circular"])
                for system in names
            ]  # fmt: skip
            placed = [place for place in placed if place.up.mean == place.up.mean]  # nan if there are no negatives
            yield (
                f"{measure}-{metric}".replace(" ", "-"),
                drawings.systems(
                    placed, across=f"{measure}, 95 %", up=f"{metric} of the top candidate, 95 %", title=title
                ),
            )
        if swept := _swept(rows, measure):
            yield f"{measure}-sweeps", drawings.sweep(swept, measure=measure, title=title)
    taus = [_tau(order) for order in stored["orders"] if order["tau"] is not None]
    if taus:
        yield "orders", drawings.taus(taus, title=title)


def forgotten(record: Mapping[str, Any]) -> Forgotten:
    """Return the accuracies and the generator's statistics in the record of a training.

    The examples of all earlier epochs are averaged; the newest are those that the epoch was trained with.
    """
    accuracies = {(row["epoch"], row["examples"]): float(row["accuracy"]) for row in record["forgetting"]}
    epochs = list(range(1, 1 + max(epoch for epoch, _ in accuracies)))
    earlier = [[accuracies[epoch, of] for of in range(1, epoch)] for epoch in epochs]
    dev = {row["epoch"]: float(row["dev"]) for row in record["epochs"]}
    statistics = record["generator_statistics"]
    return Forgotten(
        epochs,
        [accuracies[epoch, 0] for epoch in epochs],
        [sum(row) / len(row) if row else math.nan for row in earlier],
        [accuracies[epoch, 1] for epoch in epochs],
        [accuracies[epoch, epoch] for epoch in epochs],
        [dev[epoch] for epoch in epochs],
        [float(row["entropy"]) for row in statistics],
        [float(row["reward"]) for row in statistics],
    )


def weighed(features: Tensor, batches: int = 1) -> list[Weighed]:
    """Return the effect of the weights on these features at every learning rate of ``RATES``.

    The other settings are the published ones.
    """
    from rankers.modules.decorrelation import Reweighting

    return [effect(features, Reweighting(lrbl=rate), batches) for rate in RATES]


def effect(features: Tensor, settings: Reweighting, batches: int = 1, seed: int = 0) -> Weighed:
    """Return the effect of a new learner on these features, (n, d), at the last of ``batches`` calls.

    The dependence is measured on 50 Fourier features of each feature, drawn by ``seed`` and the same before and after.
    """
    import torch

    from rankers.modules.decorrelation import WeightLearner, dependence, draw, effective_size, fourier, products

    learner = WeightLearner(replace(settings, rows=len(features)))
    for _ in range(batches):
        weights = learner(features)
    drawn = draw(50, features.shape[1], torch.Generator().manual_seed(seed))
    seen = products(fourier(features, drawn, settings.rff))
    equal, share = torch.full_like(weights, 1 / len(weights)), weights * len(weights)
    return Weighed(
        settings.lrbl,
        float(share.min()),
        float(share.max()),
        effective_size(weights),
        len(features),
        float(dependence(seen, equal)),
        float(dependence(seen, weights)),
    )


def features(dataset: str, model: Path | None, seed: int) -> dict[str, Tensor]:
    """Return the vectors of 140 pairs of dev, (140, d), by pooling: the first token, or the layer of the encoder.

    Raise LookupError or FileNotFoundError if the corpus is unknown or absent, ValueError if the model is not of the
    kind "scan".
    """
    import numpy as np

    from rankers import data
    from rankers.artifacts import neural
    from rankers.inputs import scoring, words
    from rankers.inputs.scoring import Lengths
    from rankers.inputs.words import InputConfig
    from rankers.models.scan import Config

    dev = data.load(dataset, "dev")
    pairs = [(question.text, candidate.text) for question in dev for candidate in question.candidates]
    chosen = np.sort(np.random.default_rng(seed).permutation(len(pairs))[:PAIRS])
    questions, answers = ([pairs[i][side] for i in chosen] for side in (0, 1))
    inputs, lengths = words.build(InputConfig(checkpoint=Config.cpu().checkpoint), [], seed), Lengths(24, 64)
    named_inputs = {
        f"before training, {pooler}": (inputs, _network(pooler, inputs, seed), lengths) for pooler in POOLERS
    }
    if model is not None:
        ranker = neural.load(model)
        if ranker.kind != "scan":
            raise ValueError(
                f"{model} is of the kind {ranker.kind!r}; give a network of the kind 'scan', such as tanda"
            )
        named_inputs[f"trained, {ranker.settings.pooler}"] = (ranker.inputs, ranker.network, ranker.lengths)
    vectors = {}
    for name, (inputs, network, lengths) in named_inputs.items():
        texts = scoring.encode(inputs.vocabulary, questions, answers, lengths)
        rows = np.arange(len(questions))
        vectors[name] = _pooled(network, scoring.batch(texts, rows, rows))
    return vectors


def _network(pooler: str, inputs: Any, seed: int) -> Any:
    from rankers.models import neural_ranker
    from rankers.models.scan import Config

    return neural_ranker.build("scan", replace(Config.cpu(), pooler=pooler), inputs, seed)


def _pooled(network: Any, batch: Any) -> Tensor:
    import torch

    with torch.no_grad():
        return network.eval().pooled(batch).float().cpu()


def _weight_statistics(path: Path) -> Iterator[tuple[int, float, float]]:
    for row in read_json(path).get("objective_statistics", []):
        if "effective" in row:
            yield int(row["epoch"]), float(row["effective"]), float(row["largest"])


def _swept(rows: Mapping[tuple[str, str], Mapping[str, Any]], measure: str) -> dict[str, list[tuple[float, Point]]]:
    """Return the values of each setting with the measure, if at least two of them are among the systems."""
    from rankers.systems.catalog import sweeps

    swept = {}
    for setting, systems in sweeps().items():
        points = [
            (value, _point(rows[system, measure])) for value, system in systems.items() if (system, measure) in rows
        ]
        if len(points) > 1:
            swept[setting] = points
    return swept


def _point(row: Mapping[str, Any]) -> Point:
    return Point(*(float("nan") if row[key] is None else row[key] for key in ("mean", "low", "high")))


def _tau(row: Mapping[str, Any]) -> Tau:
    left_out = f", {len(row['left_out'])} circular left out" if row["left_out"] else ""
    ends = (row["tau"] if row[end] is None else row[end] for end in ("low", "high"))
    return Tau(f"{row['first']} and {row['second']}{left_out}", row["tau"], *ends)


def _in_order(names: Any) -> list[str]:
    return list(dict.fromkeys(names))


def _files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise FileNotFoundError(f"no results in {folder}; make some: python -m benchmarks.ranking --results {folder}")
    return paths


def _keep(figure: Figure, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path, *_ = drawing.save(figure, folder / name)
    typer.echo(str(path), err=True)


if __name__ == "__main__":
    app()
