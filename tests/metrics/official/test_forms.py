"""Gold answers that an owner never meets are counted in one line, and verdicts of 0 and 1 are counted."""

import pytest

import answersim
from answersim._base.errors import GoldFormWarning
from answersim.evaluation.systems.official_tables import official_table
from answersim.metrics import official
from answersim.metrics.official.forms import unmet
from tests.cases import every

BARE = {"gold": ["4096", "4096", "1/2"], "pred": ["17", "4069", "3"]}
# profile, options, gold answers, for how many an answer without an answer is right, and for how many none is
COUNTS = [
    ("math", {}, ["4096", "\\boxed{1}", "no box"], 2, 0),
    ("math", {"mode": "pair"}, ["4096", "1/2"], 0, 0),
    ("verl_math", {}, ["5", "\\frac{1}{2}", "\\boxed{5}"], 0, 1),
    ("verl_gsm8k", {}, ["72", "-5", "seventy", "so\n#### 72"], 0, 2),
    ("dapo", {}, ["34", "x" * 400], 0, 1),
    ("mmlu_pro", {}, ["A", "J", "K", "Rome"], 0, 2),
    ("simple_evals_mc", {}, ["A", "E"], 0, 1),
    ("simple_evals_mgsm", {}, ["72", "Rome"], 0, 1),
    ("squad", {}, ["Rome", "the", "..."], 2, 0),
    ("squad2", {}, ["Rome", ""], 0, 0),  # an unanswerable question
    ("popqa", {}, ["Rome", ""], 1, 0),
    ("triviaqa", {}, ["U.S.A.", "the"], 1, 0),
    ("gaia", {}, ["5", "a;b", "!?"], 1, 0),
    ("curatedtrec", {}, ["19\\d\\d", "x*"], 1, 0),
    ("asqa_str_em", {}, ['[["Rome"]]', '[["the"], ["Oslo"]]'], 1, 0),
    ("drop", {}, ['["5"]', '{"number": "5"}', '["the"]'], 1, 0),
    ("inspect_f1", {}, ["5", "the"], 1, 0),
    ("gsm8k", {}, ["#### 5", "5"], 0, 0),  # the owner's code raises an exception, which is reported
    ("qampari", {}, ['[["Rome"]]'], 0, 0),
    ("coqa", {}, ["yes"], 0, 0),
    ("tatqa", {}, ["5"], 0, 0),
]


@every(("name", "options", "golds", "vacuous", "unreachable"), COUNTS)
def test_gold_answers_that_the_owner_never_meets_are_counted(name, options, golds, vacuous, unreachable):
    found = unmet(answersim.metric(f"official:{name}", **options), golds)
    assert ((found and found.vacuous) or 0, (found and found.unreachable) or 0) == (vacuous, unreachable)


def test_the_count_is_one_line_of_each_result(tmp_path):
    line = (
        "official:math: 2 of 2 different gold answers, such as '4096', are not in the form of the benchmark: a "
        "prediction without an answer is right for 2; docs/official.md states the form; to compare bare answers, give "
        "the option mode=pair"
    )
    found = answersim.evaluate(BARE, "official:math")
    assert [note for note in found.notes if "official:math:" in note] == [line]
    assert line in found.to_text()
    assert line in "\n".join(map(str, found.brief()))
    compared = answersim.compare({**BARE, "other": ["1", "2", "3"]}, "official:math", pred=["pred", "other"])
    assert line in compared.notes
    for call in (answersim.score, lambda gold, pred, metric: answersim.score(gold[0], pred[0], metric)):
        with pytest.warns(GoldFormWarning, match="official:math"):
            call(BARE["gold"], BARE["pred"], "official:math")
    read = answersim.metric("official:math", extract="last-line", extract_gold="hash")
    with pytest.warns(GoldFormWarning, match="1 of 1 different gold answers, such as '4096'"):
        answersim.score(["so #### 4096"], ["17"], read)


def test_gold_answers_in_the_form_of_the_benchmark_need_no_line():
    boxed = {"gold": ["\\boxed{1/2}", "\\boxed{7}"], "pred": ["So \\boxed{0.5}", "8"]}
    found = answersim.evaluate(boxed, "official:math")
    assert not [note for note in found.notes if "form of the benchmark" in note]
    assert (found.rows[0].right, found.rows[0].wrong) == (1, 1)


@every(
    ("metric", "options", "counts"),
    [
        ("official:squad", {}, (1, 1)),
        ("official:gaia", {}, (1, 1)),
        ("official:helm", {"part": "exact_match"}, (1, 1)),
        ("official:verl_gsm8k", {}, (1, 1)),
        ("official:verl_gsm8k", {"format_score": 0.1}, None),
        ("official:drop", {}, None),
        ("official:dapo", {"part": "score"}, None),
    ],
)
def test_scores_of_0_and_1_are_counted_as_right_and_wrong(metric, options, counts):
    data = {"gold": ["5", "6"], "pred": ["5", "7"]}
    if "gsm8k" in metric:
        data["pred"] = ["#### 5", "#### 7"]
    row = answersim.evaluate(data, answersim.metric(metric, **options)).rows[0]
    assert (None if row.right is None else (row.right, row.wrong)) == counts


@every(
    ("profile", "remedy"),
    [
        ("gsm8k", "answersim evaluate FILE -m official:gsm8k"),
        ("coqa", "answersim evaluate FILE -m official:coqa"),
        ("simpleqa", r"answersim.metrics.official.score\('simpleqa', ...\) in Python"),
        ("lmeval_minerva_text", r"answersim.metrics.official.score\('lmeval_minerva_text', ...\) in Python"),
        ("gsm9k", "did you mean"),
    ],
)
def test_a_profile_that_the_table_has_not_is_scored_by_another_command(profile, remedy):
    with pytest.raises(LookupError, match=remedy):
        official_table({"gold": ["5"], "pred": ["5"]}, profiles=[profile])
    if profile in official.profiles():
        assert "in Python" in remedy or answersim.metric(f"official:{profile}")
