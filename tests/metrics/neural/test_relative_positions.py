"""The bias of MPNet by relative position, compared with the model of transformers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from answersim.metrics.neural import architecture, unpadded  # noqa: E402
from answersim.metrics.neural.relative_positions import bias_by_distance, bucket  # noqa: E402
from answersim.metrics.neural.windows import Batch  # noqa: E402

LENGTHS = (300, 299, 130, 129, 128, 65, 33, 33, 32, 31, 17, 16, 9, 9, 8, 2, 1)


@pytest.fixture(scope="module")
def texts() -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [[0, *rng.integers(5, 60, size=length - 1).tolist()] for length in LENGTHS]


def library(tiny: Callable[..., Path], *, pairs: bool) -> Any:
    auto = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
    model = auto.from_pretrained(tiny("mpnet", classifier=pairs, positions=300)).eval()
    with torch.no_grad():  # a bias that matters as much as the scores
        model.get_parameter(f"{'mpnet.' if pairs else ''}encoder.relative_attention_bias.weight").normal_(0, 2)
    return model


def batch(texts: list[list[int]]) -> Batch:
    return unpadded.batch_of(texts, None, torch.device("cpu"))


def test_buckets_are_those_of_transformers_at_every_distance():
    encoder = transformers.models.mpnet.modeling_mpnet.MPNetEncoder
    distance = np.arange(-2000, 2001)
    assert bucket(distance).tolist() == encoder.relative_position_bucket(torch.from_numpy(distance)).tolist()
    assert len(set(bucket(distance).tolist())) == architecture.BUCKETS - 1  # none is for a distance of "+0"


def test_the_bias_is_by_key_minus_query():
    table = torch.arange(64.0).view(32, 2)
    bias = bias_by_distance(table, 40)
    assert bias.shape == (2, 79)
    assert bias[:, 39].tolist() == table[0].tolist()
    assert bias[:, 40].tolist() == table[17].tolist()  # the next token
    assert bias[:, 38].tolist() == table[1].tolist()  # the token before
    assert bias_by_distance(table, 3).shape == (2, 63)  # that of a window


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_every_layer_at_every_length_is_that_of_the_model(tiny, texts, kind):
    model = library(tiny, pairs=False).to(kind)
    described = architecture.read(model.config.to_dict(), pairs=False)
    assert described is not None
    with torch.inference_mode():
        found = unpadded.Unpadded(described, dict(model.named_parameters())).states(batch(texts), range(4))
        own = [model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states for ids in texts]
    near = {"rtol": 0, "atol": 1e-5} if kind is torch.float32 else {"rtol": 5e-2, "atol": 1e-1}
    for layer in range(4):
        torch.testing.assert_close(found[layer], torch.cat([hidden[layer][0] for hidden in own]), **near)


def test_a_classifier_at_every_length_gives_the_logits_of_the_model(tiny, texts):
    model = library(tiny, pairs=True)
    described = architecture.read(model.config.to_dict(), pairs=True)
    assert described is not None
    with torch.inference_mode():
        found = unpadded.UnpaddedClassifier(described, dict(model.named_parameters())).logits(batch(texts))
        expected = torch.cat([model(input_ids=torch.tensor([ids])).logits for ids in texts])
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    assert float(expected.std()) > 1e-2


def test_a_table_with_fewer_buckets_is_left_to_transformers(tiny):
    config = library(tiny, pairs=False).config.to_dict()
    assert architecture.read(config, pairs=False) is not None
    assert architecture.read(config | {"relative_attention_num_buckets": 31}, pairs=False) is None
    assert architecture.read(config | {"relative_attention_num_buckets": None}, pairs=False) is None


def test_positions_are_counted_from_1_whatever_the_configuration_states(tiny):
    config = library(tiny, pairs=False).config.to_dict() | {"pad_token_id": 7}
    described = architecture.read(config, pairs=False)
    assert described is not None
    assert described.padding == 1
