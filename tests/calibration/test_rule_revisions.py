"""A calibration stays valid for revisions of the rules that were checked and changed no score, and for no others."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answersim.calibration import rule_revisions, storing
from answersim.calibration.model import Calibration
from answersim.calibration.rule_revisions import FINGERPRINT, equal_signatures, rules_of
from answersim.calibration.scores import Scores
from answersim.calibration.shipped_index import index
from answersim.calibration.storing import find, write

FITTED = "typed+f1|text:en|rules:en.4|claims:1|rev:1"
EQUAL, CHANGED, UNCHECKED = (FITTED.replace("en.4", f"en.{revision}") for revision in (5, 6, 7))


@pytest.fixture
def fitted(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibration:
    """Return a calibration that ships, by a table in which revision 5 changed nothing and 6 did."""
    table, folder = tmp_path / "table.json", tmp_path / "shipped"
    listed = {"aaaa": ["rules:en.4|claims:1", "rules:en.5|claims:1"], "bbbb": ["rules:en.6|claims:1"]}
    table.write_text(json.dumps(listed), encoding="utf-8")
    folder.mkdir()
    monkeypatch.setattr(rule_revisions, "TABLE", table)
    monkeypatch.setattr(storing, "SHIPPED", folder)
    calibration: Calibration = replace(made.calibration, signature=FITTED, metadata={FINGERPRINT: "aaaa"})
    write(calibration, folder / "typed+f1.json")
    return calibration


def test_a_revision_that_changed_no_score_keeps_the_calibration(fitted):
    assert find("shipped", EQUAL) == find("typed+f1", EQUAL) == fitted
    fitted.check(EQUAL)
    verdicts = fitted.verdicts(Scores([0.0, 3.0], EQUAL))
    assert verdicts.tolist() == fitted.verdicts(Scores([0.0, 3.0], FITTED)).tolist()


@pytest.mark.parametrize(("signature", "revision"), [(CHANGED, "en.6"), (UNCHECKED, "en.7")])
def test_a_revision_that_changed_scores_is_refused_with_the_remedy(fitted, signature, revision):
    with pytest.raises(ValueError, match=f"rules is {revision} and not en.4. Make one for these scores"):
        fitted.check(signature)
    with pytest.raises(ValueError, match=f"rules is {revision} and not en.4"):
        find("typed+f1", signature)
    with pytest.raises(LookupError, match=r"no shipped calibration is for .* Make one with"):
        find("shipped", signature)


@pytest.mark.parametrize("signature", [EQUAL.replace("claims:1", "claims:2"), EQUAL.replace("rev:1", "rev:2")])
def test_another_change_is_refused_even_if_the_revision_of_the_rules_was_checked(fitted, signature):
    with pytest.raises(ValueError, match="this calibration is for"):
        fitted.check(signature)


def test_a_calibration_of_a_user_is_bound_to_the_revision_that_it_was_made_with(fitted):
    with pytest.raises(ValueError, match=r"rules is en\.5 and not en\.4"):
        replace(fitted, metadata={}).check(EQUAL)


def test_each_fingerprint_that_ships_is_listed_with_the_rules_of_its_calibration():
    for name in index(storing.SHIPPED).names:
        calibration = find(name)
        fingerprint = calibration.metadata.get(FINGERPRINT)
        if fingerprint is not None:
            assert rules_of(calibration.signature) in rule_revisions.revisions(rule_revisions.TABLE)[fingerprint], name
            assert calibration.signature in equal_signatures(calibration.signature, calibration.metadata)
