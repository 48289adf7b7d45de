"""Results of rewards: see test_reward.py for those of real batches."""

from __future__ import annotations

from answersim.scoring.reward.results import RewardResult, RewardRow


def test_the_summary_names_rows_without_a_reward() -> None:
    rows = (
        RewardRow(1.0, "right", "rules", "5", "boxed", "both are 5"),
        RewardRow(None, "undecided", "time", "", "whole", "the time was over"),
    )
    result = RewardResult(rows, "reward|rev:1", 0.5)
    assert result.summary()[1] == "row 1: undecided, the time was over"
    assert result.scores == [1.0, None]
    assert result.counters["seconds"] == 0.5
    assert [row.verdict for row in result] == ["right", "undecided"]
