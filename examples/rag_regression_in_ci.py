"""Stop a regression of a RAG system in CI
=======================================

May today's system replace yesterday's? The exit status of the last line
decides in CI. In a shell: ``answersim compare yesterday.jsonl
today.jsonl --max-drop 0.02``. Replace the two lists of answers by yours.
"""

import answersim

golds = [str(year) for year in range(1700, 1950)]
questions = [f"When was bridge {i} built?" for i in range(len(golds))]
before = [f"The documents say that it was built in {y}." for y in golds]
today = [a if i % 9 else "Built in 1666." for i, a in enumerate(before)]

# %%
# The decision rests on the interval of the paired difference, so that noise
# does not block a release.

table = {"gold": golds, "q": questions, "before": before, "today": today}
how = {"pred": ["before", "today"], "question": "q", "metric": "recall"}
decision = answersim.gate(table, max_drop=0.02, **how)
print(decision)

# %%
# The answers that went wrong are what to look at first.

for row in answersim.compare(table, **how).pair.changed[:3]:
    print(f"{row.change}: {questions[row.row]} {golds[row.row]}", end="")
    print(f", not {today[row.row]!r}")

# %%
# In CI: ``raise SystemExit(decision.status)``, which is 0 (passed), 1
# (failed) or 3 (undecided).

print("exit status:", decision.status)
