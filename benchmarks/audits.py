"""Audit verifiers on made outputs whose truth is known, by 100 labels and by all of them.

    pip install 'math-verify[antlr4_13_2]==0.9.0'
    python -m benchmarks.audits -o benchmarks/results/audits.md

The questions are every second minimal pair (part ``test``) and the pairs of ``benchmarks.math_pairs``. A right answer
is the gold answer or a rewrite that means the same. A wrong one is a close miss, the gold answer of another question or
a refusal. Each is written in one of the spellings of ``answersim.doctor.SPELLINGS``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

import typer

import answersim
from answersim.data.minimal_pairs import minimal_pairs
from answersim.doctor import SPELLINGS
from answersim.doctor.audit_results import Audit
from answersim.doctor.rewards import shares
from answersim.evaluation.sheets import read, save
from answersim.text_tables import table_line
from benchmarks.math_pairs import constructed
from benchmarks.math_verify import parsed_text
from benchmarks.options import write_out

SEED, EACH, LABELS, ATTACKED = 42, 8, 100, 10
NUMBERS = ("numeral", "percentage", "money", "range", "precision", "unit-conversion", "time", "date")
REFUSAL = "I don't know."
SYSTEMS = {"careful": 0.8, "quick": 0.55}  # by system, the share of right answers
FIRST = "careful"
VERIFIERS = ("em", "benchmarks.audits:math_verify", "rules", "reward")
HEADER = ("verifier", "answers", "false positives", "by 100 labels", "false negatives", "by 100 labels", "attacks")
ABOUT = """# Audits of verifiers on made outputs

