r"""Each rule with its own table of cases: a text and the answer in it, or None if the rule finds none."""

import re
from itertools import islice

import pytest

from answersim.answers.extraction import Extractor, extractor, frames
from answersim.answers.extraction.announced import announced
from answersim.answers.extraction.extractor import NAMES, looks_like_output
from answersim.answers.text.patterns import words
from tests.cases import every

CASES = {
    "reasoning": [
        ("<think>Maybe Oslo</think>Rome", "Rome"),
        ("<think>\nOslo?\n</think>\n\nRome", "Rome"),
        ("Maybe Oslo</think>Rome", "Rome"),
        ("<think>a</think>Rome<think>b</think>", "Rome"),
        ("<think>a <think>b</think> c</think>Rome", "Rome"),
        ("<thinking>Oslo</thinking> Rome", "Rome"),
        ("<reasoning>Oslo</reasoning>Rome", "Rome"),
        ("[THINK]Oslo[/THINK]Rome", "Rome"),
        ("◁think▷Oslo◁/think▷Rome", "Rome"),
        ("<|begin_of_thought|>Oslo<|end_of_thought|>Rome", "Rome"),
        (
            "<|channel|>analysis<|message|>Oslo<|end|><|start|>assistant<|channel|>final<|message|>Rome<|return|>",
            "Rome",
        ),
        ("<THINK>Oslo</THINK>Rome", "Rome"),
        ("<think>Oslo, no, Rome", None),
        ("Rome <think>but why", "Rome"),
        ("I think of <b>Rome</b>", "I think of <b>Rome</b>"),
        ("", None),
    ],
    "boxed": [
        (r"The answer is \boxed{72}.", "72"),
        (r"\boxed{3} or \boxed{5}", "5"),
        (r"$\boxed{\frac{1}{2}}$", r"\frac{1}{2}"),
        (r"\boxed{\text{Paris}}", "Paris"),
        (r"\fbox{7}", "7"),
        (r"\boxed{\{1,2\}}", r"\{1,2\}"),
        (r"\boxed {72}", "72"),
        (r"\boxed 72 is it", "72"),
        (r"\boxed{3} and then \boxed{5", "3"),
        (r"The answer is \boxed{72}}.", "72"),
        (r"\boxed{$5$}", "5"),
        (r"\boxed{}", None),
        (r"\boxed{72", None),
        ("72", None),
        (r"\boxed{x = \boxed{5}}", r"x = \boxed{5}"),
        (r"\boxed{-3}", "-3"),
        ("<think>\\boxed{1}</think>\\boxed{2}", "2"),
    ],
    "answer-tag": [
        ("<answer>Paris</answer>", "Paris"),
        ("<answer>Oslo</answer> no <answer>Rome</answer>", "Rome"),
        ("so <answer> Rome", "Rome"),
        ("<ANSWER>Rome</ANSWER>", "Rome"),
        ("<final_answer>Rome</final_answer>", "Rome"),
        ("<answer></answer>", None),
        ("<answer>Rome</answer><answer></answer>", "Rome"),
        ("<answer>\n**Rome**\n</answer>", "Rome"),
        (r"<answer>\boxed{5}</answer>", "5"),
        ("the answer tag", None),
        ("<answers>Rome</answers>", None),
    ],
    "hash": [
        ("2 + 3 = 5\n#### 5", "5"),
        ("#### 3\n#### 4", "4"),
        ("####5", "5"),
        ("#### $72", "$72"),
        ("#### 72 apples", "72 apples"),
        ("####", None),
        ("#### 4\n####", "4"),
        ("### 5", None),
    ],
    "final": [
        ("The answer is Paris.", "Paris"),
        ("The final answer is: Paris", "Paris"),
        ("**Answer:** Paris", "Paris"),
        ("**Answer**: Paris", "Paris"),
        ("**Final Answer: Paris**", "Paris"),
        ("### Final Answer\nParis", "Paris"),
        ("## Answer:\n\n**Paris**", "Paris"),
        ("Answer: Paris\nConfidence: 90%", "Paris"),
        ("ANSWER: **A**", "A"),
        ("Answer: $72$", "72"),
        ("The answer is Oslo. Wait, the answer is Rome.", "Rome"),
        ("The answer is Paris. It is the capital of France.", "Paris"),
        ("The answer is U.S. Grant.", "U.S. Grant"),
        ("The answer is J. K. Rowling, I believe.", "J. K. Rowling, I believe"),
        ("The answer is St. Petersburg.", "St. Petersburg"),
        ("The answer is 3.14.", "3.14"),
        ("So the correct answer is (B).", "(B)"),
        ("The answer to the question is Rome.", "Rome"),
        ("Therefore, the answer is: \\[\n72\n\\]", "72"),
        ("Die Antwort ist Rom.", "Rom"),
        ("Die endgültige Antwort lautet: Rom", "Rom"),
        ("Antwort: Rom", "Rom"),
        ("Lösung: 72", "72"),
        ("The answer is Rome because it is old.", "Rome"),
        ("Final answer:\nRome", "Rome"),
        ("There is no answer: sorry", None),
        ("I cannot answer: it is too hard", None),
        ("The answer", None),
        ("Answer:", None),
        ("Paris", None),
        ("The wrong answer is Oslo. The right answer is Rome.", "Rome"),
        ('Answer: "Rome"', "Rome"),
        ("The answer is \\boxed{72}.", "72"),
        ("答案：罗马", "罗马"),
    ],
    "last-line": [("Let us see.\n\nRome\n", "Rome"), ("Rome", "Rome"), ("a\n**Rome**", "Rome"), ("\n \n", None)],
    "last-number": [
        ("10 - 4 = 6, so 6", "6"),
        ("It costs $1,234.50.", "$1,234.50"),
        ("between -5 and -3", "-3"),
        ("10-4", "4"),
        ("50%", "50%"),
        ("72. ", "72"),
        ("none", None),
        ("x2", None),
    ],
    "choice": [
        ("(B)", "B"),
        ("B", "B"),
        ("b", "b"),
        ("B.", "B"),
        ("**B**", "B"),
        ("option B", "B"),
        ("B) Paris", "B"),
        ("B. Paris", "B"),
        ("(b) Paris", "b"),
        ("The answer is B.", "B"),
        ("The answer is (B) Paris", "B"),
        ("ANSWER: **A**", "A"),
        ("Answer: A", "A"),
        ("I think the answer is C", "C"),
        ("I think it is option D.", "D"),
        ("I believe Paris", None),
        ("A city in France", None),
        ("a city", None),
        ("The answer is a city", None),
        ("The answer is I think Paris", None),
        (r"\boxed{C}", "C"),
        (r"\boxed{\text{C}}", "C"),
        (r"\boxed{\langle H \rangle}", None),
        (r"Comparing A, B and C: \boxed{C}", "C"),
        ("Ｂ", "Ｂ"),
        ("ب", "ب"),
        ("Antwort: B", "B"),
        ("Antwort ist (C).", "C"),
        ("Not (A) but (C)", "C"),
        ("Vitamin C", None),
        ("Paris", None),
        ("", None),
        ("The final answer is $\\boxed{D}$.", "D"),
        ("C++ is a language", None),
        ("I.", "I"),
    ],
    "auto": [
        ("Paris", None),
        ("In the year 1984.", None),
        ("The answer is \\boxed{72}.", "72"),
        ("<think>Maybe Oslo</think>Rome", "Rome"),
        ("<think>Maybe Oslo", None),
        ("<think>so 5</think><answer>Rome</answer>", "Rome"),
        ("<answer>\\boxed{5}</answer>", "5"),
        ("\\boxed{5}\n#### 6", "5"),
        ("x = 2\n#### 72", "72"),
        ("#### Step 3: add\nThe answer is 5", "5"),
        ("#### Step 3\nDone", None),
        ("#### 72\nLet me know if you want more.", "72"),
        ("It could be Oslo. So the final answer is Rome", "Rome"),
        ("Answer: (B)", "(B)"),
    ],
}


