"""The settings of a training of a bi-encoder."""

import pytest

from answersim.training.bi_encoder.recipe import BiEncoderRecipe
from tests.cases import every


@every(
    ("setting", "error", "complaint"),
    [
        ({"patience": -1}, ValueError, "patience is -1"),
        ({"loss": "cosin"}, LookupError, "no loss is called 'cosin'; did you mean 'cosine'"),
        ({"method": "lor"}, LookupError, "no method is called 'lor'; did you mean 'lora'"),
        ({"measure": "kendall"}, LookupError, "no measure is called 'kendall'"),
    ],
)
def test_a_setting_out_of_its_range_is_an_error(setting, error, complaint):
    with pytest.raises(error, match=complaint):
        BiEncoderRecipe(**setting)
