from __future__ import annotations

import importlib.util

import pytest

from answersim._base.errors import MissingExtraError
from answersim.metrics.neural.engines import choice


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The packages that count as installed."""
    names: set[str] = set()
    monkeypatch.setattr(choice, "find_spec", lambda name: importlib.util.find_spec("json") if name in names else None)
    monkeypatch.delenv(choice.VARIABLE, raising=False)
    return names


@pytest.mark.parametrize(
    ("packages", "variable", "expected"),
    [
        ("torch transformers tokenizers", "", "torch"),
        ("torch tokenizers", "", "numpy"),
        ("tokenizers", "", "numpy"),
        ("torch transformers tokenizers", "numpy", "numpy"),
        ("torch transformers tokenizers", "torch", "torch"),
    ],
)
def test_torch_is_the_default_engine_if_it_is_installed(
    packages: str, variable: str, expected: str, installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed.update(packages.split())
    monkeypatch.setenv(choice.VARIABLE, variable)
    assert choice.engine("sas") == expected


@pytest.mark.parametrize(
    ("variable", "missing", "remedies"),
    [
        ("", "torch", ['".[embedded]"', '".[embedded-numpy]"', "typed+recall"]),
        ("torch", "torch", ['".[embedded]"', "typed+recall"]),
        ("numpy", "tokenizers", ['".[embedded-numpy]"', "typed+recall"]),
    ],
)
def test_without_an_engine_the_remedies_are_named(
    variable: str, missing: str, remedies: list[str], installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(choice.VARIABLE, variable)
    with pytest.raises(MissingExtraError, match=f"the metric sas needs '{missing}'") as raised:
        choice.engine("sas")
    assert [remedy for remedy in remedies if remedy not in str(raised.value)] == []


def test_an_unknown_engine_is_refused(installed: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.VARIABLE, "nunpy")
    with pytest.raises(LookupError, match="did you mean 'numpy'"):
        choice.engine("sas")
