"""The factory of the ensemble: it has weights for one profile, and builds its parts by their names."""

import pytest

from answersim._base.device import Device
from answersim.metrics.composite import ensemble
from answersim.metrics.composite.ensemble import AnswerSimilarity


def refuse(name: str, lang: str, profile: str | None, **running: object) -> None:
    pytest.fail(f"{name} was built before the profile was checked")


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("paper", "fitted for the profiles embedded, strong, multilingual, words; there are none for 'paper'"),
        ("embeded", "did you mean 'embedded'"),
    ],
)
def test_a_profile_without_weights_is_an_error_before_a_part_is_built(profile, message):
    with pytest.raises(LookupError, match=message):
        ensemble.build(refuse, lang="en", profile=profile)


@pytest.mark.parametrize("profile", [None, "embedded", "strong", "words"])
def test_parts_are_built_in_order_with_language_profile_and_options_of_networks(profile):
    pytest.importorskip("torch")
    calls = []

    class Part:
        def __init__(self, name: str) -> None:
            self.signature = f"{name}|rev:1"

    def build(name: str, lang: str, profile: str | None, **running: object) -> Part:
        calls.append((name, lang, profile, running))
        return Part(name)

    options = {"device": Device("cpu", "bf16", 64)}
    metric = ensemble.build(build, lang="de", profile=profile, **options)
    assert isinstance(metric, AnswerSimilarity)
    assert [name for name, *_ in calls] == list(ensemble.parts_of(profile))
    assert all(call[1:] == ("de", profile, options) for call in calls)
    assert [part.signature for part in metric.parts] == [f"{name}|rev:1" for name in ensemble.parts_of(profile)]  # type: ignore[attr-defined]
