"""The main job: how far each metric agrees with people, as in Tables 2, 3, 7 and 8 of the SAS paper.

    python -m benchmarks.correlations
    python -m benchmarks.correlations --scores recorded --datasets squad --format json
    python -m benchmarks.correlations --against bertscore-trained
    python -m benchmarks.correlations --study

A metric is correlated with the labels over two kinds of pairs apart: those in which gold and prediction share no word
(F1 = 0) and the others; pooling the two reverses rankings. "recorded" are the scores that the paper's own models gave,
"computed" those of our metrics on the same rows. In the paper's tables the lexical metrics read the answers as the
paper did (``profile="paper"``) and are cut after as many decimal places; ``--profile`` chooses the weights behind the
neural ones.

Tau bears its 95 % interval, by a paired bootstrap: all metrics are looked at on the same resamples. Two intervals that
overlap say little about a difference; ``--against`` asks for the differences themselves. ``--study`` asks which of the
paper's claims stand (``benchmarks.study``).
"""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import answersim
from answersim.agreement.subsets import NONZERO, ZERO, f1_is_zero
from answersim.catalog import ENTRIES
from answersim.checkpoints import sha256
from answersim.data import LabeledPairs, load
from answersim.data.datasets import RECORDED, RECORDED_FILES, locate, present
from answersim.data.datasets import names as dataset_names
from answersim.data.fetch import COMMAND, DATA_VARIABLE
from answersim.errors import ChecksumError, LanguageWarning, MissingExtraError, unknown
from answersim.stats.correlation import correlations
from answersim.stats.kendall import kendall
from answersim.stats.resampling import bootstrap_counts, difference_of, generator, holm, intervals
from answersim.types import FloatArray, Metric
from benchmarks.tables import Cell, Column, Format, Table, interval, render, save, signed

PAPER_SETS = ("squad", "nq-open", "germanquad")
PROBES = ("probe", "probe-de")
TITLES = {
    "squad": "SQuAD",
    "nq-open": "NQ-open",
    "germanquad": "GermanQuAD",
    "probe": "Probe, English (near misses by design)",
    "probe-de": "Probe, German (near misses by design)",
}
# Which table of the paper a set stands in, and which one its numbers experiment.
TABLES = {"squad": "Table 2", "nq-open": "Table 2", "germanquad": "Table 3"}
NUMBER_TABLES = {"nq-open": "Table 7", "squad": "Table 8"}
# METEOR knows English words; the paper leaves it out for German.
OMITTED = {("germanquad", "meteor")}

# Of a thousand resamples, p is at least .001; Holm multiplies it by the metrics of a table, so differences get more.
RESAMPLES, MORE_RESAMPLES, SEED = 1000, 5000, 0
RESAMPLED = "95 %: percentile bootstrap, {:,} resamples of the rows, seed {}"

NO_DIGITS, CATEGORY = ", no digits", "category: "

_PLACES = Decimal("1e-16")

Mask = NDArray[np.bool_]


class Row(NamedTuple):
    """One correlation: of a metric's scores with the labels, over a subset of a data set; intervals at 95 %, or nan."""

    dataset: str
    subset: str
    metric: str
    scores: str
    n: int
    pearson: float
    spearman: float
    kendall: float
    signature: str
    pearson_low: float = math.nan
    pearson_high: float = math.nan
    spearman_low: float = math.nan
    spearman_high: float = math.nan
    kendall_low: float = math.nan
    kendall_high: float = math.nan


class Gap(NamedTuple):
    """How far a metric's tau lies above that of another, over a subset: with 95 % interval, p, and p after Holm."""

    dataset: str
    subset: str
    metric: str
    scores: str
    against: str
    n: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    signature: str


class Scored(NamedTuple):
    """One metric's scores of all pairs of a data set, shape (n,), recorded or computed."""

    metric: str
    scores: str
    values: FloatArray
    signature: str


class Scores(str, Enum):
    """Whose scores are correlated."""

    computed = "computed"
    recorded = "recorded"
    both = "both"


