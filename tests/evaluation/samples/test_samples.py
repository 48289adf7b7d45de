"""Several samples per question: equal answers, rates at k, joined tables, and the result."""

from __future__ import annotations

import csv
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import answersim
from answersim._base.errors import ReadingWarning
from answersim._base.io import files
from answersim.evaluation.samples.equality import AnswerPair, by_metric, by_rules
from answersim.evaluation.samples.samples import MOST, joined
from answersim.evaluation.systems.systems import evaluate
from answersim.scoring.reward.reading import Answer
from tests.cases import cases_of, every

QUESTIONS = {
    "How much is half?": ("1/2", ["0.5", "so \\boxed{1/2}", "<think>2?</think>50 %", "2", "I don't know."]),
    "Which city?": ("Rome", ["Rome", "It is Rome.", "Oslo", "Oslo", "oslo"]),
}
TABLE: dict[str, list[Any]] = {"q": [], "gold": [], "pred": []}
for asked, (answer, texts) in QUESTIONS.items():
    for text in texts:
        for name, value in (("q", asked), ("gold", answer), ("pred", text)):
            TABLE[name].append(value)


@pytest.fixture(scope="module")
def found() -> answersim.SampleGroups:
    return answersim.groups(TABLE, question="q", k=[1, 5])


def test_samples_that_mean_the_same_are_one_group_and_abstentions_another(found: answersim.SampleGroups) -> None:
    half, city = found.questions
    assert [(group.answer, group.n, group.right, group.abstains) for group in half.groups] == [
        ("0.5", 3, True, False),
        ("2", 1, False, False),
        ("I don't know.", 1, False, True),
    ]
    assert set(half.groups[0].spellings) == {"0.5", "1/2", "50 %"}
    assert [(group.answer, group.n, group.right) for group in city.groups] == [("Oslo", 3, False), ("Rome", 2, True)]
    assert half.distinct == 2
    assert half.entropy == pytest.approx(-(0.6 * math.log(0.6) + 2 * 0.2 * math.log(0.2)))


def test_the_majority_and_the_best_of_k_are_means_over_questions(found: answersim.SampleGroups) -> None:
    assert [(at.k, at.questions, at.majority.value, at.passed.value) for at in found.at] == [
        (1, 2, 0.5, pytest.approx(0.5)),
        (5, 2, 0.5, 1.0),
    ]
    (row,) = found.rows
    assert (row.questions, row.samples, row.abstained.value) == (2, 10, 0.1)
    assert found.summary()[0].startswith("pred: 10 samples of 2 questions; maj@5 0.500")


def test_several_systems_have_a_row_each_and_k_defaults_to_all_samples() -> None:
    sample_groups = answersim.groups({**TABLE, "other": TABLE["gold"]}, pred=["pred", "other"], question="q")
    assert [(at.system, at.k) for at in sample_groups.at] == [("pred", 1), ("pred", 5), ("other", 1), ("other", 5)]
    assert sample_groups.at[-1].majority.value == 1.0
    assert sample_groups.rows[1].entropy.value == 0.0


def test_questions_with_fewer_samples_are_left_out_with_a_note() -> None:
    rows = {name: column[:8] for name, column in TABLE.items()}
    sample_groups = answersim.groups(rows, question="q", k=[4])
    assert sample_groups.at[0].questions == 1
    assert "pred, k 4: 1 question with fewer samples left out" in sample_groups.notes


def test_a_question_without_a_readable_gold_answer_counts_in_no_score() -> None:
    rows = {"q": ["a", "b"], "gold": ["\\boxed{}", "5"], "pred": ["5", "5"]}
    sample_groups = answersim.groups(rows, question="q")
    assert sample_groups.at[0].questions == 1
    assert sample_groups.questions[0].groups[0].right is None
    assert any("without a readable gold answer" in note for note in sample_groups.notes)


def test_work_is_bounded_if_all_answers_differ() -> None:
    n = MOST + 20
    rows = {"q": ["?"] * n, "gold": ["x"] * n, "pred": [f"v{i}" for i in range(n)]}
    sample_groups = answersim.groups(rows, "em", question="q")
    assert sample_groups.questions[0].distinct == n
    assert any(f"more than {MOST} different answers" in note for note in sample_groups.notes)


