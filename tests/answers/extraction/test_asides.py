"""Text beside a stated answer: what changes nothing, and what takes the answer away from its speaker."""

import re
from random import Random

import numpy as np
import pytest

from answersim.answers.extraction.asides import changes_nothing, without_asides
from tools.weights import asides
from tools.weights.ngrams import FOLDER
from tools.weights.pairs import mixture


@pytest.mark.parametrize(
    ("text", "middle"),
    [
        ("Sorry for the late reply, I've been swamped at work. Anyway, it's Rome.", "it's Rome"),
        ("My brother swore it was Oslo, but he lost the bet: it's Rome.", "it's Rome"),
        ("Rome, as any atlas will confirm.", "Rome"),
        ("It is Rome (page 12 of my notes).", "It is Rome "),
        ("Hi! Rome.", "Rome"),
    ],
)
def test_asides_that_change_nothing_are_left_out(text, middle):
    assert without_asides(text, lambda clause: "Rome" in clause) == middle


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Ask a liar and you get this: it's Rome.", ""),
        ("Rome, said nobody ever.", ""),
        ("Rome? Surely you are joking about that.", ""),  # a question
        ("The city is Oslo. Rome.", ""),  # states another answer
        ("Oslo, Rome", ""),  # a list
        ("St. Rome", ""),
        ("f(Rome)", ""),
        ('{"note": "checked twice", "answer": "Rome"}', ""),
        ("If it was not Oslo, then Rome.", ""),
        ("Milan held the summit. Rome.", "Where was the summit held?"),  # has words of the question
        ("word " * 41 + ". It's Rome.", ""),
    ],
)
def test_other_texts_are_returned_whole(text, question):
    assert without_asides(text, lambda clause: "Rome" in clause, question) == text


def test_one_word_can_change_the_label():
    assert changes_nothing("as my teacher taught us", "after")
    assert not changes_nothing("as my teacher wrongly taught us", "after")
    assert not changes_nothing("as my teacher would never tell us,", "before")  # needs a margin: it denies


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(not mixture.DICTIONARY.is_dir(), reason="needs WordNet 3.0 of Debian's wordnet-base")
def test_the_weights_are_those_of_the_table(data_home, tmp_path):
    asides.main(tmp_path / "made.npz")
    with np.load(tmp_path / "made.npz") as made, np.load(FOLDER / "aside_weights.npz") as shipped:
        assert np.abs(made["weights"].astype(int) - shipped["weights"]).max() <= 1  # of 60 levels: machines differ
        assert made["scale"] == pytest.approx(float(shipped["scale"]), rel=0.02)


@pytest.mark.slow
def test_held_out_pieces_are_recognized_better_than_by_side_and_length():
    (english,) = asides.check([piece for piece in asides.written(Random(0)) if piece.lang == "en"])
    areas = [float(area) for area in re.findall(r"0\.\d+", english)]  # of the classifier and of the blind model
    assert areas[0] > 0.78
    assert areas[1] < 0.65
