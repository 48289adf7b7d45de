"""The check of a revision of the rules: equal decisions keep a calibration, others do not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.answers.relation import Relation
from answersim.answers.typed.api import REVISION
from answersim.answers.typed.comparison import no_opinion
from answersim.calibration.rule_revisions import FINGERPRINT, TABLE, revisions, rules_of
from answersim.calibration.storing import SHIPPED, find, read, shipped, write
from answersim.metrics.composite import ensemble, typed
from answersim.types import Pair
from tools.weights.calibrations import calibration_sets, check_sets
from tools.weights.rule_revisions import check, distinct_pairs, fingerprint, record, stub_metric

TYPED = {"name": "typed+recall", "lang": "en", "profile": None, "options": {}}
ENSEMBLE = {"name": "answersim", "lang": "en", "profile": None, "options": {}}
PAIRS = [
    Pair("11", "eleven"),
    Pair("1987", "1978"),
    Pair("Rome", "Paris, Rome, Ulm, Bonn, Kiel"),
    Pair("Rome", "**Rome**"),
    Pair("Rome", "Roman"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a calibration of typed+recall that was made with the rules here, and an empty table."""
    signature = answersim.metric("typed+recall").signature
    write(replace(find("typed+recall"), signature=signature, metadata={}), tmp_path / "typed+recall.json")
    (tmp_path / "table").write_text("{}")
    return tmp_path


def listed(folder: Path) -> dict[str, list[str]]:
    """Return the table."""
    return dict(json.loads((folder / "table").read_text()))


def test_a_new_revision_with_equal_decisions_is_added_to_the_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = check(folder, PAIRS)
    record([first], folder, folder / "table")
    assert read(folder / "typed+recall.json").metadata[FINGERPRINT] == first.fingerprint
    assert listed(folder) == {first.fingerprint: [first.signed]}
    monkeypatch.setattr("answersim.answers.typed.api.REVISION", 99)
    (second,) = check(folder, PAIRS)
    assert (second.equal, second.rules) == (
        True,
        first.signed.replace(f"en.{REVISION}", "en.99"),
    )
    record([second], folder, folder / "table")
    assert set(listed(folder)[first.fingerprint]) == {first.signed, second.rules}
    assert "stays valid" in second.line()


def test_a_new_revision_with_another_decision_is_refused_with_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(check(folder, PAIRS), folder, folder / "table")
    before = listed(folder)

    def others(pairs: list[Pair], *_: object) -> list[Relation]:
        return [no_opinion("")] * len(pairs)

    monkeypatch.setattr("answersim.answers.typed.api.REVISION", 99)
    monkeypatch.setattr(typed, "relations", others)
    (result,) = check(folder, PAIRS)
    assert not result.equal
    assert "--metrics typed+recall" in result.line()
    record([result], folder, folder / "table")
    assert listed(folder) == before


@pytest.mark.parametrize("metric", [TYPED, ENSEMBLE])
def test_each_kind_of_decision_changes_the_fingerprint(metric: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal and of different values."""
    module = ensemble if metric is ENSEMBLE else typed
    now = fingerprint(metric, PAIRS)
    assert now == fingerprint(metric, PAIRS)
    relations = module.relations
    for wanted in ("equal", "different"):

        def without(pairs: list[Pair], *others: Any, wanted: str = wanted) -> list[Relation]:
            return [no_opinion("") if found.relation == wanted else found for found in relations(pairs, *others)]

        monkeypatch.setattr(module, "relations", without)
        assert fingerprint(metric, PAIRS) != now
        monkeypatch.undo()


def test_a_metric_without_rules_has_no_fingerprint() -> None:
    assert stub_metric(TYPED | {"name": "f1"}, 0.5) is None
    with pytest.raises(ValueError, match="f1 has no rules"):
        fingerprint(TYPED | {"name": "f1"}, PAIRS)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.filterwarnings("ignore:the weights of answersim")
def test_the_table_lists_what_the_rules_here_do(data_home: Path) -> None:
    """A failure means that a rule was changed: run python -m tools.weights.calibrations --check-rules."""
    results = check(SHIPPED, distinct_pairs([*calibration_sets(), *check_sets()]))
    with_rules = [name for name in shipped() if rules_of(read(SHIPPED / f"{name}.json").signature)]
    assert [result.name for result in results] == with_rules
    for result in results:
        if result.recorded is not None:
            assert result.equal, result.line()
            assert result.rules in revisions(TABLE)[result.fingerprint]
