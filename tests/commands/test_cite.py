"""``answersim cite`` prints entries that a bibliography can include."""

from answersim.signature import RELEASED, VERSION
from tests.command_line import refused, succeed


def test_the_package_and_the_papers_of_metrics_are_printed():
    alone, more = succeed("cite"), succeed("cite", "sas", "rouge-l")
    assert alone.startswith("% Beside each score, state the signature")
    assert f"version {VERSION}, {RELEASED}" in alone
    assert more.startswith(alone)
    assert [line for line in more[len(alone) :].splitlines() if line.startswith("@")] == [
        "@inproceedings{risch2021,",
        "@inproceedings{lin2004,",
    ]


def test_an_unknown_metric_is_one_line():
    assert "did you mean" in refused("cite", "sass")
