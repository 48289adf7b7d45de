"""Values and names in several spellings: what the rules pay, and what they never call equal or near."""

from pathlib import Path

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
