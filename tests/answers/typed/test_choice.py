"""The kind choice: letters of options in all spellings, and the options of a row."""

import copy
import csv
import json
import pickle

import pytest

import answersim
from answersim._base.golds import ChoiceGold
from answersim.answers.relation import relate
from answersim.answers.typed import compare, parse
from answersim.answers.typed.choice import chosen_options, read_choice
from answersim.answers.typed.clauses import concluded
from answersim.scoring.reward.reading import Answer
from answersim.scoring.reward.rules import decide
from tests.cases import cases_of, every

CASES = cases_of(__file__)

OPTIONS = ["Rome", "Paris", "New Paris", "8"]
LETTERS = r"""(B)|B|b|B.|**B**|option B|Option (B)|B) Paris|(b)|[B]|Ｂ|ｂ|ب|（Ｂ）|Ⓑ|The answer is (B).
I think it is option B.|B is correct.|$\boxed{\text{B}}$|\text{(B)}|<answer>B</answer>|Antwort: B|B: Paris|answer: (B)
Die richtige Antwort ist B"""


@every("pred", [text for line in LETTERS.splitlines() for text in line.split("|")])
def test_spellings_of_a_letter_are_equal_and_of_another_one_different(pred):
    assert compare("B", pred).relation == "equal"
    assert compare("(C)", pred).relation == "different"
    assert answersim.score("B", pred, metric="typed") == 1
    assert answersim.score("C", pred, metric="typed") == 0


@pytest.mark.parametrize(
    ("gold", "pred"),
    [("A", "A cat sat on it"), ("I", "I think so"), ("C", "Vitamin C"), ("C", "C++"), ("B", "Plan B"), ("A", "a city")],
)
def test_pronouns_articles_and_names_choose_nothing(gold, pred):
    assert compare(gold, pred).relation == "none"
    assert gold not in "AI" or answersim.score(gold, pred, metric="typed") <= 0.3


@every("text", ["a", "x", "C++", "Plan B", "A cat", "J. Rowling", "I am", "A or B"])
def test_other_answers_are_no_choices(text):
    assert read_choice(text) is None or parse(text).kind == "person name"  # type: ignore[union-attr]


def test_a_choice_may_have_a_text():
    assert parse("B) Paris").kind == "choice"  # type: ignore[union-attr]
    assert compare("B) Paris", "Paris").relation == "equal"
    assert compare("B) Paris", "A) Paris").relation == "none"
    assert compare("B", "I don't know").relation == "different"


@every(("gold", "pred", "relation"), CASES["the_letter_or_the_text_of_an_option_counts"])
def test_the_letter_or_the_text_of_an_option_counts(gold, pred, relation):
    assert compare(gold, pred, choices=OPTIONS).relation == relation
    score = answersim.score(gold, pred, metric="typed", choices=OPTIONS)
    assert {"equal": score == 1, "different": score == 0}.get(relation, score <= 0.3)


@every(
    ("key", "gold", "pred", "outcome", "question"),
    [(*row, "")[:5] for row in CASES["positions_and_texts_choose"]],
)
def test_positions_texts_and_verdicts_choose_options(key, gold, pred, outcome, question):
    lang, options = key if len(key) == 2 else "en", CASES["options_of_rows"][key]
    relation = relate(gold, pred, question, lang=lang, choices=options)
    assert (relation.relation == "equal") is (outcome == "right"), relation
    opinion = decide(gold, Answer(pred, ""), question, lang, choices=options)
    assert (opinion.outcome == "right") is (outcome == "right"), opinion


@every(
    ("gold", "pred", "relation"),
    [
        *(("C", "A, C", "different"), ("C", "B and C", "different"), ("A, D", "D", "different")),
        *(("A, D", "D, A", "equal"), ("A and D", "A, D.", "equal"), ("A, C", "A, B, C", "different")),
        *(("C", "C or D", "none"), ("B", "neither", "none"), ("D", "rules out C, leaving D", "none")),
    ],
)
def test_a_letter_without_options_never_falls_to_words(gold, pred, relation):
    result = compare(gold, pred)
    assert result.kind == "choice"
    assert result.relation == relation or (relation == "none" and result.relation == "equal")


