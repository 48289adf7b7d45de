"""Metrics against human verdicts on the answers of language models: does a high score mean a correct answer?

    python -m benchmarks.judged
    python -m benchmarks.judged --part test --metrics f1,recall,sas --format markdown

TriviaQA (EVOUNA) has the answers of five systems, most of them whole sentences. The answers of EfficientQA are phrases,
and the NQ-open pairs of the paper were made from them, so they are for reports only. A question has several gold
answers, and the one that scores highest counts. Metrics are evaluated by system, because systems differ in style, and
over all answers.

Some metrics were trained on EVOUNA: its part "train" trained adapters, and its part "dev" selected settings and the
weights of ``answersim``. These metrics are evaluated on its part "test" only. By default there is one table over all
questions, for the metrics that were not trained on them, and one over the part "test", for all metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import answersim
from answersim.data.datasets import DatasetNotFoundError
from answersim.data.system_answers import SystemAnswer, load_efficientqa, load_evouna
from answersim.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError, unknown
from answersim.stats.kendall import kendall
from answersim.stats.resampling import bootstrap_counts, generator, percentile
from answersim.types import FloatArray, Metric, reads_questions
from benchmarks.options import write_out
from benchmarks.paper_sets import RESAMPLED, RESAMPLES, SEED, say
from benchmarks.tables import Column, Format, Table, interval, render

THRESHOLD = 0.5  # a score of at least this calls an answer correct; no metric was fitted to it
ALL = "all"
TITLES = {"evouna": "TriviaQA (EVOUNA)", "efficientqa": "NQ-open (EfficientQA)"}

# What metrics with the embedded weights learned from EVOUNA; the models of the profile "paper" learned nothing from it.
LEARNED = {
    "sas": "train: its adapter; dev: settings",
    "bi-encoder-answers": "train: its adapter; dev: settings",
    "bertscore-answers": "train: its adapter; dev: settings",
    "answersim": "train: the adapters of its parts; dev: its weights and settings",
}

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


class Row(NamedTuple):
    """The agreement of one metric with the verdicts on the answers of one system, with 95 % intervals.

    Attributes:
        dataset: "evouna" or "efficientqa".
        part: "train", "dev", "test" or "all".
        system: The system that answered, or "all".
        metric: The name of the metric.
        n: The number of answers.
        right: The share of positives among them, which is the accuracy of calling every answer correct.
        auc: How often a positive scores above a negative, ties counting half; nan if either is missing.
        tau: Kendall's tau-b with the verdicts.
        accuracy: How often the verdict agrees with a threshold of .5 on the score.
        signature: What decides the scores.
    """

    dataset: str
    part: str
    system: str
    metric: str
    n: int
    right: float
    auc: float
    auc_low: float
    auc_high: float
    tau: float
    tau_low: float
    tau_high: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    signature: str


class Part(str, Enum):
    """A part of the questions of EVOUNA."""

    train = "train"
    dev = "dev"
    test = "test"
    all = "all"


@app.command()
def main(
    part: Part = typer.Option(
        Part.all,
        help="Which questions of EVOUNA; EfficientQA is always whole. Metrics that learned from EVOUNA are looked at "
        "on test alone.",
    ),
    metrics: str = typer.Option("", help="Metrics, separated by commas; all when not given."),
    datasets: str = typer.Option("", help="Which sets, separated by commas: evouna, efficientqa; both when not given."),
    profile: str = typer.Option("embedded", help="The weights behind the neural metrics."),
    questions: bool = typer.Option(False, "--questions", help="Give the questions to the metrics that read them."),
    form: Format = typer.Option(Format.text, "--format", help="How the tables are written."),
    output: Path | None = typer.Option(None, help="A file to write to, instead of the terminal."),
) -> None:
    """AUC, tau-b and accuracy of metrics on judged answers, system by system."""
    try:
        chosen = _split(datasets) or list(TITLES)
        if wrong := [name for name in chosen if name not in TITLES]:
            raise unknown("data set", wrong[0], TITLES)
        built = _built(metrics, profile)
        wanted = list(_wanted(chosen, part.value, built, profile))
        sets = {source: _answers(*source) for source, _ in wanted}
        if output is not None and not output.absolute().parent.is_dir():
            raise LookupError(f"--output is {output}, but there is no folder {output.absolute().parent}")
    except LookupError as error:
        raise typer.BadParameter(str(error)) from None
    rows = [row for source, source_metrics in wanted for row in study(*source, sets[source], source_metrics, questions)]
    shown = render(list(tables(rows)), [row._asdict() for row in rows], form.value)
    write_out(shown, output)


def learned(name: str, profile: str = "embedded") -> str:
    """Return which parts of EVOUNA were used to train or tune this metric; "" if none was."""
    return "" if profile == "paper" else LEARNED.get(name, "")


def parts_line() -> str:
    """Return in one line how many questions and answers of EVOUNA are for training, tuning and reports."""
    answers = load_evouna()
    counts = {}
    for part in ("train", "dev", "test"):
        part_answers = [answer for answer in answers if answer.part == part]
        counts[part] = (
            f"{len({answer.question for answer in part_answers}):,} questions ({len(part_answers):,} answers)"
        )
    return (
        f"EVOUNA, TriviaQA: train, {counts['train']}, trained adapters; dev, {counts['dev']}, chose settings and gave "
        f"the weights of answersim; test, {counts['test']}, taught and chose nothing"
    )


def _wanted(
    datasets: Sequence[str], part: str, built: Mapping[str, Metric], profile: str
) -> Iterator[tuple[tuple[str, str], dict[str, Metric]]]:
    """Yield sets, parts and metrics to evaluate: those that were trained on EVOUNA only on its part "test"."""
    plain = {name: metric for name, metric in built.items() if not learned(name, profile)}
    for dataset in datasets:
        if dataset != "evouna" or part == "test":
            yield (dataset, part if dataset == "evouna" else ALL), dict(built)
            continue
        if plain:
            yield (dataset, part), plain
        if part == ALL and len(plain) < len(built):
            yield (dataset, "test"), dict(built)
        elif len(plain) < len(built):
            names = ", ".join(name for name in built if name not in plain)
            say(
                f"{names}: left out, because EVOUNA's part {part} was used to train or choose a part of them; see "
                "--part test"
            )


def study(
    dataset: str,
    part: str,
    answers: Sequence[SystemAnswer],
    metrics: Mapping[str, Metric],
    with_questions: bool = False,
) -> Iterator[Row]:
    """Yield the rows of these metrics on these answers: those of each system, then those of all.

    Args:
        dataset: The set of the answers.
        part: The part of the questions; EfficientQA is always "all".
        answers: The answers with verdicts.
        metrics: The metrics to evaluate, by name.
        with_questions: Whether the questions are passed to the metrics that read them.
    """
    part = part if dataset == "evouna" else ALL
    pairs = [(answer.golds, answer.answer) for answer in answers]
    reads = with_questions and any(map(reads_questions, metrics.values()))
    scored = answersim.score_pairs(
        pairs, list(metrics.values()), questions=[answer.question for answer in answers] if reads else None
    )
    verdicts = np.array([answer.verdict for answer in answers], dtype=bool)
    writers = np.array([answer.system for answer in answers])
    questions = np.unique([answer.question for answer in answers], return_inverse=True)[1]
    systems = list(dict.fromkeys(writers.tolist()))
    for system in [*systems, ALL] if len(systems) > 1 else systems:
        mask = np.full(len(answers), True) if system == ALL else writers == system
        counts = draw(questions[mask], generator(SEED, dataset, part, system))
        right = float(verdicts[mask].mean())
        for name, metric in metrics.items():
            scores = scored[metric.signature]
            numbers = with_intervals(scores.values[mask], verdicts[mask], counts)
            yield Row._make((dataset, part, system, name, int(mask.sum()), right, *numbers, scores.signature))


def with_intervals(scores: FloatArray, verdicts: NDArray[np.bool_], counts: NDArray[np.int32]) -> list[float]:
    """Return AUC, tau-b and accuracy at .5, each followed by the ends of its interval.

    Args:
        scores: Shape (n,).
        verdicts: Shape (n,).
        counts: The resamples, shape (resamples, n).
    """
    says = (scores >= THRESHOLD) == verdicts
    whole = np.ones((1, len(scores)), dtype=np.int32)
    numbers: list[float] = []
    for samples, value in zip(
        _measures(scores, verdicts, says, counts), _measures(scores, verdicts, says, whole), strict=True
    ):
        numbers += [float(value[0]), *percentile(samples)]
    return numbers


def _measures(
    scores: FloatArray, verdicts: NDArray[np.bool_], says: NDArray[np.bool_], counts: NDArray[np.int32]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return AUC, tau-b and accuracy in each resample, each of shape (resamples,)."""
    tau = kendall(scores, verdicts, counts)
    return auc(scores, verdicts, counts), tau, counts @ says / counts.sum(axis=1)


