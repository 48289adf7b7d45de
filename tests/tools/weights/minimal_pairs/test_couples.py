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


def test_a_question_belongs_to_each_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# comment\n[synonym]\n=Q1? | a | A || Q2? | b | B\n"
    ((kind, twins),) = read(tmp_path, text, monkeypatch)
    assert kind == "synonym"
    assert twins == (("Q1?", "a", "A", "B"), ("Q2?", "b", "B", "A"))


def test_about_half_of_the_couples_have_the_second_form_as_gold_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"a{i} | A{i} || b{i} | B{i}\n" for i in range(200))
    golds = [twins.first.gold[0] for _, twins in read(tmp_path, f"[x]\n{lines}", monkeypatch)]
    assert 70 < golds.count("A") < 130


@pytest.mark.parametrize(
    "line", ["a | b", "a | b || c", "Q? | a | b || c | d", "a | || c | d", "a | b | c | d || e | f"]
)
def test_a_line_of_another_form_is_refused(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"couples\.xx\.txt: "):
        read(tmp_path, f"[x]\n{line}\n", monkeypatch)


def test_a_language_without_a_file_has_no_couples() -> None:
    assert list(couples.couples("fr")) == []
