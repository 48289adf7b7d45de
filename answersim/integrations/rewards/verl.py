"""``compute_score`` of verl: give this file as ``custom_reward_function.path``, and settings as ``reward_kwargs``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim.integrations.shared.completions import reward_of
from answersim.scoring.reward.results import UNSCORED


def compute_score(
    data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None, **settings: Any
) -> dict[str, Any]:
    """Return the reward of one completion. Calls of several workers in one process share batches.

    Args:
        data_source: The name of the data set, which is not read.
        solution_str: The completion.
        ground_truth: The gold answer, or a list of those that are all correct.
        extra_info: A mapping; its "question", and its "choices" of a multiple-choice question, are read if there are
            any.
        settings: Those of ``Reward``, with 0 as ``unreadable``; see ``answersim.integrations.rewards``.

    Returns:
        ``score``, ``acc``, ``pred`` (the final answer), ``verdict``, and ``scored``: 0.0 for a row that has no reward,
        as a mask for the loss.
    """
    return compute_score_batch([data_source], [solution_str], [ground_truth], [extra_info], **settings)[0]


def compute_score_batch(
    data_sources: Sequence[Any],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Any] | None = None,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Return the rewards of a batch, for the batch manager. See ``compute_score``."""
    infos = [None] * len(solution_strs) if extra_infos is None else list(extra_infos)
    questions = [str(info.get("question") or "") if isinstance(info, Mapping) else "" for info in infos]
    options = [info.get("choices") if isinstance(info, Mapping) else None for info in infos]
    reward = reward_of(None, settings, is_number=True)
    return [
        {
            "score": row.score,
            "acc": float(row.verdict == "right"),
            "pred": row.answer,
            "verdict": row.verdict,
            "scored": float(row.verdict not in UNSCORED),
        }
        for row in reward(list(ground_truths), list(solution_strs), questions, options)
    ]
