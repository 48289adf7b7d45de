"""Train an encoder on your aliases
================================

A table has your entities and their other names. Training makes an adapter
with which these names are close, also in combinations that the table lacks.
``answersim train aliases --table FILE`` has better sizes than this example.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import answersim

colors = "red blue green white black yellow".split()
parts = "pump valve pipe filter tank motor".split()
others = dict(zip(colors, "ruby azure emerald ivory onyx amber".split()))
others |= dict(zip(parts, "mover gate line sieve barrel drive".split()))
pairs = [(color, part) for color in colors for part in parts]
names = [(f"{c} {p}", f"{others[c]} {others[p]}") for c, p in pairs]
held_out = names[::7]  # one of each color, and of each part
table = [",".join(pair) for pair in names if pair not in held_out]
run = Path(tempfile.mkdtemp())
(run / "aliases.csv").write_text("\n".join(["entity,alias", *table, ""]))
words = "train aliases --table aliases.csv --output run --seed 0 --no-test"
words += " --teacher bi-encoder --option epochs=12 --option batch_size=8"
words += " --no-regression-report"
call = [sys.executable, "-m", "answersim", *words.split()]
subprocess.run(call, cwd=run, check=True)

# %%
# On names that the table lacks, an alias should be closest to its entity.

trained = answersim.metric("bi-encoder", adapter=str(run / "run/adapter"))
golds, preds = zip(*((n, a) for n, _ in held_out for _, a in held_out))
for when, metric in (("before", "bi-encoder"), ("after", trained)):
    found = answersim.score(list(golds), list(preds), metric).values
    nearest = found.reshape(6, 6).argmax(1) == range(6)
    print(f"{when}: the nearest alias is right for {nearest.sum()} of 6")
