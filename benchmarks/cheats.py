"""How often the shipped calibration calls a cheat equivalent, and how often a right answer in another form.

    python -m benchmarks.cheats --scores runs/cheat-scores
    python -m benchmarks.cheats --part dev --no-record      # to choose rules

A cheat is an answer that contains the gold answer and must not count as right (``answersim.doctor.attacks.CHEATS``).
The questions are those of NQ in EVOUNA that trained no metric. Those of its part dev, and every other wording, are for
choosing rules. The page is made of the part test and of the other wordings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, TypedDict, cast

import numpy as np
import typer

import answersim
from answersim.calibration.decision import decided
from answersim.calibration.model import Calibration
from answersim.calibration.storing import SHIPPED, read
from answersim.data.minimal_pairs import MinimalPair
from answersim.data.system_answers import EVOUNA_NQ, Part, load_evouna, locate
from answersim.doctor.attacks import CHEATS, Attack, attacks
from answersim.errors import unknown
from answersim.runtime.cli_errors import user_errors
from answersim.scoring.cache import ScoreCache
from answersim.stats.proportion import wilson
from answersim.text_tables import TextTable, markdown_table
from answersim.typed.api import parse
from benchmarks.stored_parts import with_stored_parts
from benchmarks.tables import save

ROOT = Path(__file__).parent.parent
RECORDS, PAGE = ROOT / "benchmarks/results/cheats.json", ROOT / "benchmarks/results/cheats.md"
METRICS = ("answersim", "answersim-question", "recall", "typed+recall")  # calibrations by name
QUANTILE = 1.96  # of intervals of 95 %
QUESTIONS, GOLDS = 120, 4  # per pattern; gold answers per question
LONGEST = 6  # words of a gold answer that is cheated with
RIGHT, LISTS = "right answers, all forms", ("every option", "list of ten", "list of everything")
HIDDEN = ("hidden in a comment", "hidden in markup", "struck out")
TITLE = "Cheats: answers that contain the gold answer and must not count as right"
INTRODUCTION = """
`python -m benchmarks.cheats --scores runs/cheat-scores` writes this page. The verdicts are those of the shipped
calibrations, with intervals of 95 % (Wilson) of the share that is *equivalent*. Each pattern has one answer for each
of 120 questions of NQ that trained no metric, and each form of a right answer has one for up to 40. (The calibrations
are made from the answers of systems to these and other questions.) The rules were written on other questions and other
wordings (dev), but by the author of all wordings: further cheats may succeed more often.
Close misses, and the other answers of lists, are gold answers of other questions, of the same type if there is one.
"""
# Right answers: {gold} is a gold answer, {alias} another one of the question.
HONEST: dict[str, list[str]] = json.loads(Path(__file__).with_name("honest_forms.json").read_text("utf-8"))


class Case(NamedTuple):
    """An answer of this pattern, and whether it is right."""

    pattern: str
    golds: tuple[str, ...]
    pred: str
    question: str
    right: bool


class Recorded(TypedDict):
    """What is recorded of a calibration: the signature of the scores, and the rows of the table."""

    signature: str
    rows: Sequence[Row]


class Row(NamedTuple):
    """The verdicts on a pattern: the number of answers, and the shares that are equivalent and unsure."""

    pattern: str
    n: int
    equivalent: float
    unsure: float


def main(
    part: Annotated[str, typer.Option(help="Questions and wordings: dev or test.")] = "test",
    scores: Annotated[Path | None, typer.Option(help="A folder that stores the scores of networks.")] = None,
    calibrations: Annotated[Path, typer.Option(help="The folder of the calibrations.")] = SHIPPED,
    questions: Annotated[int, typer.Option(help="Questions per pattern.")] = QUESTIONS,
    metrics: Annotated[str, typer.Option(help="Names of calibrations, separated by commas.")] = ",".join(METRICS),
    record: Annotated[bool, typer.Option(help="Whether the results are recorded and the page is written.")] = True,
) -> None:
    """Count the verdicts on cheats and on right answers, by pattern."""
    with user_errors():
        cases = [*cheats(part, questions), *honest(part, questions)]
        names = [name for name in metrics.split(",") if (calibrations / f"{name}.json").is_file()]
        results: dict[str, Recorded] = {}
        for name in names:
            calibration = read(calibrations / f"{name}.json")
            found = rows(cases, verdicts(calibration, name, cases, scores))
            results[name] = {"signature": calibration.signature, "rows": found}
            typer.echo("\n".join(markdown_table(_table({name: found}))))
        if record:
            save(page(with_record(results)), PAGE)


def cheats(part: str, questions: int) -> list[Case]:
    """Return the cheats of all patterns on this many questions."""
    sampled = sample(part, questions)
    pairs = [pair for pair, _ in sampled]
    golds = {pair.question: golds for pair, golds in sampled}
    half = {name: wordings[part == "test" :: 2] for name, wordings in CHEATS.items()}
    found: list[Attack] = attacks(pairs, half)
    return [Case(attack.pattern, golds[attack.question], attack.pred, attack.question, False) for attack in found]


def honest(part: str, questions: int) -> Iterator[Case]:
    """Yield right answers, a third as many per form as cheats per pattern."""
    sampled = sample(part, questions)
    for at, (name, forms) in enumerate(HONEST.items()):
        for pair, golds in sampled[at % 3 :: 3]:
            alias = next((gold for gold in golds if gold.casefold() != pair.gold.casefold()), None)
            form = forms[part == "test"]
            if alias is not None or "{alias}" not in form:
                texts = {"gold": pair.gold, "alias": alias, "upper": pair.gold.upper(), "lower": pair.gold.lower()}
                pred = form.format(**texts, question=pair.question, spread="\u200b".join(pair.gold))
                yield Case(name, golds, pred, pair.question, True)


def sample(part: str, questions: int) -> list[tuple[MinimalPair, tuple[str, ...]]]:
    """Return questions with a gold answer, a close miss of the same type, and up to ``GOLDS`` gold answers.

    The close miss is the gold answer of the next question with one of the same type and number of words.
    """
    if part not in ("dev", "test"):
        raise unknown("part", part, ("dev", "test"))
    judged = load_evouna(cast(Part, part), path=locate(EVOUNA_NQ))
    usable = []
    for question, golds in {answer.question: answer.golds for answer in judged}.items():
        short = [gold for gold in golds if len(gold.split()) <= LONGEST and "(" not in gold and '"' not in gold]
        if short:
            usable.append((question, tuple(short[:GOLDS])))
    chosen = [usable[i] for i in np.linspace(0, len(usable) - 1, questions).astype(int)]
    kinds = {gold: _kind(gold) for _, golds in usable for gold in golds[:1]}
    found = []
    for question, golds in chosen:
        start = usable.index((question, golds))
        ordered = [others[0] for _, others in (*usable[start + 1 :], *usable[:start])]
        words = [set(gold.casefold().split()) for gold in golds]
        apart = [other for other in ordered if not any(set(other.casefold().split()) & one for one in words)]
        wrong = next((other for other in apart if kinds[other] == kinds[golds[0]]), apart[0])
        pair = MinimalPair("en", kinds[golds[0]], question, part, question, golds[0], golds[-1], wrong)
        found.append((pair, golds))
    return found


def _kind(gold: str) -> str:
    value = parse(gold)
    return f"{'text' if value is None else value.kind} {len(gold.split())} {gold[:1].isupper()}"


def verdicts(calibration: Calibration, name: str, cases: Sequence[Case], folder: Path | None) -> list[str]:
    """Return the verdict on each case by this calibration."""
    metric = answersim.metric(calibration.metric["name"], profile=calibration.metric["profile"])
    built = metric if folder is None else with_stored_parts(metric, ScoreCache(folder))
    questions = [case.question for case in cases] if name.endswith("-question") else None
    found = answersim.score_pairs([(case.golds, case.pred) for case in cases], [built], question=questions)
    (scores,) = found.values()
    listed: list[str] = decided(calibration.probability(scores)).tolist()
    return listed


def rows(cases: Sequence[Case], found: Sequence[str]) -> list[Row]:
    """Return the shares of the verdicts for each pattern, and for groups of patterns."""
    groups: dict[str, list[str]] = {}
    for case, verdict in zip(cases, found, strict=True):
        names = (case.pattern, RIGHT) if case.right else (case.pattern, *_groups(case.pattern))
        for name in names:
            groups.setdefault(name, []).append(verdict)
    return [
        Row(name, len(listed), listed.count("equivalent") / len(listed), listed.count("unsure") / len(listed))
        for name, listed in groups.items()
    ]


ALL_CHEATS, ALL_LISTS, ALL_HIDDEN = "all cheats", "lists", "comments and markup"


def _groups(pattern: str) -> tuple[str, ...]:
    extra = (ALL_LISTS,) if pattern in LISTS else (ALL_HIDDEN,) if pattern in HIDDEN else ()
    return (ALL_CHEATS, *extra)


def with_record(results: Mapping[str, Recorded], path: Path = RECORDS) -> dict[str, list[Recorded]]:
    """Return the recorded results by name, those of former signatures first, and record them."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for name, found in results.items():
        former = [run for run in known.get(name, ()) if run["signature"] != found["signature"]]
        known[name] = [*former, found]
    save(json.dumps(known, indent=1) + "\n", path)
    return known


