"""How a prediction relates to a gold answer, by the rules alone."""

from typing import get_args

from answersim.answers.relation import Relation, Relations, relate
from answersim.typed import comparison
from tests.cases import every


def test_there_is_one_class_of_relations() -> None:
    assert Relation is comparison.Relation
    assert set(get_args(Relations)) == {"equal", "near", "different", "none"}


@every(
    ("gold", "pred", "relation"),
    [
        ("Paris", "Paris", "equal"),
        ("The Beatles", "beatles.", "equal"),
        ("12 liters", "12 gallons", "different"),
        ("24,900 miles", "24,901 miles", "near"),
        ("Paris", "the mayor of Paris", "none"),
    ],
)
def test_relations(gold: str, pred: str, relation: str) -> None:
    assert relate(gold, pred).relation == relation
