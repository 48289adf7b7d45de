"""What is in the SAS paper beside Tables 2, 3, 7 and 8: Tables 1 and 6, the data behind its figures, and its costs.

    python -m benchmarks.sas_paper
    python -m benchmarks.sas_paper --format csv --output benchmarks/results/sas-paper-data.csv

The published number is beside ours. Figures 1 and 4 and the examples of Table 4 are texts of the data set and are left
out. ``python -m benchmarks.figures --output benchmarks/results/sas-paper`` draws the figures of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answersim._base.errors import CheckpointNotFoundError
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.agreement.subsets import ZERO
from answersim.evaluation.data import LabeledPairs, load
from answersim.evaluation.data.datasets import TABLE_1, locate, sizes
from answersim.evaluation.data.labeled import read_csv
from answersim.metrics.checkpoints import search
from answersim.types import Pair
from benchmarks import costs, figures, layers
from benchmarks.options import FORM, OUTPUT, run_program, write_out
from benchmarks.paper_sets import PAPER_SETS, TITLES, Scores, computed, scores_of, subsets
from benchmarks.tables import Cell, Column, Format, Table, interval, records, render

ANSWER_SIZES = {"squad": 23, "germanquad": 68, "nq-open": 13}  # Table 1, in characters
DUPLICATES = {"squad": 2, "germanquad": 3, "nq-open": 23}  # section 3.1
CONFIG = ("hidden_size", "intermediate_size", "max_position_embeddings", "model_type", "num_attention_heads",
          "num_hidden_layers", "vocab_size")  # fmt: skip
TABLE_6: dict[str, tuple[Cell, ...]] = {  # the model, and its settings in the order of CONFIG
    "deepset/gbert-large-sts": (1024, 4096, 512, "bert", 16, 24, 31102),
    "cross-encoder/stsb-roberta-large": (1024, 4096, 514, "roberta", 16, 24, 50265),
    "T-Systems-onsite/cross-en-de-roberta-sentence-transformer": (768, 3072, 514, "xlm-roberta", 12, 12, 250002),
    "bert-base-uncased": (768, 3072, 512, "bert", 12, 12, 30522),
    "deepset/gelectra-base": (768, 3072, 512, "electra", 12, 12, 31102),
    "cross-en-de-roberta-sentence-transformer-names": (768, 3072, 514, "xlm-roberta", 12, 12, 250002),
}
OURS = ("sentence-transformers/all-MiniLM-L6-v2", "all-mpnet-base-v2")
LOW_SCORE = 0.1  # for "heavily tilted towards 0" (appendix D)
EXPLAINED = ("sas", "answersim", "bertscore-names")  # our metrics for the pairs of Figure 2


def main(form: Format = FORM, output: Path | None = OUTPUT) -> None:
    """Tables 1 and 6 of the SAS paper, the data behind its figures, and its costs, each beside ours."""
    with user_errors():
        tables = [make() for make in (table_1, table_6, figure_2, figure_3, distributions, figure_costs)]
        write_out(render(tables, [record for table in tables for record in records(table)], form.value), output)


def table_1() -> Table:
    """Return Table 1: labels, subsets, sizes and lengths of the three sets."""
    rows: list[tuple[Cell, ...]] = []
    for name in PAPER_SETS:
        data, recorded = load(name, cleaning="none"), load(name, cleaning="recorded")
        distinct = _distinct(recorded)
        counted, published = sizes(distinct), TABLE_1[name]
        lengths = np.array([len(text) for pair in distinct.pairs for text in pair])
        pairs = [
            *(
                (f"label {label}, % of the labeled", ours, printed)
                for label, (ours, printed) in enumerate(zip(counted.shares, published.shares, strict=True))
            ),
            ("pairs, F1=0", counted.f1_zero, published.f1_zero),
            ("pairs, F1!=0", counted.f1_nonzero, published.f1_nonzero),
            ("pairs", counted.size, published.size),
            ("mean characters per answer", f"{lengths.mean():.1f}", ANSWER_SIZES[name]),
            ("repeated pairs of the released file", len(data) - len(set(data.pairs)), DUPLICATES[name]),
        ]
        rows += [
            (TITLES[name], what, f"{ours:g}" if isinstance(ours, float) else str(ours), str(printed))
            for what, ours, printed in pairs
        ]
    notes = (
        "ours: the distinct pairs of the recorded tables; labels: two German pairs have none",
        "repeated pairs: section 3.1 exchanges the numbers of SQuAD and GermanQuAD, and of NQ-open the paper counts "
        "repetitions of question and answers, ours are repetitions of the two answers",
    )
    return Table.of("Table 1 of the SAS paper", ("set", "what", "ours", "published"), rows, notes)


def table_6() -> Table:
    """Return Table 6: the settings of the models of the paper, and those of ours, read from their configurations."""
    rows: list[tuple[Cell, ...]] = []
    for model in (*TABLE_6, *OURS):
        if model in TABLE_6:
            rows.append((model, "paper", *map(str, TABLE_6[model])))
        if (config := _config(model)) is not None:
            whose = "read here" if model in TABLE_6 else "ours"
            rows.append((model, whose, *(str(config.get(name, "")) for name in CONFIG)))
    notes = ("'read here': from the configuration, if the model is on this machine; 'ours': the bases of our profiles",)
    return Table.of("Table 6 of the SAS paper", ("model", "of", *CONFIG), rows, notes)


def figure_2(metrics: Sequence[str] = EXPLAINED) -> Table:
    """Return the categories of equivalent pairs that SAS scores low, with the mean scores of our metrics."""
    path = locate("nq-open", figures.ANNOTATED)
    lines = read_csv(path, ["answer1", "answer2"], encoding="mac_roman")
    pairs = tuple(Pair(line["answer1"], line["answer2"]) for line in lines)
    data = LabeledPairs("low-scores", "en", pairs, np.full(len(pairs), 2.0))
    low = figures.low_scores()
    scored = {column.metric: column.values for column in computed(data, metrics, "embedded")}
    names = np.array([pair.category for pair in low])
    sas = np.array([pair.sas for pair in low])
    rows: list[tuple[Cell, ...]] = []
    for name, (n, below) in {**figures.category_counts(low), "all": (len(low), 0)}.items():
        mask = names == name if name != "all" else np.ones(len(low), dtype=bool)
        below = below or int((sas[mask] < figures.CAPTION).sum())
        ours = (float(scored[metric][mask].mean()) for metric in metrics)
        rows.append((name, n, below, float(sas[mask].mean()), *ours))
    columns = [Column("category"), Column("pairs"), Column(f"SAS < {figures.CAPTION}"), Column("SAS", "paper, mean")]
    columns += [Column(metric, "ours, mean") for metric in metrics]
    notes = (
        "all pairs have label 2 and a SAS score below .25; the caption of the figure has 'SAS score < 0.01', and its "
        "text 'below 0.25'; the paper prints no numbers",
        "the pairs were selected because SAS scores them low, so the means of other metrics are expected to be higher",
    )
    return Table("Categories of equivalent pairs with a low SAS score", tuple(columns), tuple(rows), notes)


def figure_3() -> Table:
    """Return tau of BERTScore by layer on SQuAD: the recorded models and ours."""
    ours = {f"ours: {name}": points for name, points in figures.computed_layers().items()}
    by_name = {**figures.recorded_layers(), **ours}
    columns = [Column("BERTScore"), Column("layer")]
    rows: list[tuple[Cell, ...]] = []
    for name, points in by_name.items():
        tau = {(point.subset, point.layer): point for point in points if point.coefficient == "kendall"}
        subsets_of = list(dict.fromkeys(subset for subset, _ in tau))
        if len(columns) == 2:
            columns += [Column(what, _subset(tau, subset)) for subset in subsets_of for what in ("tau", "95 %")]
        for layer in sorted({layer for _, layer in tau}):
            cells = [(tau[subset, layer].value, interval(tau[subset, layer].low, tau[subset, layer].high))
                     for subset in subsets_of]  # fmt: skip
            rows.append((name, layer, *(value for pair in cells for value in pair)))
    notes = (
        f"{figures.VANILLA} (bert-base-uncased) and {figures.TRAINED}: recorded in squad_all_layer_results.csv; the "
        "others: the embedded MiniLM, as it is and with the adapter trained on names",
        "95 %: percentile bootstrap, 1,000 resamples of the rows, seed 0; the paper prints no numbers",
    )
    return Table("Kendall's tau of BERTScore by layer, SQuAD", tuple(columns), tuple(rows), notes)


def distributions() -> Table:
    """Return the spread of all scores (Figures 5 and 6), and the share near 0 (Figure 7, appendix D)."""
    columns = [Column("set"), Column("metric")]
    for origin in ("recorded", "computed"):
        columns += [Column(name, origin) for name in ("25 %", "median", "75 %", f"share < {LOW_SCORE}, F1=0")]
    rows: list[tuple[Cell, ...]] = []
    for name in PAPER_SETS:
        data, scored = scores_of(name, figures.METRICS, Scores.both, "embedded")
        zero = subsets(data)[ZERO]
        lines: dict[str, list[Cell]] = {}
        for column in scored:
            quartiles = map(float, np.quantile(column.values, (0.25, 0.5, 0.75)))
            near = float((column.values[zero] < LOW_SCORE).mean())
            lines.setdefault(column.metric, []).extend([*quartiles, near])
        rows += [(TITLES[name], metric, *cells) for metric, cells in lines.items()]
    notes = ("recorded: the scores of the models of the paper; computed: ours on the same rows",)
    return Table("Distribution of the scores", tuple(columns), tuple(rows), notes)


def figure_costs() -> Table:
    """Return the costs of appendix E: seconds for 1,000 pairs of NQ-open."""
    published = costs.paper()
    rows: list[tuple[Cell, ...]] = [
        (cost.metric, float(cost.seconds), float(published[cost.metric]) if cost.metric in published else None)
        for cost in costs.read()
    ]
    measured = {row[0] for row in rows}
    rows += [(name, None, float(seconds)) for name, seconds in published.items() if name not in measured]
    notes = (
        "ours: CPU seconds on one thread (python -m benchmarks.costs), on another machine and with smaller models",
        "published: 10 s for n-gram metrics, 2 min, 3 min and 10 min for all pairs of NQ-open, divided by 3.559",
    )
    return Table.of("Costs", ("metric", "ours, s per 1,000 pairs", "published, s per 1,000 pairs"), rows, notes)


def _distinct(data: LabeledPairs) -> LabeledPairs:
    first: dict[Pair, int] = {}
    for i, pair in enumerate(data.pairs):
        first.setdefault(pair, i)
    return data.take(sorted(first.values()))


def _config(model: str) -> Mapping[str, Any] | None:
    """Return the configuration of a model, or None if it is not on this machine."""
    try:
        return search.find(model, network=False).config
    except CheckpointNotFoundError:
        return None


def _subset(tau: Mapping[tuple[str, int], layers.Point], subset: str) -> str:
    n = next(point.n for (name, _), point in tau.items() if name == subset)
    return f"{subset} (n={n})"


if __name__ == "__main__":
    run_program(main)
