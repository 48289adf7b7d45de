"""What models write: Markdown, JSON, tables, tags, boxes, German; and the answer in it, None if no rule finds one."""

from answersim.answers.extraction import Extractor
from tests.cases import cases_of, every

CASES = cases_of(__file__)

AUTO = CASES["auto"]
CHOICE = CASES["choice"]


@every(("text", "answer"), AUTO)
def test_the_answer_in_an_output(text, answer):
    extraction = Extractor("auto", "empty")(text)
    assert (extraction.text if extraction.rule else None) == answer


@every(("text", "chosen"), CHOICE)
def test_the_letter_in_an_output(text, chosen):
    extraction = Extractor("choice", "empty")(text)
    assert (extraction.text if extraction.rule else None) == chosen
