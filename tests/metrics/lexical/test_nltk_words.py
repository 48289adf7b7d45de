"""English words by NLTK's rules: cases that can be checked by hand."""

import random
import unicodedata
from collections.abc import Iterator
from importlib.metadata import version

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.metrics.lexical import nltk_words as nltk_words_module
from answersim.metrics.lexical.nltk_words import nltk_2021_words, nltk_words
from tests.cases import every

# the words of an answer by NLTK 3.10, and by nltk.word_tokenize of 2021 where they differ
WORDS = [
    ("Paris", ["Paris"], None),
    ("St. Louis, Missouri.", ["St.", "Louis", ",", "Missouri", "."], None),
    ("1,300 km", ["1,300", "km"], None),
    ("Levi's", ["Levi", "'s"], None),
    ("I can't", ["I", "ca", "n't"], None),
    ("cannot", ["can", "not"], None),
    ('the "King"', ["the", "``", "King", "''"], None),
    ("$5 (US)", ["$", "5", "(", "US", ")"], None),
    ("a -- b", ["a", "--", "b"], None),
    ("well-known", ["well-known"], None),
    (".", ["."], None),
    ("..", [".."], None),
    ("a,,b", ["a", ",", ",b"], None),
    ("9–88 cm", ["9", "–", "88", "cm"], ["9–88", "cm"]),
    ("'Laou", ["'", "Laou"], ["'Laou"]),
    ("No one. Ever.", ["No", "one.", "Ever", "."], ["No", "one", ".", "Ever", "."]),
    ("Dr. Who", ["Dr.", "Who"], None),
    ("", [], None),
    (" \t\n", [], None),
]


@every(("answer", "words", "words_2021"), WORDS)
def test_words_are_those_of_nltk(answer, words, words_2021):
    assert nltk_words(answer) == words
    assert nltk_2021_words(answer) == (words if words_2021 is None else words_2021)


# An apostrophe opens a quotation if a word character follows it and none precedes it. NLTK 3.10 searches with the
# package regex, in which marks and joiners are word characters and fractions and superscripts are not.
QUOTED = [
    ("x 'word", ["x", "'", "word"]),
    ("½'a", ["½", "'", "a"]),
    ("a '½", ["a", "'½"]),
    ("e\u0301'a b", ["e\u0301'a", "b"]),
    ("\u0301'a b", ["\u0301'a", "b"]),
    ("'\u0301a b", ["'", "\u0301a", "b"]),
    ("x '²", ["x", "'²"]),
    ("²'tis b", ["²", "'", "tis", "b"]),
    ("की'का x", ["की'का", "x"]),
    ("x '\u200da", ["x", "'", "\u200da"]),
    ("\u200c'a x", ["\u200c'a", "x"]),
    ("x 'ⓐb", ["x", "'", "ⓐb"]),
    ("\u203f'a x", ["\u203f'a", "x"]),
    ("x '_a", ["x", "'", "_a"]),
    ("x 're\u0301", ["x", "'", "re\u0301"]),  # no clitic: the mark belongs to the word
    ("x 're½", ["x", "'re½"]),  # a clitic: a fraction ends the word
    ("x 'S' b", ["x", "'S", "'", "b"]),
]


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


@given(st.text(st.sampled_from("ab Z1é²,.-_\n\x1c\u3000"), min_size=1, max_size=12), st.sampled_from(["", " ", ". "]))
def test_long_answers_without_marks_have_the_words_of_the_rules(part, between):
    answer = between.join([part] * (nltk_words_module._LONG // len(part) + 2))
    assert len(answer) > nltk_words_module._LONG
    assert nltk_words(answer) == nltk_words_module._split(answer, nltk_words_module._RULES_3_10)


@settings(deadline=None)  # the first example loads NLTK
@given(st.text())
def test_every_answer_has_words_unless_it_is_blank(answer):
    for words in (nltk_words, nltk_2021_words):
        assert bool(words(answer)) == bool(answer.strip())


def test_long_runs_of_spaces_take_linear_time():
    answer = "'" + "a. " + " " * 300_000 + "b"  # a rule that tries every start of the run would not end in a day
    assert nltk_words(answer) == ["'", "a.", "b"]


# What stands beside a word matters to some rules: marks, quotation marks, clitics and the end.
PARTS = st.sampled_from(
    "a A1 word can't cannot gonna ( ) [ ] “ ” ’s 's ' '' `` \" ... .. . , : ; ? ! -- – 'tis 'twas d'ye more'n wanna "
    "U.S. (x) x), «y» a.b -c 3,5 ,, :, x: 'n n't it's $5 *".split(" ")
)
LINES = st.lists(st.tuples(PARTS, st.sampled_from(["", " ", " ", " ", "  ", "\n"])), max_size=10)


@given(LINES)
def test_tokens_of_single_words_are_those_of_the_whole_answer(line):
    answer = "".join(part + space for part, space in line)
    assert nltk_words_module._word_by_word(answer) == nltk_words_module._split(answer, nltk_words_module._RULES_3_10)


@pytest.mark.parametrize("space", ["\n", "\t", "\u2028", "\u3000"])
def test_an_answer_ends_before_white_space_of_any_kind(space):
    answer = f"“Two” more words. {space}"
    assert nltk_words(answer) == ["“", "Two", "”", "more", "words", "."]
