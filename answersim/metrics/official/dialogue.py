"""Questions in a conversation, with several annotators: CoQA and QuAC, leave one out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from answersim.metrics.official.squad_rules import Number, added, best, exact, f1_squad1, f1_squad2

# Domains of sources, and their groups.
_DATA = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_CANNOT = "CANNOTANSWER"


def coqa(golds: list[str], pred: str) -> dict[str, Any]:
    """Score as the owner of CoQA: for several gold answers, the mean over the best scores without one of them.

    Raise ValueError if there are no gold answers.

    Source: ``scripts/evaluate-v1.0.py`` (Reddy et al. 2019).
    """
    return {
        "em": _leave_one_out(lambda gold, answer: int(exact(gold, answer)), golds, pred),
        "f1": _leave_one_out(f1_squad2, golds, pred),
    }


def _leave_one_out(score: Callable[[str, str], Number], golds: Sequence[str], pred: str) -> float:
    if len(golds) < 2:
        return float(best(score, golds, pred))
    values = [score(gold, pred) for gold in golds]
    return added(max(values[:i] + values[i + 1 :]) for i in range(len(values))) / len(values)


def coqa_table(stories: Sequence[Mapping[str, Any]], results: Sequence[Any]) -> dict[str, Any]:
    """Return the table of the model by domain, and that of the annotators if every turn has two of them.

    ``stories``: objects with "source" and "turns" (golds, pred; None is a missing prediction, which scores 0).
    ``results``: not used: the rule scores turns by story.
    """
    model: dict[str, list[Any]] = {name: [] for name in _DATA["domains"].values()}
    human: dict[str, list[Any]] = {name: [] for name in _DATA["domains"].values()}
    for story in stories:
        domain = _DATA["domains"][story["source"]]
        for turn in story["turns"]:
            golds, pred = turn["golds"], turn["pred"]
            model[domain].append({"em": 0.0, "f1": 0.0} if pred is None else coqa(golds, pred))
            human[domain].append(_annotators(golds))
    table = {"model": _by_domain(model)}
    if all(score is not None for scores in human.values() for score in scores):
        table["human"] = _by_domain(human)
    return table


def _annotators(golds: Sequence[str]) -> dict[str, float] | None:
    """Return the mean score of each annotator against the others; None if there is one only."""
    if len(golds) < 2:
        return None
    em, f1 = 0.0, 0.0
    for i, answer in enumerate(golds):
        others = [*golds[:i], *golds[i + 1 :]]
        em += best(exact, others, answer)
        f1 += best(f1_squad2, others, answer)
    return {"em": em / len(golds), "f1": f1 / len(golds)}


def _by_domain(scores: Mapping[str, list[Any]]) -> dict[str, Any]:
    groups = {name: [name] for name in scores} | _DATA["groups"] | {"overall": list(scores)}
    table = {}
    for name, domains in groups.items():
        turns = [score for domain in domains for score in scores[domain]]
        means = {key: round(added(turn[key] for turn in turns) / max(1, len(turns)) * 100, 1) for key in ("em", "f1")}
        table[name] = means | {"turns": len(turns)}
    return table


def quac(golds: list[str], pred: str, *, context: str = "") -> dict[str, Any]:
    """Score as the owner of QuAC: F1 of the model and of the annotators, leave one out.

    ``golds``: the answers of all annotators, as they are. ``context``: the passage, which decides the label of the
    overlap only.

    Source: ``evals/quac_eval.py`` (Choi et al. 2018).
    """
    references = cannot_handled(golds)
    return {
        "refs": references,
        "human_f1": _human_f1(references),
        "f1": _leave_one_out(_span_f1, references, pred),
        "overlap": _overlap(references, pred, context),
    }


def cannot_handled(golds: Sequence[str]) -> list[str]:
    """Return only CANNOTANSWER if at least half of the answers are that, else the other answers."""
    spans = [gold for gold in golds if gold != _CANNOT]
    return [_CANNOT] if 2 * len(spans) <= len(golds) else spans


def _span_f1(gold: str, pred: str) -> Number:
    return float(pred == _CANNOT) if gold == _CANNOT else f1_squad1(gold, pred)


def _human_f1(references: Sequence[str]) -> float:
    if len(references) == 1:
        return 1.0
    return added(
        max(f1_squad1(reference, reference_of_others) for j, reference_of_others in enumerate(references) if j != i)
        for i, reference in enumerate(references)
    ) / len(references)


def _overlap(references: Sequence[str], pred: str, context: str) -> str:
    """Return the label of the first reference with the highest F1."""
    gold = max(references, key=lambda reference: _span_f1(reference, pred))
    if gold == _CANNOT:
        return "Exact match" if pred == _CANNOT else "No overlap"
    start, gold_start = context.find(pred), context.find(gold)
    if -1 in (start, gold_start):
        return "Span indexing error"
    if exact(gold, pred):
        return "Exact match"
    touches = max(start, gold_start) <= min(start + len(pred), gold_start + len(gold))
    return "Partial overlap" if touches else "No overlap"


def quac_table(
    dialogues: Sequence[Sequence[Mapping[str, Any]]], results: Sequence[Any], *, min_f1: float = 0.4
) -> dict[str, Any]:
    """Return F1, HEQ and DHEQ, the unfiltered F1, and the accuracies of yes/no, follow-up and unanswerable questions.

    ``dialogues``: the questions of each dialogue: golds, pred (None is missing), and the gold and predicted values of
    "yesno" and "followup". ``results``: not used: the rule scores questions by dialogue. ``min_f1``: questions whose
    annotators agree less count in the unfiltered F1 only. Raise ZeroDivisionError if no unanswerable question is left.
    """
    f1, unfiltered, yesno, followup, cannot = (list[float]() for _ in range(5))
    equal = questions = dialogues_equal = 0
    for dialogue in dialogues:
        as_good = True
        for row in dialogue:
            references, pred = cannot_handled(row["golds"]), row["pred"]
            human = _human_f1(references)
            if pred is None:
                for column in (f1, unfiltered, yesno, followup):
                    column.append(0.0)
                if references == [_CANNOT]:
                    cannot.append(0.0)
                questions += 1
                as_good = False
                continue
            score = _leave_one_out(_span_f1, references, pred)
            unfiltered.append(score)
            if human < min_f1:
                continue
            if references == [_CANNOT]:
                cannot.append(score)
            f1.append(score)
            yesno.append(float(row["pred_yesno"] == row["gold_yesno"]))
            followup.append(float(row["pred_followup"] == row["gold_followup"]))
            questions += 1
            equal += score >= human
            as_good = as_good and score >= human
        dialogues_equal += as_good
    return {
        "unfiltered_f1": _mean(unfiltered),
        "f1": _mean(f1),
        "HEQ": 100.0 * equal / questions,
        "DHEQ": 100.0 * dialogues_equal / len(dialogues),
        "yes/no": _mean(yesno),
        "followup": _mean(followup),
        "unanswerable_acc": _mean(cannot),
    }


def _mean(values: Sequence[float]) -> float:
    return 100.0 * added(values) / len(values)
