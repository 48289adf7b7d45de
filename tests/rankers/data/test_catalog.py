from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

from rankers import data
from rankers.data import corpora, load
from rankers.data.catalog import trainable
from rankers.data.corpus import counts
from rankers.data.pools import shuffle
from rankers.evaluation.measures import measure
from rankers.evaluation.qrels import qrels_of
from rankers.types import Run
from tests.cases import every

SPLITS = [
    (name, split, options)
    for name, corpus in corpora().items()
    for split in corpus.splits
    for options in [{"version": v} for v in getattr(corpus.options.get("version"), "choices", ())] or [{}]
]
SLOW = {("insuranceqa-mini", "train"), ("insuranceqa-mini", "test2"), ("yahoocqa-disjoint", "train")}
# questions, candidates, relevant, from the data README, where the reader does not check all three
SIZES = {"trecqa dev": (65, 1117, 205), "trecdl19 test": (43, 4300, 846)}


@pytest.mark.data
@pytest.mark.parametrize(
    ("corpus", "split", "options"),
    [pytest.param(*row, marks=pytest.mark.slow if row[:2] in SLOW else ()) for row in SPLITS],
)
def test_every_split_at_hand_has_its_published_size(data_home, corpus, split, options):
    """The reader raises an error for other sizes than those of the data README."""
    questions = load(corpus, split, home=None if corpus == "toy" else data_home, **options)
    sizes = counts(questions.items, questions.relevant)
    assert SIZES.get(f"{corpus} {split}", sizes) == sizes
    assert len({question.id for question in questions}) == len(questions)
    assert all(len({c.id for c in question.candidates}) == len(question.candidates) for question in questions)
    assert all(question.text.strip() for question in questions)
    assert all(" " not in c.id for question in questions for c in question.candidates)


LOADED, BY_ID = attrgetter("candidates"), lambda question: sorted(question.candidates, key=attrgetter("id"))
LEAKS = [
    *(("toy", split) for split in ("train", "dev", "test")),
    *(("wikiqa", split) for split in ("train", "test")),
    *((name, "test") for name in "wikiqa-raw selqa antique yahoocqa-disjoint fiqa-disjoint trecqa trecdl19".split()),
    ("insuranceqa-mini", "dev"),
]


@pytest.mark.parametrize(
    ("corpus", "split"), [pytest.param(*row, marks=[] if row[0] == "toy" else pytest.mark.data) for row in LEAKS]
)
def test_neither_order_nor_ids_reveal_the_label(request, corpus, split):
    """Orders that know nothing have the average precision of chance, within four standard errors."""
    questions = load(corpus, split, home=None if corpus == "toy" else request.getfixturevalue("data_home"))
    tied = Run("tied", {question.id: {c.id: 0.0 for c in question.candidates} for question in questions})
    chance = measure(tied, qrels_of(questions), ["MAP"]).tie_averaged["MAP"]
    # Numbers of MS MARCO passages say a little, as those of one page stand together; but runs and qrels name them.
    for order in (LOADED,) if corpus == "trecdl19" else (LOADED, BY_ID, lambda question: BY_ID(question)[::-1]):
        ranked = {q.id: {c.id: -float(place) for place, c in enumerate(order(q))} for q in questions}
        gained = measure(Run("order", ranked), qrels_of(questions), ["MAP"]).values["MAP"] - chance
        assert abs(np.nanmean(gained)) < 4 * np.nanstd(gained) / np.isfinite(gained).sum() ** 0.5


def test_one_seed_one_order_and_another_seed_another():
    first, again, other = (load("toy", "test", seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.items != other.items
    assert [q.id for q in first] == [q.id for q in other]
    assert [set(q.candidates) for q in first] == [set(q.candidates) for q in other]


def test_items_of_one_name_keep_their_order_and_need_none():
    assert shuffle([{"b": 1}, {"a": 1}], ["same", "same"], 0) == [{"b": 1}, {"a": 1}]


def test_every_corpus_is_described():
    for name, corpus in corpora().items():
        assert corpus.name == name
        assert all(corpus.files[split] for split in corpus.splits)
        assert all((corpus.about, corpus.source, corpus.license))
        assert all(option.about for option in corpus.options.values())
        assert corpus.settings({}) == {entry: option.default for entry, option in corpus.options.items()}


@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda: load("wikiq", "dev"), LookupError, "no corpus is called 'wikiq'; did you mean 'wikiqa'"),
        (lambda: load("toy", "tset"), LookupError, "no split of toy is called 'tset'; did you mean 'test'"),
        (lambda: load("toy", "test", depth=3), LookupError, "no option of toy is called 'depth'"),
        (lambda: load("wikiqa-raw", "dev", version="all"), LookupError, "no version of wikiqa-raw is called 'all'"),
        (lambda: load("trecdl19", "test", depth=0), ValueError, "depth=0: it must be at least 1"),
        (lambda: load("trecdl19", "test", depth="5"), TypeError, "depth=.5.: trecdl19 takes int"),
        (lambda: load("trecdl19", "test", depth=True), TypeError, "depth=True: trecdl19 takes int"),
    ],
)
def test_a_wrong_name_or_option_is_an_error_before_any_work(no_data, call, error, complaint):
    with pytest.raises(error, match=complaint):
        call()


def test_without_a_data_folder_the_error_names_the_remedy(no_data):
    with pytest.raises(LookupError, match=r"wikiqa is not shipped: set \$ANSWERSIM_DATA .*'toy' needs no folder"):
        load("wikiqa", "dev")


@every(
    ("what", "given"),
    [
        ("corpus", {"corpus": ["toy"]}),
        ("corpus", {"corpus": None}),
        ("split", {"split": 3}),
        ("seed", {"seed": "0"}),
        ("seed", {"seed": True}),
        ("check", {"check": "no"}),
        ("home", {"home": 3}),
    ],
)
def test_an_argument_of_another_type_is_refused(what, given):
    with pytest.raises(TypeError, match=f"{what} is "):
        load(**{"corpus": "toy", "split": "dev", **given})


def test_a_corpus_with_a_train_split_is_trained_on_by_it():
    assert trainable("toy") == (data.load("toy", "train"), data.load("toy", "dev"))
    assert trainable("toy", seed=3)[0] == data.load("toy", "train", seed=3)


@pytest.mark.data
def test_a_dev_split_without_a_train_split_is_split_by_question(data_home):
    train, dev = trainable("selqa")
    whole = data.load("selqa", "dev")
    assert dev.items == whole.items[::8]
    assert sorted(train.items + dev.items) == sorted(whole.items)
    assert len(train) + len(dev) == len(whole) == 785
    assert (train.corpus, train.split, dev.split) == ("selqa", "dev-as-train", "dev-as-dev")
    assert train.notes[-1] == "seven of eight questions of the dev split: selqa has no train split"


def test_what_cannot_be_trained_on_is_refused(tmp_path):
    with pytest.raises(LookupError, match="trecdl19 has no split to be trained on, only test"):
        trainable("trecdl19")
    with pytest.raises(LookupError, match="no corpus is called 'toi'; did you mean 'toy'"):
        trainable("toi")
    with pytest.raises(FileNotFoundError, match="selqa"):
        trainable("selqa", home=tmp_path)
