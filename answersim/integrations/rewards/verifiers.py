"""A reward function for verifiers: of a task of its version 1, or ``Rubric(funcs=[AnswerReward()])`` of older ones."""

from __future__ import annotations

from typing import Any

from answersim.integrations.shared.completions import completion_text, question_text, reward_of
from answersim.scoring.reward.results import UNSCORED
from answersim.scoring.reward.reward import Reward


class AnswerReward:
    """verifiers finds the arguments by their names. Concurrent rollouts share batches, outside the event loop.

    In version 1, a task returns it from a method, or its configuration names an object of a module::

        @vf.reward
        async def correct(self, task, trace):
            return await REWARD(task=task, trace=trace)
    """

    def __init__(
        self, reward: Reward | None = None, *, gold: str = "answer", name: str = "answersim", **settings: Any
    ) -> None:
        """Check the arguments; see ``answersim.integrations.rewards``. ``gold``: its field in a task of version 1."""
        self.reward = reward_of(reward, settings, is_number=True)
        self.__name__, self.gold = name, gold

    async def __call__(
        self, completion: Any = None, answer: Any = None, prompt: Any = None, task: Any = None, trace: Any = None
    ) -> float:
        """Return the reward of one rollout. Of a trace, the last reply is read, and the mask of the row is recorded."""
        if trace is not None:
            if not hasattr(task, self.gold):
                raise AttributeError(f"the task has no field {self.gold!r}; name the field of the gold answer by gold=")
            completion, answer, prompt = trace.last_reply, getattr(task, self.gold), task.prompt
        question_texts = [question_text(prompt)]
        row = (await self.reward.score_async([answer], [completion_text(completion)], question_texts)).rows[0]
        if trace is not None:
            trace.record_metric(f"{self.__name__}_scored", float(row.verdict not in UNSCORED))
            trace.info[self.__name__] = row._asdict()
        return float(row.score or 0.0)
