"""Shipped calibrations are made from labels that no model was trained on."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import answersim
from answersim.answers.relation import Relation
from answersim.answers.typed.api import REVISION
from answersim.answers.typed.comparison import no_opinion
from answersim.calibration.rule_revisions import FINGERPRINT, TABLE, revisions, rules_of
from answersim.calibration.scores import Scores
from answersim.calibration.storing import SHIPPED, find, read, shipped, write
from answersim.metrics.composite import ensemble, typed
from answersim.types import Pair
from tools.weights import calibrations
from tools.weights.calibration_languages import NEUTRAL, main
from tools.weights.calibrations import Set, calibration_sets, check_sets, make_checked
from tools.weights.rule_revisions import check as check_revisions
from tools.weights.rule_revisions import distinct_pairs, fingerprint, record


def made_up(name, n, seed, share=0.5):
    """Right predictions hold one or two of the two gold words; so does one in ten, and in a hundred, of the wrong."""
    rng = np.random.default_rng(seed)
    right = rng.random(n) < share
    pairs = []
    for i, entry in enumerate(right):
        luck = rng.random()
        keep = int(rng.integers(1, 3)) if entry else int(luck < 0.1) + int(luck < 0.01)
        pairs.append((f"a{i} b{i}", " ".join([f"a{i}", f"b{i}"][:keep] + [f"x{i}"] * (2 - keep))))
    return Set(name, pairs, right, [i // 2 for i in range(n)])


@pytest.fixture
def sets(monkeypatch):
    result = [made_up("made on, all", 900, 0), made_up("another", 200, 1), made_up("few are right", 900, 2, 0.03)]
    monkeypatch.setattr(calibrations, "calibration_sets", lambda: iter(result[:1]))
    monkeypatch.setattr(calibrations, "check_sets", lambda: iter(result[1:]))
    return result


def scored(judged):
    return judged, answersim.score_pairs(judged.pairs, ["f1"])["f1"]


def test_files_and_cards_are_written_and_list_where_the_probabilities_are_off(sets, tmp_path):
    import typer

    app = typer.Typer()
    app.command()(calibrations.main)
    result = CliRunner().invoke(
        app, ["--output", str(tmp_path), "--metrics", "recall", "--scores", str(tmp_path / "kept")]
    )
    assert result.exit_code == 0, result.output
    actual, card = read(tmp_path / "recall.json"), (tmp_path / "recall.md").read_text()
    assert actual.signature == answersim.metric("recall").signature
    assert actual.least_words == 0
    assert set(actual.metadata["checks"]) == {"another", "few are right"}
    assert "The calibration error is more than twice that of chance on: few are right." in card


def test_a_set_is_checked_by_a_calibration_from_the_other_ones(sets):
    lucky = sets[1]._replace(name="lucky", right=np.arange(200) > 10)
    own = [scored(judged) for judged in (sets[0], lucky)]
    built = make_checked("f1", own, [scored(sets[2])])
    assert built.calibration.provenance.n == 1100
    assert list(built.checks) == ["made on, all", "lucky", "few are right"]
    assert built.calibration.metadata["checks"]["lucky"]["n"] == 200
    without = calibrations.make("f1", own[:1])
    assert built.checks["lucky"].probability == pytest.approx(without.probability(own[1][1]).mean())
    assert built.calibration.probability(own[1][1]).mean() > built.checks["lucky"].probability + 0.05
    few = [
        (
            judged._replace(pairs=judged.pairs[:50], right=judged.right[:50], groups=judged.groups[:50]),
            Scores(of.values[:50], of.signature),
        )
        for judged, of in own[:1]
    ]
    assert list(make_checked("f1", own[1:], few).checks) == []


def test_all_calibrations_are_made_also_those_with_the_question():
    names = calibrations.all_names()
    assert "typed+recall" in names  # it reads no question
    asked = ["sas-question", "sas-answers-question", "answersim-question"]
    asked += ["sas-strong-question", "answersim-strong-question"]
    assert [name for name in names if name.endswith("-question")] == asked


def test_every_neutral_calibration_has_the_check() -> None:
    for name in NEUTRAL:
        if name in shipped() and not read(SHIPPED / f"{name}.json").metadata.get("any language"):
            check = read(SHIPPED / f"{name}.json").metadata["languages"]["de"]
            expected = 107 if read(SHIPPED / f"{name}.json").least_words else 421
            assert (check["n"], len(check["accuracy"])) == (expected, 3)


@pytest.mark.data
def test_the_program_writes_what_is_recorded(
    data_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in NEUTRAL:
        if name in shipped():
            shutil.copy(SHIPPED / f"{name}.json", tmp_path)
    main(tmp_path)
    for path in tmp_path.iterdir():
        assert read(path) == read(SHIPPED / path.name)
    printed = capsys.readouterr().out
    assert "f1: n 107, accuracy 0.813 [0.726, 0.882]" in printed
    assert "recall: n 421, accuracy 0.736 [0.691, 0.778]" in printed


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
    (first,) = check_revisions(folder, PAIRS)
    record([first], folder, folder / "table")
    assert read(folder / "typed+recall.json").metadata[FINGERPRINT] == first.fingerprint
    assert listed(folder) == {first.fingerprint: [first.signed]}
    monkeypatch.setattr("answersim.answers.typed.api.REVISION", 99)
    (second,) = check_revisions(folder, PAIRS)
    assert (second.equal, second.rules) == (True, first.signed.replace(f"en.{REVISION}", "en.99"))
    record([second], folder, folder / "table")
    assert set(listed(folder)[first.fingerprint]) == {first.signed, second.rules}
    assert "stays valid" in second.line()


def test_a_new_revision_with_another_decision_is_refused_with_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(check_revisions(folder, PAIRS), folder, folder / "table")
    before = listed(folder)

    def others(pairs: list[Pair], *_: object) -> list[Relation]:
        return [no_opinion("")] * len(pairs)

    monkeypatch.setattr("answersim.answers.typed.api.REVISION", 99)
    monkeypatch.setattr(typed, "relations", others)
    (result,) = check_revisions(folder, PAIRS)
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
            return [
                no_opinion("") if relation.relation == wanted else relation for relation in relations(pairs, *others)
            ]

        monkeypatch.setattr(module, "relations", without)
        assert fingerprint(metric, PAIRS) != now
        monkeypatch.undo()


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.filterwarnings("ignore:the weights of answersim")
def test_the_table_lists_what_the_rules_here_do(data_home: Path) -> None:
    """A failure means that a rule was changed: run python -m tools.weights.calibrations --check-rules."""
    results = check_revisions(SHIPPED, distinct_pairs([*calibration_sets(), *check_sets()]))
    with_rules = [name for name in shipped() if rules_of(read(SHIPPED / f"{name}.json").signature)]
    assert [result.name for result in results] == with_rules
    for result in results:
        if result.recorded is not None:
            assert result.equal, result.line()
            assert result.rules in revisions(TABLE)[result.fingerprint]
