"""Rewards of OpenRLHF: give this file, or the address of ``answersim serve``, as ``--reward.remote_url``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim.integrations.completions import column, reward_of
from answersim.reward.results import UNSCORED, RewardResult
from answersim.reward.reward import Reward

SETTINGS = ("metric", "extract", "binary", "unreadable", "limit", "most_unreadable", "least", "lang", "profile")
"""The arguments that are settings of the reward. OpenRLHF may pass others, which its own rewards read."""
_LONGEST_START = 100  # characters of special tokens that a query may have before its prompt


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
        without a reward. All are tensors with one number per row.
    """
    import torch

    known = {name: value for name, value in settings.items() if name in SETTINGS}
    reward = reward_of(None, {"unreadable": 0.0, **known})
    numbers = _numbers(reward(list(labels), _completions(queries, prompts), list(prompts)))
    logs = {name: torch.tensor(values) for name, values in numbers.pop("extra_logs").items()}
    return {**{name: torch.tensor(values) for name, values in numbers.items()}, "extra_logs": logs}


async def remote(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
    """Return the response to a request of OpenRLHF to a remote reward: the same as lists.

    Args:
        body: ``query``, ``prompts`` and ``labels``, lists of the same length.
        reward: The reward. A row without one counts as 0.

    Raises:
        LookupError, ValueError: If a list is missing, or has another length.
    """
    queries = column(body, "query", len(body.get("query") or []))
    prompts, labels = (column(body, name, len(queries)) for name in ("prompts", "labels"))
    return _numbers(await reward.score_async(labels, _completions(queries, prompts), prompts))


def _completions(queries: Sequence[str], prompts: Sequence[str]) -> list[str]:
    """Return the queries without their prompts. A special token may be before the prompt."""
    texts = []
    for query, prompt in zip(queries, prompts, strict=True):
        start = query.find(prompt, 0, len(prompt) + _LONGEST_START)
        texts.append(query if start < 0 else query[start + len(prompt) :])
    return texts


def _numbers(result: RewardResult) -> dict[str, Any]:
    rewards = [float(score or 0.0) for score in result.scores]
    verdicts = {
        "right": [float(row.verdict == "right") for row in result],
        "unscored": [float(row.verdict in UNSCORED) for row in result],
    }
    return {"rewards": rewards, "scores": [min(1.0, max(0.0, score)) for score in rewards], "extra_logs": verdicts}