@every(("rule", "text", "expected"), [(rule, *case) for rule, cases in CASES.items() for case in cases])
def test_a_rule_finds_the_answer(rule, text, expected):
    extraction = Extractor(rule, "empty")(text)
    if expected is None:
        assert (extraction.text, extraction.rule) == ("", None)
    else:
        assert extraction.text == expected
        assert extraction.rule == rule or rule == "auto"


def test_each_rule_has_a_table():
    assert set(CASES) == set(NAMES)


def test_a_reasoning_that_only_ends_hides_all_before_it():
    assert Extractor("reasoning")("first <think>x</think> second </think> Rome").text == "Rome"


def test_without_an_answer_the_text_without_reasoning_is_left():
    assert Extractor()("<think>Oslo?</think> Rome ").text == "Rome"
    assert Extractor()(" Rome ").text == " Rome "
    assert Extractor()("<think>Oslo? I do not").text == ""
    with pytest.raises(ValueError, match="finds no answer"):
        Extractor("boxed", "error")("72")


def test_the_place_is_that_of_the_answer_with_its_marks():
    text = "<think>a</think>So **Answer:** Rome."
    extraction = Extractor()(text)
    assert text[extraction.start : extraction.end] == "Rome"
    assert Extractor()("Rome <think>x</think> <answer>Oslo</answer>").start == -1


