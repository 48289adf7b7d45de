"""The agreement of the verdicts of typed values with annotators, by set and kind of value.

    python -m benchmarks.typed_verdicts
    python -m benchmarks.typed_verdicts --sets squad,evouna-test --kinds

On sets of judged answers a question has several gold answers: an answer is equal (or near) if this holds for one
of them, and different if it differs from all. On the sets of the SAS paper a row has one gold answer and a label of 0,
1 or 2. "equal" agrees with the label 2 or a correct answer, "different" with 0 or an incorrect one; for "near"
the share of the label 2 or of correct answers is given. Intervals resample questions, or the rows of a set without
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.answers.typed import Relation, compare
from answersim.evaluation.data import load
from answersim.stats.cluster_bootstrap import draw, sums
from benchmarks.judged_sets import SETS
from benchmarks.options import FORM, OUTPUT, chosen, program, show
from benchmarks.paper_sets import PAPER_SETS, PROBES, TITLES
from benchmarks.tables import Column, Format, Table, interval

RELATIONS = ("equal", "near", "different")
DEFAULT = (*PAPER_SETS, "evouna-test", "efficientqa-sas", "efficientqa-other-test", "efficientqa-other", "evouna-dev")
_RESAMPLES, _SEED = 2000, 0

app = program()


class Verdict(NamedTuple):
    """The verdict on one answer."""

    cluster: str  # the question, or the number of the row
    relation: str  # the relation to the nearest gold answer
    kind: str  # the kind of the value; "" if there is none
    label: float  # 1 for a correct answer or the label 2, 0 for an incorrect answer or the label 0, else .5


class VerdictRow(NamedTuple):
    """The agreement of verdicts with annotators."""

    dataset: str  # the set
    relation: str  # the relation
    kind: str  # the kind of value, or "all"
    n: int  # the number of answers with this verdict
    share: float  # the share of this verdict among all answers of the set
    agreement: float  # the share that agrees with annotators
    low: float = math.nan  # the lower end of its 95 % interval; nan if there are fewer than two answers
    high: float = math.nan  # the upper end


@app.command()
def main(
    sets: str = typer.Option(",".join(DEFAULT), help="Sets, separated by commas."),
    kinds: bool = typer.Option(False, "--kinds", help="Print one row per kind of value as well."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Print the share of verdicts that agree with annotators, with intervals."""
    with user_errors():
        names = chosen("data set", sets, (*PAPER_SETS, *PROBES, *SETS))
        found = [row for name in names for row in rows(name, list(verdicts(name)), kinds)]
    columns = tuple(map(Column, ("set", "verdict", "kind", "n", "share", "agrees", "95 %")))
    lines = tuple((TITLES.get(row[0], row[0]), *row[1:6], interval(row.low, row.high)) for row in found)
    notes = (
        "share: of all answers of the set; agrees: for near, the share that annotators call right",
        f"95 %: percentile interval of the cluster bootstrap by question, {_RESAMPLES:,} resamples, seed {_SEED}",
    )
    show([Table("Typed verdicts", columns, lines, notes)], found, form, output)


def verdicts(name: str) -> Iterator[Verdict]:
    """Yield the verdict on each answer of this set, in order."""
    if name in SETS:
        for answer in SETS[name].load():
            best = nearest(compare(gold, answer.answer) for gold in answer.golds)
            yield Verdict(answer.question, best.relation, best.kind, float(answer.verdict))
        return
    data = load(name)
    top = float(np.nanmax(data.labels))
    for i, (pair, label) in enumerate(zip(data.pairs, data.labels.tolist(), strict=True)):
        if not math.isnan(label):
            result = compare(pair.gold, pair.pred, data.lang)
            yield Verdict(str(i), result.relation, result.kind, label / top)


def nearest(results: Iterable[Relation]) -> Relation:
    """Return the comparison with the gold answer that fits best; different only if all differ."""
    listed = list(results)
    for relation in ("equal", "near", "none"):
        for result in listed:
            if result.relation == relation:
                return result
    return listed[0]


def rows(name: str, found: Sequence[Verdict], kinds: bool) -> Iterator[VerdictRow]:
    """Yield one row per relation, and one per relation and kind if ``kinds``."""
    for relation in RELATIONS:
        listed = [verdict for verdict in found if verdict.relation == relation]
        groups = {"all": listed}
        if kinds:
            groups |= {kind: [v for v in listed if v.kind == kind] for kind in sorted({v.kind for v in listed})}
        for kind, group in groups.items():
            yield _row(name, relation, kind, group, len(found))


def _row(name: str, relation: str, kind: str, group: Sequence[Verdict], total: int) -> VerdictRow:
    agrees = np.array(
        [verdict.label == (0.0 if relation == "different" else 1.0) for verdict in group], dtype=np.float64
    )
    share = float(agrees.mean()) if len(agrees) else math.nan
    row = VerdictRow(name, relation, kind, len(group), len(group) / max(total, 1), share)
    if len(group) < 2:
        return row
    resamples = draw([verdict.cluster for verdict in group], _RESAMPLES, np.random.default_rng(_SEED))
    right, size = sums([agrees, np.ones(len(group))], resamples)
    low, high = np.quantile(right / size, [0.025, 0.975])
    return row._replace(low=float(low), high=float(high))


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.typed_verdicts")
