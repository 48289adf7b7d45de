"""Fisher's randomization test: all signs written out and random signs against a plain loop."""

from itertools import product

import numpy as np
import pytest

from answersim.stats.randomization import randomization


def test_few_questions_are_tested_exactly():
    differences = np.array([0.3, -0.1, 0.25, 0.4, 0.05])
    means = [abs(np.mean(differences * signs)) for signs in product((1, -1), repeat=5)]
    exact = np.mean([mean >= abs(differences.mean()) - 1e-12 for mean in means])
    assert randomization(differences, 10_000, np.random.default_rng(0)) == pytest.approx(exact)


def test_many_questions_are_tested_by_random_signs():
    rng = np.random.default_rng(1)
    differences = rng.normal(0.02, 0.3, 237)
    signs = np.where(rng.random((20_000, 237)) < 0.5, 1, -1)
    plain = np.mean(np.abs(signs @ differences) >= abs(differences.sum()))
    assert 0.05 < plain < 0.95
    assert randomization(differences, 10_000, np.random.default_rng(0)) == pytest.approx(plain, abs=0.02)


def test_p_is_c_plus_1_of_n_plus_1():
    assert randomization(np.full(100, 0.5), 999, np.random.default_rng(0)) == pytest.approx(1 / 1000)
    assert randomization(np.zeros(100), 999, np.random.default_rng(0)) == 1.0
