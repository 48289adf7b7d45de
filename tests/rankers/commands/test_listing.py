from __future__ import annotations

from rankers.systems import catalog
from tests.rankers.commands.command_line import called


def test_all_systems_are_listed_in_order() -> None:
    result = called("list --all")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[1:]] == list(catalog.names())


def test_the_short_list_is_by_use_and_counts_what_it_leaves_out() -> None:
    lines = called("list").stdout.splitlines()
    named = [line.split()[0] for line in lines if line.startswith("  ")]
    assert named[0] == "minilm-hybrid"
    assert set(named) <= set(catalog.names())
    assert len(named) == len(set(named)) < 25
    assert lines[-1].split()[0] == str(len(catalog.names()) - len(named))
    assert [line for line in lines if line.endswith(":")] == [f"{use}:" for use in catalog.USES]
