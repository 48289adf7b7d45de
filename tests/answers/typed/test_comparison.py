"""The result of a comparison, and the verdict that follows from it."""

import pytest

from answersim.answers.typed.comparison import different, equal, near, no_opinion


@pytest.mark.parametrize(
    ("result", "relation", "opinion"),
    [
        (equal("a", "number"), "equal", 1.0),
        (different("a", "number"), "different", 0.0),
        (near("a", "number", rule="unit"), "near", None),
        (no_opinion("a"), "none", None),
    ],
)
def test_only_equal_and_different_are_verdicts(result, relation, opinion):
    assert (result.relation, result.opinion, result.reason) == (relation, opinion, "a")
