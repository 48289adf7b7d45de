"""Texts become tokens: word forms, markup, scripts, and languages that are recognized."""

import csv
import json
import random
import re
import string
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.text.languages import FREQUENT, text_language
from answersim.answers.text.markup import visible, visible_lines, visible_pair
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
from tests.cases import cases_of, every
from tests.language_texts import ENGLISH, GERMAN, OTHERS

CASES = cases_of(__file__)

ODD = CASES["odd"]
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=30) | st.lists(
    st.sampled_from([*ODD, "\x1c", "\u2028", "\xa0", "\n"]), max_size=8
).map(" ".join)


@every(("text", "tokens"), CASES["squad_words_are_the_official_normalization"])
def test_squad_words_are_the_official_normalization(text, tokens):
    assert squad_words(text) == tokens


@every(("text", "tokens"), CASES["english_words_fall_back_where_nothing_would_remain"])
def test_english_words_fall_back_where_nothing_would_remain(text, tokens):
    assert english_words(text) == tokens


@every(("text", "tokens"), CASES["english_words_of_scripts_without_spaces_are_their_characters"])
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


@every(("lang", "text", "tokens"), CASES["other_languages_are_unicode_words"])
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


SEEN = [
    # comments
    ("London <!-- Paris -->", "London"),
    ("<!-- Paris -->London", "London"),
    ("London <!-- Paris", "London"),  # not closed: a page shows nothing after it
    ("London\n\n[//]: # (Paris)", "London"),
    ("&lt;!-- Paris --&gt; London", "London"),
    # hidden elements, attributes and text that is struck out
    ('London<span style="display:none">Paris</span>', "London"),
    ("London <p hidden>Paris</p>", "London"),
    ("<script>Paris</script>London", "London"),
    ('<div style="visibility: hidden">a<div>b</div>c</div>London', "London"),
    ('<span title="Paris">London</span>', "London"),
    ('London <img src="x.png" alt="Paris">', "London"),
    ('<a href="https://example.org/Paris">London</a>', "London"),
    ("[London](https://example.org/Paris)", "London"),
    ("![Paris](x.png) London", "London"),
    ("~~Paris~~ London", "London"),
    ("<del>Paris</del> <b>London</b>", "London"),
    # signs around what is read
    ("**Paris**", "Paris"),
    ("***Paris***", "Paris"),
    ("__Paris__", "Paris"),
    ("_Emma_", "Emma"),
    ("The answer is **Paris**.", "The answer is Paris."),
    ("## Paris\n", "Paris"),
    ("- Paris", "Paris"),
    ("- 1984", "1984"),
    ("`Paris`", "Paris"),
    ("```text\nParis\n```", "Paris"),
    ("<b>Paris</b>", "Paris"),
    ("<strong class='x'>Par</strong>is", "Paris"),
    ("Paris<br>France", "Paris France"),
    ("<div><span>Paris</span></div>", "Paris"),
    ("<answer>Paris</answer>", "Paris"),
    ("&quot;Paris&quot;", '"Paris"'),
    (r"\boxed{Paris}", "Paris"),
    (r"The answer is $\boxed{-3}$.", "The answer is -3."),
    (r"$\text{Paris}$", "Paris"),
    ("\u200bPa\u200bris\ufeff", "Paris"),
    ("“Paris”", "Paris"),
    ("«Paris».", "Paris."),
    ("„Paris“", "Paris"),
    ("<!-- Paris -->", ""),
]
KEPT = CASES["kept"]


@every(("text", "seen"), SEEN)
def test_markup_is_not_read(text, seen):
    assert visible(text) == seen


@every("text", KEPT)
def test_a_text_without_markup_stays(text):
    assert visible(text) == text


@every(
    ("gold", "pred", "expected"),
    [
        ("<div>", "The <div> element", ("<div>", "The <div> element")),
        ("<div>", "The <p> element <!-- <div> -->", ("<div>", "The <p> element")),
        ("<div>", "<div>", ("<div>", "<div>")),
        ("<i>Emma</i>", "<b>Emma</b>", ("Emma", "Emma")),
        ("x < y", "<b>x < y</b>", ("x < y", "x < y")),
    ],
)
def test_a_gold_answer_that_is_a_tag_is_found_in_a_prediction(gold, pred, expected):
    assert visible_pair(gold, pred) == expected


