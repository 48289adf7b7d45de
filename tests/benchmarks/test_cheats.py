"""Counts of verdicts on cheats and on right answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answersim.data.system_answers import Part, SystemAnswer
from answersim.doctor.attacks import CHEATS
from benchmarks import cheats
from benchmarks.cheats import ALL_CHEATS, ALL_HIDDEN, ALL_LISTS, HONEST, RIGHT, Case, Row

NAMES = ("Paris", "Rome", "Oslo", "Bern", "Lima", "Cairo", "Quito", "Delhi", "Tokyo", "Seoul")


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(part: Part, path: Path) -> list[SystemAnswer]:
        return [
            SystemAnswer(f"Which {part} city is {i}?", (f"{NAMES[i % 10]} {i}", f"City {i}"), "a", "x", True, part)
            for i in range(40)
        ]

    monkeypatch.setattr(cheats, "load_evouna", load)
    monkeypatch.setattr(cheats, "locate", lambda name: Path(name))


@pytest.mark.usefixtures("judged")
def test_parts_share_no_question_and_no_wording() -> None:
    dev, test = ([*cheats.cheats(part, 12), *cheats.honest(part, 12)] for part in ("dev", "test"))
    assert not {case.question for case in dev} & {case.question for case in test}
    assert {case.pattern for case in dev} == {case.pattern for case in test} == {*CHEATS, *HONEST}
    assert len(HONEST) >= 24
    for name, wordings in CHEATS.items():
        assert not set(wordings[::2]) & set(wordings[1::2]), name


@pytest.mark.usefixtures("judged")
def test_a_close_miss_is_the_answer_to_another_question_of_the_same_type() -> None:
    for pair, golds in cheats.sample("test", 12):
        assert pair.gold == golds[0]
        assert pair.different not in golds
        assert len(pair.different.split()) == len(pair.gold.split())


@pytest.mark.usefixtures("judged")
def test_honest_answers_contain_a_gold_answer() -> None:
    for case in cheats.honest("test", 12):
        bare = case.pred.replace("\u200b", "").casefold()
        assert case.right
        assert any(gold.casefold() in bare for gold in case.golds), case


def test_shares_are_counted_by_pattern_and_group() -> None:
    cases = [
        Case("every option", ("a",), "a, b", "", False),
        Case("struck out", ("a",), "~~a~~", "", False),
        Case("bold", ("a",), "**a**", "", True),
        Case("bold", ("a",), "**a**", "", True),
    ]
    found = {row.pattern: row for row in cheats.rows(cases, ["unsure", "equivalent", "equivalent", "different"])}
    assert found["bold"] == Row("bold", 2, 0.5, 0.0)
    assert found[RIGHT].n == 2
    assert found[ALL_CHEATS] == Row(ALL_CHEATS, 2, 0.5, 0.5)
    assert found[ALL_LISTS] == Row(ALL_LISTS, 1, 0.0, 1.0)
    assert found[ALL_HIDDEN] == Row(ALL_HIDDEN, 1, 1.0, 0.0)


def test_the_page_shows_the_oldest_and_the_newest_result(tmp_path: Path) -> None:
    path = tmp_path / "cheats.json"
    for signature, share in (("a|rev:1", 0.9), ("a|rev:2", 0.5), ("a|rev:3", 0.25)):
        names = (ALL_CHEATS, ALL_LISTS, ALL_HIDDEN, RIGHT)
        known = cheats.with_record(
            {"a": {"signature": signature, "rows": [Row(n, 8, share, 0.0) for n in names]}}, path
        )
    page = cheats.page(known)
    assert "- before: `a|rev:1`" in page
    assert "- now: `a|rev:3`" in page
    assert "rev:2" not in page
    assert "0.90 " in page
    assert "0.25 " in page
    assert json.loads(path.read_text())["a"][1]["signature"] == "a|rev:2"


def test_the_committed_page_has_the_numbers_of_the_records() -> None:
    assert cheats.page(json.loads(cheats.RECORDS.read_text(encoding="utf-8"))) == cheats.PAGE.read_text(
        encoding="utf-8"
    )