@every(("arguments", "message"), cases_of(__file__)["bad_arguments_are_errors_with_a_remedy"])
def test_bad_arguments_are_errors_with_a_remedy(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        answersim.groups({**TABLE, "kind": ["x"] * 10}, **arguments)


@every(("golds", "answer", "outcome"), cases_of(__file__)["rules_find_answers_equal_different_or_open"])
def test_rules_find_answers_equal_different_or_open(golds: tuple[str, ...], answer: str, outcome: int) -> None:
    assert by_rules("en").compare([AnswerPair(golds, Answer(answer, ""), "")]).tolist() == [outcome]
    unanswered = AnswerPair(golds, Answer(answer, "", problem="there is no answer"), "")
    assert by_rules("en").compare([unanswered]).tolist() == [-1]


def test_a_metric_decides_by_its_verdicts() -> None:
    rows = [AnswerPair(("a b", "c"), Answer("c", ""), ""), AnswerPair(("a b",), Answer("c", ""), "")]
    assert by_metric("em").compare(rows).tolist() == [1, -1]
    threshold = by_metric("f1", calibration=None, threshold=0.5)
    assert threshold.compare([AnswerPair(("x y",), Answer("x", ""), "")]).tolist() == [1]
    assert threshold.compare([]).tolist() == []
    assert threshold.signature.startswith("f1|")


def test_a_metric_without_verdicts_is_an_error_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="--threshold"):
        by_metric("bleu")


SIZES = st.integers(1, 7)


@given(SIZES, st.data())
def test_no_group_has_two_different_answers_and_the_order_of_answers_is_irrelevant(n: int, data: st.DataObject) -> None:
    texts = [f"a{i}" for i in range(n)]
    counts = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    outcomes = {pair: data.draw(st.sampled_from([-1, 0, 1])) for pair in combinations(range(n), 2)}
    groups, conflicts = joined(texts, counts, outcomes)
    for group in groups:
        assert all(outcomes[tuple(sorted(pair))] >= 0 for pair in combinations(group, 2))  # type: ignore[index]
    order = data.draw(st.permutations(range(n)))
    place = {old: new for new, old in enumerate(order)}
    moved = {tuple(sorted((place[i], place[j]))): outcome for (i, j), outcome in outcomes.items()}
    other_groups, other_conflicts = joined([texts[i] for i in order], [counts[i] for i in order], moved)  # type: ignore[arg-type]
    names = [[order[i] for i in group] for group in other_groups]
    assert names == [list(group) for group in groups]
    assert other_conflicts == conflicts


def test_frequent_answers_are_joined_first_and_a_conflict_is_counted() -> None:
    outcomes = {(0, 1): 1, (0, 2): 1, (1, 2): -1}  # b is equal to a and to c, which differ
    assert joined(["b", "a", "c"], [5, 1, 4], outcomes) == (((0, 2), (1,)), 1)


FOUND = answersim.groups({"q": ["?"] * 3, "gold": ["Rome"] * 3, "pred": ["Rome", "rome", "Oslo"]}, question="q")


def test_records_are_groups_by_question() -> None:
    assert [(row["answer"], row["n"], row["right"]) for row in FOUND.records()] == [
        ("Rome", 2, True),
        ("Oslo", 1, False),
    ]
    assert FOUND.records()[0]["spellings"] == "Rome | rome"


def test_tables_show_measures_and_the_questions_with_the_highest_entropy() -> None:
    titles = [table.title for table in FOUND.tables()]
    assert titles == [
        "The majority and the best of k samples",
        "Distinct answers",
        "The questions with the highest entropy",
    ]
    assert list(FOUND.tables(0))[-1].title == "Distinct answers"
    assert json.loads(FOUND.to_json())["at"][-1]["k"] == 3
    assert "95% intervals over questions" in FOUND.footer()


