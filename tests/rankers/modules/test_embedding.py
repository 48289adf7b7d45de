"""From ids to vectors: frozen or trained, projected or not."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from rankers.modules.scoring import Embedding  # noqa: E402 # needs torch

TABLE = torch.tensor([[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])
IDS = torch.tensor([[1, 2], [2, 0]])


def test_vectors_are_the_rows_of_the_table():
    assert Embedding(TABLE)(IDS).tolist() == [[[3.0, 4.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]
    assert Embedding(TABLE, normalise=True)(IDS)[0, 0].tolist() == pytest.approx([0.6, 0.8])


def test_a_frozen_table_is_no_part_of_the_weights_and_a_trainable_one_is():
    assert list(Embedding(TABLE).state_dict()) == []
    assert list(Embedding(TABLE, trainable=True).state_dict()) == ["table"]
    assert [name for name, _ in Embedding(TABLE, dim=5).named_parameters()] == ["projection.weight", "projection.bias"]


def test_a_projection_gives_vectors_of_the_wanted_size():
    layer = Embedding(TABLE, dim=5)
    assert layer.dim == 5
    assert layer(IDS).shape == (2, 2, 5)
    assert Embedding(TABLE).dim == 2