@given(st.text(st.sampled_from("ab <>/!-*_`~[]()#&$\\{}\n\u200b\"'="), max_size=60))
def test_what_is_seen_has_no_markup_of_its_own_letters(text):
    """Nothing is added: the letters that are seen are letters of the text, in order."""
    letters = iter(text)
    assert all(letter in letters for letter in visible(text) if letter in "ab")


@every("piece", ["<a '", '<a "', "<del>", "<!--", "[a](", "**a ", "`", "~~", "$a", "![", "<b>a</b>", "&lt;"])
def test_a_repeated_opening_takes_no_more_than_linear_work(piece):
    """A pattern that reads to the end from each opening would need minutes here."""
    assert len(visible(piece * 20_000)) <= len(piece) * 20_000


def test_signs_of_lines_are_seen_in_short_and_in_long_texts() -> None:
    for words in ("Rome", "Rome " * 60):
        assert visible(f"# {words}") == words.strip()
        assert visible_lines(f"# {words}") == (words.strip(), f"# {words}".strip())
        assert visible(f"#{words}") == f"#{words}".strip()


def texts(rows: list[tuple[str, str, str]]) -> list[str]:
    return [text for row in rows for text in row]


OF_LETTERS = {  # languages that only some letters of a script tell from others
    "uk": ["Хто написав цю пісню?", "її написала українка", "у Києві"],
    "fa": ["پایتخت ایران کجاست؟", "تهران، شهری بزرگ", "چهار میلیون"],
    "ja": ["東京都", "大阪駅", "経済学", "関東地方", "広島県", "沖縄県", "日本円"],
    "zh": ["北京", "上海", "長江", "黃河", "萬里長城", "中華人民共和國", "臺灣"],
    "ru": ["Кто написал эту песню?", "её написала украинка", "в Киеве"],
    "ar": ["ما عاصمة إيران؟", "طهران مدينة كبيرة", "أربعة ملايين"],
}


@every(("code", "of"), [("de", texts(GERMAN)), *OTHERS.items(), *OF_LETTERS.items()])
def test_a_language_is_found_with_enough_evidence(code, of):
    result = text_language(of)
    assert result is not None
    assert (result.code, result.n) == (code, len(of))
    assert 3 <= result.showing <= len(of)


@every(
    "of",
    [
        [],
        ["", " "],
        texts(ENGLISH),
        texts(ENGLISH) * 50,
        [f"{text} {i}" for i in range(50) for text in texts(ENGLISH)],
        [answer for _, *answers in ENGLISH for answer in answers],  # names only
        texts(GERMAN)[:3],  # too little
        ["Москва"],
        ["1", "2", "3.5", "$5"] * 30,
    ],
)
def test_english_answers_with_foreign_names_are_english(of):
    assert text_language(of) is None


def test_no_frequent_word_is_one_of_english():
    for first, second in combinations(FREQUENT, 2):
        assert "en" not in (first, second) or not FREQUENT[first] & FREQUENT[second]


@pytest.mark.data
def test_human_labeled_sets_are_english_but_for_german_quad(data_home):
    for name, rows in _sets(data_home):
        for size in (5, 10, 20, 50, 120, len(rows)):
            rng = random.Random(size)
            draws = [rng.sample(rows, min(size, len(rows))) for _ in range(20 if size < len(rows) else 1)]
            results = [text_language(text for row in draw for text in row) for draw in draws]
            codes = {language.code for language in results if language is not None}
            assert codes <= {"de" if name == "GermanQuAD" else ""} - {""}, (name, size)
            if name == "GermanQuAD" and size >= 50:
                assert None not in results


def _sets(home: Path) -> Iterator[tuple[str, list[list[str]]]]:
    for name in ("SQuAD", "NQ-open", "GermanQuAD"):
        with (home / "sas" / f"{name}_SAS.csv").open(newline="", encoding="utf-8") as file:
            yield name, [[row["answer1"], row["answer2"]] for row in csv.DictReader(file)]
    if (home / "judged" / "evouna-TQ.json").is_file():
        answers = json.loads((home / "judged" / "evouna-TQ.json").read_text(encoding="utf-8"))
        for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing"):
            yield f"EVOUNA {system}", [[row["golden_answer"], row[f"answer_{system}"] or ""] for row in answers]
    efficient = home / "judged" / "NQ-open.efficientqa.test.1.1.jsonl"
    if efficient.is_file():
        rows = [json.loads(line) for line in efficient.read_text(encoding="utf-8").splitlines()]
        yield ("EfficientQA", [[row["answer"][0], pred] for row in rows for pred in row["def_incorrect_predictions"]])
