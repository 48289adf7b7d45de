from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rankers.training.perturbation import EDITS, Damage, Typos, _misspelt, mislabel, misspell
from rankers.types import Candidate, Question, Questions
from tests.cases import every

Asked = Callable[..., Questions]


def pairs(questions: Questions) -> list[Candidate]:
    return [candidate for question in questions for candidate in question.candidates]


def one(text: str, answer: str = "") -> Questions:
    return Questions("made-up", "test", (Question("q", text, (Candidate("c", answer, 1),)),))


def is_one_edit(old: str, new: str) -> bool:
    """Whether a swap of neighbours, one letter more or one letter less makes the new word."""
    less = {old[:i] + old[i + 1 :] for i in range(len(old))}
    more = {old[:i] + letter + old[i:] for i in range(len(old) + 1) for letter in old}
    swapped = {old[:i] + old[i + 1] + old[i] + old[i + 2 :] for i in range(len(old) - 1)}
    return new in (less | more | swapped) - {old}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.37, 1.0])
def test_a_share_of_the_candidates_and_of_the_questions_is_changed(asked: Asked, share: float) -> None:
    before = asked(10)
    after = misspell(before, Typos(share=share))
    changed = [old != new for old, new in zip(pairs(before), pairs(after), strict=True)]
    assert sum(changed) == round(share * 40)
    assert sum(old.text != new.text for old, new in zip(before, after, strict=True)) == round(share * 10)


def test_the_default_is_a_share_of_three_tenths_on_both_sides(asked: Asked) -> None:
    assert misspell(asked(10)).items == misspell(asked(10), Typos(0.3, places=("question", "answer"))).items


def test_only_the_places_that_are_named_are_changed(asked: Asked) -> None:
    before = asked(10)
    questions = misspell(before, Typos(1.0, places=("question",)))
    answers = misspell(before, Typos(1.0, places=("answer",)))
    assert pairs(questions) == pairs(before)
    assert [answer.text for answer in answers] == [each.text for each in before]
    assert all(old.text != new.text for old, new in zip(before, questions, strict=True))
    assert all(old.text != new.text for old, new in zip(pairs(before), pairs(answers), strict=True))


def test_all_but_the_texts_stays_as_it_was(asked: Asked) -> None:
    before = asked(6)
    after = misspell(before, Typos(1.0))
    assert [pair._replace(text="") for pair in pairs(after)] == [pair._replace(text="") for pair in pairs(before)]
    assert [(each.id, each.golds) for each in after] == [(each.id, each.golds) for each in before]
    assert after.notes == (*before.notes, "wrong letters in 100% of the questions and answers, seed 0")


def test_a_word_that_is_drawn_gets_one_edit_and_short_ones_none() -> None:
    text = "the cat of 2,000 years' standing, 12345 un-believably old; naïvely Größe"
    for seed in range(20):
        made = misspell(one(text), Typos(1.0, words=1.0, seed=seed)).items[0].text
        old, new = text.split(), made.split()
        assert [new[i] for i in (0, 1, 2, 3, 6, 8)] == [old[i] for i in (0, 1, 2, 3, 6, 8)]
        for i, strip in ((4, "'"), (5, ","), (9, ""), (10, "")):
            assert is_one_edit(old[i].strip(strip), new[i].strip(strip))
        assert is_one_edit("believably", new[7].removeprefix("un-"))


@every(("words", "changed"), [(0.0, 1), (0.25, 2), (0.5, 4), (1.0, 8)])
def test_a_share_of_the_words_is_changed_and_one_at_least(words: float, changed: int) -> None:
    text = "these eight words have four letters each more"
    made = misspell(one(text), Typos(1.0, words=words)).items[0].text
    assert sum(old != new for old, new in zip(text.split(), made.split(), strict=True)) == changed


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_of_the_kind_that_is_named_and_always_changes_the_word(edit: str) -> None:
    for seed in range(30):
        made = misspell(one("balloon"), Typos(1.0, edits=(edit,), seed=seed)).items[0].text
        assert is_one_edit("balloon", made)
        assert len(made) == 7 + {"swap": 0, "insert": 1, "delete": -1}[edit]
        assert edit != "swap" or sorted(made) == sorted("balloon")


def test_a_word_with_nothing_to_swap_is_changed_all_the_same() -> None:
    import numpy as np

    assert _misspelt("aaaa", ("swap",), np.random.default_rng(0)) == "aaaaa"


