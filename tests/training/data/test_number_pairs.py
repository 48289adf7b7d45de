import re
import sys
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from answersim.errors import MissingExtraError
from answersim.training.data.number_pairs import (
    PAPER_SIZE,
    NumberPairConfig,
    neighbours,
    number_pairs,
    paper_pairs,
    paper_rows,
    split_of,
)
from answersim.training.data.number_words import KINDS
from answersim.training.data.pairs import SPLITS, read_pairs, shared_texts
from tests.cases import every

pytest.importorskip("num2words")

ROMAN = (*NumberPairConfig().kinds, "roman")


@pytest.fixture(scope="module")
def default():
    return number_pairs()


@pytest.mark.parametrize(
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


def test_neighbors_of_fractions_and_ranges():
    assert [str(near) for (near,) in neighbours("decimal", (Decimal("3.5"),))] == "3.6 3.4 3.7 3.3 0.35 5.3 4.5".split()
    near = neighbours("range", (Decimal(1), Decimal(3)))
    assert near[:4] == [(2, 3), (0, 3), (1, 4), (1, 2)]
    assert all(low < high for low, high in near)


def test_the_default_is_as_large_as_the_papers_set_and_half_of_it_neighbors(default):
    assert len(default) == 9_110
    assert Counter(pair.label for pair in default) == {1.0: 4_555, 0.0: 4_555}
    assert {pair.source.split(":")[1] for pair in default} == set(NumberPairConfig().kinds)
    assert {pair.source.split(":")[2] for pair in default} == {"en", "de"}


def test_the_default_holds_each_pair_once_and_no_text_in_two_splits(default):
    assert len({pair[:2] for pair in default}) == len(default)
    assert not shared_texts(default)


def test_splits_have_about_their_shares(default):
    share = {split: count / len(default) for split, count in Counter(pair.split for pair in default).items()}
    assert 0.7 < share["train"] < 0.9
    assert min(share["dev"], share["test"]) > 0.05


def test_both_directions_occur(default):
    directions = Counter(pair.first[0].isdigit() - pair.second[0].isdigit() for pair in default if pair.label)
    assert min(directions[1], directions[-1]) > 1_500


def test_a_text_means_one_number(default):
    """Else one pair could be labeled 1 and 0: no pair's label follows from the language or the order."""
    labels = {}
    for pair in default:
        assert labels.setdefault(frozenset(pair[:2]), pair.label) == pair.label


# An independent reader of numbers: it knows nothing of num2words.
EN = {
    word: i
    for i, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | {word: 10 * i for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)}
ORDINALS = "first one second two third three fifth five eighth eight ninth nine twelfth twelve".split()
EN_ORDINALS = dict(zip(ORDINALS[::2], ORDINALS[1::2], strict=True))
DE = {
    word: i
    for i, word in enumerate(
        "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
        "siebzehn achtzehn neunzehn".split()
    )
} | {
    word: 10 * i
    for i, word in enumerate("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(), start=2)
}


def english(words):
    if " point " in words:
        whole, fraction = words.split(" point ")
        return english(whole) + Decimal("0." + "".join(str(EN[digit]) for digit in fraction.split()))
    total, part, century = 0, 0, []
    for word in re.split(r"[\s,-]+", words):
        if word in EN_ORDINALS or word.endswith("th"):
            stem = word.removesuffix("th")
            word = EN_ORDINALS.get(word) or (stem.removesuffix("ie") + "y" if stem.endswith("ie") else stem)
        if word == "hundred":
            part = (part or 1) * 100
        elif word in ("thousand", "million"):
            total, part = total + (part or 1) * {"thousand": 1_000, "million": 1_000_000}[word], 0
        elif word == "oh":
            century, part = [part], 0
        elif word != "and":
            if EN[word] >= 10 and 10 <= part < 100 and not total:  # nineteen eighty-four: two numbers of two digits
                century, part = [part], 0
            part += EN[word]
    return Decimal(100 * sum(century) + total + part)


def german(words):
    if " Komma " in words:
        whole, fraction = words.split(" Komma ")
        return german(whole) + Decimal(
            "0." + "".join(str(DE[re.sub("s$", "", d) if d == "eins" else d]) for d in fraction.split())
        )
    million, _, rest = words.rpartition(" Million" if " Million" in words else "\0")
    if million:
        rest = re.sub(r"^(en)?\s*", "", rest)
        return german(million.replace("eine", "ein")) * 1_000_000 + (german(rest) if rest else 0)
    if "tausend" in words:
        high, low = words.split("tausend")
        return (german(high) if high else 1) * 1_000 + (german(low) if low else 0)
    if "hundert" in words:
        high, low = words.split("hundert")
        return (german(high) if high else 1) * 100 + (german(low) if low else 0)
    if words in DE or words == "eins":
        return Decimal(DE.get(words, 1))
    ones, _, tens = words.partition("und")
    return Decimal(DE[ones] + DE[tens])


def german_ordinal(words):
    endings = {"erste": "eins", "dritte": "drei", "siebte": "sieben", "achte": "acht", "sechste": "sechs"}
    for ending, known in endings.items():
        if words.endswith(ending):
            return german(words.removesuffix(ending) + known)
    return german(words.removesuffix("ste") if words.endswith("ste") else words.removesuffix("te"))


def value_of(text, kind, language):
    """Return the number of a text, or both numbers of a range."""
    if kind == "range":
        return tuple(value_of(end, "cardinal", language) for end in re.split(r" to | bis |(?<=\d)[-–]", text))
    if kind == "roman" and re.fullmatch("[IVXLCDM]+", text):
        worth = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}[letter] for letter in text]
        return Decimal(sum(-one if one < two else one for one, two in zip(worth, [*worth[1:], 0], strict=True)))
    if text[0].isdigit():
        plain = re.sub("(st|nd|rd|th)$", "", text)
        plain = plain.replace(",", "") if language == "en" else plain.replace(".", "").replace(",", ".")
        return Decimal(plain)
    if language == "en":
        return english(text)
    return german_ordinal(text) if kind == "ordinal" else german(text)


