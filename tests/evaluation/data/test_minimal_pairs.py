"""The grown probe: whole families, both labels, disjoint parts, and a file that reads back as it was written."""

import hashlib
import re
from collections import Counter, defaultdict
from importlib.resources import files

import pytest

from answersim.evaluation.data.minimal_pairs import COLUMNS, FILE, MinimalPair, ProbeRow, kinds, minimal_pairs, rows
from tests.cases import every

LANGUAGES = ("en", "de", "zh", "ja")


def families() -> dict[str, list[ProbeRow]]:
    found: dict[str, list[ProbeRow]] = defaultdict(list)
    for row in rows():
        found[row.family].append(row)
    return found


def test_a_family_has_one_gold_answer_and_both_labels_and_one_part():
    for family, members in families().items():
        assert [row.label for row in members] == [1, 0], family
        assert len({row[:6] for row in members}) == 1, family


def test_an_identifier_names_language_and_kind():
    assert [row.family for row in rows() if not row.family.startswith(f"{row.language}-{row.kind}-")] == []


def test_twins_are_complete_and_in_one_part():
    twins: dict[str, list[MinimalPair]] = defaultdict(list)
    for pair in minimal_pairs():
        twins[pair.couple].append(pair)
    sizes = {len(pair.family) - len(pair.couple) for couple in twins.values() for pair in couple}
    assert sizes <= {0, 1}
    for couple, members in twins.items():
        assert len({pair.part for pair in members}) == 1, couple
        assert [pair.family.removeprefix(couple) for pair in members] in (["a", "b"], [""]), couple


def test_no_row_is_given_twice_and_no_candidate_is_its_gold_answer():
    counts = Counter((row.language, row.question, row.gold, row.candidate) for row in rows())
    assert [key for key, n in counts.items() if n > 1] == []
    assert [row for row in rows() if row.gold == row.candidate] == []


def test_answers_are_text_without_space_at_the_ends():
    texts = [text for row in rows() for text in (row.gold, row.candidate)]
    assert [text for text in texts if not text or text != text.strip()] == []
    assert [row for row in rows() if row.question != row.question.strip()] == []


@every("language", LANGUAGES)
def test_each_kind_is_in_both_parts_by_halves(language):
    for kind in kinds(language):
        couples = {pair.couple: pair.part for pair in minimal_pairs(language) if pair.kind == kind}
        counts = Counter(couples.values())
        assert counts["dev"] - counts["test"] in (0, 1), kind


def test_parts_share_no_family():
    parts = [{pair.couple for pair in minimal_pairs(part=part)} for part in ("dev", "test")]
    assert parts[0].isdisjoint(parts[1])
    assert len(minimal_pairs(part="dev")) + len(minimal_pairs(part="test")) == len(minimal_pairs())


def test_the_file_is_utf8_with_the_documented_header_and_unix_line_ends():
    data = (files("answersim.evaluation.data") / "probe" / FILE).read_bytes()
    assert data.startswith(",".join(COLUMNS).encode() + b"\n")
    assert b"\r" not in data
    assert len(data) < 1_000_000
    assert len(data.decode("utf-8").splitlines()) >= len(rows()) + 1


def test_the_file_is_frozen():
    data = (files("answersim.evaluation.data") / "probe" / FILE).read_bytes()
    assert hashlib.sha256(data).hexdigest() == "5d6a2a51a0dc0c4fd108582169242cb50ca3d062cb5d28c8a7aa3562a9e212d8"


def test_a_pair_is_made_of_the_two_rows_of_its_family():
    by_family = families()
    for pair in minimal_pairs("de", "dev"):
        same, different = by_family[pair.family]
        assert (pair.gold, pair.same, pair.different) == (same.gold, same.candidate, different.candidate)
        assert (pair.language, pair.part) == ("de", "dev")


@every(("language", "part"), [("fr", None), (None, "train"), ("EN", None), ("en", "")])
def test_an_unknown_language_or_part_is_refused(language, part):
    with pytest.raises(LookupError, match="of the probe"):
        minimal_pairs(language, part)


def test_a_language_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="language"):
        rows(1)


def test_who_changes_the_list_does_not_change_the_next_one():
    rows("ja").clear()
    assert rows("ja")


def test_the_datasheet_counts_what_the_file_holds():
    text = (files("answersim.evaluation.data") / "probe" / "minimal_pairs.md").read_text("utf-8")
    table = text.partition("| kind | what varies |")[2].partition("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    stated = {cells[0]: [int(n) for n in cells[3:]] for cells in lines}
    counts: Counter[tuple[str, str]] = Counter()
    for pair in minimal_pairs():
        counts.update((name, column) for name in (pair.kind, "all") for column in (pair.language, pair.part))
    names = (*kinds(), "all")
    assert stated == {name: [counts[name, column] for column in (*LANGUAGES, "dev", "test")] for name in names}


def test_the_text_of_the_datasheet_has_the_numbers_of_the_file():
    text = (files("answersim.evaluation.data") / "probe" / "minimal_pairs.md").read_text("utf-8")
    n = {language: len(rows(language)) for language in LANGUAGES}
    assert f"holds {sum(n.values()):,} rows in {len(minimal_pairs()):,} families" in text
    assert f"English has {n['en']:,} rows, German {n['de']:,}, Chinese {n['zh']} and Japanese {n['ja']}" in text
    questions = sum(bool(pair.question) for pair in minimal_pairs())
    assert re.search(rf"{questions} families\s+have one", text)
