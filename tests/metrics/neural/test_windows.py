from __future__ import annotations

import numpy as np

from answersim.metrics.neural.windows import WINDOW, runs_of, windows


def test_runs_follow_one_another() -> None:
    assert runs_of(np.array([4])) == ((0, 4, 4),)
    assert runs_of(np.array([7, 7, 5, 1, 1])) == ((0, 14, 7), (14, 19, 5), (19, 21, 1))


def test_each_token_of_a_short_text_has_a_slot_beside_those_of_its_text_only() -> None:
    runs = runs_of(np.array([40, 20, 10, 10, 2, 1]))
    planned = windows(runs)
    assert planned.long == ((0, 40, 40),)
    assert planned.places.tolist() == list(range(40, 83))
    assert (planned.source[planned.slots] == planned.places).all()
    text = np.repeat([1, 2, 3, 4, 5], [20, 10, 10, 2, 1])
    for i, slot in enumerate(planned.slots):
        row = planned.apart[slot // WINDOW, 0, slot % WINDOW]
        alike = planned.slots[text == text[i]]
        assert set(np.flatnonzero(~row) + slot // WINDOW * WINDOW) == set(alike)


def test_all_texts_are_long_if_windows_are_not_wanted() -> None:
    planned = windows([(0, 8, 4), (8, 12, 2)], wanted=False)
    assert planned.long == ((0, 8, 4), (8, 12, 2))
    assert planned.places.shape == planned.source.shape == (0,)
