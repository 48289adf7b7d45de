"""Score as the benchmarks do
==========================

One word, several definitions: "exact match" of SQuAD, TriviaQA, DROP and
GAIA are different numbers for the same answers. Name the one you report.
"""

import answersim
from answersim.evaluation.systems.official_tables import official_table

golds = ["the Beatles", "U.S.A.", "-5", "1,000", "naïve", "3.50", "twenty"]
preds = ["Beatles", "USA", "5", "1000", "naive", "3.5", "20"]
names = ["squad", "triviaqa", "drop", "gaia", "inspect_f1"]
table = official_table({"gold": golds, "pred": preds}, profiles=names)
for line in table.summary():
    print(line)

# %%
# All definitions side by side. For a paper: ``table.to_latex()``.

print(table.to_markdown())

# %%
# Where they differ: one answer, each definition.

chosen = ("squad", "triviaqa", "gaia")
for gold, pred in zip(golds, preds, strict=True):
    print(f"{gold:15} {pred:15}", end="")
    for name in chosen:
        score = answersim.score(gold, pred, f"official:{name}")
        print(f" {name} {score:.0f}", end="")
    print()
