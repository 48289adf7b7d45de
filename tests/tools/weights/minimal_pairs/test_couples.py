"""Couples are read from their files, and a line of another form is refused."""

from pathlib import Path

import pytest

from tools.weights.minimal_pairs import couples
from tools.weights.minimal_pairs.family import Twins

LANGUAGES = ["en", "de", "zh", "ja"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_twins_have_the_same_candidates_with_the_other_label(language: str) -> None:
    for kind, (first, second) in couples.couples(language):
        if kind != "extra-detail":
            assert (first.same, first.different) == (second.different, second.same)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_detail_is_added_to_the_gold_answer(language: str) -> None:
    found = [twins for kind, twins in couples.couples(language) if kind == "extra-detail"]
    assert len(found) >= 10
    for twins in found:
        for family in twins:
            assert family.same.startswith(family.gold)
            assert family.different.startswith(family.gold)


def read(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Twins]]:
    (folder / "couples.xx.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr(couples, "SOURCES", folder)
    return list(couples.couples("xx"))


@pytest.mark.parametrize(
    "line", ["a | b", "a | b || c", "Q? | a | b || c | d", "a | || c | d", "a | b | c | d || e | f"]
)
def test_a_line_of_another_form_is_refused(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"couples\.xx\.txt: "):
        read(tmp_path, f"[x]\n{line}\n", monkeypatch)
