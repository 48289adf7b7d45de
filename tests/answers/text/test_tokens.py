"""Answers to tokens, by language profile: a table of cases that can be checked by hand."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.text.tokens import (
    Pieces,
    english_words,
    has_unspaced,
    language,
    squad_words,
    tokenizer,
    unicode_words,
    unspaced_words,
)
from tests.cases import every

ODD = [
    "É",
    "“the”",
    "a’s",
    "a–b",
    "K",
    "ß",
    "ΣΑΣ-ΑΣ",
    "«An»-É",
    "é\xa0the",
    "\u3000",
    "x\x7f",
    "the",
    "The",
    "a",
    "an",
    "A.",
    "«the»",
    "the-a",
    "x",
    "Σ",
    "ΑΣ",
    "İ",
    "\x01a",
    "a\x00",
    "_the_",
    "’a",
    "\ud800a",
    "é",
    "東京。",
    "theの",
    "A・B",
]
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30) | st.lists(
    st.sampled_from([*ODD, "\x1c", "\u2028", "\xa0", "\n"]), max_size=8
).map(" ".join)


@every(
    ("text", "tokens"),
    [
        ("The  Eiffel\tTower!", ["eiffel", "tower"]),
        ("A.B.C. an apple", ["abc", "apple"]),
        ("well-known", ["wellknown"]),
        ("«Berlin»", ["«berlin»"]),
        ("der Hund", ["der", "hund"]),
        ("１１", ["１１"]),
        ("the The", []),
        ("?!", []),
        ("", []),
    ],
)
def test_squad_words_are_the_official_normalization(text, tokens):
    assert squad_words(text) == tokens


@every(
    ("text", "tokens"),
    [
        ("The Eiffel Tower!", ["eiffel", "tower"]),
        ("The The", ["the", "the"]),
        ("A.", ["a"]),
        ("?!", ["?!"]),
        ("? !", ["?", "!"]),
        ("  ", []),
    ],
)
def test_english_words_fall_back_where_nothing_would_remain(text, tokens):
    assert english_words(text) == tokens


@every(
    ("text", "tokens"),
    [
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("Sonyの本社", ["sony", "の", "本", "社"]),
        ("時々", ["時", "々"]),
        ("東京。", ["東", "京"]),
        ("「Sony」の本社", ["sony", "の", "本", "社"]),
        ("“北京”", ["北", "京"]),
        ("ジョン・レノン", ["ジ", "ョ", "ン", "レ", "ノ", "ン"]),
        ("John・Lennon", ["john・lennon"]),  # no such script: as SQuAD
        ("1.5倍", ["15", "倍"]),  # SQuAD's rule for the rest
        ("aの犬", ["の", "犬"]),
        ("the 犬", ["犬"]),
        ("２００８年", ["２００８", "年"]),  # wide digits stay, as without the character beside them
        ("Ｓｏｎｙの", ["ｓｏｎｙ", "の"]),
        ("ﾄｳｷｮｳ", ["ト", "ウ", "キ", "ョ", "ウ"]),  # narrow Kana
        ("か\u3099", ["が"]),
        ("葛\U000e0100飾", ["葛\U000e0100", "飾"]),  # a variation selector is a mark
        ("ที่นี่ปี2008", ["ที่", "นี่", "ปี", "2008"]),
        ("ไทย\u200bไทย", ["ไ", "ท", "ย", "ไ", "ท", "ย"]),  # a space of no width
        ("ລາວ", ["ລ", "າ", "ວ"]),
        ("ខ្មែរ", ["ខ្", "មែ", "រ"]),
        ("မြန်", ["မြ", "န်"]),
        ("東京🗼️!", ["東", "京", "🗼️"]),
        ("👍🏽東", ["👍🏽", "東"]),
        ("서울 타워", ["서울", "타워"]),  # Korean writes spaces
        ("Москва", ["москва"]),
    ],
)
def test_english_words_of_scripts_without_spaces_are_their_characters(text, tokens):
    assert english_words(text) == tokens


@given(st.lists(st.sampled_from("東 京 の ที่ ー 々 a The Sony 1.5 -x é １ ½ «B» , ' ? ".split(" ")), max_size=9))
def test_english_words_are_as_if_spaces_stood_around_such_characters(parts):
    spaced = " ".join(f" {part} " if has_unspaced(part) else part for part in parts)
    joined = "".join(f"{part}" if has_unspaced(part) else f" {part} " for part in parts)
    close = "".join(parts)
    assert english_words(joined) == english_words(spaced)
    if not has_unspaced(close):
        assert english_words(close) == (squad_words(close) or english_words(close))
    words_of_close = [word for word in english_words(close) if has_unspaced(word)]
    assert words_of_close == [part for part in parts if has_unspaced(part)]


@given(TEXTS)
def test_a_text_without_such_characters_stays_one_word(text):
    for word in text.split():
        assert has_unspaced(word) or unspaced_words(word) == [word]


@every(
    ("lang", "text", "tokens"),
    [
        ("de", "der «Eiffelturm» in Paris", ["eiffelturm", "in", "paris"]),
        ("de", "Straße", ["strasse"]),
        ("de", "1,5 Millionen", ["1,5", "millionen"]),
        ("de", "am 3.10.1990", ["am", "3.10.1990"]),
        ("de", "1939–1945", ["1939", "1945"]),
        ("de", "Die", ["die"]),
        ("fr", "l'eau et le vin", ["eau", "et", "vin"]),
        ("es", "¿Los Ángeles?", ["ángeles"]),
        ("zh", "北京２００８年。", ["北", "京", "2008", "年"]),
        ("ja", "東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("th", "ที่นี่", ["ที่", "นี่"]),
        ("th", "ปี2008", ["ปี", "2008"]),  # after a mark too
        ("ko", "서울 타워", ["서울", "타워"]),
        ("ar", "القاهرة، مصر", ["القاهرة", "مصر"]),
        ("ru", "Пётр Первый!", ["пётр", "первый"]),
        ("de", "zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("el", "…", ["..."]),
    ],
)
def test_other_languages_are_unicode_words(lang, text, tokens):
    assert tokenizer(lang)(text) == tokens


def test_numbers_that_differ_by_a_decimal_comma_stay_different():
    assert tokenizer("de")("1,5") != tokenizer("de")("15")
    assert squad_words("1.5") == squad_words("15")  # the official script's own weakness, kept bit for bit


def test_decomposed_and_composed_letters_are_the_same():
    assert unicode_words("Mu\u0308nchen") == unicode_words("München")


@every(
    ("profile", "name"),
    [("squad", "squad"), ("paper", "squad"), ("unicode", "unicode"), ("embedded", "de"), (None, "de")],
)
def test_a_profile_goes_before_the_language(profile, name):
    assert tokenizer("de", profile).name == name


@every(("tag", "code"), [("de", "de"), ("de-AT", "de"), ("pt_BR", "pt"), ("ZH-Hant", "zh")])
def test_a_language_tag_gives_its_code(tag, code):
    assert language(tag) == code


@every("tag", ["english", "xx", "", "deutsch", "e"])
def test_a_mistyped_language_is_an_error(tag):
    with pytest.raises(LookupError, match="ISO 639-1"):
        language(tag)


@every("tag", [None, 5])
def test_a_language_is_a_text(tag):
    with pytest.raises(TypeError, match="ISO 639-1"):
        language(tag)  # type: ignore[arg-type]


def test_a_mistyped_profile_is_an_error_with_a_hint():
    with pytest.raises(LookupError, match="did you mean 'squad'"):
        tokenizer("en", "squat")


def script_words(text: str) -> list[str]:
    """``normalize_answer`` of the official script, step by step, split."""
    bare = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


@given(TEXTS)
def test_squad_words_are_the_scripts_for_any_text(text):
    assert squad_words(text) == script_words(text)
    bare = text.lower().translate(str.maketrans("", "", string.punctuation)).split()
    if not has_unspaced(text):
        assert english_words(text) == (script_words(text) or bare or text.lower().split())


def test_words_beyond_ascii_are_the_scripts_also_when_they_are_remembered():
    for text in ("“The” Élan of a’s É–the", "«É» the «É»", "ΑΣ. ΑΣ", "x" * 50 + "É"):
        for _ in range(2):
            assert squad_words(text) == script_words(text)


def test_pieces_are_found_once_and_forgotten_when_they_are_many():
    asked: list[str] = []

    def split(word: str) -> list[str]:
        asked.append(word)
        return word.split("-")

    pieces = Pieces(split, most=2)
    assert pieces.of(["a-b", "c", "a-b"]) == ["a", "b", "c", "a", "b"]
    assert asked == ["a-b", "c"]
    assert pieces.of(["d", "a-b"]) == ["d", "a", "b"]  # the third word: all before are forgotten
    assert asked == ["a-b", "c", "d", "a-b"]
    assert len(pieces) == 2


def test_very_long_pieces_are_not_remembered():
    pieces = Pieces(lambda word: [word])
    assert pieces.of(["x" * 1000]) == ["x" * 1000]
    assert not pieces
