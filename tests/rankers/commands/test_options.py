from __future__ import annotations

from rankers.commands.options import names_in


def test_names_are_split_outside_parentheses():
    assert names_in(["MAP, P@1", "nDCG(dcg='exp-log2', judged_only=True)@5"]) == [
        "MAP",
        "P@1",
        "nDCG(dcg='exp-log2', judged_only=True)@5",
    ]
    assert names_in(["", " , "]) == names_in(None) == []
