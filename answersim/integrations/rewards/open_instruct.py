"""A verifier of open-instruct. It finds the subclasses of its ``VerifierFunction``; one of them scores a data set."""

from __future__ import annotations

from typing import Any

from answersim.integrations.shared.completions import question_text, reward_of
from answersim.scoring.reward.results import RewardResult

_KEPT: dict[str, type] = {}  # open-instruct itself keeps no reference to a subclass


def verifier(name: str = "answersim", **settings: Any) -> type:
    """Return a verifier class; call it before the training builds its verifiers.

    Rows whose data set has this name are scored by it. Concurrent rows share batches. The score is 0 for a row without
    a reward, because open-instruct accepts no None; its ``reasoning`` contains the reason. Raise ImportError if
    open-instruct is not installed. It is on no package index. Common arguments: see ``answersim.integrations.rewards``.
    """
    from open_instruct.ground_truth_utils import VerificationResult, VerifierFunction

    reward = reward_of(None, settings, is_number=True)

    def verified(result: RewardResult) -> Any:
        row = result.rows[0]
        return VerificationResult(score=float(row.score or 0.0), reasoning=f"{row.verdict}: {row.reason}")

    class AnswerVerifier(VerifierFunction):  # type: ignore[misc] # open-instruct has no types here
        def __init__(self, verifier_config: Any = None) -> None:
            super().__init__(name, weight=1.0, verifier_config=verifier_config)

        def __call__(
            self, tokenized_prediction: Any, prediction: str, label: Any, query: Any = None, rollout_state: Any = None
        ) -> Any:
            return verified(reward([label], [prediction], [question_text(query)]))

        async def async_call(
            self, tokenized_prediction: Any, prediction: str, label: Any, query: Any = None, rollout_state: Any = None
        ) -> Any:
            return verified(await reward.score_async([label], [prediction], [question_text(query)]))

    _KEPT[name] = AnswerVerifier
    return AnswerVerifier
