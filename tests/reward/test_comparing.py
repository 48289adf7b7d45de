"""What a reward decides where typed values have no opinion."""

from __future__ import annotations

from answersim.reward.comparing import compare, same_wording
from tests.cases import every


@every(
    ("gold", "given", "equal"),
    [
        ("G. W. Bush", "George Walker Bush", True),
        ("Wright, Orville", "Wilbur Wright", False),
        ("Bill Clinton", "William Clinton", None),  # a nickname
        ("Chester W. Nimitz", "Admiral Nimitz", None),  # a rank and no given name
        ("George Bush", "George Walker Bush", None),  # one is less complete
        ("John Smith Jr.", "John Smith", None),
        ("Georgia", "Virginia", None),
        ("CPU", "central processing unit", True),
        ("random-access memory", "RAM", True),
        ("NATO", "North American Trade Office", True),  # the letters fit; a gold answer of letters alone allows it
        ("OPEC", "Organization of the Petroleum Exporting Countries", True),
        ("CPU", "graphics processing unit", None),
        ("IT", "it", None),
        ("at least 45 points", "at most 45 points", False),
        ("at least 45 points", "at most 44 points", None),
        ("≤ 34 points", "over 34 points", False),
        ("45 points", "at most 45 points", None),
        ("Vienna / Lisbon", "Vienna, Lisbon, Bergen", False),
        ("Egypt, Japan and Ireland", "Egypt as well as Ireland", False),
        ("cat, dog and car", "cat, dog and automobile", None),  # perhaps another word for the same
        ("- zinc\n- copper", "copper, zinc", True),
        ("first Ann, then Ben, then Cid", "Ben > Ann > Cid", False),
        ("Romeo and Juliet", "the play about Romeo and Juliet of Verona", None),
        ("red", "red, green", None),
    ],
)
def test_plain_cases_are_decided_and_others_are_left_open(gold: str, given: str, equal: bool | None) -> None:
    found = compare(gold, given)
    assert (None if found is None else found.equal) is equal
    if found is not None:
        assert found.reason


def test_a_question_for_an_order_makes_the_order_matter() -> None:
    assert compare("Ann, Ben, Cid", "Cid, Ben, Ann") == (True, "the lists have the same items")
    asked = "List the winners from first to third place."
    assert compare("Ann, Ben, Cid", "Cid, Ben, Ann", asked) == (False, "the items have another order")


def test_bounds_have_one_wording() -> None:
    assert same_wording("No fewer than 3, and not more than 5") == "at least 3, and at most 5"
