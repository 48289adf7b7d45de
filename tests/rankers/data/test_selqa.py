from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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
