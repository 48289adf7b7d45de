"""The sources of training pairs, on a small folder of every file that they read."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from hashlib import sha256
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from benchmarks import system_answers
from tests.cases import every
from tools.dictionary import Synset, read_dictionary
from tools.weights.pairs import graded_answers, mixture
from tools.weights.pairs.commitment_pairs import FORMS
from tools.weights.pairs.draws import every_fifth, split_of
from tools.weights.pairs.mixture import SOURCES, Places, load
from tools.weights.pairs.near_meanings import ENTITIES, fields, relations
from tools.weights.pairs.wordnet_pairs import MINIMAL, RELATIONS, STATEMENTS, antonyms, wordnet_pairs

SPLITS = ("train", "dev")
OF_REAL_FILES = set("roles amounts near details xquad xquad-en saf-de saf-en ads-zh sts-others".split())
LABELED = [name for name in SOURCES if name not in OF_REAL_FILES]

# Of the pairs of train and dev of each source, made of the files below with the seed 0.
DIGESTS = {
    "sts": "3fe655129b38",
    "aliases": "00d08ddc7e84",
    "judged": "c0db7aaba982",
    "judged-nq": "bfcddb3b476f",
    "diver": "0c08c1c641f0",
    "efficientqa": "12b7f5cac055",
    "commitment": "7a0adf13e7b1",
    "contrast": "f5cba36d67b9",
    "confusable": "fc89afb2f869",
    "task7": "c3314d1bf041",
    "wordnet": "9421c02a7198",
    "negations": "6bef0ff3a6e8",
    "numbers": "ba16fcf6ace7",
    "dates": "21051bf88321",
    "names": "bca9a2fd6a76",
    "legislators": "4d21b79e4784",
    "written": "8e03716a2180",
    "written-others": "356f3737bf84",
}


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def put_sts(folder):
    """Of each language's five training pairs, one is in dev and one in test, the other way round."""
    for language in ("en",):
        rows = {"train": "a,b,5\nc,d,2.5\ne,f,0\nk,l,1\nm,n,1\n", "dev": "L,k!,1\ng,h,4\n", "test": "n,m,1\ni,j,3\n"}
        for split, text in rows.items():
            put(folder / f"stsb/{language}-{split}.csv", text.replace("a,b", f"a {language},b"))


def put_judged(folder):
    """60 questions with four gold answers, one of two systems right in a word, the other wrong in a sentence."""
    put(folder / mixture.EVOUNA, json.dumps([evouna_record("ox", i) for i in range(60)]))
    put(folder / mixture.EVOUNA_NQ, json.dumps([evouna_record("emu", i) for i in range(60)]))
    rows = [f"Which is yak {i}?,Yak {i},squad,It is yak {i} then.,m,{i % 3 and 1}" for i in range(60)]
    put(folder / mixture.DIVER, "\n".join(["questions,answers,dataset,prediction,model,eval", *rows]) + "\n")


def evouna_record(name, i):
    return {
        "question": f"Which is {name} number {i}?",
        "golden_answer": f"{name.title()} {i}/Bull {i}/Cow {i}/Calf {i}",
        "answer_fid": f"{name.title()} {i}",
        "judge_fid": True,
        "answer_gpt4": f"I am quite sure that it is elk number {i}.",
        "judge_gpt4": False,
        "improper": False,
    }


def put_efficientqa(folder):
    """60 questions with two gold answers and a correct, a possible and a wrong prediction, and two of the SAS paper."""
    questions = [f"which elk is number {i}" for i in range(60)]
    excluded = ["who was ox one", "Who was OX two?"]
    records = [
        {
            "question": question,
            "answer": [f"Elk {i}", f"Moose {i}", f"Deer {i}"],
            "def_correct_predictions": [f"the elk {i}"],
            "poss_correct_predictions": [f"elks {i}"],
            "def_incorrect_predictions": [f"Gnu {i}"],
        }
        for i, question in enumerate([*questions, *excluded])
    ]
    put(folder / mixture.EFFICIENTQA, "\n".join(map(json.dumps, records)) + "\n")
    rows = "".join(f"{question},a,b,1\n" for question in ("Who was ox one?", "who was ox two"))
    put(folder / mixture.NQ_OPEN_SAS, f"question,answer1,answer2,label\n{rows}")
    # The 6th question of EfficientQA shares a pair with the SAS paper, and one system answer of EVOUNA does.
    put(folder / mixture.SAS[1], "answer1,answer2,label\ngnu 5.,Moose 5,0\nOx 7,ox 7!,2\n")


def put_graded(folder):
    path = folder / graded_answers.TASK7
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(20):
            text = (
                f"<question><questionText>Why {i}?</questionText><referenceAnswer>as {i}</referenceAnswer>"
                f'<studentAnswer accuracy="correct">for {i}</studentAnswer></question>'
            )
            archive.writestr(f"training/3way/beetle/{i}.xml", text)


