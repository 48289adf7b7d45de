from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import load


def test_questions_are_blocks_even_where_they_share_a_text(put: Callable[[str, str], Path]) -> None:
    home = put("selqa/dev.tsv", 'who?\t"a\t1\nwho?\tb\t0\nwhen?\tc\t1\nwho?\td\t1\n')
    questions = load("selqa", "dev", home=home, check=False)
    assert [(question.text, len(question.candidates)) for question in questions] == [
        ("who?", 2),
        ("when?", 1),
        ("who?", 1),
    ]
    assert len({question.id for question in questions}) == 3


def test_the_files_of_the_corpus_have_a_train_split(put: Callable[[str, str], Path]) -> None:
    home = put("selqa-full/selqa-ass-train.tsv", 'who ?\tAnn .\t1\nwho ?\t"it" rained .\t0\n')
    questions = load("selqa-full", "train", home=home, check=False)
    assert [(q.text, {(c.text, c.grade) for c in q.candidates}) for q in questions] == [
        ("who ?", {("Ann .", 1), ('"it" rained .', 0)})
    ]
    assert questions.notes[0].startswith("this reader was never run on the published files")
    with pytest.raises(ValueError, match="contains 1 questions, but selqa-full \\(train\\) has 5,529"):
        load("selqa-full", "train", home=home)
    with pytest.raises(
        FileNotFoundError, match=r"selqa-ass-dev\.tsv, which is not there; it comes from github emorynlp"
    ):
        load("selqa-full", "dev", home=home)