@every(
    ("text", "chosen"),
    [
        *(("A is old, so I take C.", "C"), ("Weil A alt ist, nehme ich C.", "C"), ("A est vieux, donc C.", "C")),
        *(("C, if I am not mistaken.", "C"), ("C, but I am not sure.", "C"), ("C, because A is old.", "C")),
        *(("C. A is not old.", "C"), ("C. A is old.", ""), ("C, but A is nice.", ""), ("C, if A is old.", "")),
        *(("If A is old, C.", ""), ("As for C, it is old.", ""), ("Then there is C.", ""), ("C is old.", "")),
        *(("I take C. No, I take A.", "CA"), ("A, B and C", ""), ("Is it C?", ""), ("anything but C", "")),
    ],
)
def test_a_clause_chooses_a_letter_unless_another_one_may_choose_otherwise(text, chosen):
    assert concluded(text) == chosen


def test_options_that_are_letters_are_ambiguous():
    assert not chosen_options("C", ["A", "C", "G", "T"], str.__eq__)
    assert chosen_options("A", ["A", "C", "G", "T"], str.__eq__) == {0}
    assert compare("Oslo", "Oslo slo", choices=["Rome", "Paris"]).kind == ""


def test_the_options_are_signed():
    metric = answersim.metric("typed", choices=OPTIONS)
    assert "|choices:%5b;%22;Rome%22;" in metric.signature
    assert answersim.metric("typed+f1", choices='["a", "b"]').signature != answersim.metric("typed+f1").signature
    with pytest.raises(TypeError, match="choices"):
        answersim.metric("typed", choices="Rome")
    with pytest.raises(TypeError, match="no option 'choices'"):
        answersim.metric("f1", choices=OPTIONS)


def test_each_row_of_a_file_has_its_options(tmp_path):
    rows = [("B", "Paris", ["Rome", "Paris"]), ("B", "Paris", ["Paris", "Rome"]), ("A", "A cat", ["x", "y"])]
    path = tmp_path / "answers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["gold", "pred", "choices"])
        writer.writerows((gold, pred, json.dumps(choices)) for gold, pred, choices in rows)
    golds = [{"answer": gold, "choices": choices} for gold, _, choices in rows]
    preds = [pred for _, pred, _ in rows]
    assert answersim.score(golds, preds, metric="typed+em").values.tolist() == [1.0, 0.0, 0.0]
    assert answersim.score(golds, preds, metric="typed+em", extract="last-line").values.tolist() == [1.0, 0.0, 0.0]
    result = answersim.evaluate(path, metric="typed+em")
    assert [(row.right, row.wrong) for row in result.rows] == [(1, 2)]
    table = {"gold": ["B"], "pred": ["Paris"], "choices": [["Rome", "Paris"]]}
    assert answersim.evaluate(table, metric="typed+em").rows[0].right == 1


def test_a_broken_list_of_options_is_an_error_and_another_column_of_this_name_is_none():
    table = {"gold": ["B"], "pred": ["Paris"], "choices": ['["Rome"']}
    with pytest.raises(ValueError, match="begins like a JSON list"):
        answersim.read_answers(table)
    block = answersim.read_answers({**table, "choices": [3]})
    assert type(block.golds[0]) is str


def test_a_gold_answer_keeps_its_options():
    gold = ChoiceGold("B", OPTIONS)
    assert pickle.loads(pickle.dumps(gold)).choices == copy.deepcopy(gold).choices == tuple(OPTIONS)
    marked = [{"answer": "**B**", "choices": OPTIONS}]
    assert answersim.score(marked, ["Paris"], metric="typed").values.tolist() == [1.0]
    assert answersim.score(marked, ["Paris"], metric="em").signature == "em|text:en|rev:1"
