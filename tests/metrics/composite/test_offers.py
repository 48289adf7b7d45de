"""An answer that names the gold answer and something else is not equivalent, and no reward pays it."""

from pathlib import Path

import pytest

import answersim

_, *LINES = (Path(__file__).with_name("offers.tsv")).read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in LINES]
# A score of the words alone that counts as right. It is above what a pair that the rules hold can have.
EQUIVALENT = 0.8


@pytest.mark.parametrize("lang", list(dict.fromkeys(row[3] for row in ROWS)))
def test_a_second_value_or_a_percent_sign_is_not_equivalent(lang: str) -> None:
    rows = [row for row in ROWS if row[3] == lang]
    golds, preds, questions = ([row[i] for row in rows] for i in range(3))
    scores = answersim.score(golds, preds, "typed+recall", question=questions, lang=lang)
    rewards = answersim.Reward("rules", lang=lang)(golds, preds, question=questions).scores
    wrong = []
    for (gold, pred, *_, expected), score, reward in zip(rows, scores, rewards, strict=True):
        is_paid = reward is not None and reward >= 0.5
        agrees = {
            "not equivalent": score < EQUIVALENT and not is_paid,
            "not different": score > 0.1,
            "equivalent": score >= EQUIVALENT,
            "equivalent, paid": score >= EQUIVALENT and is_paid,
        }[expected]
        if not agrees:
            wrong.append((gold, pred, expected, score, reward))
    assert wrong == []
