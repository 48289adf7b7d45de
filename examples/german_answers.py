"""Score German answers
====================

State the language: numbers, dates and units are then read as German, and texts are split as German.
"""

import answersim

golds = ["elf", "3. Oktober 1990", "zwölf Prozent", "1.500 Meter", "Angela Merkel", "Nein", "drei Jahre"]
preds = ["11", "03.10.1990", "12 %", "1500 m", "die Kanzlerin A. Merkel", "Ja", "vier Jahre"]

german = answersim.score(golds, preds, "typed+recall", lang="de")
english = answersim.score(golds, preds, "typed+recall", lang="en")
print(f"{'gold':16} {'prediction':24} de    en")
for gold, pred, right, wrong in zip(golds, preds, german.values, english.values, strict=True):
    print(f"{gold:16} {pred:24} {right:.2f}  {wrong:.2f}")

# %%
# Why two answers are equal or different:

for gold, pred in zip(golds, preds, strict=True):
    found = answersim.typed.compare(gold, pred, lang="de")
    print(f"{gold} / {pred}: {found.relation}")

# %%
# How many are right. The shipped calibrations are of English answers, so a threshold states what counts.

evaluation = answersim.evaluate(
    {"gold": golds, "pred": preds}, answersim.metric("typed+recall", lang="de"), lang="de",
    calibration=answersim.Verdicts(threshold=0.5), progress=False,
)  # fmt: skip
print(evaluation.summary()[0])
