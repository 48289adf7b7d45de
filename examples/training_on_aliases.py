"""Train an encoder on your aliases
================================

A table has your entities and their other names. Training makes a small adapter with which these names are close, also
in combinations that the table lacks. The sizes are small: ``answersim train aliases --table FILE`` has better defaults.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import answersim

colors = {"red": "ruby", "blue": "azure", "green": "emerald", "white": "ivory", "black": "onyx", "yellow": "amber"}
parts = {"pump": "mover", "valve": "gate", "pipe": "line", "filter": "sieve", "tank": "barrel", "motor": "drive"}
names = [(f"{color} {part}", f"{colors[color]} {parts[part]}") for color in colors for part in parts]
held_out, table = names[::7], [pair for i, pair in enumerate(names) if i % 7]  # one of each color, and of each part

folder = Path(tempfile.mkdtemp())
(folder / "aliases.csv").write_text("entity,alias\n" + "".join(f"{name},{alias}\n" for name, alias in table))
words = ["--table", "aliases.csv", "--output", "run", "--teacher", "bi-encoder", "--epochs", "12", "--batch-size", "8"]
words += ["--no-test", "--no-regression-report", "--seed", "0"]
subprocess.run([sys.executable, "-m", "answersim", "train", "aliases", *words], cwd=folder, check=True)

# %%
# Before and after, on names that the table lacks: an alias should be closer to its own entity than to the others.

trained = answersim.metric("bi-encoder", adapter=str(folder / "run" / "adapter"))
pairs = [(name, alias) for name, _ in held_out for _, alias in held_out]
for when, metric in (("before", "bi-encoder"), ("after", trained)):
    scores = answersim.score(*map(list, zip(*pairs, strict=True)), metric).values.reshape(len(held_out), -1)
    others, found = (scores.sum() - scores.trace()) / 30, (scores.argmax(1) == range(6)).sum()
    print(f"{when}: {scores.trace() / 6:.2f} with its alias, {others:.2f} with others; nearest for {found} of 6 names")
