"""METEOR, and the table of WordNet that it reads."""

from __future__ import annotations

import hashlib
import math
import random
import unicodedata
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.metrics.lexical import meteor as meteor_module
from answersim.metrics.lexical import nltk_words as nltk_words_module
from answersim.metrics.lexical.meteor import NONE, Meteor, counts, meteor, partners
from answersim.metrics.lexical.nltk_words import nltk_2021_words, nltk_words
from answersim.metrics.lexical.wordnet.reader import TABLE, fingerprint, synonyms
from answersim.types import Pair
from tests.cases import cases_of, every
from tools import wordnet as build

TABLES = cases_of(__file__)

NEAR = {"car": {"auto"}, "auto": {"car"}, "big": {"large", "great"}, "stem": {"root"}}


def stem(word: str) -> str:
    """Drop a final s."""
    return word.removesuffix("s")


def near(word: str) -> set[str]:
    return NEAR.get(word, set())


def number(gold: str, pred: str, **parameters: float) -> float:
    return meteor(gold.split(), pred.split(), stem=stem, synonyms=near, **parameters)


def mean(precision: float, recall: float) -> float:
    return precision * recall / (0.9 * precision + 0.1 * recall)


# gold, pred, the number by the formula (Lavie & Agarwal 2007): (1 - 0.5 * (chunks / matches) ** 3) * mean
CASES = [
    ("paris", "paris", 0.5),
    ("Paris", "pARIS", 0.5),
    ("new york", "new york", 1 - 0.5 / 8),
    ("new york", "york new", 0.5),  # two chunks of one word
    ("cats", "cat", 0.5),  # by the stem
    ("cars", "autos", 0.5),  # by a synonym of the stem
    ("roots", "stems", 0.5),
    ("stems", "roots", 0.0),  # synonyms are those of the prediction
    ("paris", "london", 0.0),
    ("the big car", "the large car", (1 - 0.5 * (2 / 2) ** 3) * mean(2 / 3, 2 / 3)),  # "large" knows no "big"
    ("the large car", "the big car", 1 - 0.5 / 27),
    ("a b c d", "a b", (1 - 0.5 / 8) * mean(1.0, 0.5)),
    ("a b", "a b c d", (1 - 0.5 / 8) * mean(0.5, 1.0)),
    ("", "paris", 0.0),
    ("paris", "", 0.0),
    ("", "", 0.0),
]


@every(("gold", "pred", "expected"), CASES)
def test_the_number_is_the_formula_by_hand(gold, pred, expected):
    assert number(gold, pred) == pytest.approx(expected, abs=1e-12)


def test_the_parameters_are_those_of_the_formula():
    # one match of one predicted and two gold words: precision 1, recall 1/2, one chunk
    assert number("a b", "a", alpha=0.5, gamma=0.0) == pytest.approx(0.5 / (0.5 + 0.25))
    assert number("a b", "a", alpha=1.0, gamma=0.2) == pytest.approx(0.8 * 0.5)
    assert number("a b c", "c a b", beta=1.0) == pytest.approx(1 - 0.5 * 2 / 3)
    assert number("a b c", "c a b", beta=0.0, gamma=1.0) == 0.0


def test_text_in_place_of_words_is_an_error():
    with pytest.raises(TypeError, match="two sequences of words"):
        meteor("Paris", ["Paris"], stem=stem, synonyms=near)
    with pytest.raises(TypeError, match="two sequences of words"):
        meteor(["Paris"], "Paris", stem=stem, synonyms=near)


def test_english_is_matched_by_porter_and_wordnet():
    pairs = [
        Pair("the car", "the auto"),  # a synonym of a word that is its own stem
        Pair("runs", "running"),  # the same stem
        Pair("automobile", "car"),  # "automobile" is stemmed to "automobil", which WordNet does not know
        Pair("Paris", "paris"),
        Pair("Paris", "Lyon"),
    ]
    assert Meteor()(pairs) == pytest.approx([1 - 0.5 / 8, 0.5, 0.0, 0.5, 0.0], abs=1e-12)


