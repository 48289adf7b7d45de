"""Exact match: the same tokens in the same order."""

import pytest

from answersim.lexical.exact_match import exact_match


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ("eiffel tower", "eiffel tower", 1.0),
        ("eiffel tower", "tower eiffel", 0.0),
        ("eiffel tower", "eiffel", 0.0),
        ("ha ha", "ha", 0.0),
        ("", "", 1.0),
        ("", "tower", 0.0),
    ],
)
def test_answers_match_if_they_have_the_same_tokens_in_the_same_order(gold, pred, expected):
    assert exact_match(gold.split(), pred.split()) == expected
    assert exact_match(pred.split(), gold.split()) == expected