@every("kind", ROMAN)
@every("language", ["en", "de"])
def test_the_label_is_1_for_equal_numbers_and_0_for_others(kind, language):
    for pair in number_pairs(NumberPairConfig(languages=(language,), kinds=(kind,), size=500, seed=3)):
        same = value_of(pair.first, kind, language) == value_of(pair.second, kind, language)
        assert same == bool(pair.label), pair


@hypothesis_settings(max_examples=15, deadline=None)
@given(
    st.sets(st.sampled_from(["en", "de"]), min_size=1),
    st.sets(st.sampled_from(KINDS), min_size=1),
    st.integers(1, 300),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_a_set_is_exactly_as_large_as_wanted_and_disjoint(languages, kinds, size, negatives, seed):
    wanted = NumberPairConfig(tuple(sorted(languages)), tuple(sorted(kinds)), size, negatives, seed)
    pairs = number_pairs(wanted)
    assert len({pair[:2] for pair in pairs}) == len(pairs) == size
    assert sum(pair.label == 0 for pair in pairs) == round(size * negatives)
    assert not shared_texts(pairs)


def test_the_seed_decides():
    small = [number_pairs(NumberPairConfig(size=50, seed=seed)) for seed in (1, 1, 2)]
    assert small[0] == small[1] != small[2]


def test_a_number_has_its_split_whatever_its_kind():
    assert {split_of((Decimal(n),), NumberPairConfig(seed=seed)) for n in range(10) for seed in range(30)} == {"train"}
    settings = NumberPairConfig(seed=5)
    splits = Counter(split_of((Decimal(n),), settings) for n in range(1000))
    assert splits["train"] in range(800, 821)
    assert splits["dev"] > 80
    assert splits["test"] > 80


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


def test_more_years_than_there_are_is_an_error():
    with pytest.raises(ValueError, match=r"size is 20,000, but after .* no further year of 'en' was found"):
        number_pairs(NumberPairConfig(languages=("en",), kinds=("year",), size=20_000, negatives=0))


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
