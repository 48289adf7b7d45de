"""One study for the tests that read its parts."""

import pytest

from answersim.evaluation.agreement import Agreement, correlate
from answersim.stats.resampling import Bootstrap
from tests.evaluation.agreement.made_judgments import judged


@pytest.fixture(scope="session")
def found() -> Agreement:
    return correlate(judged(), compare=("pearson", "tau-b"), bootstrap=Bootstrap(resamples=200))