@settings(deadline=None)  # the first example loads NLTK
@given(st.sampled_from(["en", "de", "ru", "ar", "zh", "ka"]), st.text())
def test_an_answer_on_itself_is_more_than_zero_unless_it_is_blank(lang, answer):
    assert (Meteor(lang)([Pair(answer, answer)])[0] > 0) == bool(answer.strip())


def test_other_languages_have_their_stems():
    assert Meteor("de")([Pair("Katzen", "Katze")])[0] == 0.5
    assert Meteor("ru")([Pair("книги", "книга")])[0] == 0.5
    assert Meteor("pl")([Pair("koty", "kot")])[0] == 0.0  # no stemmer


def test_an_arabic_stem_does_not_hang_on_the_word_before():
    from nltk.stem.snowball import SnowballStemmer

    rng = random.Random(0)
    letters = "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةى"
    words = ["".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(500)]
    alone = [SnowballStemmer("arabic").stem(word) or word for word in words]
    shared = SnowballStemmer("arabic")
    assert [shared.stem(word) or word for word in words] != alone  # the trap is there
    result = meteor_module._snowball("ar")
    assert [result(word) for word in words] == alone


def test_a_stem_is_never_empty():
    from nltk.stem.snowball import SnowballStemmer

    assert SnowballStemmer("russian").stem("ь") == ""  # the trap is there
    assert meteor_module._snowball("ru")("ь") == "ь"


def test_the_signature_names_tokenizer_stemmer_and_synonyms():
    assert Meteor().signature.rsplit("|rev:", 1)[0] == (
        "meteor|lang:en|alpha:0.9|beta:3.0|gamma:0.5|order:gold-pred|words:nltk-3.10+char|stem:porter-nltk"
        f"|synonyms:wordnet30-{fingerprint()}"
    )
    assert "|words:de|stem:snowball-german|synonyms:none|" in Meteor("de").signature
    assert "|words:pl|stem:none|synonyms:none|" in Meteor("pl").signature


@every(
    ("wrong", "error", "message"),
    [
        ({"lang": "xx"}, LookupError, "ISO 639-1"),
        ({"lang": 1}, TypeError, "lang is 1"),
        ({"alpha": 1.5}, ValueError, r"alpha is 1\.5, .* between 0 and 1; the usual one is 0\.9"),
        ({"alpha": math.nan}, ValueError, "alpha is nan"),
        ({"alpha": "0.9"}, TypeError, r"alpha is '0\.9' .* a number"),
        ({"alpha": True}, TypeError, "alpha is True"),
        ({"beta": -1}, ValueError, "beta is -1, .* must be finite and at least 0"),
        ({"beta": math.inf}, ValueError, "beta is inf, .* finite"),
        ({"gamma": 2}, ValueError, "gamma is 2, .* between 0 and 1"),
        ({"gamma": None}, TypeError, "gamma is None"),
        ({"order": "gold"}, LookupError, "no order is called 'gold'; .*gold-pred, pred-gold"),
        ({"words": "nltk"}, LookupError, "tokenizer of METEOR in 'en' is called 'nltk'; .*nltk-2021, nltk-3.10"),
        ({"lang": "de", "words": "nltk-2021"}, LookupError, "tokenizer of METEOR in 'de'"),
    ],
)
def test_a_wrong_setting_is_an_error_at_construction(wrong, error, message):
    with pytest.raises(error, match=message):
        Meteor(**wrong)  # type: ignore[arg-type]


# gold, pred, the position of the gold word of each predicted word
ALIGNMENTS = [
    ("a b a", "a", [2]),  # the rightmost gold word
    ("a", "a b a", [NONE, NONE, 0]),  # the rightmost predicted word goes first
    ("a a", "a a", [0, 1]),
    ("great large great", "big big", [1, 2]),  # the rightmost among all synonyms
    ("cats cat", "cat cats", [1, 0]),  # equal words before equal stems
    ("auto cars", "car", [1]),  # equal stems before synonyms
    ("auto cars", "car car", [0, 1]),
    ("x y", "z", [NONE]),
]


@every(("gold", "pred", "expected"), ALIGNMENTS)
def test_words_are_matched_from_the_right_by_form_then_stem_then_synonym(gold, pred, expected):
    assert partners(gold.split(), pred.split(), stem=stem, synonyms=near) == expected


