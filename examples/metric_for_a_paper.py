"""Choose a metric for a paper
===========================

Which metric agrees with your labels, and how do you report it? The labels here are those of the shipped probe: answers
that are hard for metrics, with grades by construction. Use labels of your own answers for a decision.
"""

import answersim
from answersim.catalog.papers import bibtex

probe = answersim.data.load("probe")
table = {
    "gold": [pair.gold for pair in probe.pairs],
    "pred": [pair.pred for pair in probe.pairs],
    "label": [int(label == 2) for label in probe.labels],  # the same meaning, or not
}
metrics = ["f1", "rouge-l", "meteor", "typed+recall", "bi-encoder"]
study = answersim.correlate(table, metrics, bootstrap=answersim.Bootstrap(resamples=200), tests=["bootstrap"])
for name in metrics:
    auc = study.row(name, "all").measured["auc>=1"]
    print(f"{name:13} AUC {auc.value:.2f} [{auc.low:.2f}, {auc.high:.2f}]")

# %%
# The tables for the paper, with intervals and corrected tests (in a shell: ``answersim correlate -o table.tex``):

print(study.to_latex()[:700], "...")

# %%
# What to cite (in a shell: ``answersim cite bi-encoder``), and the signature that makes the scores reproducible:

print(bibtex(["bi-encoder"]))
print(answersim.metric("bi-encoder").signature)
