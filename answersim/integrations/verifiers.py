"""A reward function for the rubrics of verifiers: ``Rubric(funcs=[AnswerReward()])``."""

from __future__ import annotations

from typing import Any

from answersim.integrations.completions import completion_text, question_text, reward_of
from answersim.reward.reward import Reward


class AnswerReward:
    """A rubric finds its arguments by their names. Concurrent rollouts share batches, outside the event loop."""

    def __init__(self, reward: Reward | None = None, *, name: str = "answersim", **settings: Any) -> None:
        """Check the settings of ``Reward``. ``unreadable`` is 0 by default, because a rubric accepts no None."""
        self.reward = reward_of(reward, settings if reward is not None else {"unreadable": 0.0, **settings})
        if self.reward.unreadable is None:
            raise ValueError("unreadable is None, but a rubric of verifiers adds numbers; give a number")
        self.__name__ = name

    async def __call__(self, completion: Any, answer: Any, prompt: Any = None) -> float:
        """Return the reward of one rollout."""
        asked = [question_text(prompt)]
        result = await self.reward.score_async([answer], [completion_text(completion)], asked)
        return float(result.scores[0] or 0.0)
