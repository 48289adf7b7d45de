"""The probe and the minimal pairs: what ships, and scores of shortcuts."""

import csv
import hashlib
import io
import re
from collections import Counter, defaultdict
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import pytest

from answersim.answers.text.tokens import squad_words
from answersim.evaluation.data.minimal_pairs import FILE, ProbeRow, kinds, minimal_pairs
from answersim.evaluation.data.minimal_pairs import rows as minimal_rows
from tests.cases import every

HEADER = ["id", "category", "question", "gold", "pred", "label"]
LANGUAGES = ("en", "de")
SHARED = (
    "acronym alias name-variant co-reference precision spatial synonym medical biological scientific numbers dates "
    "units translation incomplete negation historical unrelated"
).split()
CATEGORIES = {"en": SHARED, "de": [*SHARED, "compound", "spelling"]}
ROWS_AT_LEAST = {"en": 480, "de": 190}
ROWS_PER_CATEGORY_AT_LEAST = {"en": 24, "de": 8}
SHARES = {2: (0.35, 0.45), 1: (0.15, 0.25), 0: (0.35, 0.45)}  # label -> from, to


class Row(NamedTuple):
    """A row of the probe with its label as a number."""

    id: str
    category: str
    question: str
    gold: str
    pred: str
    label: int


@cache
def table(lang: str) -> list[list[str]]:
    text = (files("answersim.evaluation.data") / "probe" / f"{lang}.csv").read_bytes().decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def rows(lang: str) -> list[Row]:
    return [
        Row(i, category, question, gold, pred, int(label))
        for i, category, question, gold, pred, label in table(lang)[1:]
    ]


@pytest.fixture(params=LANGUAGES)
def lang(request: pytest.FixtureRequest) -> str:
    return request.param


def share_a_word(row: Row) -> bool:
    return not set(squad_words(row.gold)).isdisjoint(squad_words(row.pred))


def test_header_and_width_are_as_documented(lang):
    assert table(lang)[0] == HEADER
    assert [cells for cells in table(lang) if len(cells) != len(HEADER)] == []


def test_no_field_is_empty_or_has_white_space_to_trim(lang):
    fields = [(cells[0], field) for cells in table(lang) for field in cells]
    assert [(i, field) for i, field in fields if not field or " ".join(field.split()) != field] == []


def test_labels_are_0_1_or_2(lang):
    assert {cells[5] for cells in table(lang)[1:]} == {"0", "1", "2"}


def test_ids_count_up_within_their_category(lang):
    seen: Counter[str] = Counter()
    for row in rows(lang):
        seen[row.category] += 1
        assert row.id == f"{lang}-{row.category}-{seen[row.category]:02d}"


def test_no_pair_of_a_question_is_given_twice(lang):
    pairs = Counter((row.question, row.gold, row.pred) for row in rows(lang))
    assert [pair for pair, n in pairs.items() if n > 1] == []


def test_a_question_has_one_gold_answer_and_ends_in_a_question_mark(lang):
    assert len({row.question for row in rows(lang)}) == len({(row.question, row.gold) for row in rows(lang)})
    assert [row.id for row in rows(lang) if not row.question.endswith("?")] == []


def test_every_category_is_there_with_its_minimum(lang):
    counts = Counter(row.category for row in rows(lang))
    assert set(counts) == set(CATEGORIES[lang])
    assert {name: n for name, n in counts.items() if n < ROWS_PER_CATEGORY_AT_LEAST[lang]} == {}
    assert sum(counts.values()) >= ROWS_AT_LEAST[lang]


def test_labels_are_balanced_within_a_category(lang):
    for category in set(CATEGORIES[lang]) - {"unrelated"}:
        labels = [row.label for row in rows(lang) if row.category == category]
        for label, (low, high) in SHARES.items():
            assert low <= labels.count(label) / len(labels) <= high, (category, label)


def test_the_readme_counts_what_the_files_hold():
    readme = (files("answersim.evaluation.data") / "probe" / "README.md").read_text("utf-8")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in readme.splitlines() if "|" in line]
    message = {row[0]: [int(n) for n in row[2:]] for row in cells[2:]}

    counts: Counter[tuple[str, str, int]] = Counter()
    for lang in LANGUAGES:
        for row in rows(lang):
            half = "F1 > 0" if share_a_word(row) else "F1 = 0"
            counts.update((lang, name, row.label) for name in (row.category, half, "all"))
    names = {name for _, name, _ in counts}
    held = {name: [counts[lang, name, label] for lang in LANGUAGES for label in (2, 1, 0)] for name in names}

    assert message == held
    assert all(f"`{lang}.csv` ({len(rows(lang))} rows)" in readme for lang in LANGUAGES)


PAIR_LANGUAGES = ("en", "de", "zh", "ja")


def families() -> dict[str, list[ProbeRow]]:
    result: dict[str, list[ProbeRow]] = defaultdict(list)
    for row in minimal_rows():
        result[row.family].append(row)
    return result


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
        minimal_rows(1)


def test_the_datasheet_counts_what_the_file_holds():
    text = (files("answersim.evaluation.data") / "probe" / "minimal_pairs.md").read_text("utf-8")
    table = text.partition("| kind | what varies |")[2].partition("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    stated = {cells[0]: [int(n) for n in cells[3:]] for cells in lines}
    counts: Counter[tuple[str, str]] = Counter()
    for pair in minimal_pairs():
        counts.update((name, column) for name in (pair.kind, "all") for column in (pair.language, pair.part))
    names = (*kinds(), "all")
    assert stated == {name: [counts[name, column] for column in (*PAIR_LANGUAGES, "dev", "test")] for name in names}


def test_the_text_of_the_datasheet_has_the_numbers_of_the_file():
    text = (files("answersim.evaluation.data") / "probe" / "minimal_pairs.md").read_text("utf-8")
    n = {language: len(minimal_rows(language)) for language in PAIR_LANGUAGES}
    assert f"holds {sum(n.values()):,} rows in {len(minimal_pairs()):,} families" in text
    assert f"English has {n['en']:,} rows, German {n['de']:,}, Chinese {n['zh']} and Japanese {n['ja']}" in text
    questions = sum(bool(pair.question) for pair in minimal_pairs())
    assert re.search(rf"{questions} families\s+have one", text)
