"""Pairs from data: WordNet, STS, graded and judged answers, statements."""

from __future__ import annotations

import zipfile
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from tools.weights.pairs import near_names, roles
from tools.weights.pairs.graded_answers import ARCHIVE, Graded, read_archive
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.sts import ScoredPair, without_overlap
from tools.weights.pairs.wordnet_pairs import LABELS, read_dictionary, split_of, wordnet_pairs

REAL = Path("/usr/share/wordnet")
# Keys of either split, by the SHA-256 of "n00000001" and so on.
TRAIN, DEV = (1, 3, 4, 6, 7, 8, 9), (2, 5, 11, 13, 37, 38, 42)
TRAIN_ADJ, DEV_ADJ = (1, 2, 3), (5, 8, 22)
LICENSE = "  1 This stands at the head of every file.\n"


def line(offset, part, words, pointers, gloss):
    """A line of a data file; the pointers are (symbol, offset, part, words meant)."""
    named = " ".join(f"{word} 0" for word in words.split())
    pointed = " ".join(f"{symbol} {to:08d} {of} {meant}" for symbol, to, of, meant in pointers)
    frames = " 01 + 02 00" if part == "v" else ""
    count = f"{len(words.split()):02x}"
    return f"{offset:08d} 03 {part} {count} {named} {len(pointers):03d} {pointed}{frames} | {gloss}  \n"


def nouns(keys, names, across):
    """A class, two kinds of it, a kind of a kind, two single ones, and a part; ``across`` leads to the other split."""
    top, kind, second, inner, first, two, part = keys
    rows = [
        (top, names[0], [("~", kind), ("~", second), *across.get("top", [])], "gloss of the class"),
        (kind, names[1], [("@", top), ("~", inner), ("~i", first), ("~i", two)], "gloss of the kind"),
        (second, names[2], [("@", top)], "gloss of the other kind"),
        (inner, names[3], [("@", kind)], "gloss of the inner kind"),
        (first, names[4], [("@i", kind)], "gloss of the first"),
        (two, names[5], [("@i", kind)], "gloss of the second"),
        (part, names[6], [("#p", kind), *across.get("part", [])], 'gloss of the part; "as in an example"'),
    ]
    return [
        line(offset, "n", words, [(s, to, "n", "0000") for s, to in pointers], gloss)
        for offset, words, pointers, gloss in rows
    ]


def adjectives(keys, names, across=()):
    big, small, huge = keys
    return [
        line(big, "a", names[0], [*across, ("!", small, "a", "0201"), ("&", huge, "a", "0000")], "of size"),
        line(small, "a", names[1], across[:1], "of less size"),
        line(huge, "s", names[2], [("&", big, "a", "0000")], "of great size"),
    ]


NOUNS = [
    *nouns(
        TRAIN,
        ["beast animal", "dog hound", "cat", "poodle", "Rex King_Rex", "Fido", "tail"],
        # The class of the other split is a kind of this one, and the part is a kind of that.
        {"top": [("~", DEV[0])], "part": [("@", DEV[0])]},
    ),
    *nouns(
        DEV,
        ["flora plant", "tree arbor", "herb", "oak", "Yggdrasil World_Tree", "Irminsul", "leaf"],
        {"top": [("@", TRAIN[0])]},
    ),
]
ADJECTIVES = [
    *adjectives(
        TRAIN_ADJ,
        ["big(p) large", "small little", "huge"],
        [("!", DEV_ADJ[0], "a", "0101"), ("&", DEV_ADJ[0], "a", "0000")],
    ),
    *adjectives(DEV_ADJ, ["wet damp", "dry arid", "soaked"]),
]


def put(folder, noun=NOUNS, adj=ADJECTIVES, verb=(), adv=()):
    for name, rows in {"noun": noun, "adj": adj, "verb": verb, "adv": adv}.items():
        (folder / f"data.{name}").write_text(LICENSE + "".join(rows))
    return folder


@pytest.fixture
def dictionary(tmp_path):
    return read_dictionary(put(tmp_path))


def drawn(dictionary, size=3000, split="train", seed=0):
    return wordnet_pairs(dictionary, size, split, rng=np.random.default_rng(seed))


def both(*groups):
    """Every word of a group with every word of another, both ways."""
    return {
        (a, b) for i, entry in enumerate(groups) for j, two in enumerate(groups) if i != j for a in entry for b in two
    }


def test_a_line_is_read_with_words_pointers_and_gloss(tmp_path):
    words = "ice_cream " + " ".join(f"w{i}" for i in range(16))  # 17 words: 11 in hexadecimal digits
    rows = [line(7, "n", words, [("~i", 8, "n", "0000")], 'cold; sweet; "an example"'), line(8, "n", "y", [], "z")]
    result = read_dictionary(put(tmp_path, noun=rows, adj=()))
    assert list(result) == ["n00000007", "n00000008"]
    synset = result["n00000007"]
    assert (synset.words[0], len(synset.words)) == ("ice cream", 17)
    assert synset.pointers == (("~i", "n00000008", "0000"),)
    assert synset.gloss == "cold; sweet"