`python -m benchmarks.audits --seed {seed} --each {each} --attacked {attacked}` made this page, with math-verify
{version}. Two made systems answer {n:,} questions: minimal pairs (part test) and pairs of mathematics. The
truth is known by construction, so the rates are those of all answers. Beside the rates of the first system is
what {labels} of its labels estimate, with 95 % intervals. `rules` is `Reward("rules")`, and `reward` is
`Reward()`, which also asks an encoder. False positives are wrong answers that are accepted. False negatives are
right answers that are not accepted. Rewrites of words, such as synonyms and translations, are right answers
here. math-verify is made for mathematics, and the other rows show what happens to it elsewhere. It gets gold
answers in dollar signs. Answers of mathematics are in dollar signs or in a box. The rules of answersim were
developed on the part dev of the minimal pairs and on pairs of these families of mathematics.
"""


class Case(NamedTuple):
    """A gold answer with right and wrong answers, and its kind: mathematics, numbers or words."""

    gold: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    kind: str


def math_verify(golds: Sequence[str], preds: Sequence[str]) -> list[float | None]:
    """Return the verdicts of math-verify: as in its documentation, with gold answers in dollar signs if needed."""
    from math_verify import parse, verify

    parsed = [(parsed_text(gold), parse(pred)) for gold, pred in zip(golds, preds, strict=True)]
    return [float(verify(gold, pred)) if gold else None for gold, pred in parsed]


def cases(each: int = EACH) -> list[Case]:
    """Return the questions."""
    pairs = minimal_pairs("en", "test")[::2]
    found = []
    for i, pair in enumerate(pairs):
        kind = "numbers" if pair.kind in NUMBERS else "words"
        other = pairs[(i + 101) % len(pairs)].gold
        found.append(Case(pair.gold, (pair.gold, pair.same), (pair.different, other, REFUSAL), kind))
    for one in constructed(each=each):
        right, wrong = ((one.gold, one.pred), REFUSAL) if one.equal else ((one.gold,), one.pred)
        found.append(Case(one.gold, right, (wrong,), "mathematics"))
    return found


def answers(seed: int = SEED, each: int = EACH) -> dict[str, list[Any]]:
    """Return the table of answers of two systems, with the truth of each answer."""
    rng = random.Random(seed)
    table: dict[str, list[Any]] = {"question": [], "gold": [], "kind": []}
    table |= {name: [] for system in SYSTEMS for name in (system, f"truth {system}")}
    for i, case in enumerate(cases(each)):
        for name, value in (("question", f"question {i}"), ("gold", case.gold), ("kind", case.kind)):
            table[name].append(value)
        for system, share in SYSTEMS.items():
            right = rng.random() < share
            text = rng.choice(case.right if right else case.wrong)
            table[system].append(_written(text, case, rng))
            table[f"truth {system}"].append(float(right))
    return table


def _written(text: str, case: Case, rng: random.Random) -> str:
    """Return a completion with this answer. A formula is in dollar signs or in a box, as models write it."""
    name, form = rng.choice([(name, form) for name, form in SPELLINGS.items() if name != "a box with text"])
    if case.kind == "mathematics" and name != "a box" and text != REFUSAL:
        text = f"${text}$"
    return form.replace("{wrong}", case.wrong[0]).replace("{gold}", text)


def by_few_labels(verifier: str, table: dict[str, list[Any]], labels: int) -> Audit:
    """Return the audit of the first system by this many labels, drawn by the verdicts, and without attacks."""
    truth = dict(zip(table["question"], table[f"truth {FIRST}"], strict=True))
    how: dict[str, Any] = {"pred": FIRST, "question": "question"}
    with TemporaryDirectory() as folder:
        sheet = Path(folder) / "sheet.csv"
        answersim.doctor.draw(verifier, table, sheet, rows=labels, **how)
        drawn = read(sheet)
        save(drawn.labeled({row["key"]: str(truth[row["question"]]) for row in drawn.rows}), sheet)
        return answersim.audit(verifier, table, sheet, attacked=0, **how)


def main(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of the answers.")] = SEED,
    each: Annotated[int, typer.Option(help="The number of pairs per family of mathematics.")] = EACH,
    attacked: Annotated[int, typer.Option(help="The number of questions per attack.")] = ATTACKED,
) -> None:
    """Print the audits as a page in Markdown."""
    table = answers(seed, each)
    labels = {system: table[f"truth {system}"] for system in SYSTEMS}
    how: dict[str, Any] = {"pred": list(SYSTEMS), "question": "question", "by": ["kind"], "attacked": attacked}
    found = {
        verifier: (answersim.audit(verifier, table, labels, **how), by_few_labels(verifier, table, LABELS))
        for verifier in VERIFIERS
    }
    about = ABOUT.format(
        seed=seed, each=each, attacked=attacked, n=len(table["gold"]), labels=LABELS, version=version("math-verify")
    )
    write_out("\n".join([about, *_tables(found)]) + "\n", output)


def _tables(found: dict[str, tuple[Audit, Audit]]) -> list[str]:
    lines = [table_line(HEADER), "|---|---|---:|---:|---:|---:|---:|"]
    for verifier, (whole, few) in found.items():
        rows = [row for row in whole.rates if row.subset not in SYSTEMS or row.subset == FIRST]
        for row in rows:
            cells = (_name(verifier), row.subset, *_rates(row.rates, few, row.subset), _attacks(whole, row.subset))
            lines.append(table_line(cells))
    lines += [
        "",
        "Accepted answers, % of each system; and wall time for 1,000 answers on a shared machine, seconds:",
        "",
    ]
    lines += [table_line(("verifier", *SYSTEMS, "order", "seconds")), "|---|---:|---:|---|---:|"]
    for verifier, (whole, _) in found.items():
        order = whole.orders[0].order
        accepted = [f"{100 * one.accepted.value:.1f}" for one in whole.systems]
        lines.append(table_line((_name(verifier), *accepted, order, f"{whole.seconds:.2f}")))
    truth = [f"{100 * one.corrected.ppi.labels_alone.value:.1f}" for one in whole.systems if one.corrected is not None]
    return [*lines, table_line(("the truth", *truth, "", ""))]


def _name(verifier: str) -> str:
    return verifier.rpartition(":")[2].replace("_", "-")


def _rates(rates: Any, few: Audit, subset: str) -> tuple[str, str, str, str]:
    """Return the rates by all labels, and by few labels for the system that has them."""
    by_few = few.rates[0].rates if subset == FIRST else None
    cells = []
    for name in ("false_positive", "false_negative"):
        value = getattr(rates, name).value if rates is not None else math.nan
        cells += [f"{100 * value:.1f} %", "" if by_few is None else shares(getattr(by_few, name))]
    return cells[0], cells[1], cells[2], cells[3]


def _attacks(whole: Audit, subset: str) -> str:
    if subset != "all" or whole.attacks is None:
        return ""
    return shares(whole.attacks.attacks[-1].accepted)


if __name__ == "__main__":
    typer.run(main)
