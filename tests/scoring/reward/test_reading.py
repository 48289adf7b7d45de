"""What is read out of gold answers and completions."""

from __future__ import annotations

import warnings

import pytest

from answersim._base.errors import ReadingWarning
from answersim.answers.extraction.extractor import Extractor
from answersim.answers.tables.reader import read_answers
from answersim.evaluation.systems.systems import evaluate
from answersim.scoring.reward.reading import read_answer, read_gold
from answersim.scoring.reward.reward import Reward
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
    result = read_answer(text, Extractor(), 300)
    assert (result.text, result.several) == (answer, several)


def test_of_a_long_text_without_a_mark_the_last_line_is_read() -> None:
    assert read_answer("word " * 100 + "\n**Rome**", Extractor(), 300).text == "Rome"
    assert read_answer("word " * 100, Extractor(), 300).problem.startswith("no final answer is marked")


@every(
    ("gold", "texts"),
    [
        *(("#### 72", ("72",)), (3, ("3",)), (72.0, ("72",)), (True, ("true",)), (["a", "a", None], ("a",))),
        *((["a", ""], ("a",)), ('["a", "b"]', ("a", "b")), ("['a' 'b']", ("a", "b")), ('["a", 8]', ("a", "8"))),
        *(("[1, 2]", ("[1, 2]",)), ("[0, 1)", ("[0, 1)",)), ("NaN", ("NaN",)), ("1e400", ("1e400",)), ("[]", ("[]",))),
        *((value, ()) for value in ("x" * 10_001, "", None, float("nan"), float("inf"), [], [None], b"a", ["a", b"b"])),
        *((value, ()) for value in ({"text": "a"}, [["a"]], "\ud800", ["a", "\ud800"])),
    ],
)
def test_gold_answers_are_texts_numbers_and_lists(gold: object, texts: tuple[str, ...]) -> None:
    result = read_gold(gold)
    assert result.texts == texts
    assert bool(result.problem) is not bool(texts)


@every("gold", [float("inf"), [], [None], b"a", ["a", b"b"], "\ud800", ["a", "\ud800"], {"text": "a"}])
def test_what_a_reward_cannot_read_is_an_error_of_evaluate_with_its_row(gold: object) -> None:
    assert Reward("rules")([gold], ["a"]).scores == [None]
    with pytest.raises(ValueError, match="row 2: "):
        evaluate({"gold": ["a", gold], "pred": ["a", "a"]}, "em")


@every("gold", ["a", 72, 0.5, True, ["a", "b"], ["a", None], ("a", 8)])
def test_a_reward_and_evaluate_read_the_same_gold_answers(gold: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        (read,) = read_answers({"gold": [gold], "pred": ["a"]}).golds
    assert read_gold(gold).texts == ((read,) if isinstance(read, str) else tuple(read))
