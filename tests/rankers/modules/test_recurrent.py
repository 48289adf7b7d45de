from __future__ import annotations

import pytest
import torch

from rankers.modules.composition import BiGRU, BiLSTM


@pytest.mark.parametrize("kind", [BiLSTM, BiGRU])
@pytest.mark.parametrize("lengths", [[1], [5, 5], [3, 1, 6, 6, 2]], ids=str)
def test_padding_changes_no_state_of_a_text_and_its_own_are_zero(kind, lengths):
    reader = kind(4, 3).double()
    mask = torch.arange(max(lengths) + 2) < torch.tensor(lengths)[:, None]
    x = torch.randn(*mask.shape, 4, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    together = reader(x, mask)
    assert together.shape == (*mask.shape, 6)
    assert not together[~mask].any()
    for i, length in enumerate(lengths):
        torch.testing.assert_close(together[i, :length], reader.cell(x[i : i + 1, :length])[0][0])
