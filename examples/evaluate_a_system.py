"""Evaluate a system
=================

How many answers of a system are right, how sure is that, and which ones are wrong?

The system is invented. It answers the questions of ``toy``, a collection about an invented world that ships with the
package: with a sentence that gives the gold answer or, in about one of four cases, with one that does not. The true
share of right answers is therefore known.
"""

# %%
# The answers
# -----------

import random

import matplotlib.pyplot as plt
import numpy as np

import answersim
import rankers

rng = random.Random(0)
questions = list(rankers.data.load("toy", "train"))[:200]
right = np.array([rng.random() < 0.75 for _ in questions])
answers = {
    "question": [question.text for question in questions],
    "gold": [question.golds[0] for question in questions],
    "pred": [
        rng.choice([candidate.text for candidate in question.candidates if (candidate.grade == 3) == good])
        for question, good in zip(questions, right, strict=True)
    ],
}
print(f"{right.mean():.0%} of the answers are right")

# %%
# The evaluation
# --------------
#
# ``recall`` needs no network: it is the share of the words of the gold answer that the prediction has. Its shipped
# calibration turns scores into verdicts.

evaluation = answersim.evaluate(answers, "recall", question="question", progress=False)
print(evaluation.to_text(shown=5))

# %%
# The scores of right and wrong answers
# -------------------------------------
#
# Most answers that are not right share no word with the gold answer. Those that share some are the ones to look at.

scores = answersim.score(answers["gold"], answers["pred"], "recall").values
fig, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
axes.hist([scores[right], scores[~right]], bins=10, label=["right", "not right"])
axes.set_xlabel("recall")
axes.set_ylabel("answers")
axes.legend()
plt.show()
