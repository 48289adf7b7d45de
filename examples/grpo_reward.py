"""A reward for GRPO
=================

``Reward`` scores groups of completions by rules, with a reason for each, and never turns what it cannot read into 0.
"""

import numpy as np

from answersim import Reward
from answersim.integrations.trl import AnswerReward

golds = ["72", "72", "72", "72", r"\frac{1}{2}", r"\frac{1}{2}", r"\frac{1}{2}", r"\frac{1}{2}"]
completions = [
    r"<think>48 / 2 = 24, and 48 + 24 = 72.</think> \boxed{72}",
    "Natalia sold 72 clips in total.",
    "The answer is 72 or 24.",
    "#### 24",
    r"So the share is \boxed{0.5}.",
    "The answer is 50 %.",
    "1/2, but that is wrong. The answer is 2.",
    "I cannot solve this.",
]
result = Reward("rules")(golds, completions)  # Reward() also asks the encoder about what the rules leave
for row, completion in zip(result.rows, completions, strict=True):
    print(f"{row.score:.0f}  {completion[:40]:40}  {row.reason}")
print(result)

# %%
# GRPO normalizes the rewards of each group of four completions:

groups = np.array(result.scores, dtype=float).reshape(-1, 4)
print(np.round((groups - groups.mean(1, keepdims=True)) / (groups.std(1, keepdims=True) + 1e-4), 2))

# %%
# In TRL: ``GRPOTrainer(..., reward_funcs=[AnswerReward(gold="answer", metric="rules")])``, which is called like this.

print(AnswerReward(gold="answer", metric="rules")(completions=completions, answer=golds))
