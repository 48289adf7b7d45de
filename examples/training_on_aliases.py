"""Train an encoder on your aliases
================================

Pairs of your entities and their other names have the label 1; a teacher
labels pairs of different ones (``python -m tools.pairs.of_aliases``
writes both from a table). Then names are close that no pair contained.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import answersim

colors = "red blue green white black yellow".split()
parts = "pump valve pipe filter tank motor".split()
alias = dict(zip(colors, "ruby azure emerald ivory onyx amber".split()))
alias |= dict(zip(parts, "mover gate line sieve barrel drive".split()))
words = [(color, part) for color in colors for part in parts]
names = [(f"{c} {p}", f"{alias[c]} {alias[p]}") for c, p in words]
held_out = names[::7]  # one of each color, and of each part
known = [pair for pair in names if pair not in held_out]
rows = [f"{first},{second},1" for first, second in known]
rows += [f"{a[0]},{b[0]}," for a, b in zip(known, known[7:] + known[:7])]
rows = [f"{r},{'train' if i % 7 else 'dev'}" for i, r in enumerate(rows)]
run, head = Path(tempfile.mkdtemp()), "first,second,label,split"
(run / "pairs.csv").write_text("\n".join([head, *rows]))
command = "train names --pairs pairs.csv --keep-split --no-test -o new "
command += "--option epochs=12 --option batch_size=8 --no-regression-report"
call = [sys.executable, "-m", "answersim", *command.split()]
subprocess.run(call, cwd=run, check=True)
# %%
# On names that the pairs lack, an alias should be closest to its entity.
trained = answersim.metric("bi-encoder", adapter=str(run / "new/adapter"))
golds, preds = zip(*((n, a) for n, _ in held_out for _, a in held_out))
for when, metric in (("before", "bi-encoder"), ("after", trained)):
    found = answersim.score(list(golds), list(preds), metric).values
    right = (found.reshape(6, 6).argmax(1) == range(6)).sum()
    print(f"{when}: the nearest alias is right for {right} of 6")
