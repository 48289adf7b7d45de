"""Rank answers
============

Which of several candidate answers fits a question best, and how good is a ranker?

The questions are those of the collection ``toy``, an invented world that ships with the package.
"""

# %%
# Rank candidates
# ---------------

import matplotlib.pyplot as plt

import rankers

questions = rankers.data.load("toy", "test")
question = questions.items[0]
print(question.text)
for candidate in rankers.rank(question.text, [candidate.text for candidate in question.candidates])[:3]:
    print(f"  {candidate.score:.2f}  {candidate.text}")

# %%
# Evaluate rankers
# ----------------
#
# These systems need no training. ``metrics`` compares the answer that a ranker puts first with the gold answer, as an
# answer of a question answering system is compared.

names = ("word-overlap", "minilm-biencoder", "minilm-hybrid")
found = {
    name: rankers.evaluate(rankers.run(name, questions), questions, measures=["MAP", "P@1"], metrics=["recall"])
    for name in names
}
for name, evaluation in found.items():
    print(f"{name:16}", *(f"{measure} {evaluation.mean(measure):.3f}" for measure in ("MAP", "P@1", "recall")))

# %%
# MAP of each ranker
# ------------------

fig, axes = plt.subplots(figsize=(6, 2.2), layout="constrained")
axes.barh(names, [evaluation.mean("MAP") for evaluation in found.values()])
axes.invert_yaxis()
axes.set_xlim(0, 1)
axes.set_xlabel("MAP on 120 questions")
plt.show()
