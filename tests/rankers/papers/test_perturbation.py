from __future__ import annotations

from collections.abc import Callable

import pytest

from rankers.papers.scan import Damage, mislabel, misspell
from rankers.types import Candidate, Question, Questions

Asked = Callable[..., Questions]


def pairs(questions: Questions) -> list[Candidate]:
    return [candidate for question in questions for candidate in question.candidates]


def one(text: str) -> Questions:
    return Questions("made-up", "test", (Question("q", text, (Candidate("c", "", 1),)),))


def is_one_edit(old: str, new: str) -> bool:
    """Whether a swap of neighbours, one letter more or one letter less makes the new word."""
    less = {old[:i] + old[i + 1 :] for i in range(len(old))}
    more = {old[:i] + letter + old[i:] for i in range(len(old) + 1) for letter in old}
    swapped = {old[:i] + old[i + 1] + old[i] + old[i + 2 :] for i in range(len(old) - 1)}
    return new in (less | more | swapped) - {old}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.37, 1.0])
def test_a_share_of_texts_or_labels_changes_and_nothing_else(asked, share):
    before = asked(10)
    after, flipped = misspell(before, share), mislabel(before, share)
    assert sum(old != new for old, new in zip(pairs(before), pairs(after), strict=True)) == round(share * 40)
    assert sum(old.text != new.text for old, new in zip(before, after, strict=True)) == round(share * 10)
    assert [pair._replace(text="") for pair in pairs(after)] == [pair._replace(text="") for pair in pairs(before)]
    assert [(entry.id, entry.golds) for entry in after] == [(entry.id, entry.golds) for entry in before]
    assert sum(old != new for old, new in zip(pairs(before), pairs(flipped), strict=True)) == round(share * 40)
    assert [pair._replace(grade=0) for pair in pairs(flipped)] == [pair._replace(grade=0) for pair in pairs(before)]
    assert {(old.grade, new.grade) for old, new in zip(pairs(before), pairs(flipped), strict=True)} <= {
        *((0, 0), (1, 1), (0, 1), (1, 0))
    }
    assert after.notes == (*before.notes, f"wrong letters in {share:.0%} of the questions and answers, seed 0")


def test_a_word_that_is_drawn_gets_one_edit_and_short_ones_none():
    text = "the cat of 2,000 standing, balloon naïvely"
    for seed in range(30):
        old, new = text.split(), misspell(one(text), 1.0, seed).items[0].text.split()
        assert new[:4] == old[:4]
        changed = [(a, b) for a, b in zip(old[4:], new[4:], strict=True) if a != b]
        assert len(changed) == 1  # a fifth of three words, but at least one
        assert is_one_edit(changed[0][0].strip(","), changed[0][1].strip(","))
    assert misspell(one("who is he?"), 1.0).items[0].text == "who is he?"


def test_equal_texts_of_different_candidates_get_edits_of_their_own():
    pool = tuple(Candidate(str(i), "balloon", 0) for i in range(10))
    after = misspell(Questions("made-up", "test", (Question("q", "?", pool),)), 1.0)
    assert len({pair.text for pair in pairs(after)}) > 3


def test_the_seed_decides_the_damage(asked):
    for damage in (Damage(letters=0.3), Damage(labels=0.2), Damage(0.3, 0.2)):
        assert damage.done(asked(10), 1) == damage.done(asked(10), 1)
        assert damage.done(asked(10), 1).items != damage.done(asked(10), 2).items
    assert Damage().done(asked(10)) == asked(10)
    assert Damage(0.3, 0.2).done(asked(10)) == mislabel(misspell(asked(10), 0.3), 0.2)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(ValueError, match="is a share: at least 0, at most 1"):
        Damage(letters=share)
    with pytest.raises(ValueError, match="is a share: at least 0, at most 1"):
        Damage(labels=share)