class Profile(str, Enum):
    """Which weights stand behind the neural metrics."""

    embedded = "embedded"
    paper = "paper"


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    scores: Scores = typer.Option(Scores.both, help="The paper's own scores, those of our metrics, or both."),
    profile: Profile = typer.Option(Profile.embedded, help="The weights behind our neural metrics."),
    metrics: str = typer.Option("", help="Metrics, separated by commas; all when not given."),
    datasets: str = typer.Option(
        "", help="Data sets, separated by commas; when not given, the paper's that are here, else the probe."
    ),
    form: Format = typer.Option(Format.text, "--format", help="How the tables are written."),
    output: Path | None = typer.Option(None, help="A file to write to, instead of the terminal."),
    paper: bool = typer.Option(False, "--paper", help="Print 0 for a constant column, as the paper does."),
    bars: bool = typer.Option(True, "--intervals/--no-intervals", help="95 % intervals of tau; in JSON, of all three."),
    against: str = typer.Option("", help="A metric: how far the others' tau lies above its own, and how surely."),
    revisited: bool = typer.Option(False, "--study", help="Which of the paper's claims stand; all of its sets."),
) -> None:
    """Correlations of metrics with human labels: Tables 2, 3, 7 and 8 of the SAS paper, or those of the probe."""
    try:
        chosen = _metrics(metrics, scores)
        sets = _datasets(datasets, scores)
        if against and against not in chosen:
            raise LookupError(f"--against is {against}, but that is none of the metrics: {', '.join(chosen)}")
        if output is not None and not output.absolute().parent.is_dir():
            raise LookupError(f"--output is {output}, but there is no folder {output.absolute().parent}")
    except LookupError as error:
        raise typer.BadParameter(str(error)) from None
    coefficients = (("pearson", "spearman", "kendall") if form is Format.json else ("kendall",)) if bars else ()
    if revisited:
        shown = _revisited(sets, chosen, scores, profile.value, form.value)
        if output is None:
            sys.stdout.write(shown)
        else:
            save(shown, output)
        return
    rows, gaps = [], []
    for name in sets:
        data, scored = scores_of(name, chosen, scores, profile.value)
        rows += list(correlate(data, scored, subsets(data), coefficients))
        gaps += differences(data, scored, subsets(data), against) if against else []
    if paper:
        rows = [constant_as_zero(row) for row in rows]
    records = [*(row._asdict() for row in rows), *(gap._asdict() for gap in gaps)]
    shown = render([*tables(rows), *gap_tables(gaps)], records, form.value)
    if output is None:
        sys.stdout.write(shown)
    else:
        save(shown, output)


def _revisited(sets: Sequence[str], metrics: Sequence[str], scores: Scores, profile: str, form: str) -> str:
    """What recorded and computed scores say of the paper's claims."""
    from benchmarks.study import Evidence, findings
    from benchmarks.study import tables as study_tables

    known = {name: scores_of(name, metrics, scores, profile) for name in sets if name in PAPER_SETS}
    if not known:
        raise typer.BadParameter(
            f"--study is about the paper's sets, {', '.join(PAPER_SETS)}, and none of them is here"
        )
    found = []
    for origin in ("recorded", "computed"):
        held = {
            name: (data, [each for each in scored if each.scores == origin]) for name, (data, scored) in known.items()
        }
        if any(scored for _, scored in held.values()):
            found += findings(Evidence(held), origin)
    return render(list(study_tables(found)), [each._asdict() for each in found], form)


def study(
    name: str, metrics: Sequence[str], scores: Scores, profile: str, coefficients: Sequence[str] = ()
) -> list[Row]:
    """All correlations of this data set, with intervals of these coefficients; each metric is computed once."""
    data, scored = scores_of(name, metrics, scores, profile)
    return list(correlate(data, scored, subsets(data), coefficients))


def scores_of(name: str, metrics: Sequence[str], scores: Scores, profile: str) -> tuple[LabeledPairs, list[Scored]]:
    """The labeled pairs of this data set, and the scores of these metrics for them, recorded and computed."""
    data = load(name, cleaning="recorded")  # a probe has the same rows with each
    data = data.where(~np.isnan(data.labels))
    scored: list[Scored] = []
    wanted = [metric for metric in metrics if (name, metric) not in OMITTED]
    if not wanted:
        say(f"{name}: {', '.join(metrics)} is left out, as in the paper: it knows English words")
    if scores is not Scores.computed:
        scored += recorded(data, wanted)
    if scores is not Scores.recorded:
        scored += computed(data, wanted, profile)
    return data, in_order(scored, metrics)


def recorded(data: LabeledPairs, metrics: Iterable[str]) -> list[Scored]:
    """The paper's own scores of these metrics; their signature names the file and its hash."""
    columns = [metric for metric in metrics if metric in data.recorded]
    if not columns:
        return []
    path = locate(data.name, RECORDED_FILES[data.name])
    signature = f"recorded|{path.name}|sha256:{sha256(path)[:12]}"
    return [Scored(metric, "recorded", data.recorded[metric], signature) for metric in columns]


