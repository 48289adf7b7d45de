"""Record how each metric scores the minimal pairs of the probe: the examples on the cards.

    python -m tools.site.examples

For each metric and each of its weakest kinds, the family with the widest wrong margin is recorded, with both scores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.data.minimal_pairs import MinimalPair, minimal_pairs
from answersim.metrics.catalog.lookup import reads_question
from benchmarks.options import run_program
from benchmarks.tables import save

RECORDS = Path(__file__).parents[2] / "benchmarks" / "results" / "cards.json"
METRICS = (*answersim.names(), "typed+recall")
SHOWN = 4  # kinds per metric
DIGITS = 6


def main(output: Path = typer.Option(RECORDS, help="The file of the recorded examples.")) -> None:
    """Score the minimal pairs of the English part dev with every metric, and record the examples of the cards."""
    with user_errors():
        families = minimal_pairs("en", "dev")
        golds = [family.gold for family in families for _ in range(2)]
        preds = [text for family in families for text in (family.same, family.different)]
        questions = [family.question for family in families for _ in range(2)]
        found = {}
        for name in METRICS:
            typer.echo(f"{name} ...", err=True)
            asked = questions if reads_question(name) else None
            scores = answersim.score(golds, preds, name, question=asked, progress=False)
            values = np.asarray(scores.values).reshape(-1, 2)  # (n families, 2)
            found[name] = {"signature": scores.signature, "examples": examples(families, values)}
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(content)}" for name, content in found.items())
        save(f"{{\n{lines}\n}}\n", output)  # one metric per line


def examples(families: Sequence[MinimalPair], scores: FloatArray) -> list[dict[str, Any]]:
    """Return the worst family of each of the weakest kinds, the weakest kind first, from scores of shape (n, 2).

    A kind is weaker if a smaller share of its families has a rewrite that scores above the close miss, where a tie
    counts one half. The worst family has the largest difference between the scores of the miss and the rewrite, the
    first of several. Kinds in which every family is in the right order give no example.
    """
    margins = scores[:, 0] - scores[:, 1]
    rows = []
    for kind in sorted({family.kind for family in families}):
        inside = [index for index, family in enumerate(families) if family.kind == kind]
        share = sum((margins[index] > 0) + (margins[index] == 0) / 2 for index in inside) / len(inside)
        worst = min(inside, key=lambda index: margins[index])
        if margins[worst] <= 0:
            same, different = (round(float(value), DIGITS) for value in scores[worst])
            rows.append((share, {"kind": kind, "family": families[worst].family, "same": same, "different": different}))
    return [row for _, row in sorted(rows, key=lambda row: (row[0], row[1]["kind"]))[:SHOWN]]


if __name__ == "__main__":
    run_program(main)
