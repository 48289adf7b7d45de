"""A small base, and a finished training on it."""

import pytest

from tests.training.bi_encoder.trained import METADATA, train


@pytest.fixture(scope="session")
def base(tiny):
    return tiny("bert")


@pytest.fixture(scope="session")
def finished(base, tmp_path_factory):
    return train(base, tmp_path_factory.mktemp("finished"), metadata=METADATA)