def computed(data: LabeledPairs, metrics: Iterable[str], profile: str) -> list[Scored]:
    """The scores of our metrics; one that cannot be built here is left out, with a line on stderr that says why."""
    built: dict[str, Metric] = {}
    like_paper: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name in metrics:
            if name in RECORDED and name not in answersim.names():
                continue  # recorded only
            if data.name in PAPER_SETS and name in ENTRIES and ENTRIES[name].kind == "lexical":
                like_paper.add(name)
            words: str | None = "paper" if name in like_paper else profile
            if name == "bleu":
                words = None  # it is no metric of the paper, and has one way to tokens
            try:
                built[name] = answersim.metric(name, lang=data.lang, profile=words)
            except (MissingExtraError, LookupError, ChecksumError, FileNotFoundError) as error:
                say(f"{data.name}: {name} is left out: {error}")
        found = answersim.score_pairs(data.pairs, list(built.values()))
    # That the weights are English is true of all metrics of a profile, and said once.
    lines = {
        each.category if each.category is LanguageWarning else str(each.message): each for each in reversed(caught)
    }
    for warning in reversed(lines.values()):
        say(f"{data.name}: {warning.message}")
    scored = [Scored(name, "computed", found[each.signature].values, each.signature) for name, each in built.items()]
    return [as_written(each) if each.metric in like_paper else each for each in scored]


def as_written(scored: Scored) -> Scored:
    """The scores as the paper's tables were written: cut after 16 decimal places, and signed so.

    Equal scores that were computed in two ways differ in the last places, so what is cut off decides which scores are
    tied, and with that the third digit of rho and tau: ROUGE-L on NQ-open, F1 != 0, has the tau .381 as it is computed
    and .377 as it was written.
    """
    cut = [Decimal(repr(value)).quantize(_PLACES, ROUND_DOWN) for value in scored.values.tolist()]
    return scored._replace(
        values=np.array(cut, dtype=np.float64), signature=f"{scored.signature}|decimals:{-_PLACES.adjusted()}"
    )


def subsets(data: LabeledPairs) -> dict[str, Mask]:
    """The parts of a data set that are looked at apart, in the order of the tables: masks of shape (n,).

    The two of Tables 2 and 3; for the paper's English sets both again without the rows whose gold answer holds a
    digit (Tables 7 and 8); for the probe its categories.
    """
    zero = f1_is_zero(data.pairs, lang="en", profile="squad", recorded=data.recorded.get("f1"))
    parts: dict[str, Mask] = {ZERO: zero, NONZERO: ~zero}
    if data.name in NUMBER_TABLES:
        plain = np.array([re.search(r"\d", pair.gold) is None for pair in data.pairs], dtype=bool)
        parts |= {f"{name}{NO_DIGITS}": mask & plain for name, mask in parts.items()}
    if data.name in PROBES and data.categories is not None:
        categories = np.array(data.categories)
        parts |= {f"{CATEGORY}{name}": categories == name for name in dict.fromkeys(data.categories)}
    return parts


def correlate(
    data: LabeledPairs, scored: Sequence[Scored], parts: Mapping[str, Mask], coefficients: Sequence[str] = ()
) -> Iterator[Row]:
    """Each metric's correlations with the labels, subset by subset; nan where a column is constant.

    Args:
        data: The pairs and their labels.
        scored: What correlates with them.
        parts: The subsets.
        coefficients: Those that get their intervals.
    """
    for subset, mask in parts.items():
        labels = data.labels[mask]
        columns = np.array([each.values[mask] for each in scored]).reshape(len(scored), len(labels))
        ends = [_ends(name, columns, labels, _draw(data, subset, len(labels), RESAMPLES)) for name in coefficients]
        for i, (metric, scores, _, signature) in enumerate(scored):
            found = correlations(columns[i], labels)
            row = Row(data.name, subset, metric, scores, *found, signature)
            yield row._replace(**{key: value for each in ends for key, value in each[i].items()})


def _draw(data: LabeledPairs, subset: str, n: int, resamples: int) -> NDArray[np.int32]:
    """The resamples of a subset: the same ones for all metrics, whichever are asked for."""
    return bootstrap_counts(n, resamples, generator(SEED, data.name, subset))


