"""Stop a regression of a RAG system in CI
=======================================

May today's system replace yesterday's? The exit status of the last line decides in CI. In a shell, this is
``answersim gate yesterday.jsonl today.jsonl --max-drop 0.02``. The answers are made: replace the two lists by yours.
"""

import answersim

years = range(1700, 1950)
questions = [f"When was bridge {i} built?" for i, _ in enumerate(years, 1)]
golds = [str(year) for year in years]
yesterday = [f"The documents say that it was built in {year}." for year in years]
today = [answer if i % 9 else "It was built in 1666." for i, answer in enumerate(yesterday)]

# %%
# The decision rests on the interval of the paired difference, so that noise does not block a release.

table = {"question": questions, "gold": golds, "yesterday": yesterday, "today": today}
decision = answersim.gate(table, 0.02, pred=["yesterday", "today"], question="question", metric="recall")
print(decision)

# %%
# The answers that went wrong are what to look at first.

comparison = answersim.compare(table, "recall", pred=["yesterday", "today"], question="question").pair
for row in comparison.changed[:3]:
    print(f"{row.change}: {questions[row.row]} {golds[row.row]}, not {today[row.row]!r}")

# %%
# In CI: ``raise SystemExit(decision.status)``, which is 0 (passed), 1 (failed) or 3 (undecided).

print("exit status:", decision.status)
