"""Two states exclude each other, so denying one asserts the other."""

import pytest

from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs.negation import AFFIRMED, STATED, STATES, family

LANGUAGES = ["en", "de", "zh", "ja"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_states_differ_and_contain_no_negation(language: str) -> None:
    for _, first, second in STATES[language]:
        assert first != second
        assert not {"not", "no", "nicht", "kein"} & {*first.split(), *second.split()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_miss_is_the_rewrite_with_both_states_exchanged(language: str) -> None:
    exchanged = {}
    for subject, *states in STATES[language]:
        for a, b in (states, states[::-1]):
            slots = {"s": subject, "S": subject[0].upper() + subject[1:]}
            for form in STATED[language]:
                exchanged[form.format(a=a, b=b, **slots)] = form.format(a=b, b=a, **slots)
    stated = [found for found in families(family, language, 200, language) if not found.question]
    assert len(stated) > 80
    assert all(exchanged[found.same] == found.different for found in stated)


@pytest.mark.parametrize("language", LANGUAGES)
def test_statements_name_a_state(language: str) -> None:
    assert all("{a}" in form or "{b}" in form for form in STATED[language])
    assert all(yes != no for yes, no in AFFIRMED[language])
