"""What is read out of gold answers and completions."""

from __future__ import annotations

from answersim.extraction.extractor import Extractor
from answersim.reward.reading import read_answer, read_gold
from tests.cases import every


@every(
    ("text", "answer", "several"),
    [
        (r"\boxed{5} and \boxed{5.0}", "5.0", False),
        (r"\boxed{5} and \boxed{6}", "5, 6", True),
        ("<answer>Rome</answer><answer>rome</answer>", "rome", False),
        ("<answer>Rome</answer>\n<answer>Oslo</answer>", "Rome, Oslo", True),
        ("#### 5\n#### 6", "5, 6", True),
        (r"<!-- \boxed{5} --> \boxed{6}", "6", False),
        ("There is no proof that the answer is Rome.", "There is no proof that the answer is Rome.", False),
        ("No doubt remains. The answer is Rome.", "Rome", False),
    ],
)
def test_different_final_answers_are_all_read(text: str, answer: str, several: bool) -> None:
    found = read_answer(text, Extractor(), 300)
    assert (found.text, found.several) == (answer, several)


def test_of_a_long_text_without_a_mark_the_last_line_is_read() -> None:
    assert read_answer("word " * 100 + "\n**Rome**", Extractor(), 300).text == "Rome"
    assert read_answer("word " * 100, Extractor(), 300).problem.startswith("no final answer is marked")


@every(
    ("gold", "texts"), [("#### 72", ("72",)), (3, ("3",)), (True, ()), (["a", "a", None], ("a",)), ("x" * 10_001, ())]
)
def test_gold_answers_are_texts_numbers_and_lists(gold: object, texts: tuple[str, ...]) -> None:
    found = read_gold(gold)
    assert found.texts == texts
    assert bool(found.problem) is not bool(texts)