def page(known: Mapping[str, Sequence[Recorded]]) -> str:
    """Return the page: for each calibration the oldest and the newest recorded results."""
    lines = [f"# {TITLE}", "", INTRODUCTION.strip(), ""]
    for name, runs in known.items():
        shown = {"before": runs[0], "now": runs[-1]} if len(runs) > 1 else {"now": runs[0]}
        rows_of = {when: [Row(*row) for row in run["rows"]] for when, run in shown.items()}
        lines += [f"## `{name}`", "", *(f"- {when}: `{run['signature']}`" for when, run in shown.items()), ""]
        lines += markdown_table(_table(rows_of))
    return "\n".join(lines)


def _table(results: Mapping[str, Sequence[Row]]) -> TextTable:
    """Return the table of these results, groups of patterns first."""
    header = ["pattern", "n", *(f"{name}: {verdict}" for name in results for verdict in ("equivalent", "unsure"))]
    by_name = {name: {row.pattern: row for row in found} for name, found in results.items()}
    first = next(iter(by_name.values()))
    order = (ALL_CHEATS, ALL_LISTS, ALL_HIDDEN, RIGHT)
    body = []
    for pattern in (*order, *(name for name in first if name not in order)):
        cells = [pattern, str(first[pattern].n)]
        for found in by_name.values():
            row = found[pattern]
            low, high = wilson(row.equivalent, row.n, QUANTILE)
            cells += [f"{row.equivalent:.2f} [{low:.2f}, {high:.2f}]", f"{row.unsure:.2f}"]
        body.append(tuple(cells))
    return TextTable("", tuple(header), tuple(body), ())


if __name__ == "__main__":
    typer.run(main)
