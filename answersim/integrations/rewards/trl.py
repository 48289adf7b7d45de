"""A reward function for the GRPO trainer of TRL, and of libraries with its contract, such as open-r1."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from answersim.integrations.shared.completions import column, completion_text, question_text, reward_of
from answersim.scoring.reward.results import RewardResult
from answersim.scoring.reward.reward import Reward


class AnswerReward:
    """``GRPOTrainer(reward_funcs=[AnswerReward(gold="answer")])``. TRL leaves out a row without a reward, a None."""

    def __init__(
        self,
        reward: Reward | None = None,
        *,
        gold: str = "solution",
        question: str | None = None,
        name: str = "answersim",
        **settings: Any,
    ) -> None:
        """Check the settings; common arguments: see ``answersim.integrations.rewards``.

        ``gold``: the column of the data set with the gold answers. A column "choices" with the options of
        multiple-choice questions is read if it exists. ``question``: the column with the questions; "prompts" for the
        last message of the user in each prompt.
        """
        self.reward, self.gold, self.question = reward_of(reward, settings), gold, question
        self.__name__ = name

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return one reward per completion."""
        return self._logged(self._result(completions, columns), columns)

    async def answersim_async(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the same from a coroutine, as in ``reward_funcs=[AnswerReward().answersim_async]``."""
        return self._logged(await asyncio.to_thread(self._result, completions, columns), columns)

    def _result(self, completions: Sequence[Any], columns: dict[str, Any]) -> RewardResult:
        texts = [completion_text(completion) for completion in completions]
        question_column = None if self.question is None else column(columns, self.question, len(texts))
        questions = None if question_column is None else [question_text(prompt) for prompt in question_column]
        return self.reward(column(columns, self.gold, len(texts)), texts, questions, columns.get("choices"))

    def _logged(self, result: RewardResult, columns: dict[str, Any]) -> list[float | None]:
        if (log_metric := columns.get("log_metric")) is not None:
            for name, value in result.counters.items():
                log_metric(f"{self.__name__}/{name}", value)
        if (log_extra := columns.get("log_extra")) is not None:
            log_extra(f"{self.__name__}_answer", [row.answer for row in result])
            log_extra(f"{self.__name__}_reason", [row.reason for row in result])
        return result.scores
