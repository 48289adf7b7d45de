"""Where official scorers differ from what one expects, each with its source."""

from importlib.metadata import PackageNotFoundError

import pytest

import answersim
from answersim._base.errors import MissingExtraError
from answersim.metrics import official
from answersim.metrics.official import latex_equality
from tests.cases import every

CASES = [
    # profile, gold answers, prediction, fields, part of the result
    ("squad", ["U.S.A."], "usa", {}, {"exact_match": True, "f1": 1.0}),
    ("squad", ["the"], "a", {}, {"exact_match": True, "f1": 0}),
    ("squad2", ["the", "x"], "the", {}, {"exact": 0, "f1": 0}),
    ("squad2", ["the"], "the", {}, {"exact": 1, "f1": 1}),
    ("squad2", ["...", "red"], "", {}, {"exact": 0}),
    ("squad2", [], "", {}, {"exact": 1, "f1": 1}),
    ("musique", ["the"], "a", {}, {"em": 1, "f1": 1}),
    ("hotpotqa", ["yes"], "yes it is", {}, {"em": False, "f1": 0}),
    ("hotpotqa", ["noanswer"], "noanswer at all", {}, {"f1": 0}),
    ("hotpotqa", ["no one"], "noanswer", {}, {"f1": 0}),
    ("hotpotqa", ["yes"], "Yes.", {}, {"em": True, "f1": 1}),
    ("triviaqa", ["usa"], "U.S.A.", {}, {"em": False}),
    ("triviaqa", ["u s a"], "U.S.A.", {}, {"em": True}),
    ("triviaqa", ["beatles"], "the_Beatles", {}, {"em": True}),
    ("triviaqa", ["sean ocasey"], "Sean O'Casey", {}, {"em": False, "f1": 0.4}),
    ("triviaqa", ["jaws"], "\u201cJaws\u201d", {}, {"em": False}),
    ("triviaqa", ["x"], "Jaws", {"human_answers": ["'Jaws'"]}, {"em": True}),
    ("triviaqa", ["a"], "a", {}, {"em": True, "f1": 0}),
    ("nq_open", ["thé"], "á", {}, {"correct": True}),
    ("nq_open", ["Beyoncé"], "Beyonce", {}, {"correct": False}),
    ("nq_open", ["Beyonce\u0301"], "Beyoncé", {}, {"correct": True}),
    ("nq_open", [r"19\d\d"], "1997 was", {"is_regex": True}, {"correct": True}),
    ("nq_open", ["1997"], "in 1997", {"is_regex": True}, {"correct": False}),
    ("nq_open", ["("], "(", {"is_regex": True}, {"correct": False}),
    ("nq_open", [], "x", {}, {"correct": {"raises": "ValueError"}}),
    ("curatedtrec", [r"19\d\d"], "1997", {}, {"correct": True}),
    ("popqa", ["us"], "the bus", {}, {"correct": True}),
    ("popqa", [""], "x", {}, {"correct": True}),
    ("popqa", ["Rome"], "\n\nRome\nOslo", {}, {"first_line": "Rome", "correct": True}),
    ("popqa", ["Rome"], "\nRome", {}, {"first_line": "", "correct": False}),
    ("search_r1", ["Rome"], "<answer>Rome</answer>", {}, {"answer": None, "em": 0}),
    ("search_r1", "Rome", "<answer>x</answer><answer> the rome. </answer>", {}, {"em": 1}),
    ("verl_search_r1", ["Rome"], "<answer>It is Rome</answer>", {}, {"em": 0, "subem": 1}),
    ("verl_search_r1", ["Rome"], "<answer>Rome</answer>" * 11, {}, {"em": 0.25, "subem": 1}),
    ("lmeval_triviaqa", ["İstanbul"], "İstanbul", {}, {"exact_match": 1.0}),
    ("lmeval_triviaqa", ["İstanbul", "a longer alias"], "İstanbul", {}, {"exact_match": 0.0}),
    ("lmeval_triviaqa", ["Beatles"], "the Beatles", {}, {"exact_match": 0.0}),
    ("lmeval_nq_open", ["Beatles"], "the Beatles", {}, {"exact_match": 1.0}),
    ("helm", ["87"], "x, 87", {}, {"final_number_exact_match": 1, "exact_match": 0}),
    ("helm", ["Rome"], "", {}, {"exact_match": 0, "quasi_exact_match": 0, "f1_score": 0}),
    ("helm", ["a a b"], "b c", {}, {"f1_score": 2 / 3}),
    ("inspect_f1", ["Tom Brady", ""], "Brady", {}, {"f1": 0.67, "exact": 0.0}),
    ("inspect_f1", ["3.14"], "(3.14)", {}, {"f1": 1.0, "exact": 1.0}),
    ("inspect_f1", ["inf"], "infinity", {}, {"f1": 0.0, "exact": 0.0}),
    ("inspect_f1", [" "], "", {}, {"f1": 0.0, "exact": 0.0}),
    ("inspect_f1", ["Straße"], "STRASSE", {}, {"f1": 1.0, "exact": 1.0}),
    ("drop", ["5"], "-5", {"mode": "pair"}, {"em": 1, "f1": 1}),
    ("drop", ["1000"], "1e3", {"mode": "pair"}, {"em": 1}),
    ("drop", ["5 yard"], "3 yard", {"mode": "pair"}, {"em": 0, "f1": 0}),
    ("drop", ["5"], "5 yard line", {"mode": "pair"}, {"em": 0, "f1": 0.5}),
    ("drop", ["Tom Brady", "Peyton Manning"], "Tom Brady and Peyton Manning", {"mode": "pair"}, {"em": 0, "f1": 0.29}),
    ("drop", ["a b", "c"], ["c", "a b"], {"mode": "pair"}, {"em": 1, "f1": 1}),
    ("drop", ["10"], "10\n\nPassage: x", {"mode": "pair"}, {"em": 0, "f1": 0}),
    ("drop", [{}], None, {}, {"em": 0, "f1": 0}),
    ("drop", ["a"], [], {"mode": "pair"}, {"em": 0, "f1": 0}),  # no span is not the span "", which equals "a"
    ("drop", ["a"], "", {"mode": "pair"}, {"em": 1, "f1": 1}),
    ("drop", [{"spans": ["a"]}], [], {}, {"em": 0, "f1": 0}),
    ("quoref", ["a b", "c"], None, {}, {"em": 0.0}),
    ("lmeval_drop", [{"number": "", "spans": [], "date": {"day": "5", "month": "May", "year": ""}}], "5 May", {},
     {"em": 1}),
    ("simple_evals_drop", ["", "5"], "Answer: the", {}, {"score": True, "em_score": 0.0}),
    ("simple_evals_drop", ["Tom Brady"], "Brady", {}, {"score": True, "f1_score": 66.67}),
    ("gsm8k", ["#### 72"], "#### 3\n#### 72", {}, {"pred_answer": "3", "correct": False}),
    ("gsm8k", ["#### 72"], "#### 72.", {}, {"pred_answer": "72.", "correct": False}),
    ("gsm8k", ["#### 72"], "#### $72", {}, {"pred_answer": "[invalid]"}),
    ("gsm8k", ["72"], "#### 72", {}, {"correct": {"raises": "AssertionError"}}),
    ("verl_gsm8k", ["4"], "#### 3\n#### 4", {"format_score": 0.1}, {"strict_score": 1.0}),
    ("verl_gsm8k", ["1000"], "#### 1,000", {"format_score": 0.1}, {"strict_score": 1.0, "flexible_score": 0.1}),
    ("verl_gsm8k", ["4"], "#### 4" + " x" * 200, {}, {"strict_answer": None, "strict_score": 0.0}),
    ("lmeval_gsm8k", ["so\n#### 72"], "#### 72.", {}, {"strict_score": 1.0}),
    ("math", ["\\frac{1}{2}"], "0.5", {"mode": "pair"}, {"equiv": True}),
    ("math", ["\\frac{1}{4}"], "0.25", {"mode": "pair"}, {"equiv": False}),
    ("math", ["-\\frac{1}{2}"], "-1/2", {"mode": "pair"}, {"equiv": False}),
    ("math", ["5"], "5\\text{ a}\\text{ b}", {"mode": "pair"}, {"pred_norm": {"raises": "AssertionError"}}),
    ("math", ["x"], "\\frac", {"mode": "pair"}, {"pred_norm": {"raises": "IndexError"}, "equiv": False}),
    ("math", ["\\boxed{3}"], "\\fbox{3}", {}, {"pred_boxed": "\\fbox{3}", "pred_answer": None, "equiv": False}),
    ("verl_math", ["a / b"], "\\boxed{a/b}", {}, {"score": 1.0}),
    ("lmeval_hendrycks_math", ["\\boxed{a / b}"], "$a/b$", {}, {"exact_match": 0}),
    ("lmeval_hendrycks_math", ["no box"], "5", {}, {"exact_match": {"raises": "TypeError"}}),
    ("lmeval_minerva_text", ["\\boxed{5}"], "Final Answer: The final answer is banana. I hope it is correct.", {},
     {"pred_norm": "banana"}),
    ("dapo", ["34"], "Answer: 34 degrees", {}, {"score": 1.0}),
    ("dapo", ["34"], "\\boxed{34}", {}, {"score": -1.0, "pred": "[INVALID]"}),
    ("dapo", ["34"], "\\boxed{34}", {"strict_box_verify": True}, {"score": 1.0}),
    ("gaia", ["1,000"], "1000", {}, {"correct": False}),
    ("gaia", ["inf"], "abc", {}, {"correct": True}),
    ("gaia", ["nan"], "nan", {}, {"correct": False}),
    ("gaia", ["1.0;2"], "1, 2", {}, {"correct": True}),
    ("gaia", ["16859.2%"], "-168.592", {}, {"correct": True}),
    ("gaia", ["Rome"], None, {}, {"correct": {"raises": "TypeError"}}),
    ("asqa_str_em", [["US"], ["1000"]], "He used 1,000 men", {}, {"hits": [True, True]}),
    ("asqa_str_em", [["the"]], "x", {}, {"str_em": 100.0}),
    ("asqa_str_em", [["New York"]], "new-york city", {}, {"str_em": 0.0}),
    ("alce_str_em", [["Rome"]], "Rome [1][2].\nOslo", {}, {"str_em": 100.0, "length": 1.0}),
    ("alce_qampari", [["Rome", "Roma"], ["Oslo"], ["Bern"]], "Rome, Roma, x", {}, {"qampari_rec": 100 / 3}),
    ("alce_qampari", [["Rome"], ["Oslo"]], "Rome and Oslo", {}, {"qampari_f1": 0.0}),
    ("alce_qampari", [["Rome"]], "Cities: Rome", {"cot": True}, {"qampari_f1": 100.0}),
    ("qampari", [{"answer_text": "Rome", "aliases": ["Rome", "Roma"]}], ["Rome", "Roma"], {}, {"precision": 0.5}),
    ("qampari", [{"answer_text": "Bern", "aliases": ["Berne"]}], ["Bern"], {}, {"recall": 0.0}),
    ("qampari", [{"answer_text": "a", "aliases": ["a"]}], [], {}, {"raises": "ZeroDivisionError"}),
    ("coqa", ["yes", "no"], "yes", {}, {"f1": 0.5}),
    ("coqa", ["unknown"] * 3 + ["red"], "red", {}, {"f1": 0.75}),
    ("coqa", ["the", "x"], "", {}, {"f1": 0.5}),
    ("quac", ["CANNOTANSWER", "a b"], "a b", {}, {"refs": ["CANNOTANSWER"], "f1": 0.0, "human_f1": 1.0}),
    ("quac", ["a red fox", "red fox ran"], "red fox", {}, {"human_f1": 0.8, "f1": 0.9}),
    ("quac", [], "x", {}, {"refs": ["CANNOTANSWER"]}),
    ("quac", ["red fox"], "fox", {"context": "a red fox"}, {"overlap": "Partial overlap"}),
    ("tatqa", [23.42], 0.2342, {"scale": "percent", "answer_type": "arithmetic"}, {"em": 1.0}),
    ("tatqa", [23.42], "23.42", {"scale": "percent", "answer_type": "arithmetic"}, {"em": 0.0}),
    ("tatqa", [5], "5 million", {"scale": "million", "answer_type": "arithmetic"}, {"em": 1.0}),
    ("tatqa", ["-12"], "(12)", {"answer_type": "arithmetic"}, {"em": 1.0}),
    ("tatqa", [["x"]], [], {"answer_type": "span"}, {"em": 0.0, "scale": 0.0}),
    ("mmlu_pro", ["I"], "I think so", {}, {"l1": "none", "correct_l1": None, "l2": "I", "correct_l2": True}),
    ("mmlu_pro", ["B"], "The answer is (B)", {}, {"l1": "B"}),
    ("simple_evals_mc", ["C"], "Antwort: B. Answer: C", {}, {"mmlu": {"extracted": "C", "score": 1.0}}),
    ("simple_evals_mc", ["A"], "ANSWER: **A**", {}, {"mmlu": {"extracted": "A", "score": 1.0},
                                                     "gpqa": {"extracted": None, "score": 0.0}}),
    ("simple_evals_mc", ["A"], "الإجابة: أ", {}, {"mmlu": {"extracted": "A", "score": 1.0}}),
    ("simple_evals_mgsm", ["5"], "Answer: -5", {}, {"extracted": "5", "correct": True}),
    ("simple_evals_mgsm", ["1,000"], "Antwort 1.000,00 1000.0", {"lang": "de"}, {"correct": True}),
    ("simpleqa", [], "**C**ORRECT", {}, {"grade": "C", "is_not_attempted": True}),
    ("simpleqa", [], "", {}, {"grade": "C"}),
    ("browsecomp", [], "correct: yes", {}, {"is_correct": False, "is_incorrect": False}),
    ("browsecomp_mended", [], "correct: yes", {}, {"is_correct": True}),
    ("hle", [], "correct: no\nconfidence: 80%", {}, {"correct": False, "confidence": 80}),
]  # fmt: skip


@every(("name", "golds", "pred", "fields", "expected"), CASES)
def test_a_quirk_of_the_owner_is_kept(name, golds, pred, fields, expected):
    result = official.score(name, golds, pred, **fields)
    for key, value in expected.items():
        assert result[key] == (pytest.approx(value) if isinstance(value, float) else value), key


def test_each_profile_has_a_case():
    elsewhere = {"minerva"}  # it needs an extra: see below
    assert {name for name, *_ in CASES} | elsewhere == set(official.profiles())


def test_the_best_gold_answer_is_chosen_separately_for_em_and_f1():
    golds = [{"number": "5"}, {"spans": ["5 yard line"]}]
    assert official.score("drop", golds, "5 yard") == {"em": 0.0, "f1": 0.8}
    assert official.score("drop", golds, "5") == {"em": 1.0, "f1": 1.0}


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