def test_a_rule_of_ones_own_is_an_expression_with_one_group_or_a_function():
    def first_word(text):
        return text.split()[0] if text.split() else None

    assert extractor(r"Result: (\w+)")("Result: Rome").text == "Rome"
    assert extractor(re.compile(r"=(\d+)"))("x=5").text == "5"
    assert extractor(first_word)("Rome or Oslo").text == "Rome"
    assert extractor(first_word).signed.endswith("first_word.6")
    with pytest.raises(LookupError, match="boxed"):
        extractor("boxd")
    with pytest.raises(ValueError, match="2 groups"):
        extractor("(a)(b)")
    with pytest.raises(ValueError, match="no regular expression"):
        extractor("(a")
    with pytest.raises(TypeError, match="without a name"):
        extractor(lambda text: text)
    with pytest.raises(TypeError, match="must return a text"):
        Extractor("five", function=lambda text: 5)("x")  # type: ignore[return-value]
    with pytest.raises(TypeError, match="name of a rule"):
        extractor(5)


def test_the_signature_names_rule_revision_and_what_happens_without_an_answer():
    assert Extractor().signed == "extract:auto.6"
    assert Extractor("hash", "empty").signed == "extract:hash.6.empty"
    assert "|" not in extractor(r"(a|b)").signed


def test_a_text_that_extraction_would_read_is_recognized():
    assert all(map(looks_like_output, ("\\boxed{5}", "</think>x", "<answer>x", "x #### 5")))
    assert not any(map(looks_like_output, ("x", "I think", "the answer is Rome")))


UNITS = (
    *("{", "}", "\\boxed{", "\\boxed ", "<think>", "</think>", "<answer>", "</answer>", "####", "#### ", "Answer: "),
    *("answer is ", "the answer ", "(B) ", "**", "$", "\n", " ", "1,", "-1.", "option ", "a", "..."),
    *("<", "[THINK]", "A. ", '"', "\\text{"),
)


@every("rule", NAMES)
def test_time_is_linear_for_a_hostile_text(rule):
    """Count the steps of the interpreter: ten times the text takes at most twenty times the steps."""
    import sys

    def steps(text):
        count = 0

        def tracer(frame, event, argument):
            nonlocal count
            count += 1
            return tracer

        before = sys.gettrace()
        sys.settrace(tracer)
        try:
            Extractor(rule)(text)
        finally:
            sys.settrace(before)
        return count

    for unit in UNITS:
        small, large = steps(unit * 50), steps(unit * 500)  # the first one compiles expressions, too
        assert large <= 20 * small, unit


@every("lang", frames.LANGUAGES)
def test_a_phrase_around_an_answer_is_found_by_its_word_at_the_end_of_the_text(lang):
    for side in ("before", "after"):
        for phrase in frames._phrases(side, lang):
            for way in islice(frames._ways(phrase), 40):
                text = f"{way}, Rome" if side == "before" else f"Rome, {way}!"
                found = frames._match(side, lang, text)
                assert found is not None, text
                assert found[1] >= len(way) if side == "before" else found[0] <= len("Rome"), text
                assert "Rome" not in text[slice(*found)], text


@every("text", ["I think it is Rome, of course.", "Das ist Rom", "Rome", " ", "c'est Rome", "答案是罗马", "It is"])
def test_the_innermost_part_of_a_text_is_what_the_frames_of_each_language_leave(text):
    assert frames.innermost(text) == {lang: frames.peeled(text, lang)[-1] for lang in frames.LANGUAGES}


@every("noun", sorted({noun for by_language in (words("answer"), words("result")) for noun in by_language["en"]}))
def test_each_noun_announces_an_answer_in_a_long_text(noun):
    text = f"{'So many other words stand here. ' * 50}\nThe {noun} is: 72"
    assert [text[mark.start : mark.end] for mark in announced(text)] == ["72"]


@every(
    ("text", "answer"),
    [
        ("\\boxed{4}\nThe final answer is 5", "5"),
        ("\\boxed{4}. So the final answer: 5", "5"),
        ("#### 4\nFinal answer: 5", "5"),
        ("The final answer to #### 4 is 5", "5"),
        ("Final answer:\n#### Rome", "Rome"),
        ("The final answer is 5.\n#### Rome", "Rome"),
    ],
)
def test_a_final_announcement_behind_a_mark_counts(text, answer):
    assert Extractor("auto")(text).text == answer
