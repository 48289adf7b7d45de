"""Examples of the functions that read answers: an expression, and its value."""

from importlib import import_module
from pathlib import Path

from tests.cases import every

_, *LINES = Path(__file__).with_name("examples.tsv").read_text(encoding="utf-8").splitlines()


@every(("module", "expression", "value"), [tuple(line.split("\t")) for line in LINES])
def test_an_expression_has_its_value(module, expression, value):
    names = dict(vars(import_module(f"answersim.answers.{module}")))
    *statements, last = expression.split("⏎")
    exec("\n".join(statements), names)
    assert repr(eval(last, names)) == value