FILE = Path(__file__).with_name("choices.csv")  # 60 right and 60 wrong answers in about 40 wordings
ROWS = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))
OPTIONS = ["Rome", "Paris", "Oslo"]


def expected():
    return ["right" if row["label"] == "1" else "wrong" for row in ROWS]


def verdicts(metric, data=FILE):
    evaluation = evaluate(data, metric, question="question", keep=["right", "wrong", "unsure", "not attempted"])
    by_row = {answer.row: answer.verdict for answer in evaluation.answers}
    return [by_row[str(i)] for i in range(1, len(ROWS) + 1)]


def test_the_file_has_as_many_right_answers_as_wrong_ones():
    assert [row["label"] for row in ROWS].count("1") == 60
    assert len({row["pred"] for row in ROWS}) > 80


@pytest.mark.filterwarnings("ignore::answersim._base.errors.UnreadScriptWarning")
@pytest.mark.parametrize("metric", [None, "typed", "typed+recall", "typed+f1"])
def test_all_answers_of_the_file_are_counted(metric):
    if metric == "typed+f1":
        evaluation = evaluate(FILE, metric, question="question", calibration=answersim.Verdicts(threshold=0.5))
        assert (evaluation.row().right, evaluation.row().wrong) == (60, 60)
    else:
        assert verdicts(metric) == expected()


@pytest.mark.parametrize("name", [None, "rules", "typed+recall"])
def test_rewards_read_the_same_options(name):
    columns = [[row[column] for row in ROWS] for column in ("gold", "pred", "question", "choices")]
    reward = answersim.Reward(name)
    assert [row.verdict for row in reward(*columns)] == expected()
    golds = [{"answer": row["gold"], "choices": json.loads(row["choices"])} for row in ROWS]
    assert [row.verdict for row in reward(golds, *columns[1:3])] == expected()


def test_scores_in_python_read_them_for_one_and_for_several():
    golds, preds, options = ([row[name] for row in ROWS] for name in ("gold", "pred", "choices"))
    lists = [json.loads(listed) for listed in options]
    scores = answersim.score(golds, preds, "typed", choices=lists)
    assert ["right" if score == 1 else "wrong" for score in scores] == expected()
    assert answersim.score(golds[0], preds[0], "typed", choices=lists[0]) == scores[0]
    assert answersim.score_pairs([("B", "Paris"), ("B", "Oslo")], ["em", "typed"], choices=OPTIONS)["typed"].mean == 0.5
    assert answersim.score(["B", "A"], ["Paris", "Paris"], "typed", choices=OPTIONS).values.tolist() == [1.0, 0.0]


@every(
    ("call", "error", "words"),
    [
        (
            lambda: answersim.score("B", "Paris", "f1", choices=OPTIONS),
            ValueError,
            "f1 reads no options; answersim, typed",
        ),
        (lambda: answersim.score("B", "Paris", "typed", choices="Rome"), TypeError, "choices is the string"),
        (
            lambda: answersim.score(["B"], ["Paris"], "typed", choices=[OPTIONS] * 2),
            ValueError,
            "2 lists, but there are 1",
        ),
        (lambda: answersim.Reward("rules")(["B"], ["Paris"], choices=[]), ValueError, "choices has 0 entries"),
    ],
)
def test_options_without_effect_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@every(
    "cells",
    [
        OPTIONS,
        json.dumps(OPTIONS),
        str(OPTIONS),
        "['Rome' 'Paris' 'Oslo']",
        "A) Rome B) Paris C) Oslo",
        "(A) Rome\n(B) Paris\n(C) Oslo",
        "A. Rome; B. Paris; C. Oslo",
        dict(zip("ABC", OPTIONS, strict=True)),
        json.dumps(dict(zip("ABC", OPTIONS, strict=True))),
        {"label": ["C", "B", "A"], "text": OPTIONS[::-1]},
        ("Rome", "Paris", "Oslo"),
    ],
)
def test_options_have_many_forms(cells):
    golds = answersim.read_answers({"gold": ["B"], "pred": ["x"], "choices": [cells]}).golds
    assert golds[0].choices == tuple(OPTIONS)


