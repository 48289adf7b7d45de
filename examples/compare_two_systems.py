"""Compare two systems
===================

Is the new system better than the old one, or is the difference noise? Which answers changed?

Both systems are invented. They answer the questions of ``toy``, which ships with the package, and the new one is right
somewhat more often.
"""

# %%
# The answers
# -----------

import random

import matplotlib.pyplot as plt

import answersim
import rankers

rng = random.Random(1)
questions = list(rankers.data.load("toy", "train"))
gold = [question.golds[0] for question in questions]


def system(share: float) -> list[str]:
    """Return one answer per question, of which this share gives the gold answer."""
    chosen = []
    for question in questions:
        good = rng.random() < share
        chosen.append(rng.choice([one.text for one in question.candidates if (one.grade == 3) == good]))
    return chosen


old, new = system(0.70), system(0.78)

# %%
# The comparison
# --------------
#
# The difference is paired, question by question. A line of the result says how small a difference this number of
# questions could have found.

answers = {"gold": gold, "old": old, "new": new}
comparison = answersim.compare(answers, "recall", pred=["old", "new"]).pair
print("\n".join(comparison.summary()))

# %%
# The answers that went wrong come first in the list of changed answers.

for row in comparison.changed[:5]:
    print(f"{row.change:12} gold {gold[row.row]!r}: {old[row.row]!r} -> {new[row.row]!r}")

# %%
# How many questions are needed?
# ------------------------------
#
# The same comparison on the first questions only: with four times as many, the interval is about half as wide.

sizes = (50, 100, 150, 200, 250, 300)
found = []
for size in sizes:
    first = {name: values[:size] for name, values in answers.items()}
    found.append(answersim.compare(first, "recall", pred=["old", "new"]).pair.difference)
fig, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
middle = [interval.value for interval in found]
below = [interval.value - interval.low for interval in found]
above = [interval.high - interval.value for interval in found]
axes.errorbar(sizes, middle, yerr=[below, above], fmt="o", capsize=3)
axes.axhline(0, color="gray", linewidth=0.8)
axes.set_xlabel("questions")
axes.set_ylabel("new less old")
plt.show()
