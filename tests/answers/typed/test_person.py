"""Names of people: what shows that a text is one, and how two are compared."""

import pytest

from answersim.answers.typed.person import compare_people, read_person
from tests.cases import cases_of, every

CASES = cases_of(__file__)


@pytest.mark.parametrize(("text", "shown"), CASES["a_name_of_a_person_is_read"])
def test_a_name_of_a_person_is_read(text, shown):
    assert str(read_person(text)) == shown


@every("text", CASES["other_texts_are_not"])
def test_other_texts_are_not(text):
    assert read_person(text) is None


@every(("gold", "pred", "relation"), CASES["names_with_one_last_name_are_compared"])
def test_names_with_one_last_name_are_compared(gold, pred, relation):
    assert compare_people(read_person(gold), read_person(pred)).relation == relation


def test_two_last_names_are_not_compared_because_a_person_may_have_both():
    assert compare_people(read_person("Hillary J. Rodham"), read_person("Hillary J. Clinton")) is None
