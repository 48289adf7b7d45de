"""Choose a metric
===============

Which metric agrees with human labels on your answers?

``answersim.correlate`` computes metrics on labeled answers and correlates them with the labels. Here the labels are
those of the shipped probe: 632 answers in English that are hard for metrics, with grades 0, 1 and 2.
"""

# %%
# The study
# ---------

import matplotlib.pyplot as plt
import numpy as np

import answersim

probe = answersim.data.load("probe")
table = {
    "gold": [pair.gold for pair in probe.pairs],
    "pred": [pair.pred for pair in probe.pairs],
    "label": list(probe.labels),
}
metrics = ("f1", "recall", "rouge-l", "meteor", "typed+f1", "bi-encoder")
study = answersim.correlate(table, metrics, bootstrap=answersim.Bootstrap(resamples=200), compare=())
for name in metrics:
    found = study.row(name, "all").measured
    print(f"{name:12} tau-b {found['tau-b'].value:+.2f}, AUC of the grade 2: {found['auc>=2'].value:.2f}")

# %%
# The probe contains adversarial answers, so that agreement is lower than on answers of real systems. Use labels of your
# own answers for a decision.
#
# Agreement with its interval
# ---------------------------

rows = [study.row(name, "all").measured["tau-b"] for name in metrics]
fig, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
places = np.arange(len(metrics))
ends = [[row.value - row.low for row in rows], [row.high - row.value for row in rows]]
axes.errorbar([row.value for row in rows], places, xerr=ends, fmt="o", capsize=3)
axes.set_yticks(places, labels=metrics)
axes.invert_yaxis()
axes.set_xlabel("tau-b with the labels")
plt.show()
