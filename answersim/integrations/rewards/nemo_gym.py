"""``/verify`` of a resources server of NeMo Gym, for ``answersim serve`` or for a server of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from answersim._base.arguments import shown
from answersim._base.errors import unknown
from answersim.integrations.shared.completions import completion_text, question_text
from answersim.scoring.reward.results import UNSCORED
from answersim.scoring.reward.reward import Reward

GOLD = "expected_answer"  # the field of a row of the data set, at the top or in verifier_metadata


async def verify(body: Mapping[str, Any], reward: Reward, gold: str = GOLD) -> dict[str, Any]:
    """Return the response of ``/verify``: the request with its reward.

    Args:
        body: ``responses_create_params``, ``response`` (as in the Responses API), and the fields of the data set.
        reward: The reward.
        gold: The field with the gold answer.

    Returns:
        The body with ``reward`` (0.0 without one), ``mask_sample`` (true for a row without a reward, which is then left
        out), ``failure_reason`` for such a row, and ``extracted_answer``, ``verdict``, ``reason``.

    Raises:
        LookupError: If the body has no such field.
        TypeError: If the response or the parameters have another form.
    """
    metadata = body.get("verifier_metadata")
    fields = {**metadata, **body} if isinstance(metadata, Mapping) else body
    if gold not in fields:
        raise unknown("field of the request", gold, sorted(fields))
    response, request = (_mapping(body, name) for name in ("response", "responses_create_params"))
    output = response.get("output") or []
    if not isinstance(output, list) or not all(isinstance(item, Mapping) for item in output):
        raise TypeError(f"output of the response is {shown(output)}, but it must be a list of objects")
    messages = [item for item in output if item.get("type", "message") == "message"]
    text = "" if output and not messages else completion_text(messages)  # reasoning without an answer is wrong
    result = await reward.score_async([fields[gold]], [text], [question_text(request.get("input"))])
    row = result.rows[0]
    masked = row.verdict in UNSCORED
    return {
        **body,
        "reward": float(row.score or 0.0),
        "mask_sample": masked,
        "failure_reason": row.reason if masked else None,
        "extracted_answer": row.answer,
        "verdict": row.verdict,
        "reason": row.reason,
    }


def _mapping(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name) or {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {shown(value)}, but it must be an object")
    return value