def test_equal_texts_of_different_candidates_get_edits_of_their_own() -> None:
    pool = tuple(Candidate(str(i), "balloon", 0) for i in range(10))
    after = misspell(Questions("made-up", "test", (Question("q", "?", pool),)), Typos(1.0))
    assert len({pair.text for pair in pairs(after)}) > 3


def test_a_text_without_a_long_word_stays_as_it_was() -> None:
    assert misspell(one("who is he?"), Typos(1.0)).items[0].text == "who is he?"


def test_one_seed_gives_one_result_and_another_gives_another(asked: Asked) -> None:
    assert misspell(asked(10), Typos(seed=1)) == misspell(asked(10), Typos(seed=1))
    assert misspell(asked(10), Typos(seed=1)).items != misspell(asked(10), Typos(seed=2)).items
    assert mislabel(asked(10), seed=1) == mislabel(asked(10), seed=1)
    assert mislabel(asked(10), seed=1).items != mislabel(asked(10), seed=2).items


def test_the_seed_decides_which_texts_are_changed(asked: Asked) -> None:
    before = asked(10)

    def changed(seed: int) -> tuple[list[int], list[int]]:
        after = misspell(before, Typos(seed=seed))
        output = [i for i, (old, new) in enumerate(zip(pairs(before), pairs(after), strict=True)) if old != new]
        return [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old.text != new.text], output

    assert all(one != other for one, other in zip(changed(1), changed(2), strict=True))


def test_what_happens_to_a_text_does_not_depend_on_the_others(asked: Asked) -> None:
    few, many = (misspell(asked(n), Typos(1.0)).items[:3] for n in (3, 12))
    assert few == many


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_share_of_the_labels_is_flipped_and_nothing_else(asked: Asked, share: float) -> None:
    before = asked(25)
    after = mislabel(before, share)
    flipped = [old.grade != new.grade for old, new in zip(pairs(before), pairs(after), strict=True)]
    assert sum(flipped) == round(share * 100)
    assert all(new.grade in (0, 1) for new in pairs(after))
    assert [pair._replace(grade=0) for pair in pairs(after)] == [pair._replace(grade=0) for pair in pairs(before)]
    assert after.notes[-1] == f"{share:.0%} of the labels flipped, seed 0"


def test_labels_are_flipped_among_all_alike() -> None:
    pool = tuple(Candidate(str(i), "x", int(i < 120)) for i in range(1000))
    after = mislabel(Questions("made-up", "train", (Question("q", "?", pool),)))
    assert sum(new.grade == 0 for new in pairs(after)[:120]) == pytest.approx(24, abs=10)  # binomial, sd 4.1
    assert sum(pair.grade for pair in pairs(after)[120:]) == pytest.approx(176, abs=10)


def test_grades_are_flipped_to_the_nearest_on_the_other_side() -> None:
    pool = tuple(Candidate(str(i), "x", i) for i in (1, 2, 3, 4))
    after = mislabel(Questions("antique", "train", (Question("q", "?", pool),), relevant=3), share=1.0)
    assert [pair.grade for pair in pairs(after)] == [3, 3, 2, 2]


def test_no_questions_stay_no_questions() -> None:
    nothing = Questions("made-up", "test", ())
    assert misspell(nothing).items == mislabel(nothing).items == ()


@every(
    ("settings", "error", "message"),
    [
        ({"share": 1.1}, ValueError, "share is 1.1"),
        ({"words": -0.1}, ValueError, "words is -0.1"),
        ({"edits": ("swop",)}, LookupError, "did you mean 'swap'"),
        ({"places": ("answers",)}, LookupError, "did you mean 'answer'"),
        ({"edits": ()}, ValueError, "there is no edit"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Typos(**settings)


def test_a_share_of_labels_out_of_range_is_an_error(asked: Asked) -> None:
    with pytest.raises(ValueError, match="share is nan"):
        mislabel(asked(1), float("nan"))


def test_damage_is_wrong_letters_and_flipped_labels_by_one_seed(asked: Asked) -> None:
    before = asked(10)
    assert Damage().done(before) == before
    assert Damage(letters=0.3).done(before, 5) == misspell(before, Typos(share=0.3, seed=5))
    assert Damage(labels=0.2).done(before, 5) == mislabel(before, 0.2, 5)
    assert Damage(0.3, 0.2).done(before, 5) == mislabel(misspell(before, Typos(share=0.3, seed=5)), 0.2, 5)


@pytest.mark.parametrize("settings", [{"letters": 1.5}, {"labels": float("nan")}])
def test_damage_out_of_range_is_an_error(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="but it is a share"):
        Damage(**settings)
