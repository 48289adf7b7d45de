"""Several runs on the same questions: one table of their means, and each against the first, with Holm's procedure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim._base.text_tables import Result, TextTable, counted, json_object
from rankers.evaluation.comparison import Comparison, compare_all
from rankers.evaluation.evaluate import WRONG, Evaluation, evaluate
from rankers.evaluation.measures import USUAL
from rankers.types import Run

if TYPE_CHECKING:
    from ir_measures import Measure

    from answersim import Metric

SIGNIFICANT = 0.05


@dataclass(frozen=True, eq=False)
class ComparedRuns(Result):
    """Runs on the same questions, the first as the baseline."""

    evaluations: tuple[Evaluation, ...]  # one per run, in order
    comparisons: tuple[Comparison, ...]  # each further run minus the first, by run and measure; Holm over all of them

    def summary(self) -> list[str]:
        """Return the number of significant differences in a sentence."""
        first, *others = self.evaluations
        n = sum(row.p_holm < SIGNIFICANT for row in self.comparisons)
        return [
            f"{counted(len(others), 'run')} against {first.system} on {counted(len(first.questions), 'question')}: "
            f"{n} of {counted(len(self.comparisons), 'difference')} are significant (p < {SIGNIFICANT} after Holm)"
        ]

    def tables(self) -> Iterator[TextTable]:
        """Yield the table of means, and the table of differences."""
        first = self.evaluations[0]
        shared = {name: self._missed_by_all(name) for name in first.values if name.endswith(WRONG)}
        header = ["run"]
        header += [f"{name} by all (n={int(shared[name].sum())})" if name in shared else name for name in first.values]
        marked = {(row.second, row.measure) for row in self.comparisons if row.p_holm < SIGNIFICANT}
        rows = []
        for evaluation in self.evaluations:
            cells = [evaluation.system]
            for name in first.values:
                kept = shared.get(name)
                values = evaluation.defined_values(name) if kept is None else evaluation.values[name][kept]
                mean = f"{values.mean():.4f}" if len(values) else "-"
                cells.append(mean + ("*" if (evaluation.system, name) in marked else ""))
            rows.append(tuple(cells))
        notes = [f"*: differs from {first.system} (p < {SIGNIFICANT} after Holm over {len(self.comparisons)} tests)"]
        if shared:
            notes.append(f"'{WRONG.strip()} by all': over the questions that every run answers wrongly at rank 1")
        yield TextTable("", tuple(header), tuple(rows), tuple(notes))
        yield TextTable(
            f"Differences from {first.system}",
            ("run", "measure", "questions", "difference", "95 % interval", "p", "p (Holm)"),
            tuple(
                (
                    row.second,
                    row.measure,
                    str(row.n_questions),
                    f"{row.difference:+.4f}",
                    f"{row.low:+.4f} .. {row.high:+.4f}",
                    f"{row.p:.4f}",
                    f"{row.p_holm:.4f}",
                )
                for row in self.comparisons
            ),
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one row per run and measure, with its difference from the first run."""
        found = {(row.second, row.measure): row for row in self.comparisons}
        rows = []
        for evaluation in self.evaluations:
            for row in evaluation.records():
                difference = found.get((evaluation.system, row["measure"]))
                names = ("n_questions", "difference", "low", "high", "p", "p_holm")
                parts = {name: None if difference is None else _number(getattr(difference, name)) for name in names}
                rows.append(row | {f"{name}_against_first": value for name, value in parts.items()})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the rows of all runs, and the comparisons, for JSON, with None for nan."""
        comparisons = [asdict(row) for row in self.comparisons]
        return json_object({"summary": self.summary(), "rows": self.records(), "comparisons": comparisons})

    def _missed_by_all(self, name: str) -> Any:
        """Return whether every run has a wrong top candidate, bool, (questions,)."""
        return ~np.isnan(np.stack([evaluation.values[name] for evaluation in self.evaluations])).any(axis=0)


def compare_runs(
    runs: Sequence[Run],
    questions: Any,
    measures: Sequence[str | Measure] = USUAL,
    metrics: Sequence[str | Metric] = (),
    **settings: Any,
) -> ComparedRuns:
    """Evaluate runs on the same questions, and test the differences of each from the first.

    Args:
        runs: At least two. Runs of one name get a number.
        questions: As for ``rankers.evaluate``.
        measures: Ranking measures.
        metrics: Metrics of answersim for the top candidates.
        settings: The other arguments of ``rankers.evaluate``.

    Returns:
        The evaluations, and the differences with intervals (bootstrap) and p (Fisher's randomization test), and p after
        Holm's procedure over all runs and measures.

    Raises:
        LookupError, TypeError, ValueError: As for ``rankers.evaluate``; ValueError for fewer than two runs.
    """
    if len(runs) < 2:
        raise ValueError(f"{counted(len(runs), 'run')} cannot be compared; give at least two")
    names: dict[str, int] = {}
    evaluations = []
    for run in runs:
        names[run.name] = names.get(run.name, 0) + 1
        name = run.name if names[run.name] == 1 else f"{run.name}-{names[run.name]}"
        evaluations.append(evaluate(run._replace(name=name), questions, measures, metrics, **settings))
    first, *others = evaluations
    comparisons = compare_all(first, {other.system: other for other in others}, list(first.values))
    return ComparedRuns(tuple(evaluations), tuple(comparisons))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
