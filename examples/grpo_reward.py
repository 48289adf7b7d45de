"""A reward for GRPO
=================

``Reward`` scores groups of completions by rules, and gives a reason for
each.
"""

import numpy as np

from answersim import Reward
from answersim.integrations.rewards.trl import AnswerReward

golds = ["72"] * 4 + [r"\frac{1}{2}"] * 4
completions = [
    r"<think>48 / 2 = 24, and 48 + 24 = 72.</think> \boxed{72}",
    "Natalia sold 72 clips in total.",
    "The answer is 72 or 24.",
    "#### 24",
    r"So the share is \boxed{0.5}.",
    "The answer is 50 %.",
    "1/2, but that is wrong. The answer is 2.",
    "I cannot solve this.",
]  # Reward() also asks the encoder about what the rules leave
result = Reward("rules")(golds, completions)
for row, completion in zip(result.rows, completions, strict=True):
    print(f"{row.verdict:9}  {completion[:40]:40}  {row.reason}")
print(result)

# %%
# GRPO normalizes the rewards of each group of four; undecided counts as 0:

groups = np.array([score or 0 for score in result.scores]).reshape(-1, 4)
apart = groups - groups.mean(1, keepdims=True)
print(np.round(apart / (groups.std(1, keepdims=True) + 1e-4), 2))

# %%
# In TRL: ``GRPOTrainer(..., reward_funcs=[reward])``, which calls it so.

reward = AnswerReward(gold="answer", metric="rules")
print(reward(completions=completions, answer=golds))
