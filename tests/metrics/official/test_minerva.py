"""The equality of Minerva by sympy. The expected values follow from the rule: the difference is simplified."""

from importlib.metadata import PackageNotFoundError

import pytest

import answersim
from answersim._base.errors import MissingExtraError
from answersim.answers.typed import latex_equality
from answersim.metrics import official

BOX = "So the answer is $\\boxed{%s}$."
FINAL = "Final Answer: The final answer is $%s$. I hope it is correct."


@pytest.fixture
def with_sympy():
    try:
        latex_equality.check_installed()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ("\\frac{1}{2}", "0.5", 1),
        ("\\sqrt{8}", "2\\sqrt{2}", 1),
        ("x+1", "1+x", 1),
        ("1,000", "1000", 1),
        ("\\frac{1}{4}", "\\frac{1}{2}", 0),
        ("(1,2)", "(1,2)", 0),  # it cannot be subtracted, so that it differs from itself
        ("[0,1]", "[0,1]", 0),
    ],
)
def test_the_difference_of_the_normalized_texts_is_simplified(with_sympy, gold, pred, expected):
    assert official.score("minerva", [BOX % gold], FINAL % pred)["exact_match"] == expected
    assert answersim.score(BOX % gold, FINAL % pred, metric="official:minerva") == expected


def test_an_output_without_the_sentence_and_a_solution_without_a_box(with_sympy):
    assert official.score("minerva", [BOX % 5], "5")["exact_match"] == 0
    assert official.score("minerva", ["5"], FINAL % 5)["exact_match"] == {"raises": "TypeError"}


def test_the_signature_has_the_version_of_sympy(with_sympy):
    signature = answersim.metric("official:minerva").signature
    assert signature == f"official:minerva@4e7e0d4|sympy:{latex_equality.check_installed()}|rev:1"


def test_without_the_extra_the_error_names_it(monkeypatch):
    latex_equality.check_installed.cache_clear()

    def missing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(latex_equality, "version", missing)
    with pytest.raises(MissingExtraError, match=r"antlr4-python3-runtime 4\.11.*'math'"):
        official.score("minerva", [BOX % 7], FINAL % 7)
    with pytest.raises(MissingExtraError, match="math"):
        answersim.metric("official:minerva")
    latex_equality.check_installed.cache_clear()
