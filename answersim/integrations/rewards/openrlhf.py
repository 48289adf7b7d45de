"""Rewards of OpenRLHF: give this file, or the address of ``answersim serve``, as ``--reward.remote_url``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim._base.arguments import text
from answersim._base.errors import warn_user
from answersim.integrations.shared.completions import column, reward_of
from answersim.scoring.reward.results import UNSCORED, RewardResult
from answersim.scoring.reward.reward import Reward

SETTINGS = ("metric", "extract", "binary", "unreadable", "limit", "most_unreadable", "least", "lang", "profile")
"""The arguments that are settings of the reward. OpenRLHF may pass others, which its own rewards read."""
_LONGEST_START = 100  # characters of special tokens that a query may have before its prompt


class PromptNotFoundWarning(UserWarning):
    """A query does not begin with its prompt, so that its completion is not known."""


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **settings: Any
) -> dict[str, Any]:
    """Return the rewards of a batch. Calls of several threads share batches.

    Args:
        queries: Prompts with their completions.
        prompts: The prompts, which are cut from the start of the queries. A row whose query does not begin with its
            prompt has no reward, and a warning names it: the prompt would be read as the answer.
        labels: The gold answers.
        settings: Those of ``Reward``, with 0 as ``unreadable``; see ``answersim.integrations.rewards``.

    Returns:
        ``rewards`` and ``scores`` (from 0 to 1, for dynamic filtering), and ``extra_logs``: right answers, rows without
        a reward, and rows whose prompt was not found. All are tensors with one number per row.
    """
    import torch

    known = {name: value for name, value in settings.items() if name in SETTINGS}
    completions = _completions(queries, prompts)
    result = reward_of(None, known, is_number=True)(list(labels), completions, list(prompts))
    numbers = _numbers(result, completions)
    logs = {name: torch.tensor(values) for name, values in numbers.pop("extra_logs").items()}
    return {**{name: torch.tensor(values) for name, values in numbers.items()}, "extra_logs": logs}


async def remote(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
    """Return the response to a request of OpenRLHF to a remote reward: the same as lists.

    Args:
        body: ``query``, ``prompts`` and ``labels``, lists of the same length.
        reward: The reward. A row without one counts as 0.

    Raises:
        LookupError, TypeError, ValueError: If a list is missing, has another length, or contains something else.
    """
    queries = column(body, "query")
    prompts, labels = (column(body, name, len(queries)) for name in ("prompts", "labels"))
    completions = _completions(queries, prompts)
    return _numbers(await reward.score_async(labels, completions, prompts), completions)


def _completions(queries: Sequence[str], prompts: Sequence[str]) -> list[str | None]:
    """Return the queries without their prompts, None if the prompt is not found. Special tokens may be before it."""
    texts: list[str | None] = []
    for i, (query, prompt) in enumerate(zip(queries, prompts, strict=True)):
        prompt_text = text(f"prompts[{i}]", prompt)
        start = text(f"queries[{i}]", query).find(prompt_text, 0, len(prompt_text) + _LONGEST_START)
        texts.append(None if start < 0 else query[start + len(prompt_text) :])
    if missing := texts.count(None):
        warn_user(
            PromptNotFoundWarning(
                f"{missing} of {len(texts)} queries do not begin with their prompt (the first is row "
                f"{texts.index(None)}), so these rows have no reward; send the prompt as it is in the query"
            )
        )
    return texts


def _numbers(result: RewardResult, completions: Sequence[str | None]) -> dict[str, Any]:
    rewards = [float(score or 0.0) for score in result.scores]
    logs = {
        "right": [float(row.verdict == "right") for row in result],
        "unscored": [float(row.verdict in UNSCORED) for row in result],
        "prompt_not_found": [float(completion is None) for completion in completions],
    }
    return {"rewards": rewards, "scores": [min(1.0, max(0.0, score)) for score in rewards], "extra_logs": logs}
