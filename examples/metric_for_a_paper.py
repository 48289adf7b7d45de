"""Choose a metric for a paper
===========================

Which metric agrees with your labels, and how do you report it? The labels
here are those of the shipped probe: answers that are hard for metrics, with
grades by construction. Use labels of your own answers for a decision.
"""

import answersim
from answersim.metrics.catalog.papers import bibtex

probe = answersim.evaluation.data.load("probe")
same = [int(label == 2) for label in probe.labels]  # the same meaning
golds, preds = zip(*((p.gold, p.pred) for p in probe.pairs), strict=True)
table = {"gold": golds, "pred": preds, "label": same}
metrics = ["f1", "rouge-l", "meteor", "typed+recall", "bi-encoder"]
few = answersim.Bootstrap(resamples=200)
study = answersim.correlate(table, metrics, bootstrap=few)
for name in metrics:
    auc = study.row(name, "all").measured["auc>=1"]
    print(f"{name:13} AUC {auc.value:.2f} [{auc.low:.2f}, {auc.high:.2f}]")

# %%
# The tables for the paper, with intervals and corrected tests. In a shell:
# ``answersim correlate -o table.tex``.

print(study.to_latex()[:700], "...")

# %%
# What to cite, and the signature that makes the scores reproducible. In a
# shell: ``answersim show bi-encoder``.

print(bibtex("bi-encoder"))
print(answersim.metric("bi-encoder").signature)