# gold, pred, matches and chunks
COUNTS = TABLES["counts"]


@every(("gold", "pred", "matches", "chunks"), COUNTS)
def test_matches_and_chunks_are_those_by_hand(gold, pred, matches, chunks):
    assert counts(gold.split(), pred.split(), stem=stem, synonyms=near) == (matches, chunks)


@pytest.mark.parametrize("vocabulary", [50, 100_000])
def test_two_hundred_thousand_words_are_not_all_compared_with_each_other(vocabulary):
    rng = random.Random(0)
    gold, pred = ([f"w{rng.randrange(vocabulary)}" for _ in range(200_000)] for _ in range(2))
    calls = {"stem": 0, "synonyms": 0}

    def stem(word: str) -> str:
        calls["stem"] += 1
        return word[:-1]

    def synonyms(word: str) -> set[str]:
        calls["synonyms"] += 1
        return {f"{word}{i}" for i in range(9)}

    meteor(gold, pred, stem=stem, synonyms=synonyms)
    assert max(calls.values()) <= 400_000  # once per word of both, not per pair of words


# the words of an answer by NLTK 3.10, and by nltk.word_tokenize of 2021 where they differ
WORDS = TABLES["words"]


@every(("answer", "words", "words_2021"), WORDS)
def test_words_are_those_of_nltk(answer, words, words_2021):
    assert nltk_words(answer) == words
    assert nltk_2021_words(answer) == (words if words_2021 is None else words_2021)


# An apostrophe opens a quotation if a word character follows it and none precedes it. NLTK 3.10 searches with the
# package regex, in which marks and joiners are word characters and fractions and superscripts are not.
QUOTED = TABLES["quoted"]


@every(("answer", "words"), QUOTED)
def test_an_apostrophe_beside_marks_and_fractions_is_split_as_by_nltk(answer, words):
    assert nltk_words(answer) == words


def odd_answers(n: int, seed: int) -> Iterator[str]:
    """Answers of what the rules read, of marks, joiners, numbers and symbols of all kinds, and of any characters."""
    rng = random.Random(seed)
    known = [chr(i) for i in range(0x30000) if unicodedata.category(chr(i)) not in ("Cn", "Cs", "Co")]
    by_kind: dict[str, list[str]] = {}
    for character in known:
        by_kind.setdefault(unicodedata.category(character), []).append(character)
    parts = "' ' ' '' `` \" ’ ‘ 're 's 'n n't 'tis d'ye cannot gonna a b S re 1 . , .. : ; - -- ( ) ] ? ! * & $".split()
    for _ in range(n):
        odd = [rng.choice(by_kind[kind]) for kind in rng.choices(list(by_kind), k=3)]
        yield "".join(rng.choices([*parts, " ", " ", *odd, *odd], k=rng.randrange(2, 14)))


def test_odd_answers_have_the_words_of_the_installed_nltk():
    """Against NLTK itself, where it is 3.10 or newer: its rules before that are other ones."""
    from nltk.tokenize import NLTKWordTokenizer

    if tuple(map(int, version("nltk").split(".")[:2])) < (3, 10):
        pytest.skip("needs NLTK 3.10, whose rules these are")
    tokenize = NLTKWordTokenizer().tokenize
    for answer in odd_answers(3000, seed=0):
        assert nltk_words(answer) == tokenize(answer), ascii(answer)


@settings(deadline=None)  # the first example loads NLTK
@given(st.text(st.sampled_from("ab Z1é²,.-_'\"–\n\x1c\u3000"), max_size=12) | st.text())
def test_the_short_way_to_words_gives_what_the_rules_give(answer):
    assert nltk_words(answer) == nltk_words_module._split(answer, nltk_words_module._RULES_3_10)


def test_long_runs_of_spaces_take_linear_time():
    answer = "'" + "a. " + " " * 300_000 + "b"  # a rule that tries every start of the run would not end in a day
    assert nltk_words(answer) == ["'", "a.", "b"]


