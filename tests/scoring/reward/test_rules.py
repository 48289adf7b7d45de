"""The rules of the reward: frames, readings, and what a result states."""

from __future__ import annotations

import re
import time
import warnings

import pytest

from answersim import Reward
from answersim._base.errors import ReadingWarning
from answersim.answers.extraction.choice import letter
from answersim.answers.extraction.extractor import Extractor
from answersim.answers.extraction.frames import FRAMES, peeled
from answersim.answers.extraction.remarks import framed_places, without_remarks
from answersim.answers.tables.reader import read_answers
from answersim.evaluation.systems.systems import evaluate
from answersim.scoring.reward.committed import concluded
from answersim.scoring.reward.patterns import PATTERNS, ROWS
from answersim.scoring.reward.reading import Answer, read_answer, read_gold
from answersim.scoring.reward.results import RewardResult, RewardRow
from answersim.scoring.reward.rules import decide, unanswered
from tests.cases import cases_of, every

CASES = cases_of(__file__)


@every(("gold", "answer", "outcome"), CASES["rules_are_strict_where_an_encoder_is_fooled"])
def test_rules_are_strict_where_an_encoder_is_fooled(gold: str, answer: str, outcome: str) -> None:
    result = decide(gold, Answer(answer, ""), "", "en")
    assert result.outcome == outcome, result.reason


@every(("gold", "answer", "question", "outcome"), CASES["a_second_guess_beside_the_right_one_is_not_right"])
def test_a_second_guess_beside_the_right_one_is_not_right(gold: str, answer: str, question: str, outcome: str) -> None:
    result = decide(gold, Answer(answer, ""), question, "en")
    assert result.outcome == outcome, result.reason


@every(("gold", "answer", "question", "outcome"), CASES["what_stands_beside_an_answer_counts"])
def test_what_stands_beside_an_answer_counts(gold: str, answer: str, question: str, outcome: str) -> None:
    result = decide(gold, read_answer(answer, Extractor(), 300), question, "en")
    assert result.outcome == outcome, result.reason


@every("row", ROWS)
def test_a_pattern_finds_its_example_and_not_its_counter_example(row: list[str]) -> None:
    name, use, _, example, counter = row
    find = getattr(PATTERNS[name], use)
    assert find(example.replace("⏎", "\n"))
    assert not find(counter.replace("⏎", "\n"))


def test_to_claim_to_be_correct_is_no_answer() -> None:
    assert decide("Yes", Answer("correct", "final"), "", "en").outcome == "wrong"


def test_several_marked_answers_are_right_only_as_the_list_of_the_gold_answer() -> None:
    assert decide("5, 6", Answer("6, 5", "boxed", several=True), "", "en").outcome == "right"
    assert decide("5", Answer("6, 5", "boxed", several=True), "", "en").outcome == "wrong"


def test_a_repeated_question_answers_nothing() -> None:
    assert unanswered(Answer("Who wrote Emma?", ""), "Who wrote Emma?")
    assert unanswered(Answer("Q: Who wrote Emma? A:", ""), "Who wrote Emma?") == "the answer only repeats the question"
    assert not unanswered(Answer("Who wrote Emma? Jane Austen", ""), "Who wrote Emma?")


def test_a_reason_names_what_is_not_explained() -> None:
    assert decide("Paris", Answer("the mayor of Paris", ""), "", "en").reason == "not explained: mayor"
    assert decide("Paris", Answer("It is Paris.", "final"), "", "en").stage == "recall"
    assert read_gold(" ").problem == "the gold answer is blank"
    assert read_gold({"spans": ["Rome"]}).problem == "the gold answer is {'spans': ['Rome']} (dict), not a text"


@every(("text", "answer", "several"), CASES["different_final_answers_are_all_read"])
def test_different_final_answers_are_all_read(text: str, answer: str, several: bool) -> None:
    result = read_answer(text, Extractor(), 300)
    assert (result.text, result.several) == (answer, several)


def test_of_a_long_text_without_a_mark_the_last_line_is_read() -> None:
    assert read_answer("word " * 100 + "\n**Rome**", Extractor(), 300).text == "Rome"
    assert read_answer("word " * 100, Extractor(), 300).problem.startswith("no final answer is marked")