def auc(scores: FloatArray, verdicts: NDArray[np.bool_], counts: NDArray[np.int32]) -> FloatArray:
    """Return how often a positive scores above a negative in each resample, ties counting half; shape (resamples,).

    >>> auc(np.array([0.9, 0.5, 0.5]), np.array([True, True, False]), np.array([[1, 1, 1], [1, 0, 1], [1, 1, 0]]))
    array([0.75, 1.  ,  nan])
    """
    values, group = np.unique(scores, return_inverse=True)
    order = np.argsort(group, kind="stable")
    right, wrong = (
        np.add.reduceat(counts[:, order] * kind[order], np.searchsorted(group[order], np.arange(len(values))), axis=1)
        for kind in (verdicts, ~verdicts)
    )
    below = np.cumsum(wrong, axis=1) - wrong / 2
    pairs = (right.sum(axis=1) * wrong.sum(axis=1)).astype(np.float64)
    return np.divide((right * below).sum(axis=1), pairs, out=np.full(len(counts), np.nan), where=pairs > 0)


def draw(questions: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return how often each resample has each answer, shape (resamples, n). Questions are drawn with all their answers.

    The answers to one question are not independent: all systems answer an easy question correctly.
    """
    numbers = np.unique(questions, return_inverse=True)[1]
    return bootstrap_counts(int(numbers.max()) + 1, RESAMPLES, rng)[:, numbers]


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield the tables of each set: all three coefficients over all answers, and the AUC by system."""
    for dataset, part in dict.fromkeys((row.dataset, row.part) for row in rows):
        part_rows = [row for row in rows if (row.dataset, row.part) == (dataset, part)]
        systems = list(dict.fromkeys(row.system for row in part_rows))
        whole = [row for row in part_rows if row.system == systems[-1]]
        title = f"{TITLES[dataset]}, {'all questions' if part == ALL else part}: agreement with verdicts"
        counted = f"{title} on {whole[0].n:,} answers, {whole[0].right:.1%} of them right"
        yield _main_table(counted, whole, _provenance(dataset, part))
        if len(systems) > 1:
            yield _system_table(f"{title}, AUC by system", part_rows, systems[:-1])


def _provenance(dataset: str, part: str) -> tuple[str, ...]:
    """Return notes on the provenance of a set: which of its questions were used to train or tune metrics."""
    if dataset != "evouna":
        return ("EfficientQA taught and chose nothing",)
    try:
        lines = [parts_line()]
    except DatasetNotFoundError:  # stored rows are printed without the data
        lines = ["EVOUNA's part train trained adapters, dev chose settings and gave weights, test is reported only"]
    if part == "test":
        for name, what in LEARNED.items():
            lines.append(f"{name} learned from EVOUNA ({what}), and from nothing in this table")
    else:
        lines.append("the metrics of this table learned nothing from EVOUNA; those that did are in the table of test")
    return tuple(lines)


def _main_table(title: str, rows: Sequence[Row], provenance: Sequence[str] = ()) -> Table:
    columns = [Column("metric")]
    for name in ("AUC", "tau", f"accuracy at {THRESHOLD:g}"):
        columns += [Column(name), Column("95 %")]
    lines = tuple(
        (
            row.metric,
            *(row.auc, interval(row.auc_low, row.auc_high)),
            *(row.tau, interval(row.tau_low, row.tau_high)),
            *(row.accuracy, interval(row.accuracy_low, row.accuracy_high)),
        )
        for row in rows
    )
    learners = [line for line in provenance if " learned from EVOUNA (" in line]
    shown = {row.metric for row in rows}
    kept = [line for line in provenance if line not in learners or line.split(" ", 1)[0] in shown]
    notes = (*kept, *(row.signature for row in rows), RESAMPLED.replace("rows", "questions").format(RESAMPLES, SEED))
    return Table(title, tuple(columns), lines, notes)


def _system_table(title: str, rows: Sequence[Row], systems: Sequence[str]) -> Table:
    by = {(row.metric, row.system): row for row in rows}
    columns, lines = [Column("metric")], []
    for system in systems:
        right = next(row.right for row in rows if row.system == system)
        columns += [Column(name, f"{system} ({right:.1%} right)") for name in ("AUC", "95 %")]
    for metric in dict.fromkeys(row.metric for row in rows):
        metric_rows = [by[metric, system] for system in systems]
        lines.append(
            (metric, *(cell for row in metric_rows for cell in (row.auc, interval(row.auc_low, row.auc_high))))
        )
    return Table(title, tuple(columns), tuple(lines), (RESAMPLED.replace("rows", "questions").format(RESAMPLES, SEED),))


def _built(option: str, profile: str) -> dict[str, Metric]:
    built: dict[str, Metric] = {}
    for name in _split(option) or answersim.names():
        try:
            built[name] = answersim.metric(name, profile=profile if _has_weights(name) else None)
        except (MissingExtraError, CheckpointNotFoundError, ChecksumError, FileNotFoundError) as error:
            say(f"{name} is left out: {error}")
    return built


def _has_weights(name: str) -> bool:
    from answersim.catalog import entry

    return entry(name).kind != "lexical"


def _answers(name: str, part: str) -> list[SystemAnswer]:
    if name == "efficientqa":
        return load_efficientqa()
    return load_evouna(None if part == ALL else part)  # type: ignore[arg-type] # one of the three


def _split(option: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in option.split(",") if name.strip()))


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.judged")