@pytest.mark.parametrize(
    ("relation", "pairs"),
    [
        ("synonym", both(["beast"], ["animal"]) | both(["dog"], ["hound"]) | both(["Rex"], ["King Rex"])),
        (
            "gloss",
            {
                *product(["beast", "animal"], ["gloss of the class"]),
                *product(["dog", "hound"], ["gloss of the kind"]),
                ("cat", "gloss of the other kind"),
                ("poodle", "gloss of the inner kind"),
                *product(["Rex", "King Rex"], ["gloss of the first"]),
                ("Fido", "gloss of the second"),
                ("tail", "gloss of the part"),
            },
        ),
        ("hypernym", {*product(["dog", "hound", "cat"], ["beast", "animal"]), *product(["poodle"], ["dog", "hound"])}),
        ("similar", both(["big", "large"], ["huge"])),
        ("grandparent", set(product(["poodle", "tail"], ["beast", "animal"]))),  # tail's by a synset of dev
        ("sibling", both(["dog", "hound"], ["cat"])),
        ("class", set(product(["Rex", "King Rex", "Fido"], ["dog", "hound"]))),
        ("part", set(product(["tail"], ["dog", "hound"]))),
        ("instance sibling", both(["Rex", "King Rex"], ["Fido"])),
        ("antonym", {("large", "small")}),
    ],
)
def test_a_relation_gives_these_pairs_and_no_others(dictionary, relation, pairs):
    result = [pair for pair in drawn(dictionary) if pair.source == f"wordnet:{relation}"]
    assert {(pair.first, pair.second) for pair in result} == pairs
    assert {pair.label for pair in result} == {LABELS[relation]}


def test_no_word_of_the_splits_is_shared(dictionary):
    texts = [{text for pair in drawn(dictionary, split=split) for text in pair[:2]} for split in ("train", "dev")]
    assert not {text for text in texts[0] & texts[1] if "gloss" not in text}
    assert {pair.split for pair in drawn(dictionary, split="dev")} == {"dev"}


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="needs WordNet's files: Debian's package wordnet-base")
def test_the_real_dictionary_is_read_whole():
    dictionary = read_dictionary(REAL)
    parts = Counter(key[0] for key in dictionary)
    assert parts == {"n": 82115, "v": 13767, "a": 18156, "r": 3621}  # WordNet 3.0's own counts
    pairs = drawn(dictionary, 500, "dev")
    assert {pair.label for pair in pairs} == set(LABELS.values())
    ours = {word for synset in dictionary.values() if split_of(synset) == "dev" for word in synset.words}
    assert {pair.first for pair in pairs} <= ours
    assert {pair.second for pair in pairs if pair.source != "wordnet:gloss"} <= ours


PRAISE = [[("praised", "praised")], [("took", "taken")]]
NAMES = [[["George Washington"], ["Booker T. Washington", "Booker Washington"]]]
LEXICON = Lexicon(
    {"train": PRAISE, "dev": PRAISE}, {"train": NAMES, "dev": NAMES}, {"guitar": ["flute", "violin"], "dog": ["wolf"]}
)


def test_no_relation_and_no_entity_of_dev_is_in_train():
    train, dev = (
        {form for relation in roles.relations(split) for form in relation.forms} for split in ("train", "dev")
    )
    assert len(train) > 400
    assert not train & dev
    for kind in roles.ENTITIES:
        of_split = [set(roles._of_split(kind, split)) for split in ("train", "dev")]
        assert not of_split[0] & of_split[1]
    fields = [
        {name for pair in near_names.fields(split) for names in pair for name in names} for split in ("train", "dev")
    ]
    assert not fields[0] & fields[1]


def test_a_relation_has_active_and_passive_and_exchanged_roles_are_another_meaning():
    assert roles._forms("beat/beaten") == ["{A} beat {B}", "{B} was beaten by {A}"]
    rng = np.random.default_rng(1)
    for _ in range(200):
        meanings = roles.listed("train", rng, LEXICON)
        if meanings is not None:
            assert not {form.casefold() for form in meanings.forms[0]} & {form.casefold() for form in meanings.forms[1]}


FOLDER = "training/3way/beetle/"


def question(text, references, answers):
    """A file of the task: references are (category, text), answers are (grade, text)."""
    best = "".join(
        f"<referenceAnswer{f' category={chr(34)}{category}{chr(34)}' if category else ''}>{reference}</referenceAnswer>"
        for category, reference in references
    )
    stated = "".join(f'<studentAnswer accuracy="{grade}">{answer}</studentAnswer>' for grade, answer in answers)
    return (
        f'<?xml version="1.0"?>\n<question><questionText>{text}</questionText>\n'
        f"<referenceAnswers>{best}</referenceAnswers><studentAnswers>{stated}</studentAnswers></question>"
    )


def archive(folder, files):
    path = folder / ARCHIVE
    with zipfile.ZipFile(path, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return path


def test_files_are_read_in_the_order_of_their_names_and_those_of_the_test_never(tmp_path):
    def of(text):
        return question(text, [("BEST", "x")], [("correct", "x")])

    files = {
        f"{FOLDER}b.xml": of("b?"),
        f"{FOLDER}a.xml": of("a?"),
        f"{FOLDER}readme.txt": "no question",
        "training/2way/beetle/c.xml": of("c?"),
        "test/3way/beetle/test-unseen-answers/d.xml": of("d?"),
        "training/3way/sciEntsBank/e.xml": of("e?"),
    }
    assert list(read_archive(archive(tmp_path, files))) == [
        Graded(f"{name}?", ("x",), "x", "correct") for name in "abe"
    ]


def rng(seed=0):
    return np.random.default_rng(seed)


texts = st.text("ab (/.", max_size=8)


PAIRS = [ScoredPair("A dog.", "A cat", 1.5), ScoredPair("red", "blue", 0.0), ScoredPair("one", "1", 5.0)]


def test_held_out_pairs_are_left_out_in_either_order_and_spelling() -> None:
    held_out = [ScoredPair("a cat!", "a dog", 3.0)], [ScoredPair("red", "green", 0.0)]
    assert without_overlap(PAIRS, *held_out) == PAIRS[1:]
