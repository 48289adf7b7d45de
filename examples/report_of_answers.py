"""A report of real answers
========================

How many answers of five systems are right, and which ones are not? These
are 300 answers to TriviaQA and NQ that people judged. In a shell:
``answersim evaluate FILE --question question -o report.html``.
"""

import tempfile
from pathlib import Path

import answersim

data = answersim.evaluation.data.load("evouna")
golds, preds = zip(*data.pairs, strict=True)
table = {"gold": golds, "pred": preds, "question": data.questions}
table |= {"system": data.categories, "label": data.labels}
how = {"question": "question", "by": ["system"], "labels": "label"}
evaluation = answersim.evaluate(table, "recall", **how)
print("\n".join(evaluation.summary()))

# %%
# The report is one page that loads nothing: it searches, filters and sorts
# the answers.

path = Path(tempfile.mkdtemp()) / "report.html"
answersim.write_report(evaluation, path)
print(f"{path.name} has {path.stat().st_size // 1000} kB")

# %%
# Its tables, as a notebook shows them:

evaluation
