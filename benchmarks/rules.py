"""What is each group of rules worth? Verdicts that it turns right and wrong, on judged answers and on made cases.

    ANSWERSIM_DATA=... python -m benchmarks.rules
    ANSWERSIM_DATA=... python -m benchmarks.rules --metrics typed+recall --cases cases.jsonl

Each group of relations (equal dates, different numbers ...) is switched off in turn, so that the model or the words
decide these pairs. A verdict is right if it is "equivalent" for an answer that annotators call right, or "different"
for one that they call wrong. The table has, by set, the verdicts that become right and wrong through the group. No
adapter was trained on the questions of these sets, apart from SAF, which has German answers and answers on networks.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import answersim
from answersim._base.runtime.cli_errors import user_errors
from answersim.answers.relation import Relation
from answersim.answers.text.markup import visible_pair
from answersim.answers.typed.comparison import no_opinion
from answersim.calibration.model.decision import decided
from answersim.calibration.storing import find
from answersim.evaluation.data.fetch import DATA_VARIABLE
from answersim.metrics.composite.ensemble import AnswerSimilarity
from answersim.metrics.composite.relations import relations
from answersim.metrics.composite.typed import TypedMetric
from answersim.scoring.cache import ScoreCache
from answersim.scoring.cache import score_all as score_all_cached
from answersim.scoring.metrics import signed
from answersim.types import Pair
from benchmarks.options import FORM, run_program, write_out
from benchmarks.system_answers import EVOUNA_NQ, SystemAnswer, load_diver, load_efficientqa, load_evouna, locate
from benchmarks.tables import Format, Table, render

METRICS = ("answersim", "typed+recall")
FILE = Path(__file__).with_suffix(".tsv")  # a group of rules per row
NONE = no_opinion("the group is off")
RIGHT, WRONG = 0.75, 0.25  # the least and the highest label of a right and a wrong answer of SAF


class Group(NamedTuple):
    """Rules that are switched off together: those of a relation, by the kind of value or by the rule."""

    name: str  # their name
    relation: str  # the relation
    field: str  # "kind", "rule", or "other kind" for the kinds of no other group
    values: frozenset[str]  # the kinds or rules

    def holds(self, found: Relation) -> bool:
        """Return whether a relation comes from these rules."""
        value = found.rule if self.field == "rule" else found.kind
        return found.relation == self.relation and (value in self.values) != self.field.startswith("other")


def groups() -> list[Group]:
    """Return the groups of ``rules.tsv``."""
    with FILE.open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file, delimiter="\t")
    rows = [Group(name, relation, field, frozenset(values.split("|"))) for name, relation, field, values in lines]
    known = frozenset[str]().union(*(group.values for group in rows if group.field == "kind"))
    return [group._replace(values=known) if group.field.startswith("other") else group for group in rows]


GROUPS = groups()


class Judged(NamedTuple):
    """Answers with labels."""

    name: str  # the name of the set
    golds: Sequence[Sequence[str]]  # the gold answers of each row
    preds: Sequence[str]  # one prediction per row
    questions: Sequence[str]  # one per row, "" for none
    right: NDArray[np.bool_]  # whether each prediction is right, shape (n,)


class Effect(NamedTuple):
    """What a group does on one set."""

    fires: int  # the rows with a relation of the group
    to_right: int  # verdicts that are right with the group only
    to_wrong: int  # verdicts that are wrong with the group only
    lost: int  # right verdicts that the group takes away


def judged_sets(cases: Path | None) -> Iterator[Judged]:
    """Yield the sets of human labels that no adapter was trained on, SAF, the probe, and a file of cases."""
    yield _of_answers("TriviaQA", load_evouna("test"))
    yield _of_answers("NQ", load_evouna("test", path=locate(EVOUNA_NQ)))
    yield _of_answers("EfficientQA-906", [a for a in load_efficientqa(nq_open_sas=False) if a.part == "test"])
    yield _of_answers("DIVER-QA", load_diver("test"))
    for lang in ("english", "german"):
        lines = (Path(os.environ[DATA_VARIABLE]) / f"judged/saf-{lang}-train.jsonl").read_text(encoding="utf-8")
        rows = [row for row in map(json.loads, lines.splitlines()) if not WRONG < float(row["score"]) < RIGHT]
        yield _of_rows(f"SAF {lang}", rows, [float(row["score"]) >= RIGHT for row in rows])
    probe = answersim.evaluation.data.load("probe")
    labels = np.asarray(probe.labels)
    sure = [i for i, label in enumerate(labels) if label <= WRONG * labels.max() or label >= RIGHT * labels.max()]
    golds, preds = [[probe.pairs[i].gold] for i in sure], [probe.pairs[i].pred for i in sure]
    asked = [probe.questions[i] if probe.questions else "" for i in sure]
    yield Judged("probe", golds, preds, asked, labels[sure] >= RIGHT * labels.max())
    if cases is not None:
        rows = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
        yield _of_rows("cases", rows, [bool(row["right"]) for row in rows])


def _of_rows(name: str, rows: Sequence[Mapping[str, Any]], right: Sequence[bool]) -> Judged:
    golds = [row["gold"] if isinstance(row["gold"], list) else [row["gold"]] for row in rows]
    return Judged(name, golds, [row["pred"] for row in rows], [row["question"] for row in rows], np.array(right))


def _of_answers(name: str, answers: Sequence[SystemAnswer]) -> Judged:
    right = np.array([bool(answer.verdict) for answer in answers])
    preds, questions = [answer.answer for answer in answers], [answer.question for answer in answers]
    return Judged(name, [answer.golds for answer in answers], preds, questions, right)


def effects(metric: AnswerSimilarity | TypedMetric, judged: Judged, cache: ScoreCache | None) -> dict[str, Effect]:
    """Return the effect of each group on one set, and that of all groups together as "all rules"."""
    pairs = [Pair(gold, pred) for golds, pred in zip(judged.golds, judged.preds, strict=True) for gold in golds]
    rows = np.repeat(np.arange(len(judged.preds)), [len(golds) for golds in judged.golds])
    questions = [judged.questions[row] for row in rows.tolist()]
    visible = [Pair(*visible_pair(*pair)) for pair in pairs]
    columns = score_all_cached(list(metric.parts), visible, questions, cache)
    found = relations(pairs, questions, metric.lang)
    calibration = find("shipped", signed(metric, any(questions)))

    def verdicts(related: Sequence[Relation]) -> NDArray[np.str_]:
        best = np.full(len(judged.preds), -np.inf)
        np.maximum.at(best, rows, metric.related(pairs, columns, related))
        return np.asarray(decided(calibration.probability(best)))

    full = verdicts(found)
    listed = {}
    fired = {group.name: [group.holds(relation) for relation in found] for group in GROUPS}
    fired["all rules"] = [relation.relation != "none" or bool(relation.rule) for relation in found]
    for name, fires in ((name, np.array(column)) for name, column in fired.items()):
        if fires.any():
            related = [NONE if fire else relation for fire, relation in zip(fires, found, strict=True)]
            listed[name] = _effect(full, verdicts(related), judged.right, len(np.unique(rows[fires])))
    return listed


def _effect(with_group: NDArray[np.str_], without: NDArray[np.str_], right: NDArray[np.bool_], fires: int) -> Effect:
    wanted = np.where(right, "equivalent", "different")
    opposite = np.where(right, "different", "equivalent")
    changed = with_group != without
    return Effect(
        fires,
        int((changed & (with_group == wanted)).sum()),
        int((changed & (with_group == opposite)).sum()),
        int((changed & (without == wanted)).sum()),
    )


def table(name: str, by_set: Mapping[str, Mapping[str, Effect]]) -> Table:
    """Return a row per group: by set, the rows where it fires, and the verdicts that it turns right and wrong."""
    groups = dict.fromkeys(group for listed in by_set.values() for group in listed)
    rows = []
    for group in groups:
        cells = []
        for listed in by_set.values():
            effect = listed.get(group)
            cells.append(
                "" if effect is None else f"{effect.fires}: +{effect.to_right} -{effect.to_wrong + effect.lost}"
            )
        total = [listed[group] for listed in by_set.values() if group in listed]
        net = sum(effect.to_right - effect.to_wrong - effect.lost for effect in total)
        rows.append((group, *cells, f"{net:+d}"))
    notes = ["per set: rows where the group fires, verdicts turned right, verdicts turned wrong or lost"]
    return Table.of(f"Rules of {name}", ["group", *by_set, "net"], rows, notes)


def main(
    metrics: Annotated[str, typer.Option(help="Names, separated by commas.")] = ",".join(METRICS),
    cases: Annotated[Path | None, typer.Option(help="JSON lines with gold, pred, question and right.")] = None,
    cache: Annotated[Path | None, typer.Option(help="A folder that stores the scores of networks.")] = None,
    output: Annotated[Path | None, typer.Option(help="A CSV file for all counts.")] = None,
    form: Format = FORM,
) -> None:
    """Print what each group of rules turns right and wrong."""
    with user_errors():
        store = None if cache is None else ScoreCache(cache)
        sets = list(judged_sets(cases))
        lines = []
        for name in metrics.split(","):
            metric = answersim.metric(name)
            if not isinstance(metric, (AnswerSimilarity, TypedMetric)):
                raise ValueError(f"{name} has no groups of rules; use answersim or typed+NAME")
            by_set = {judged.name: effects(metric, judged, store) for judged in sets}
            write_out(render([table(name, by_set)], [], form), None)
            lines += [[name, s, group, *effect] for s, listed in by_set.items() for group, effect in listed.items()]
        if output is not None:
            with output.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([["metric", "set", "group", *Effect._fields], *lines])


if __name__ == "__main__":
    run_program(main)
