"""The cards: every metric has one, and its figures are those of the result files."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import answersim
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.metrics.catalog import lookup
from tools.site import cards
from tools.site.cards import RESULTS

SECTIONS = ("Definition", "Agreement with annotators", "Known failures", "Cost", "Signature and citation")
LEXICAL = tuple(name for name in answersim.names() if lookup.entry(name).kind == "lexical")
NO_BREAK = "\N{NO-BREAK SPACE}"


def recorded(table: str) -> list[dict[str, Any]]:
    content = json.loads((RESULTS / "judged.json").read_text(encoding="utf-8"))[table]
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


MEASURED = tuple(
    name
    for name in answersim.names()
    if any((row["dataset"], row["metric"]) == ("evouna-test", name) for row in recorded("Quality"))
)


def test_a_card_states_what_was_not_measured() -> None:
    assert len(MEASURED) > 15
    for name in cards.names():
        text = cards.card(name)
        assert (cards._SERVICE in text) == (name == "judge")
        assert ("Not measured. `answersim correlate" in text) == (name != "judge" and not cards.quality(name))
        assert ("Not measured. `python -m benchmarks.speed`" in text) == (name != "judge" and not cards.costs(name))
        assert ("Not examined." in text) == (name != "judge" and not (cards.doctor(name) or cards._examples(name)))


def test_the_examples_of_a_definition_are_on_the_card() -> None:
    assert "| Isaac Komnenos | Isaac | 0.667 |" in cards.card("f1")


def test_every_card_names_its_languages() -> None:
    for name in cards.names():
        assert re.search(r"^\| languages \| (all|English|those of the language model)", cards.card(name), re.MULTILINE)


def test_every_metric_of_the_catalog_has_a_card() -> None:
    assert {*lookup.ENTRIES, "typed"} == set(cards.names())
    assert {f"cards/{name}.md" for name in cards.names()} | {"cards/index.md"} == set(cards.card_pages())


@pytest.mark.parametrize("name", cards.names())
def test_a_card_has_all_sections_and_the_signature(name: str) -> None:
    text = cards.card(name)
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert tuple(section for section in sections if section not in ("Weights", "Equal to")) == SECTIONS
    assert "another signature" not in text or name not in LEXICAL
    assert "nan" not in re.findall(r"\w+", text)
    if name != "judge":
        assert answersim.metric(name).signature in text


@pytest.mark.parametrize("name", MEASURED)
def test_the_agreement_on_a_card_is_that_of_the_file(name: str) -> None:
    (row,) = (
        row
        for row in recorded("Quality")
        if (row["dataset"], row["subset"], row["metric"]) == ("evouna-test", "all", name)
    )
    expected = f"{row['auc']:.3f} [{row['auc_low']:.3f}, {row['auc_high']:.3f}]".replace(" ", NO_BREAK)
    assert f"| 1,420 | 284 | 83.5 % | {expected} |" in cards.card(name)
    (cost,) = (row for row in recorded("Cost") if row["metric"] == name)
    assert re.search(
        rf"\| two answers \| {cost['sequences']} \| .* \| {cost['pairs_per_cpu_second']:,.0f} \|", cards.card(name)
    )


def test_only_held_out_sets_are_on_a_card() -> None:
    sets = {row["dataset"] for name in cards.names() for row in cards.quality(name)}
    assert sets == {"evouna-test", "efficientqa-sas", "efficientqa-other-test"}


@pytest.mark.parametrize("name", [name for name in [*LEXICAL, "typed"] if name in (*MEASURED, "typed")])
def test_the_examples_on_a_card_have_the_scores_of_the_metric(name: str) -> None:
    record = cards._examples(name)
    assert record, f"benchmarks/results/cards.json has no examples of {name!r}; run python -m tools.site.examples"
    families = {family.family: family for family in minimal_pairs("en", "dev")}
    assert record["signature"] == answersim.metric(name).signature
    assert record["examples"]
    for example in record["examples"]:
        family = families[example["family"]]
        scores = answersim.score([family.gold] * 2, [family.same, family.different], name)
        assert list(scores) == pytest.approx([example["same"], example["different"]], abs=1e-6)
        assert example["different"] >= example["same"]


def test_a_card_states_if_a_figure_was_measured_with_another_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "another signature" not in cards.card("f1")
    monkeypatch.setattr(cards, "signature", lambda name: "f1|text:en|rev:2")
    note = "Figures of this card were measured with another signature: `f1|text:en|rev:1`."
    assert note in cards.card("f1")


def test_an_unknown_card_names_the_nearest_one() -> None:
    with pytest.raises(LookupError, match="'meteor'"):
        cards.card("meteo")
