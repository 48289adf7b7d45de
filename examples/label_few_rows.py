"""Label few rows
==============

What share of the answers is right, if you can label only 60 of 300?

The mean of a metric is not that share. Labels of a random sample correct it, and the scores of all answers make the
interval narrower than the labels alone would.
"""

# %%
# Scores of all answers, labels of few
# ------------------------------------
#
# The answers are those of an invented system to the questions of ``toy``. The labels of a real study come from
# annotators: ``answersim label`` draws the rows and writes a sheet.

import random

import matplotlib.pyplot as plt
import numpy as np

import answersim
import rankers

rng = random.Random(2)
questions = list(rankers.data.load("toy", "train"))
right = np.array([rng.random() < 0.7 for _ in questions])
preds = [
    rng.choice([one.text for one in question.candidates if (one.grade == 3) == good])
    for question, good in zip(questions, right, strict=True)
]
scores = answersim.score([question.golds[0] for question in questions], preds, "f1").values

labels = np.full(len(questions), np.nan)
drawn = rng.sample(range(len(questions)), 60)
labels[drawn] = right[drawn]

# %%
# The estimate
# ------------

result = answersim.estimate_mean(scores, labels)
print(f"mean score:     {scores.mean():.3f}")
print(f"corrected:      {result.value:.3f} [{result.low:.3f}, {result.high:.3f}]")
print(f"the true share: {right.mean():.3f}")
print(f"60 labels with the scores are worth {result.labels_worth:.0f} labels alone")

# %%
# More labels
# -----------
#
# Each point is an estimate from a further sample. The dashed line is the truth, which a real study does not know.

fig, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
for count in (20, 40, 80, 160):
    labels = np.full(len(questions), np.nan)
    drawn = rng.sample(range(len(questions)), count)
    labels[drawn] = right[drawn]
    estimate = answersim.estimate_mean(scores, labels)
    ends = [[estimate.value - estimate.low], [estimate.high - estimate.value]]
    axes.errorbar([count], [estimate.value], yerr=ends, fmt="o", color="tab:blue", capsize=3)
axes.axhline(right.mean(), color="gray", linestyle="--")
axes.set_xscale("log")
axes.set_xticks([20, 40, 80, 160], labels=["20", "40", "80", "160"])
axes.minorticks_off()
axes.set_xlabel("labels")
axes.set_ylabel("share right")
plt.show()
