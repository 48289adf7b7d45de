"""The sources of training pairs: what each reads, keeps and refuses."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from datetime import date, datetime
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from answersim.evaluation.data.system_answers import SystemAnswer
from answersim.training.data.pairs import TrainingPair
from tests.cases import every
from tools.weights.pairs import commitment_forms as forms
from tools.weights.pairs import near_names, roles
from tools.weights.pairs import negation_pairs as negation_pairs_module
from tools.weights.pairs.confusable_pairs import KINDS as CONFUSABLE_KINDS
from tools.weights.pairs.contrast_pairs import INCOMPLETE, UNDECIDED, contrast_pairs
from tools.weights.pairs.date_pairs import FIRST, LAST, date_pairs
from tools.weights.pairs.date_pairs import split_of as split_of_rules
from tools.weights.pairs.graded_answers import ARCHIVE, Graded, read_archive
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.negation_pairs import MINIMAL, SUBJECTS, antonyms, negation_pairs
from tools.weights.pairs.sts import ScoredPair, without_overlap
from tools.weights.pairs.wordnet_pairs import LABELS, Synset, read_dictionary, split_of, wordnet_pairs
from tools.weights.tables import table

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


TABLES = {name: table for name, table in vars(forms).items() if name.isupper() and name != "_TEXTS"}
LANGUAGES = {name: table for name, table in TABLES.items() if isinstance(table["train"], dict)}


@every("name", LANGUAGES)
def test_no_two_splits_share_a_form(name: str) -> None:
    for language in ("en", "de"):
        listed = [form for split in ("train", "dev", "test") for form in LANGUAGES[name][split][language]]
        assert len({form.casefold() for form in listed}) == len(listed)


def test_no_two_splits_share_a_city_or_a_question() -> None:
    cities = [city for places in forms.PLACES.values() for city, _, _ in places]
    asked = [
        question
        for table in (forms.CITY_QUESTIONS, forms.COUNTRY_QUESTIONS)
        for listed in table.values()
        for question in listed
    ]
    assert max(Counter(cities).values()) == max(Counter(asked).values()) == 1


def items(kind, n=600):
    rng = np.random.default_rng(0)
    return [CONFUSABLE_KINDS[kind](rng) for _ in range(n)]


def judged_contrasts(n=40):
    """Questions with two gold answers, a correct sentence, a correct phrase and a wrong phrase."""
    answers = []
    for i in range(n):
        question, golds = f"Which river is number {i}?", (f"River {i}", f"Stream {i}")
        texts = (f"The river with this number is River {i}, of course.", f"Stream {i}", f"Creek {i}")
        for system, text in enumerate(texts):
            answers.append(SystemAnswer(question, golds, f"s{system}", text, system < 2, "train"))
    return answers


def pairs(seed=0, n=40):
    return contrast_pairs(judged_contrasts(n), rng=np.random.default_rng(seed))


def test_every_form_is_built_and_labeled():
    labels = {}
    for pair in pairs():
        labels.setdefault(pair.source.removeprefix("contrast:"), set()).add(pair.label)
    assert labels == {
        "exchanged": {0.0},
        "as given": {0.0, 1.0},
        "both exchanged": {1.0},
        "other question": {0.0},
        "rival": {0.0},
        "statement": {0.0, 1.0},
        "mention": {0.0, 1.0},
        "undecided": {UNDECIDED},
        "refusal": {0.0},
        "negation": {0.0, 0.1},
        "list": {0.0, INCOMPLETE, 1.0},
    }


def test_the_prediction_alone_does_not_show_the_label_of_a_mention():
    """A model that reads the prediction alone: every template asserts gold answers as often as others."""
    shapes = {0.0: Counter(), 1.0: Counter()}
    for seed in range(30):
        for pair in pairs(seed):
            if pair.source == "contrast:mention":
                words = [
                    "*" if any(c.isdigit() for c in word) or word in ("River", "Stream", "Creek") else word
                    for word in pair.second.split()
                ]
                shapes[pair.label][" ".join(words)] += 1
    total = sum(shapes[1.0].values())
    for shape, count in shapes[1.0].items():
        assert abs(count - shapes[0.0][shape]) < 0.03 * total


EXACT = ("%Y-%m-%d", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d of %B %Y")
# The parts of a date that a format contains.
FORMS = dict.fromkeys(EXACT, "ymd") | {"%Y": "y", "%B %Y": "ym", "%B %d": "md", "%d %B": "md"}


def read(text):
    """Return the year, month and day of a text, None for each that it lacks."""
    plain = re.sub(r"^(?:on|the|in) ", "", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text))
    for form, parts in FORMS.items():
        try:  # a leap year is added where there is none
            day = datetime.strptime(plain if "y" in parts else f"{plain} 2000", form if "y" in parts else f"{form} %Y")
        except ValueError:
            continue
        return tuple(value if part in parts else None for part, value in zip("ymd", day.timetuple()[:3], strict=True))
    raise AssertionError(f"{text!r} is no date")


def drawn_rules(size, split="train", seed=0):
    return date_pairs(size, split, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("split", ["train", "dev"])
def test_the_years_of_a_split_are_its_own(split):
    pairs = drawn_rules(1000, split)
    years = {parts[0] for pair in pairs for parts in (read(pair.first), read(pair.second))} - {None}
    assert {year % 10 == 0 for year in years} == {split == "dev"}
    assert FIRST.year <= min(years) <= max(years) <= LAST.year
    assert {split_of_rules(date(year, 1, 1)) for year in years} == {split}
    assert {pair.split for pair in pairs} == {split}


LETTERS = "abcdefghijklmno"
COUPLES = [
    (f"x{a}{b}x", f"unx{a}{b}x") for a in LETTERS for b in LETTERS
]  # no word of a form, and none is a part of another word
DENIED = r"not|never|anything but|far from|no truth|in no way|myth|mistaken|wasn't|isn't|denied|mistake|wrong"


def dictionary_rules() -> dict[str, Synset]:
    """Return a dictionary in which each first word has a pointer to its opposite."""
    by_name = {}
    for i, (word, opposite) in enumerate([*COUPLES, ("open", "closed"), ("two words", "one")]):
        by_name[f"a{i}"] = Synset(f"a{i}", (word,), (("!", f"o{i}", "0101"), ("&", f"o{i}", "0000")), "")
        by_name[f"o{i}"] = Synset(f"o{i}", (opposite,), (), "")
    return by_name | {"n1": Synset("n1", ("day",), (("!", "n2", "0101"),), ""), "n2": Synset("n2", ("night",), (), "")}


DICTIONARY = dictionary_rules()


def drawn_negations(size: int, split: str, seed: int = 0) -> list[TrainingPair]:
    return negation_pairs(DICTIONARY, size, split, rng=np.random.default_rng(seed))


def state(text: str, asked: str) -> bool:
    """Return whether a text says that the state ``asked`` applies, and not its opposite."""
    plain = asked.removeprefix("un")
    if bare := re.match(r"(?i)(yes|right|correct|sure|no|not really|wrong|incorrect)\b", text):
        return bare[1].lower() in ("yes", "right", "correct", "sure")
    words = re.findall(r"\b(?:un)?x[a-o]{2}x", text)
    assert {word.removeprefix("un") for word in words} == {plain}
    if len(words) == 2:  # one is denied and the other stated
        denied = re.search(r"(?:rather than|instead of|and not|thought that [\w ]+ is) ((?:un)?x[a-o]{2}x)", text, re.I)
        assert denied
        return denied[1] != asked
    return (words[0] == asked) != bool(re.search(rf"\b(?:{DENIED})\b", text))


@every("split", ["train", "dev"])
def test_texts_agree_if_and_only_if_the_label_is_1(split: str) -> None:
    for pair in drawn_negations(3000, split):
        asked = (re.search(r"(\w+)\?", pair.question) or re.search(r"\b((?:un)?x[a-o]{2}x)", pair.first))[1]  # type: ignore[index]
        agree = state(pair.first, asked) == state(pair.second, asked)
        assert agree == bool(pair.label), pair
        assert pair.first != pair.second
        assert bool(pair.question) == (pair.source == "negation:asked")


def test_train_dev_and_minimal_pairs_share_no_couple_and_only_the_plainest_forms() -> None:
    train, dev = (antonyms(DICTIONARY, split) for split in ("train", "dev"))
    assert not set(train) & set(dev)
    assert sorted([*train, *dev]) == sorted(tuple(sorted(couple)) for couple in COUPLES)  # adjectives of one word
    assert 5 < len(dev) < 40
    texts = table(negation_pairs_module.__file__, "negation_pairs")
    train_forms, dev_forms = ({form for forms in texts[split].values() for form in forms} for split in ("train", "dev"))
    subjects = {subject for subject, *_ in MINIMAL["states"]}
    assert not subjects & set(SUBJECTS)
    assert not train_forms & dev_forms
    minimal = {form for forms in (MINIMAL["stated"], *MINIMAL["affirmed"]) for form in forms}
    assert minimal & (train_forms | dev_forms) == {"Yes", "No", "{S} is {a}.", "{S} is {b}."}


def test_pairs_depend_on_the_seed_and_a_split_without_forms_is_an_error() -> None:
    assert drawn_negations(50, "train") == drawn_negations(50, "train") != drawn_negations(50, "train", seed=1)
    with pytest.raises(ValueError, match="split is 'test'"):
        drawn_negations(1, "test")
    with pytest.raises(ValueError, match="no opposite adjectives"):
        negation_pairs({}, 1, "dev", rng=np.random.default_rng(0))
