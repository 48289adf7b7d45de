"""The tables of the ranking benchmark: which system is the baseline of which, and whose seeds are paired."""

from __future__ import annotations

import pytest

from benchmarks.ranking import PLAIN
from benchmarks.ranking_tables import base_of, share_training
from rankers.systems import catalog
from tests.cases import every


@every(
    ("system", "base"),
    [
        ("bm25", ""),
        ("man", ""),
        ("man-advcom", "man"),
        ("match-pyramid-dns", "match-pyramid"),
        ("qa-lstm-att", "qa-lstm"),
        ("ap-lstm", "qa-lstm"),
        ("ggsa", "global"),
        ("iggsa-att", "global-att"),
        ("iggsa-att-pointwise", ""),
        ("scan", "tanda"),
        ("scan-rate-1-noisy", "tanda-noisy"),
        ("scan-wo-both", ""),
        ("ce-plain", "tanda"),
        ("addax", "late-interaction"),
        ("addax-delta-0", "addax"),
        ("scan-rate-1-perturbed", "tanda-perturbed"),
        ("tanda-perturbed", "tanda"),
        ("addax-binary", "addax"),
        ("late-interaction", "minilm-maxsim"),
    ],
)
def test_the_baseline_is_the_system_without_the_additions_of_its_paper(system: str, base: str) -> None:
    assert base_of(system) == base


def test_each_baseline_and_each_plain_system_is_in_the_catalog() -> None:
    assert {base_of(system) for system in catalog.names()} <= {"", *catalog.names()}
    assert set(PLAIN) <= set(catalog.names())


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("man", "man-advcom", True),
        ("man-adv", "man-ckpt", True),
        ("tanda", "scan", True),
        ("man", "dmn-adv", False),
        ("ggsa", "iggsa", False),
        ("random", "random", False),
    ],
)
def test_seeds_are_paired_if_a_training_or_its_start_is_shared(one: str, other: str, expected: bool) -> None:
    assert share_training(one, other) is share_training(other, one) is expected
