"""Where the checkpoints of rankers are searched for."""

from __future__ import annotations

from pathlib import Path

import pytest

from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import search
from rankers.modules.local_checkpoints import checkpoint, no_network
from tests.cases import every


@every("name", ["", None, 3, "a\0b"])
def test_what_is_no_name_is_an_error(name):
    with pytest.raises(TypeError, match="but it must be the name of a checkpoint or a folder"):
        checkpoint(name)


def test_the_network_is_used_outside_the_block_only(monkeypatch):
    uses = []

    def find(name, *, network):
        uses.append(network)
        raise CheckpointNotFoundError(f"no checkpoint {name}")

    monkeypatch.setattr(search, "find", find)
    with pytest.raises(CheckpointNotFoundError, match=r"^no checkpoint x$"):
        checkpoint("x")
    with no_network(), pytest.raises(CheckpointNotFoundError, match="rankers are loaded without the network"):
        checkpoint("x")
    with pytest.raises(CheckpointNotFoundError, match=r"^no checkpoint x$"):
        checkpoint(Path("x"))
    assert uses == [True, False, True]
