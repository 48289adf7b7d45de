"""The numbers of the paper and of its appendix C: pairs, words, and tables."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from answersim._base.errors import MissingExtraError
from answersim.training.data.pairs import SPLITS, read_pairs, shared_texts
from benchmarks import appendix_c, sas_paper
from benchmarks import number_pairs as number_pairs_module
from benchmarks.number_pairs import (
    PAPER_SIZE,
    NumberPairConfig,
    neighbours,
    number_pairs,
    paper_pairs,
    paper_rows,
)
from benchmarks.number_words import spellings
from tests.cases import every

pytest.importorskip("num2words")

ROMAN = (*NumberPairConfig().kinds, "roman")


@pytest.fixture(scope="module")
def default():
    return number_pairs()


@every(
    ("kind", "value", "expected"),
    [
        ("cardinal", "2", [3, 1, 4, 0, 20]),
        ("cardinal", "12", [13, 11, 14, 10, 120, 21, 22]),
        ("cardinal", "30", [31, 29, 32, 28, 300, 3, 40]),
        ("year", "2100", [2099, 2098, 1200, 2010]),
        ("ordinal", "1", [2, 3, 10]),
    ],
)
def test_neighbors(kind, value, expected):
    assert [near for (near,) in neighbours(kind, (Decimal(value),))] == expected


def test_the_default_is_as_large_as_the_papers_set_and_half_of_it_neighbors(default):
    assert len(default) == 9_110
    assert Counter(pair.label for pair in default) == {1.0: 4_555, 0.0: 4_555}
    assert {pair.source.split(":")[1] for pair in default} == set(NumberPairConfig().kinds)
    assert {pair.source.split(":")[2] for pair in default} == {"en", "de"}


@pytest.mark.parametrize(("kind", "language"), [(kind, ("en", "de")[i % 2]) for i, kind in enumerate(ROMAN)])
def test_the_label_is_1_for_equal_numbers_and_0_for_others(kind, language, monkeypatch):
    meant = {}

    def recorded(kind, value, language):
        written = spellings(kind, value, language)
        for text in (*written.digits, *written.words):
            assert meant.setdefault(text, value) == value, text
        return written

    monkeypatch.setattr(number_pairs_module, "spellings", recorded)
    pairs = number_pairs(NumberPairConfig(languages=(language,), kinds=(kind,), size=500, seed=3))
    assert all((meant[pair.first] == meant[pair.second]) == bool(pair.label) for pair in pairs)


@every(
    ("wrong", "error"),
    [
        ({"languages": ("fr",)}, "languages is"),
        ({"languages": ()}, "languages is"),
        ({"kinds": ("cardinal", "cardinal")}, "kinds is"),
        ({"size": 0}, "size is 0"),
        ({"negatives": 1.5}, "negatives is 1.5"),
        ({"negatives": float("nan")}, "negatives is nan"),
    ],
)
def test_a_setting_out_of_its_range_is_named(wrong, error):
    with pytest.raises(ValueError, match=error):
        NumberPairConfig(**wrong)


def test_the_papers_layout_has_its_counts():
    pairs = list(paper_rows())
    assert Counter(pair.label for pair in pairs) == {0.0: 5_406, 1.0: 3_704}
    assert [pair[:3] for pair in (pairs[0], pairs[1001], pairs[-1])] == [
        ("0", "zero", 1.0),
        ("zero", "0", 1.0),
        ("2100", "2099", 0.0),
    ]


@pytest.mark.data
def test_the_papers_layout_is_the_recorded_file_row_by_row(data_home):
    recorded = read_pairs(data_home / "numbers" / "number_pairs_score.csv")
    assert [pair[:4] for pair in paper_rows()] == [pair[:4] for pair in recorded]


def test_without_num2words_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "num2words", None)
    with pytest.raises(MissingExtraError, match=r"'num2words'.*extra 'train'"):
        number_pairs(NumberPairConfig(size=2))


def test_the_rows_of_the_paper_are_split_by_number():
    pairs = paper_pairs(seed=0)
    recorded = {pair[:3] for pair in paper_rows()}
    assert {pair[:3] for pair in pairs} <= recorded
    assert 0.95 < len(pairs) / PAPER_SIZE < 1
    assert not shared_texts(pairs)
    by_split = {split: [pair.label for pair in pairs if pair.split == split] for split in SPLITS}
    assert all(0.3 < sum(labels) / len(labels) < 0.6 for labels in by_split.values())
    assert paper_pairs(seed=1) != pairs


@every(
    ("kind", "value", "language", "digits", "words"),
    [
        ("cardinal", "0", "en", ["0"], ["zero"]),
        ("cardinal", "1001", "en", ["1001", "1,001"], ["one thousand and one", "one thousand one"]),
        ("cardinal", "1100", "de", ["1100", "1.100"], ["eintausendeinhundert", "tausendeinhundert"]),
        ("cardinal", "2000000", "de", ["2000000", "2.000.000"], ["zwei Millionen"]),
        ("ordinal", "21", "en", ["21st"], ["twenty-first"]),
        ("ordinal", "21", "de", ["21."], ["einundzwanzigste"]),
        ("year", "1984", "en", ["1984"], ["nineteen eighty-four"]),
        ("year", "1905", "en", ["1905"], ["nineteen oh-five"]),
        ("year", "1984", "de", ["1984"], ["neunzehnhundertvierundachtzig"]),
        ("decimal", "3.5", "en", ["3.5"], ["three point five"]),
        ("decimal", "0.05", "de", ["0,05"], ["null Komma null fünf"]),
        ("roman", "14", "en", ["XIV"], ["14", "fourteen"]),
    ],
)
def test_a_number_is_written_so(kind, value, language, digits, words):
    written = spellings(kind, (Decimal(value),), language)
    assert (list(written.digits), list(written.words)) == (digits, words)


def test_the_pairs_are_written_and_trained_on_as_in_the_paper(tmp_path, monkeypatch):
    pytest.importorskip("num2words")
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: calls.append(words) or SimpleNamespace(returncode=3))
    words = ["--output", str(tmp_path / "runs"), "--seed", "1", "--base", "small", "--option", "limit=8"]
    result = CliRunner().invoke(appendix_c.app, words)
    assert result.exit_code == 3  # that of the training
    (line,) = calls
    pairs = tmp_path / "runs" / "pairs.csv"
    assert line[1:] == [
        *("-m", "answersim", "train", "names", "--paper", "--pairs", str(pairs), "--seed", "1"),
        *("--output", str(tmp_path / "runs"), "--base", "small", "--option", "limit=8"),
    ]
    assert {pair.label for pair in read_pairs(pairs)} == {0.0, 1.0}


@pytest.mark.data
def test_table_1_is_exact_but_for_the_repetitions(data_home: Path) -> None:
    rows = [row for row in sas_paper.table_1().rows if "repeated" not in str(row[1])]
    assert len(rows) == 3 * 7
    for title, what, ours, published in rows:
        assert round(float(str(ours))) == round(float(str(published))), (title, what)
        if "characters" not in str(what):
            assert float(str(ours)) == float(str(published)), (title, what)


def test_table_6_has_the_published_settings_and_those_of_our_base() -> None:
    table = sas_paper.table_6()
    published = [row for row in table.rows if row[1] == "paper"]
    assert len(published) == 6
    assert all(len(row) == 2 + len(sas_paper.CONFIG) for row in table.rows)
    assert ("bert-base-uncased", "paper", "768", "3072", "512", "bert", "12", "12", "30522") in published


@pytest.mark.data
def test_figure_2_has_the_means_of_the_recorded_scores(data_home: Path) -> None:
    import numpy as np

    from benchmarks import figures

    low = figures.low_scores()
    table = sas_paper.figure_2(metrics=("f1",))
    by_name = {row[0]: row for row in table.rows}
    assert by_name["all"][1:3] == (154, 62)
    spatial = [pair.sas for pair in low if pair.category == "Spatial"]
    assert by_name["Spatial"][1:4] == (20, 8, pytest.approx(np.mean(spatial)))
    assert sum(int(str(row[1])) for row in table.rows[:-1]) == 154