def test_rows_without_options_are_counted_and_compared_without_them():
    data = {"gold": ["B", "Rome", "12 kg"], "pred": ["Paris", "rome", "12 lb"], "choices": [OPTIONS, None, 3]}
    with pytest.warns(ReadingWarning, match="'choices' lists no options, in 2 of 3 rows, .* without options"):
        evaluation = evaluate(data, "typed", keep=["right"])
    assert evaluation.row().right == 2


@every(("golds", "letters", "first"), [([0, 2, 1], "ACB", 0), ([1, 3, 2], "ACB", 1), (["1", "0", "B"], "BAB", 0)])
def test_whole_numbers_that_are_no_options_are_positions_with_a_note(golds, letters, first):
    data = {"gold": golds, "pred": ["x"] * 3, "choices": [OPTIONS] * 3}
    with pytest.warns(ReadingWarning) as notes:
        assert "".join(answersim.read_answers(data).golds) == letters
    assert f"whole numbers are positions of options, counted from {first}" in str(notes[-1].message)


def test_a_number_that_is_an_option_is_no_position_and_open_positions_are_an_error():
    numbers = ["2", "4", "8"]
    data = {"gold": ["2", "8"], "pred": ["A", "8"], "choices": [numbers] * 2}
    assert answersim.read_answers(data).golds == ["2", "8"]
    assert evaluate(data, "typed").row().right == 2
    for golds in (["1", "2"], ["0", "3"]):
        with pytest.raises(ValueError, match="row 1: the gold answer is a position in 'choices', but"):
            answersim.read_answers({"gold": golds, "pred": ["x"] * 2, "choices": [OPTIONS] * 2})
    row = answersim.Reward("rules")(["1"], ["Rome"], choices=[OPTIONS]).rows[0]
    assert (row.verdict, row.reason) == (
        "unreadable",
        "the gold answer 1 is none of the options; give a letter for a position",
    )


def test_a_metric_that_reads_no_options_says_so():
    data = {"gold": ["B", "A"], "pred": ["Paris", "A"], "choices": [OPTIONS] * 2}
    notes = [note for note in evaluate(data, "em").notes if "reads no options" in note]
    assert notes == [
        "em reads no options, so the column 'choices' does not count; answersim, typed and typed+NAME read it"
    ]
    assert not any("reads no options" in note for note in evaluate(data, "typed").notes)


@every(("pred", "verdict"), cases_of(__file__)["a_reward_pays_for_a_chosen_option_alone"])
def test_a_reward_pays_for_a_chosen_option_alone(pred, verdict):
    row = answersim.Reward("rules")(["B"], [pred], ["What is the capital of France?"], [OPTIONS]).rows[0]
    assert (row.verdict, row.score) == (verdict, float(verdict == "right"))


def test_equal_rows_with_other_options_are_decided_apart():
    result = answersim.Reward("rules")(["B"] * 3, ["Paris"] * 3, choices=[OPTIONS, OPTIONS[::-1], OPTIONS[1:]])
    assert result.scores == [1.0, 1.0, 0.0]
    assert answersim.Reward("typed+recall")(["B"] * 2, ["Paris"] * 2, choices=[OPTIONS, OPTIONS[1:]]).scores == [
        1.0,
        0.0,
    ]


def test_a_letter_without_options_never_falls_to_words_or_to_a_network():
    preds = ["Paris", "A and B", "B or C", "not B", "The capital of France is Paris.", "I think so", "Vitamin C"]
    for reward in (answersim.Reward(), answersim.Reward("rules")):
        assert not any(reward(["B"] * len(preds), preds).scores)
    for metric in ("answersim", "typed+recall"):
        scores = answersim.score(["B"] * len(preds), preds, metric, calibration="shipped")
        assert "equivalent" not in scores.verdicts.tolist()


def test_the_options_of_a_table_are_written_as_they_were(tmp_path):
    out = tmp_path / "out.csv"
    answersim.score_file(FILE, ["typed"], out)
    assert [row["choices"] for row in files.read(out).rows] == [row["choices"] for row in ROWS]
