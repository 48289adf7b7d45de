"""Train an encoder on your aliases
================================

Pairs of your entities and their other names have the label 1. A teacher
labels pairs of different entities. Training makes an adapter with which
these names are close, also in combinations that the pairs lack. For a table
of aliases, ``python -m tools.weights.pairs_of_aliases`` writes such pairs.
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
known = [pair for pair in names if pair not in held_out]
rows = [f"{name},{alias},1" for name, alias in known]
rows += [f"{a[0]},{b[0]}," for a, b in zip(known, known[7:] + known[:7])]
run = Path(tempfile.mkdtemp())
lines = [
    f"{row},{'dev' if i % 7 == 3 else 'train'}"
    for i, row in enumerate(rows)
]
(run / "pairs.csv").write_text(
    "\n".join(["first,second,label,split", *lines, ""])
)
words = "train names --pairs pairs.csv --keep-split --output run --no-test"
words += " --teacher bi-encoder --option epochs=12 --option batch_size=8"
words += " --no-regression-report"
call = [sys.executable, "-m", "answersim", *words.split()]
subprocess.run(call, cwd=run, check=True)

# %%
# On names that the pairs lack, an alias should be closest to its entity.

trained = answersim.metric("bi-encoder", adapter=str(run / "run/adapter"))
golds, preds = zip(*((n, a) for n, _ in held_out for _, a in held_out))
for when, metric in (("before", "bi-encoder"), ("after", trained)):
    found = answersim.score(list(golds), list(preds), metric).values
    nearest = found.reshape(6, 6).argmax(1) == range(6)
    print(f"{when}: the nearest alias is right for {nearest.sum()} of 6")
