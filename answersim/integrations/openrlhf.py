"""``reward_func`` of OpenRLHF: give this file as ``--reward.remote_url``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answersim.integrations.completions import reward_of


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **settings: Any
) -> dict[str, Any]:
    """Return the rewards of a batch. Calls of several threads share batches.

    Args:
        queries: Prompts with their completions.
        prompts: The prompts, which are cut from the start of the queries.
        labels: The gold answers.
        settings: Settings of ``Reward``. ``unreadable`` is 0 here, because OpenRLHF accepts no None.

    Returns:
        ``rewards`` and ``scores`` (from 0 to 1, for dynamic filtering), and ``extra_logs``: right answers, and rows
        without a reward.
    """
    import torch

    known = {name: value for name, value in settings.items() if name in SETTINGS}
    reward = reward_of(None, {"unreadable": 0.0, **known})
    texts = [query.removeprefix(prompt) for query, prompt in zip(queries, prompts, strict=True)]
    result = reward(list(labels), texts, list(prompts))
    scores = torch.tensor(result.scores, dtype=torch.float32)
    verdicts = {
        "right": [row.verdict == "right" for row in result],
        "unscored": [row.verdict in ("unreadable", "undecided") for row in result],
    }
    logs = {name: torch.tensor(values, dtype=torch.float32) for name, values in verdicts.items()}
    return {"rewards": scores, "scores": scores.clamp(0.0, 1.0), "extra_logs": logs}


SETTINGS = ("metric", "extract", "binary", "unreadable", "limit", "most_unreadable", "least", "lang", "profile")
"""The arguments that are settings of the reward. OpenRLHF may pass others, which its own rewards read."""
