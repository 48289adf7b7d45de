"""``answersim serve``: options become a reward, limits and an address."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from answersim._base.device import Device
from tests.command_line import combined


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Record what is built and run in place of a process that waits."""
    calls: dict[str, Any] = {}
    monkeypatch.setattr(
        "answersim.integrations.serving.app.build", lambda reward, **given: calls.update(given, reward=reward)
    )
    monkeypatch.setattr(
        "answersim.integrations.serving.server.serve", lambda built, reward, **given: calls.update(given)
    )
    monkeypatch.delenv("ANSWERSIM_SERVE_TOKEN", raising=False)
    return calls


run = partial(combined, "serve")


def test_the_defaults_are_the_default_reward_on_this_machine(served: dict[str, Any]) -> None:
    assert run() == (0, "")
    assert served["reward"].metric is None
    assert (served["reward"].extract, served["host"], served["token"]) == ("auto", "127.0.0.1", None)


def test_options_reach_the_reward(served: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_SERVE_TOKEN", "secret")
    assert run("-m", "rules", "--extract", "boxed", "--limit", "seconds=2", "--limit", "rows=5", "--port", "1")[0] == 0
    reward = served["reward"]
    assert (reward.metric, reward.extract, reward.limit, reward.options) == ("rules", "boxed", 2.0, {})
    assert (served["limits"].rows, served["port"], served["token"], served["has_token"]) == (5, 1, "secret", True)


def test_options_of_networks_reach_the_metric(served: dict[str, Any]) -> None:
    assert run("--device", "cpu,bf16")[0] == 0
    assert served["reward"].options == {"device": Device("cpu", "bf16")}


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    "words",
    [
        ("-m", "no such"),
        ("-m", "em,f1"),
        ("--limit", "seconds=0"),
        ("--limit", "rows=0"),
        ("--limit", "rows=1.5"),
        ("--limit", "row=1"),
        ("--limit", "grace=-1"),
        ("--extract", "no such"),
    ],
)
def test_a_wrong_option_ends_the_command(words: tuple[str, ...]) -> None:
    code, output = run(*words)
    assert code == 2
    assert output.startswith("answersim: ")
