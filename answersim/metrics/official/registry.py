"""The table of all profiles: the owner of each rule, its source and license, and the functions that compute it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from answersim._base.errors import unknown
from answersim._base.text_tables import TextTable
from answersim.metrics.official import (
    answer_sets,
    choices,
    dialogue,
    drop,
    gaia,
    gsm8k,
    helm,
    hotpotqa,
    judged,
    lmeval,
    math_strings,
    minerva,
    open_domain,
    squad,
    tatqa,
)

Input = Literal["texts", "one text", "structured", "reply"]


@dataclass(frozen=True)
class Profile:
    """A benchmark's own rule.

    Attributes:
        name: The name of the profile.
        benchmark: The benchmark, or the program that scores it.
        source: The repository and the file of the owner's code.
        commit: The commit of that code.
        license: The license of that code. The rules here were written anew.
        rule: The rule in a sentence.
        parts: The numbers of a result that a metric can return. The first is the one of the benchmark's table.
        input: "texts": a prediction and alternative gold answers, of which the best counts. "one text": a prediction
            and one gold text. "structured": gold answers with a structure, given as JSON text to a metric. "reply": the
            reply of a judge in place of the prediction.
        score: Computes the result of one question from gold answers, prediction and further fields.
        table: Computes the owner's table row from questions and results; None for plain means.
        extra: The extra of this package that the rule needs; "" for none.
        revision: Raise it when a number changes; it is signed.
    """

    name: str
    benchmark: str
    source: str
    commit: str
    license: str
    rule: str
    parts: tuple[str, ...]
    input: Input
    score: Callable[..., dict[str, Any]]
    table: Callable[..., dict[str, Any]] | None = None
    extra: str = ""
    revision: int = 1

    def is_verdict(self, number_name: str) -> bool:
        """Return whether this number is a verdict: always 0 or 1."""
        return (
            number_name not in _GRADED
            and not number_name.startswith("qampari_")
            and (self.name, number_name) not in _GRADED_OF
        )

    @property
    def cited(self) -> str:
        """The name with the commit, as it is signed: ``official:drop@b1f3722``."""
        return f"official:{self.name}@{self.commit}"


_LMEVAL, _VERL, _SIMPLE = "EleutherAI/lm-evaluation-harness", "volcengine/verl", "openai/simple-evals"
_HELM_PARTS = (
    "quasi_exact_match", "exact_match", "quasi_leave_articles_exact_match", "prefix_exact_match",
    "quasi_prefix_exact_match", "f1_score", "exact_match_indicator", "final_number_exact_match",
)  # fmt: skip
_ALL = (
    Profile("squad", "SQuAD 1.1", "rajpurkar/SQuAD-explorer evaluate-v1.1.py", "eee5fdb", "MIT",
            "exact match and token F1 after SQuAD's normalization; two answers without tokens have F1 0",
            ("exact_match", "f1"), "texts", squad.squad, squad.squad_table),
    Profile("squad2", "SQuAD 2.0", "rajpurkar/SQuAD-explorer evaluate-v2.0.py", "eee5fdb", "MIT",
            "as squad; an unanswerable question wants an answer without tokens, and such gold answers are dropped",
            ("exact", "f1"), "texts", squad.squad2, squad.squad2_table),
    Profile("musique", "MuSiQue", "StonyBrookNLP/musique metrics/answer.py", "8b8d8ce", "Apache-2.0",
            "exact match and the F1 of SQuAD 2.0 over the answer and its aliases",
            ("em", "f1"), "texts", squad.musique),
    Profile("hotpotqa", "HotpotQA", "hotpotqa/hotpot hotpot_evaluate_v1.py", "3635853", "Apache-2.0",
            "as squad; F1 is 0 if one answer is yes, no or noanswer and the other differs",
            ("em", "f1", "precision", "recall"), "one text", hotpotqa.hotpotqa, hotpotqa.hotpotqa_table),
    Profile("triviaqa", "TriviaQA", "mandarjoshi90/triviaqa evaluation/triviaqa_evaluation.py", "ca43b58", "Apache-2.0",
            "exact match and F1 over aliases; each punctuation character is a blank, so U.S.A. is u s a",
            ("em", "f1"), "texts", open_domain.triviaqa, open_domain.triviaqa_table),
    Profile("nq_open", "NQ-open", "google-research/language language/orqa/utils/eval_utils.py", "865fae6", "Apache-2.0",
            "exact match after NFD and SQuAD's normalization",
            ("correct",), "texts", open_domain.nq_open),
    Profile("curatedtrec", "CuratedTREC", "google-research/language language/orqa/utils/eval_utils.py", "865fae6",
            "Apache-2.0", "the gold answer is a regular expression that matches at the start of the prediction",
            ("correct",), "texts", open_domain.curatedtrec),
    Profile("popqa", "PopQA", "AlexTMallen/adaptive-retrieval run_model.py", "2b70c1e", "MIT",
            "a gold answer is a substring of the first line, without word bounds",
            ("correct",), "texts", open_domain.popqa),
    Profile("search_r1", "Search-R1", "PeterGriffinJin/Search-R1 verl/utils/reward_score/qa_em.py", "a14dc3a",
            "Apache-2.0", "SQuAD's exact match of the last <answer> of at least two",
            ("em", "subem"), "texts", open_domain.search_r1),
    Profile("verl_search_r1", "Search-R1 in verl", f"{_VERL} verl/utils/reward_score/search_r1_like_qa_em.py",
            "b178a3c", "Apache-2.0", "SQuAD's exact match of the last <answer>; a quarter for more than ten tags",
            ("em", "subem"), "texts", open_domain.verl_search_r1),
    Profile("lmeval_triviaqa", "TriviaQA in lm-eval", f"{_LMEVAL} lm_eval/tasks/triviaqa", "4e7e0d4", "MIT",
            "equal without case and ASCII punctuation; articles count", ("exact_match",), "texts", lmeval.triviaqa),
    Profile("lmeval_nq_open", "NQ-open in lm-eval", f"{_LMEVAL} lm_eval/tasks/nq_open", "4e7e0d4", "MIT",
            "equal without case, ASCII punctuation and articles", ("exact_match",), "texts", lmeval.nq_open),
    Profile("helm", "HELM", "stanford-crfm/helm src/helm/benchmark/metrics/evaluate_reference_metrics.py", "63754d0",
            "Apache-2.0", "eight reference metrics; F1 is over sets of tokens, an empty prediction scores 0",
            _HELM_PARTS, "texts", helm.helm),
    Profile("inspect_f1", "Inspect", "UKGovernmentBEIS/inspect_ai f1() and exact()", "499e615", "MIT",
            "F1 of DROP's tokens as sets, rounded to two digits", ("f1", "exact"), "texts", drop.inspect_f1,
            revision=2),
    Profile("simple_evals_drop", "DROP in simple-evals", f"{_SIMPLE} drop_eval.py", "ee3b031", "MIT",
            "containment in either direction after SQuAD's normalization; DROP's EM and F1 beside it",
            ("score", "em_score", "f1_score"), "texts", drop.simple_evals),
    Profile("drop", "DROP", "allenai/allennlp-models allennlp_models/rc/tools/drop.py", "b1f3722", "Apache-2.0",
            "spans aligned one to one, numbers as a condition; hyphens split, so -5 is 5",
            ("f1", "em"), "structured", drop.drop, revision=2),
    Profile("quoref", "Quoref", "allenai/allennlp-models allennlp_models/rc/tools/quoref.py", "b1f3722", "Apache-2.0",
            "as drop; all gold spans are one answer", ("f1", "em"), "structured", drop.quoref),
    Profile("lmeval_drop", "DROP in lm-eval", f"{_LMEVAL} lm_eval/tasks/drop/utils.py", "4e7e0d4", "MIT",
            "as drop; the raw output is one span", ("f1", "em"), "structured", drop.lmeval),
    Profile("gsm8k", "GSM8K", "openai/grade-school-math grade_school_math/dataset.py", "3101c7d", "MIT",
            "the text after the first ####, equal as a string without commas", ("correct",), "one text", gsm8k.gsm8k),
    Profile("verl_gsm8k", "GSM8K in verl", f"{_VERL} verl/utils/reward_score/gsm8k.py", "b178a3c", "Apache-2.0",
            "the last 300 characters: the last ####, or the last number",
            ("strict_score", "flexible_score"), "one text", gsm8k.verl),
    Profile("lmeval_gsm8k", "GSM8K in lm-eval", f"{_LMEVAL} lm_eval/tasks/gsm8k/gsm8k.yaml", "4e7e0d4", "MIT",
            "the first ####, or the last number; commas, $ and a final point are deleted on both sides",
            ("strict_score", "flexible_score"), "one text", gsm8k.lmeval),
    Profile("math", "MATH", "hendrycks/math modeling/math_equivalence.py", "985bdc1", "MIT",
            "the last box of both texts, equal after normalization of LaTeX", ("equiv",), "one text",
            math_strings.math),
    Profile("verl_math", "MATH in verl", f"{_VERL} verl/utils/reward_score/math_reward.py", "b178a3c", "Apache-2.0",
            "the last box of the output against the bare answer", ("score",), "one text", math_strings.verl),
    Profile("lmeval_hendrycks_math", "MATH in lm-eval", f"{_LMEVAL} lm_eval/tasks/hendrycks_math/utils.py", "4e7e0d4",
            "MIT", "the text between the first and the last $ against the box of the solution",
            ("exact_match",), "one text", math_strings.lmeval),
    Profile("lmeval_minerva_text", "Minerva MATH in lm-eval", f"{_LMEVAL} lm_eval/tasks/minerva_math/utils.py",
            "4e7e0d4", "MIT", "the normalized texts; equality is by sympy, which is not run", (), "one text",
            minerva.lmeval_text),
    Profile("minerva", "Minerva MATH in lm-eval", f"{_LMEVAL} lm_eval/tasks/minerva_math/utils.py", "4e7e0d4", "MIT",
            "the difference of the normalized texts is 0 by sympy within five seconds",
            ("exact_match",), "one text", minerva.minerva, extra="math"),
    Profile("dapo", "DAPO in verl", f"{_VERL} verl/utils/reward_score/math_dapo.py", "b178a3c", "Apache-2.0",
            "the last Answer: of 300 characters, equal after Minerva's normalization", ("acc", "score"), "one text",
            minerva.dapo),
    Profile("gaia", "GAIA", "huggingface/smolagents examples/open_deep_research/scripts/gaia_scorer.py", "e3a5b89",
            "Apache-2.0", "numbers as floats, lists in order, texts without white space, punctuation and case",
            ("correct",), "one text", gaia.gaia),
    Profile("asqa_str_em", "ASQA", "google-research/language language/asqa/scoring.py", "865fae6", "Apache-2.0",
            "share of short answers that are substrings of the long one, x 100", ("str_em",), "structured",
            answer_sets.asqa, answer_sets.asqa_table),
    Profile("alce_str_em", "ASQA in ALCE", "princeton-nlp/ALCE eval.py", "246c476", "MIT",
            "as asqa_str_em, of the first line without citations", ("str_em", "str_hit"), "structured",
            answer_sets.alce_str_em, answer_sets.alce_str_em_table),
    Profile("alce_qampari", "QAMPARI in ALCE", "princeton-nlp/ALCE eval.py", "246c476", "MIT",
            "a list separated by commas against answers with aliases; duplicates count",
            ("qampari_f1", "qampari_prec", "qampari_rec", "qampari_rec_top5", "qampari_f1_top5"), "structured",
            answer_sets.alce_qampari, answer_sets.alce_qampari_table),
    Profile("qampari", "QAMPARI", "samsam3232/qampari models/evaluation/reader_metrics.py", "30bed95",
            "see its LICENSE", "distinct predictions against answers with aliases", ("f1", "precision", "recall"),
            "structured", answer_sets.qampari, answer_sets.qampari_table),
    Profile("coqa", "CoQA", "stanfordnlp/coqa-baselines scripts/evaluate-v1.0.py", "693d05b", "MIT",
            "the F1 of SQuAD 2.0, the mean over the best scores without one annotator", ("f1", "em"), "structured",
            dialogue.coqa, dialogue.coqa_table),
    Profile("quac", "QuAC", "my89/co-squac evals/quac_eval.py", "be80b57", "none",
            "the F1 of SQuAD 1.1, leave one out; CANNOTANSWER by majority", ("f1", "human_f1"), "structured",
            dialogue.quac, dialogue.quac_table),
    Profile("tatqa", "TAT-QA", "NExTplusplus/TAT-QA tatqa_metric.py, tatqa_utils.py", "870accc", "MIT",
            "numbers with a scale, spans as in DROP", ("f1", "em", "scale"), "structured", tatqa.tatqa,
            tatqa.tatqa_table),
    Profile("mmlu_pro", "MMLU-Pro", "TIGER-AI-Lab/MMLU-Pro compute_accuracy.py", "f418b11", "Apache-2.0",
            "the letter after 'answer is' (l1), else after 'Answer:', else the last lone letter (l2)",
            ("correct_l2", "correct_l1"), "one text", choices.mmlu_pro),
    Profile("simple_evals_mc", "MMLU and GPQA in simple-evals", f"{_SIMPLE} mmlu_eval.py, gpqa_eval.py, common.py",
            "ee3b031", "MIT", "the letter after 'Answer:', for MMLU in 30 languages", ("mmlu", "gpqa"), "one text",
            choices.simple_evals_mc),
    Profile("simple_evals_mgsm", "MGSM in simple-evals", f"{_SIMPLE} mgsm_eval.py", "ee3b031", "MIT",
            "the last number after the last 'Answer' of the language; a sign is not read", ("correct",), "one text",
            choices.simple_evals_mgsm),
    Profile("simpleqa", "SimpleQA", f"{_SIMPLE} simpleqa_eval.py", "ee3b031", "MIT",
            "the first A, B or C of the judge's reply, else C", ("is_correct",), "reply", judged.simpleqa,
            judged.simpleqa_table),
    Profile("browsecomp", "BrowseComp", f"{_SIMPLE} browsecomp_eval.py", "ee3b031", "MIT",
            "as published: a graded reply is neither correct nor incorrect", ("is_correct",), "reply",
            judged.browsecomp, judged.browsecomp_table),
    Profile("browsecomp_mended", "BrowseComp, mended", f"{_SIMPLE} browsecomp_eval.py", "ee3b031", "MIT",
            "the word after 'correct:' in the judge's reply", ("is_correct",), "reply", judged.browsecomp_mended,
            judged.browsecomp_table),
    Profile("hle", "Humanity's Last Exam", "centerforaisafety/hle hle_eval/run_judge_results.py", "7b6be5a", "MIT",
            "'correct: yes' and the confidence in the judge's reply; the owner's code was not run",
            ("correct",), "reply", judged.hle,
            judged.hle_table),
)  # fmt: skip
# Numbers between 0 and 1, x 100, or below 0.
_GRADED = frozenset(("f1", "f1_score", "human_f1", "precision", "recall", "str_em", "str_hit"))
_GRADED_OF = frozenset((("verl_search_r1", "em"), ("coqa", "em"), ("dapo", "score")))
PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in _ALL}


def profile(name: str) -> Profile:
    """Return the profile of this name; "-" stands for "_". Raise LookupError if there is none.

    >>> profile("nq-open").cited
    'official:nq_open@865fae6'
    """
    rule = PROFILES.get(name.replace("-", "_"))
    if rule is None:
        raise unknown("official profile", name, PROFILES)
    return rule


def overview() -> TextTable:
    """Return the table of all profiles."""
    header = ("profile", "benchmark", "owner", "commit", "license", "input", "numbers", "extra")
    rows = [
        (name, row.benchmark, row.source, row.commit, row.license, row.input, ", ".join(row.parts), row.extra)
        for name, row in PROFILES.items()
    ]
    return TextTable("", header, tuple(rows))
