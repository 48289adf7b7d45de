"""Exact match: the same tokens in the same order. More cases are in test_overlap.py."""

from answersim.metrics.lexical.exact_match import exact_match


def test_answers_match_if_they_have_the_same_tokens_in_the_same_order():
    assert exact_match(["eiffel", "tower"], ["eiffel", "tower"]) == 1.0
    for pred in (["tower", "eiffel"], ["eiffel"], ["eiffel", "tower", "tower"]):
        assert exact_match(["eiffel", "tower"], pred) == exact_match(pred, ["eiffel", "tower"]) == 0.0