def small_wordnet(folder: Path) -> Path:
    """Dictionary files in the format of wndb(5WN), of a few invented synsets."""
    head = "  1 The license\n  2  \n  3 WordNet 3.0 Copyright 2006 by nobody.  \n"
    files = {
        "data.noun": (
            "00000010 03 n 02 Tram 0 street_car 0 000 | runs on rails\n"
            "00000020 03 n 01 street_car 0 000 | collocations only, to be dropped\n"
            "00000030 03 n 02 tram 0 axis 1 000 | another\n"
        ),
        "index.noun": (
            "axis n 1 0 1 0 00000030\nstreet_car n 2 0 2 0 00000010 00000020\ntram n 2 1 @ 2 0 00000030 00000010\n"
        ),
        "data.verb": "00000040 30 v 01 go 0 000 01 + 02 00 | move\n",
        "index.verb": "go v 1 0 1 0 00000040\n",
        "data.adj": "00000050 00 s 02 afloat(ip) 0 adrift(p) 0 000 | on water\n",
        "index.adj": "adrift a 1 0 1 0 00000050\nafloat a 1 0 1 0 00000050\n",
        "data.adv": "00000060 02 r 01 soon 0 000 | shortly\n",
        "index.adv": "soon r 1 0 1 0 00000060\n",
    }
    folder.mkdir()
    for name, lines in files.items():
        (folder / name).write_text(head + lines, encoding="ascii")
    exceptions = {"noun": "axes ax\naxes axis\n", "verb": "went go\n", "adj": "odder odd\n", "adv": "sooner soon\n"}
    for part, lines in exceptions.items():
        (folder / f"{part}.exc").write_text(lines, encoding="ascii")
    return folder


# By hand, from the dictionary files: word, some synonyms it has, some that it has not.
SYNONYMS = TABLES["synonyms"]


@every(("word", "some", "none"), SYNONYMS)
def test_synonyms_are_the_names_in_the_synsets_of_a_word_and_its_base_forms(word, some, none):
    result = synonyms(word)
    assert set(some) <= result
    assert not result.intersection(none)
    assert bool(result) == bool(some)
    assert not any("_" in name for name in result)


def test_the_fingerprint_is_the_hash_of_the_table():
    assert fingerprint() == hashlib.sha256(TABLE.read_bytes()).hexdigest()[:12]


def test_the_table_is_small_and_names_its_source():
    content = TABLE.read_bytes()
    assert len(content) < 3_000_000
    head = content.split(b"\n\n", 1)[0].decode("ascii").splitlines()
    hashes = [line.split()[2:] for line in head if line.startswith("# sha256 ")]
    assert sorted(name for name, _ in hashes) == sorted(
        f"{part}.exc" if kind == "exc" else f"{kind}.{part}"
        for part in ("noun", "verb", "adj", "adv")
        for kind in ("index", "data", "exc")
    )
    assert all(len(digest) == 64 for _, digest in hashes)


SMALL_TABLE = """\

noun
Tram street_car
axis tram

verb
go

adj
adrift afloat

adv
soon

noun.exc
axes axis

verb.exc
went go

adj.exc
odder odd

adv.exc
sooner soon
"""


def test_each_synset_of_single_words_is_listed_once(tmp_path: Path) -> None:
    source = small_wordnet(tmp_path / "dict")
    head, body = build.table(source).decode("ascii").split("\n\n", 1)
    assert "\n" + body == SMALL_TABLE
    digest = hashlib.sha256((source / "index.noun").read_bytes()).hexdigest()
    assert f"# sha256 index.noun {digest}" in head.splitlines()


def test_the_license_is_the_head_of_the_file_of_nouns_and_the_bytes_are_the_same_again(tmp_path):
    source = small_wordnet(tmp_path / "dict")
    assert build.license_text(source) == b"The license\n\nWordNet 3.0 Copyright 2006 by nobody.\n"
    assert build.table(source) == build.table(source)


def test_another_wordnet_is_refused(tmp_path: Path) -> None:
    source = small_wordnet(tmp_path / "dict")
    noun = source / "data.noun"
    noun.write_text(noun.read_text(encoding="ascii").replace("WordNet 3.0", "WordNet 3.1"), encoding="ascii")
    with pytest.raises(ValueError, match=r"another version than WordNet 3\.0"):
        build.license_text(source)