def put_names(folder):
    aliases = [f"ox {i},{i} ox,1,train" for i in range(40)]
    strangers = [f"ox {i},ox {(7 * i + 1) % 40},0.01,dev" for i in range(40)]
    put(folder / mixture.NAMES, "\n".join(["name1,name2,score,split", *aliases, *strangers]) + "\n")
    header = "last_name,first_name,middle_name,suffix,nickname,state,bioguide_id\n"
    firsts = ("Robert", "William", "Ann", "Mary", "Otto", "Ida", "Hugo", "Vera")
    rows = [f"Ox{last * 2},{first},Bo,,,VT,{first}{last}\n" for last in "abcdefghij" for first in firsts]
    for path, part in zip(mixture.LEGISLATORS, (rows[:10], rows[10:]), strict=True):
        put(folder / path, header + "".join(part))


def put_dictionary(folder):
    """A tree of nouns, six below each: kinds, an example or two, parts; and a ring of adjectives."""

    def line(offset, part, pointers):
        word = f"{part}{offset}".translate(dict(zip(map(ord, "0123456789"), "bcdefghijk", strict=True)))
        words = f"02 {word} 0 {word}x 0"
        pointed = " ".join(f"{symbol} {to:08d} {part} {'0101' if symbol == '!' else '0000'}" for symbol, to in pointers)
        return f"{offset:08d} 03 {part} {words} {len(pointers):03d} {pointed} | of {offset}\n"

    up, down = ("@", "@", "@i", "#p"), ("~", "~", "~i", "%p")
    below = [range(6 * i, min(6 * i + 6, 2000)) for i in range(2000)]
    nouns = [line(i, "n", [(up[i % 4], i // 6), *((down[j % 4], j) for j in below[i])]) for i in range(2000)]
    adjectives = [line(i, "a", [("&", (i + 1) % 500), ("!", (i + 2) % 500)]) for i in range(500)]
    for name, rows in {"noun": nouns, "adj": adjectives, "verb": [], "adv": []}.items():
        put(folder / f"data.{name}", "".join(rows))


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixture")
    for make in (put_sts, put_judged, put_efficientqa, put_graded, put_names):
        make(folder / "data")
    put_dictionary(folder / "wordnet")
    return Places(folder / "data", folder / "wordnet")


@pytest.fixture(scope="module", autouse=True)
def _small():
    """Fewer pairs where they are drawn; the rules stay the same."""
    with pytest.MonkeyPatch.context() as patch:
        for name, dev in (("wordnet", 100), ("dates", 50), ("negations", 50), ("confusable", 50)):
            patch.setitem(mixture.DRAWN, name, {"train": 300, "dev": dev})
        patch.setattr(mixture, "NUMBERS", 300)
        patch.setattr(system_answers, "NQ_OPEN_SAS_QUESTIONS", 2)
        yield


@every("split", SPLITS)
@every("name", LABELED)
def test_a_source_gives_labeled_pairs_of_the_split(places, name, split):
    pairs = load(name, places, split)
    assert {pair.split for pair in pairs} == {split}
    assert all(0 <= pair.label <= 1 and pair.first.strip() and pair.second.strip() and pair.source for pair in pairs)


@every("name", sorted(DIGESTS))
def test_the_pairs_of_a_source_are_those_that_adapters_learned_from(places, name):
    """A changed rule or draw, of numpy too, changes what a recorded training reads: a new digest needs a new recipe."""
    texts = "\n".join(repr(tuple(pair)) for split in SPLITS for pair in load(name, places, split))
    assert sha256(texts.encode()).hexdigest()[:12] == DIGESTS[name]


@every("name", LABELED)
def test_no_pair_of_dev_is_trained_on(places, name):
    train, dev = (
        {frozenset((pair.first.casefold(), pair.second.casefold())) for pair in load(name, places, split)}
        for split in SPLITS
    )
    assert not train & dev


def loaded(places, *names):
    return [pair for split in ("train", "dev", "test") for name in names for pair in load(name, places, split)]


def test_questions_of_nq_open_sas_are_never_read_for_training(places):
    pairs = loaded(places, "efficientqa", "contrast")
    questions = {pair.question for pair in pairs}
    assert {f"which elk is number {i}" for i in range(60) if i != 5} <= questions
    assert not {question for question in questions if "was ox" in question.casefold()}
    answers = {text.casefold() for pair in pairs for text in pair[:2]}
    assert not [text for text in answers if "elk 60" in text or "elk 61" in text or "moose 60" in text]


def test_no_pair_of_nq_open_sas_is_trained_on(places):
    pairs = loaded(places, "efficientqa", "judged", "contrast")
    assert "which elk is number 5" not in {pair.question for pair in pairs}  # none of its pairs
    keys = {frozenset((pair.first, pair.second)) for pair in pairs}
    assert not {frozenset(("Ox 7", "Ox 7")), frozenset(("Moose 5", "Gnu 5"))} & keys
    assert frozenset(("Ox 8", "Ox 8")) in keys


@pytest.mark.parametrize("name", ["aliases", "wordnet", "numbers", "names", "legislators"])
def test_no_text_of_dev_is_trained_on(places, name):
    train, dev = ({text for pair in load(name, places, split) for text in pair[:2]} for split in SPLITS)
    assert not train & dev


@pytest.mark.parametrize("name", ["judged", "aliases", "task7", "judged-nq", "diver"])
def test_no_question_of_dev_is_trained_on(places, name):
    train, dev = ({pair.question for pair in load(name, places, split)} for split in SPLITS)
    assert "" not in train | dev
    assert not train & dev


REAL = Path("/usr/share/wordnet")


def drawn(dictionary, size=3000, split="train", seed=0):
    return wordnet_pairs(dictionary, size, split, rng=np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="needs WordNet's files: Debian's package wordnet-base")
def test_the_real_dictionary_is_read_whole():
    dictionary = read_dictionary(REAL)
    parts = Counter(key[0] for key in dictionary)
    assert parts == {"n": 82115, "v": 13767, "a": 18156, "r": 3621}  # WordNet 3.0's own counts
    pairs = drawn(dictionary, 500, "dev")
    assert {pair.label for pair in pairs} == {relation.label for relation in RELATIONS.values()}
    ours = {word for synset in dictionary.values() if split_of(synset.key) == "dev" for word in synset.words}
    assert {pair.first for pair in pairs} <= ours
    assert {pair.second for pair in pairs if pair.source != "wordnet:gloss"} <= ours


def test_no_relation_and_no_entity_of_dev_is_in_train():
    train, dev = ({form for relation in relations(split) for form in relation.forms} for split in ("train", "dev"))
    assert len(train) > 400
    assert not train & dev
    for kind in ENTITIES:
        of_split = [set(every_fifth(ENTITIES[kind], split)) for split in ("train", "dev")]
        assert not of_split[0] & of_split[1]
    listed = [{name for pair in fields(split) for names in pair for name in names} for split in ("train", "dev")]
    assert not listed[0] & listed[1]


LANGUAGES = {name: forms for name, forms in FORMS.items() if isinstance(forms.get("train"), dict)}


@every("name", LANGUAGES)
def test_no_two_splits_share_a_form(name: str) -> None:
    for language in ("en", "de"):
        listed = [form for split in ("train", "dev", "test") for form in LANGUAGES[name][split][language]]
        assert len({form.casefold() for form in listed}) == len(listed)


def test_no_two_splits_share_a_city_or_a_question() -> None:
    cities = [city for places in FORMS["places"].values() for city, _, _ in places]
    asked = [
        question
        for kind in ("city_questions", "country_questions")
        for listed in FORMS[kind].values()
        for question in listed
    ]
    assert max(Counter(cities).values()) == max(Counter(asked).values()) == 1


LETTERS = "abcdefghijklmno"
COUPLES = [
    (f"x{a}{b}x", f"unx{a}{b}x") for a in LETTERS for b in LETTERS
]  # no word of a form, and none is a part of another word


def dictionary_rules() -> dict[str, Synset]:
    """Return a dictionary in which each first word has a pointer to its opposite."""
    by_name = {}
    for i, (word, opposite) in enumerate([*COUPLES, ("open", "closed"), ("two words", "one")]):
        by_name[f"a{i}"] = Synset(f"a{i}", (word,), (("!", f"o{i}", "0101"), ("&", f"o{i}", "0000")), "")
        by_name[f"o{i}"] = Synset(f"o{i}", (opposite,), (), "")
    return by_name | {"n1": Synset("n1", ("day",), (("!", "n2", "0101"),), ""), "n2": Synset("n2", ("night",), (), "")}


DICTIONARY = dictionary_rules()


def test_train_dev_and_minimal_pairs_share_no_couple_and_only_the_plainest_forms() -> None:
    train, dev = (antonyms(DICTIONARY, split) for split in ("train", "dev"))
    assert not set(train) & set(dev)
    assert sorted([*train, *dev]) == sorted(tuple(sorted(couple)) for couple in COUPLES)  # adjectives of one word
    assert 5 < len(dev) < 40
    train_forms, dev_forms = (set(chain.from_iterable(STATEMENTS[split].values())) for split in ("train", "dev"))
    subjects = {subject for subject, *_ in MINIMAL["states"]}
    assert not subjects & set(STATEMENTS["subjects"])
    assert not train_forms & dev_forms
    minimal = {form for forms in (MINIMAL["stated"], *MINIMAL["affirmed"]) for form in forms}
    assert minimal & (train_forms | dev_forms) == {"Yes", "No", "{S} is {a}.", "{S} is {b}."}
