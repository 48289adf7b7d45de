"""Score as the benchmarks do
==========================

One word, several definitions: "exact match" of SQuAD, TriviaQA, DROP and GAIA are different numbers for the same
answers. Name the definition that you report.
"""

import answersim
from answersim.evaluation.official_tables import official_table

golds = ["the Beatles", "U.S.A.", "-5", "1,000", "naïve", "3.50", "Rome and Paris", "twenty"]
preds = ["Beatles", "USA", "5", "1000", "naive", "3.5", "Paris and Rome", "20"]
profiles = ["squad", "triviaqa", "drop", "gaia", "lmeval_triviaqa", "inspect_f1"]
table = official_table({"gold": golds, "pred": preds}, profiles=profiles)
for line in table.summary():
    print(line)

# %%
# All definitions side by side. ``table.to_latex()`` is the same for a paper.

print(table.to_markdown())

# %%
# Where they differ: one answer, each definition.

for gold, pred in zip(golds, preds, strict=True):
    scores = {name: answersim.score(gold, pred, f"official:{name}") for name in ("squad", "triviaqa", "gaia")}
    print(f"{gold:15} {pred:15}", *(f"{name} {score:.0f}" for name, score in scores.items()))
