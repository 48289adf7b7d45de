"""What a number was made on."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

from benchmarks import machine


def test_the_record_has_device_threads_and_versions() -> None:
    import torch

    result = machine.machine()
    assert result.device == ("cuda" if torch.cuda.is_available() else "cpu")
    assert result.threads == torch.get_num_threads()
    assert result.versions["torch"].partition("+")[0] == torch.__version__.partition("+")[0]  # a build may add its name
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


def test_a_gpu_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a card")
    result = machine.machine()
    assert (result.device, result.name) == ("cuda", "a card")
    assert result.line.startswith("cuda (a card), ")


def test_a_package_that_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PACKAGES", ("torch", "no-such-package"))
    assert set(machine.machine().versions) == {"torch"}
