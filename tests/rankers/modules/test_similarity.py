"""What compares two vectors, on vectors that can be compared by hand."""

import pytest
import torch
from torch.nn import functional

from rankers.modules.similarity import LogitDifference, similarity

A = torch.tensor([[[3.0, 4.0]], [[1.0, 0.0]], [[2.0, 0.0]], [[0.0, 0.0]]])
B = torch.tensor([[[4.0, 3.0]], [[0.0, 5.0]], [[-1.0, 0.0]], [[1.0, 1.0]]])


def test_a_cosine_needs_no_length():
    assert similarity("cosine", 2)(A, B)[:, 0].tolist() == pytest.approx([0.96, 0.0, -1.0, 0.0])


def test_a_logit_gives_the_paper_s_probability_and_its_cross_entropy():
    torch.manual_seed(0)
    layer = LogitDifference(2)
    score = layer(A, B)
    probabilities = layer.layers(torch.cat([A, B], dim=-1)).softmax(-1)  # p_0, p_1
    torch.testing.assert_close(score.sigmoid(), probabilities[..., 1])
    for label in (0, 1):
        expected = -probabilities[..., label].log()
        target = torch.full_like(score, label)
        result = functional.binary_cross_entropy_with_logits(score, target, reduction="none")
        torch.testing.assert_close(result, expected)


def test_the_network_has_two_layers_and_knows_which_text_is_the_question():
    torch.manual_seed(0)
    layer = similarity("mlp", 2)
    first, second = layer.layers[0], layer.layers[2]
    by_hand = torch.relu(torch.cat([A, B], -1) @ first.weight.T + first.bias) @ second.weight.T + second.bias
    torch.testing.assert_close(layer(A, B), by_hand[..., 1] - by_hand[..., 0])
    assert not torch.allclose(layer(A, B), layer(B, A))


def test_an_unknown_similarity_is_named():
    with pytest.raises(LookupError, match="'cosinus'; did you mean 'cosine'"):
        similarity("cosinus", 2)
