"""The generator of pairwise cases: every pair occurs, and there are few cases."""

from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import every
from tests.pairwise import pairwise


@given(st.lists(st.integers(1, 6), min_size=2, max_size=5))
@settings(deadline=None)
def test_every_two_values_of_different_parameters_meet(sizes):
    parameters = [[f"{i}:{value}" for value in range(size)] for i, size in enumerate(sizes)]
    cases = pairwise(*parameters)
    assert set(cases) <= set(product(*parameters))
    for one, other in combinations(range(len(sizes)), 2):
        met = {(case[one], case[other]) for case in cases}
        assert met == set(product(parameters[one], parameters[other]))


@every(("sizes", "most"), [((12, 11, 7), 140), ((3, 3, 3, 3), 12), ((2,) * 10, 12), ((5, 4), 20)])
def test_there_are_few_cases_and_the_same_ones_each_time(sizes, most):
    parameters = [range(size) for size in sizes]
    assert len(pairwise(*parameters)) <= most
    assert pairwise(*parameters) == pairwise(*parameters)


def test_one_parameter_gives_all_its_values_and_an_empty_one_no_case():
    assert pairwise("ab") == [("a",), ("b",)]
    assert pairwise("ab", "") == []