def _ends(coefficient: str, columns: FloatArray, labels: FloatArray, counts: NDArray[np.int32]) -> list[dict[str, Any]]:
    """The fields of a row that hold the interval of this coefficient, for each column."""
    return [
        {f"{coefficient}_low": each.low, f"{coefficient}_high": each.high}
        for each in intervals(columns, labels, counts, coefficient=coefficient)
    ]


def differences(data: LabeledPairs, scored: Sequence[Scored], parts: Mapping[str, Mask], against: str) -> list[Gap]:
    """How far each metric's tau lies above that of this one, over both subsets; Holm over all that is returned.

    Our own scores of that metric are what the others are held against; the recorded ones where there are no others.
    Nothing where it has no scores for this set.
    """
    base = next((each for each in reversed(scored) if each.metric == against), None)
    if base is None:
        say(f"{data.name}: there are no scores of {against} to hold the others against")
        return []
    rest = [each for each in scored if each is not base]
    found: list[Gap] = []
    for subset in (ZERO, NONZERO):
        mask = parts[subset]
        labels = data.labels[mask]
        columns = np.stack([each.values[mask] for each in (base, *rest)])
        values = kendall(columns, labels)[:, 0]
        samples = kendall(columns, labels, _draw(data, subset, len(labels), MORE_RESAMPLES))
        for i, each in enumerate(rest, start=1):
            gap = difference_of(float(values[i] - values[0]), samples[i] - samples[0])
            where = (data.name, subset, each.metric, each.scores, f"{against} ({base.scores})", len(labels))
            found.append(Gap(*where, *gap, p_holm=math.nan, signature=each.signature))
    corrected = holm([each.p for each in found]).tolist()
    return [each._replace(p_holm=p) for each, p in zip(found, corrected, strict=True)]


def constant_as_zero(row: Row) -> Row:
    """The row as the paper prints it: 0 where a coefficient is not defined."""
    return row._replace(
        **{name: np.nan_to_num(getattr(row, name)).item() for name in ("pearson", "spearman", "kendall")}
    )


def in_order(scored: Iterable[Scored], metrics: Sequence[str]) -> list[Scored]:
    """By metric, recorded before computed."""
    return sorted(scored, key=lambda each: (metrics.index(each.metric), each.scores != "recorded"))


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """What these rows say, as tables: of each set the correlations, the numbers experiment, the probe's categories."""
    for dataset, group in groupby(rows, key=lambda row: row.dataset):
        found = list(group)
        title, where = TITLES.get(dataset, dataset), TABLES.get(dataset)
        yield _subset_table(
            f"{title}: correlation with human labels" + (f" ({where} of the SAS paper)" if where else ""),
            [row for row in found if row.subset in (ZERO, NONZERO)],
        )
        if any(row.subset.endswith(NO_DIGITS) for row in found):
            yield _numbers_table(
                f"{title}: Kendall's tau with and without rows whose gold answer holds a digit"
                f" ({NUMBER_TABLES[dataset]} of the SAS paper, computed on the published rows)",
                found,
            )
        if any(row.subset.startswith(CATEGORY) for row in found):
            yield _category_table(f"{title}: Kendall's tau with human labels by category", found)


def gap_tables(gaps: Sequence[Gap]) -> Iterator[Table]:
    """Of each set, how far the metrics lie above the one they are held against."""
    for (dataset, against), group in groupby(gaps, key=lambda gap: (gap.dataset, gap.against)):
        found = list(group)
        columns = [Column("metric"), Column("scores")]
        for subset, n in _subset_sizes(found):
            columns += [Column(name, f"{subset} (n={n})") for name in ("tau +", "95 %", "p", "p (Holm)")]
        lines = _lines(found, lambda gap: (signed(gap.difference), interval(gap.low, gap.high), gap.p, gap.p_holm))
        title = f"{TITLES.get(dataset, dataset)}: Kendall's tau above that of {against}"
        yield Table(title, tuple(columns), lines, (f"{RESAMPLED.format(MORE_RESAMPLES, SEED)}; Holm over the table",))