@every(
    ("gold", "texts"),
    [
        *(
            ("#### 72", ("72",)),
            (r"it is \boxed{5}", ("5",)),
            (3, ("3",)),
            (72.0, ("72",)),
            (True, ("true",)),
            (["a", "a", None], ("a",)),
        ),
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


def test_the_summary_names_rows_without_a_reward() -> None:
    rows = (
        RewardRow(1.0, "right", "rules", "5", "boxed", "both are 5"),
        RewardRow(None, "undecided", "time", "", "whole", "the time was over"),
    )
    result = RewardResult(rows, "reward|rev:1", 0.5)
    assert result.summary()[1] == "row 1: undecided, the time was over"
    assert result.scores == [1.0, None]
    assert result.counters["seconds"] == 0.5
    assert [row.verdict for row in result] == ["right", "undecided"]


RULES = Reward("rules")
QUESTION = "Who won best boy band at the radio awards?"


def completion(form: str) -> str:
    """Replace G by the gold answer, W by another answer and Q by the question."""
    texts = {"G": "BTS", "W": "Linda Davis", "Q": QUESTION}
    return re.sub(r"\b[GWQ]\b|[GWQ](?![A-Za-z])", lambda match: texts[match[0]], form)


def paid(form: str, reward: Reward = RULES) -> float | None:
    return reward(["BTS"], [completion(form)], [QUESTION]).scores[0]


@every("frame", FRAMES)
def test_a_frame_has_an_example_and_a_counter_example(frame):
    side, lang, _, _, example, counter = frame
    if side in ("remark", "linking"):
        named = "G".__eq__
        assert without_remarks(example, named) == "G" != without_remarks(counter, named)
        return
    assert peeled(example.replace("G", "Zork"), lang)[-1] == "Zork"
    assert "Zork" not in peeled(counter.replace("G", "Zork"), lang)


@every("form", CASES["HONEST"])
def test_an_honest_form_is_paid(form):
    assert paid(form) == 1.0


@every("form", CASES["WRONG"])
def test_a_wrong_form_is_not_paid(form):
    assert paid(form) in (0.0, None)


@every("text", ["B: false", "(B) is the only incorrect option", "The wrong option is B", "option B is out"])
def test_an_option_that_a_text_rejects_is_not_chosen(text):
    assert RULES(["B"], [text], None, [["Rome", "Oslo", "Bern"]]).scores == [0.0]


def test_words_of_the_question_explain_an_answer_in_their_order_only():
    question = "Who defeated Brazil in 2014?"
    completions = [
        "Germany defeated Brazil in 2014.",
        "Brazil defeated Germany in 2014.",
        "In 2014 Brazil defeated Germany.",
    ]
    assert RULES(["Germany"] * 3, completions, [question] * 3).scores == [1.0, 0.0, 0.0]
    capital = "What is the capital of Kenya?"
    assert RULES(["Nairobi"], ["The capital of Kenya is Nairobi."], [capital]).scores == [1.0]


@every(
    "gold, swapped",
    [
        ("supply exceeds demand", "demand exceeds supply"),
        ("Germany invaded Poland", "Poland invaded Germany"),
        ("from Paris to Rome", "from Rome to Paris"),
        ("War and Peace", "Peace and War"),
    ],
)
def test_the_same_words_in_another_order_are_undecided(gold, swapped):
    row = RULES([gold], [swapped]).rows[0]
    assert (row.score, row.verdict) == (None, "undecided")


def test_near_values_are_paid_by_the_setting():
    golds, preds = ["6", "24.26", "24.26"], ["6 weeks", "24.257", "24.3"]
    assert Reward("rules")(golds, preds).scores == [1.0, 1.0, None]
    assert Reward("rules", near="wrong")(golds[1:], preds[1:]).scores == [0.0, 0.0]
    assert Reward("rules", near="right")(golds, preds).scores == [1.0, 1.0, 1.0]
    assert Reward("rules", near="wrong").signature != Reward("rules").signature


def test_the_limit_holds_inside_a_row():
    reward = Reward("rules", limit=0.2)
    start = time.monotonic()
    row = reward([[f"answer number {i} of many" for i in range(200_000)]], ["nothing of the kind"]).rows[0]
    assert row.verdict == "undecided"
    assert "limit=0.2" in row.reason
    assert time.monotonic() - start < 60  # without the limit, it takes minutes


@pytest.mark.parametrize(("gold", "bound"), [("42", "x > 42"), ("1969", "The year < 1969"), ("5", "n ≤ 5")])
def test_a_bound_is_no_value(gold, bound):
    assert decide(gold, Answer(bound, ""), "", "en").reason == "a sign of inequality makes a bound of the answer"
    assert decide(bound, Answer(bound, ""), "", "en").outcome == "right"


def test_many_mentions_of_an_answer_take_linear_time():
    seconds = []
    for n in (400, 3200):
        words = ["the", "evidence", "zork", *["rome", "."] * n]
        start = time.process_time()
        framed_places(words, range(3, len(words), 2), "en")
        seconds.append(time.process_time() - start)
    assert seconds[1] < 0.1 + 20 * seconds[0]


def test_what_is_told_is_left_out_only_if_all_of_it_is_read() -> None:
    question, first = "What is the capital of Australia?", "The capital of Australia is Canberra."
    told, gold = " It was built for this.", "Canberra"
    preds = [first + told, first + told * 9 + " It is not Canberra.", first + told + " It is not Canberra."]
    assert [row.verdict == "right" for row in RULES([gold] * 3, preds, [question] * 3)] == [True, False, False]


def test_a_text_of_blanks_has_no_conclusion() -> None:
    assert concluded(" \n", "Who?", False) == " \n"


def test_letters_on_offer_again_and_again_are_read_once() -> None:
    assert letter("AではなくB" * 5_000) is None  # without recursion
    assert letter("AではなくBです") == "B"
