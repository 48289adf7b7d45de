"""A scorer that ignores the gold answer is at chance, and one that is given the label is not."""

import numpy as np
import pytest

from answersim.data.minimal_pairs import ProbeRow, rows

pytest.importorskip("sklearn")

from tools.weights.minimal_pairs.leakage import READ, held_out, leaks


@pytest.mark.parametrize("language", ["ja", pytest.param("de", marks=pytest.mark.slow)])
def test_candidates_do_not_show_their_label(language: str) -> None:
    found = {(leak.kind, leak.reads): leak for leak in leaks(rows(language))}
    assert {reads for _, reads in found} == set(READ)
    for reads in ("candidate", "length", "question and candidate"):
        assert 0.45 < found["all", reads].auc < 0.55, reads


def made(sign: str) -> list[ProbeRow]:
    return [
        ProbeRow("en", "x", f"en-x-{i:03}", "dev", "", f"gold {i}", f"answer {i}{sign if label else ''}", label)
        for i in range(40)
        for label in (1, 0)
    ]


def test_a_sign_of_the_label_would_be_seen() -> None:
    found = {leak.reads: leak.auc for leak in leaks(made(" indeed")) if leak.kind == "all"}
    assert found["candidate"] > 0.99
    assert found["length"] > 0.99


def test_twins_are_in_one_fold() -> None:
    """If twins were in two folds, a text model could learn a candidate by heart and be wrong about its twin."""
    table = [row for row in rows("en") if row.kind == "acronym"]
    couples = [row.family.rstrip("ab") for row in table]
    scores = held_out([row.candidate for row in table], np.array([float(row.label) for row in table]), couples)
    by_text: dict[str, set[float]] = {}
    for row, score in zip(table, scores, strict=True):
        by_text.setdefault(f"{row.family.rstrip('ab')} {row.candidate}", set()).add(round(float(score), 9))
    assert all(len(values) == 1 for values in by_text.values())


def test_too_few_couples_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be split into 10 folds"):
        leaks(made("")[:6])