def _subset_table(title: str, rows: Sequence[Row]) -> Table:
    bars = not all(math.isnan(row.kendall_low) for row in rows)
    columns = [Column("metric"), Column("scores")]
    for subset, n in _subset_sizes(rows):
        columns += [Column(name, f"{subset} (n={n})") for name in ("r", "rho", "tau", "95 %")[: 3 + bars]]

    def numbers(row: Row) -> tuple[Cell, ...]:
        ends = interval(row.kendall_low, row.kendall_high)
        return (row.pearson, row.spearman, row.kendall, ends)[: 3 + bars]

    notes = (*_signatures(rows), RESAMPLED.format(RESAMPLES, SEED)) if bars else _signatures(rows)
    return Table(title, tuple(columns), _lines(rows, numbers), notes)


def _numbers_table(title: str, rows: Sequence[Row]) -> Table:
    order = [ZERO, ZERO + NO_DIGITS, NONZERO, NONZERO + NO_DIGITS]
    ordered = sorted(rows, key=lambda row: order.index(row.subset))
    columns = [Column("metric"), Column("scores")]
    for subset, n in _subset_sizes(ordered):
        kept = "without" if subset.endswith(NO_DIGITS) else "with"
        columns.append(Column(f"{kept} (n={n})", subset.removesuffix(NO_DIGITS)))
    return Table(title, tuple(columns), _lines(ordered, lambda row: (row.kendall,)), _signatures(rows))


def _category_table(title: str, rows: Sequence[Row]) -> Table:
    """Categories down, metrics across."""
    rows = [row for row in rows if row.subset.startswith(CATEGORY)]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    lines: list[tuple[Cell, ...]] = []
    for subset, n in _subset_sizes(rows):
        values = {row.metric: row.kendall for row in rows if row.subset == subset}
        lines.append((subset.removeprefix(CATEGORY), n, *(values.get(metric) for metric in metrics)))
    columns = (Column("category"), Column("n"), *(Column(metric) for metric in metrics))
    return Table(title, columns, tuple(lines), _signatures(rows))


def _lines(rows: Sequence[Any], numbers: Callable[[Any], tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """One line a metric and kind of scores: its name, the kind, and these numbers of each subset, side by side."""
    lines: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for row in rows:
        key = (row.metric, row.scores)
        lines[key] = lines.get(key, key) + numbers(row)
    return tuple(lines.values())


def _subset_sizes(rows: Iterable[Row | Gap]) -> list[tuple[str, int]]:
    return list({row.subset: row.n for row in rows}.items())


def _signatures(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.signature for row in rows))


def _metrics(asked: str, scores: Scores) -> list[str]:
    """The metrics that were asked for, in the order of the paper's tables, those that it does not have after them."""
    ours = answersim.names()
    known = [*RECORDED, *(name for name in ours if name not in RECORDED)]
    chosen = _split(asked)
    for name in chosen:
        if name not in known:
            known.append(_plugin(name, known))
    chosen = [name for name in known if name in chosen or not chosen]
    if scores is Scores.recorded:
        able = [name for name in chosen if name in RECORDED]
    elif scores is Scores.computed:
        able = [name for name in chosen if name in ours or name not in RECORDED]
    else:
        able = chosen
    if not able:
        raise LookupError(f"there are no {scores.value} scores of {', '.join(chosen)}; try --scores both")
    return able


def _plugin(name: str, known: Iterable[str]) -> str:
    """This name, if an installed plug-in has it."""
    try:
        answersim.metric(name)
    except LookupError:
        raise unknown("metric", name, known) from None
    return name


def _datasets(asked: str, scores: Scores) -> list[str]:
    """The data sets that were asked for, or those that are here; LookupError where one is unknown or absent."""
    chosen = list(dict.fromkeys(_split(asked)))
    for name in chosen:
        if name not in dataset_names():
            raise unknown("data set", name, dataset_names())
        if name in PAPER_SETS and not present(name):
            load(name)  # says what is missing, and the way out
    if not chosen:
        chosen = [name for name in PAPER_SETS if present(name)]
        absent = [name for name in PAPER_SETS if name not in chosen]
        if absent:
            say(f"not here: {', '.join(absent)}; '{COMMAND}' brings the paper's sets, or set ${DATA_VARIABLE}")
        chosen = chosen or list(PROBES)
    if scores is Scores.recorded and (without := [name for name in chosen if name in PROBES]):
        raise LookupError(f"only the paper's sets have recorded scores, and {', '.join(without)} is none of them")
    return chosen


def _split(asked: str) -> list[str]:
    return [name.strip() for name in asked.split(",") if name.strip()]


def say(line: str) -> None:
    """One line for the person at the terminal; stdout is for the tables."""
    typer.echo(line, err=True)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.correlations")
