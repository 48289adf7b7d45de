"""Score German answers
====================

State the language: numbers, dates and units are then read as German, and
texts are split as German.
"""

import answersim

golds = ["elf", "3. Oktober 1990", "zwölf Prozent", "1.500 Meter", "Nein"]
preds = ["11", "03.10.1990", "12 %", "1500 m", "Ja"]
golds += ["Angela Merkel", "drei Jahre"]
preds += ["die Kanzlerin A. Merkel", "vier Jahre"]

german = answersim.score(golds, preds, "typed+recall", lang="de").values
english = answersim.score(golds, preds, "typed+recall", lang="en").values
print(f"{'gold':16} {'prediction':24} de    en")
for gold, pred, *both in zip(golds, preds, german, english, strict=True):
    print(f"{gold:16} {pred:24} {both[0]:.2f}  {both[1]:.2f}")

# %%
# Why two answers are equal or different:

for gold, pred in zip(golds, preds, strict=True):
    found = answersim.answers.typed.compare(gold, pred, lang="de")
    print(f"{gold} / {pred}: {found.relation}")

# %%
# How many are right. The shipped calibrations are of English answers, so a
# threshold states what counts.

table = {"gold": golds, "pred": preds}
metric = answersim.metric("typed+recall", lang="de")
right = answersim.Verdicts(threshold=0.5)
found = answersim.evaluate(table, metric, lang="de", calibration=right)
print(found.summary()[0])
