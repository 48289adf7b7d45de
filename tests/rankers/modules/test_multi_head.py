"""The heads of self-attention."""

import torch

from rankers.modules.global_attention import global_attention
from rankers.modules.multi_head import MultiHead
from rankers.modules.packing import Packing


def test_heads_have_their_own_part_of_one_projection():
    torch.manual_seed(0)
    layer = MultiHead(6, 2, global_attention)
    mask = torch.tensor([[True, True, True], [True, True, False]])
    packing = Packing(mask)
    rows = torch.randn(5, 6)
    result = layer(rows, packing)
    for text in range(2):
        x = rows[packing.text_of == text]  # (length, 6)
        q, k, v = (x @ layer.inward.weight[6 * i : 6 * i + 6].T for i in range(3))
        heads = [
            torch.softmax(q[:, part] @ k[:, part].T / 3**0.5, -1) @ v[:, part] for part in (slice(0, 3), slice(3, 6))
        ]
        expected = torch.cat(heads, dim=-1) @ layer.outward.weight.T
        torch.testing.assert_close(result[packing.text_of == text], expected, rtol=0, atol=1e-5)
