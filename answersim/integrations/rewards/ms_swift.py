"""A reward of ms-swift: ``orms["answersim"] = AnswerORM`` in the file of ``--external_plugins``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answersim.integrations.shared.completions import column, completion_text, reward_of


class AnswerORM:
    """The class that ms-swift builds. It never returns None, which turns a whole batch of ms-swift into nan.

    A row without a reward has the reward ``unreadable``, here 0. If too many gold answers cannot be read, the call
    raises an error instead. Common arguments: see ``answersim.integrations.rewards``.
    """

    gold = "solution"  # the column with the gold answers; a subclass may name another one

    def __init__(self, args: Any = None, **settings: Any) -> None:
        """Check the settings of ``Reward``; nothing is loaded before the first batch."""
        self.args = args
        self.reward = reward_of(None, settings, is_number=True)

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float]:
        """Return one number per completion."""
        texts = [completion_text(completion) for completion in completions]
        result = self.reward(column(columns, self.gold, len(texts)), texts)
        return [float(score) for score in result.scores if score is not None]
