"""The sets of judged system answers, the permitted uses of each, and what each metric learned from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from answersim._base.errors import unknown
from benchmarks.system_answers import SystemAnswer, load_efficientqa, load_evouna

# What metrics with the weights of this project learned from EVOUNA. Those of the profile "paper" learned nothing of it.
LEARNED = {
    "sas": "train: its adapter; dev: settings",
    "sas-answers": "train: its adapter; dev: settings",
    "bi-encoder-answers": "train: its adapter; dev: settings",
    "bertscore-answers": "train: its adapter; dev: settings",
    "answersim": "train: the adapters of its parts; dev: its weights and settings",
}


class JudgedSet(NamedTuple):
    """A set of judged answers."""

    name: str  # the name for ``--sets``
    title: str  # its title in tables
    use: str  # the past and permitted uses of its questions, as a sentence
    held_out: bool  # whether no metric was trained or tuned on any of its questions
    load: Callable[[], list[SystemAnswer]]  # the function that reads its answers
    taught: bool = False  # whether it contains questions that trained a metric, which is then left out
    recorded_only: bool = False  # whether only the answers with recorded scores of the SAS paper are evaluated


def _others(*parts: str) -> list[SystemAnswer]:
    """Return the answers to the questions of EfficientQA that are not in NQ-open of the SAS paper, of these parts."""
    return [answer for answer in load_efficientqa(nq_open_sas=False) if answer.part in parts]


SETS = {
    judged_set.name: judged_set
    for judged_set in (
        JudgedSet(
            "evouna-test",
            "TriviaQA (EVOUNA), test",
            "held out: no weight, setting or threshold of a metric comes from it (the shipped calibrations do)",
            True,
            lambda: load_evouna("test"),
        ),
        JudgedSet(
            "efficientqa-sas",
            "NQ-open (EfficientQA), the 863 questions of NQ-open of the SAS paper",
            "held out: for reports only, never trained or tuned on",
            True,
            lambda: load_efficientqa(nq_open_sas=True),
        ),
        JudgedSet(
            "efficientqa-sas-recorded",
            "NQ-open (EfficientQA), answers with recorded scores of the SAS paper",
            "held out: the answers of efficientqa-sas that the SAS paper scored with its own models",
            True,
            lambda: load_efficientqa(nq_open_sas=True),
            recorded_only=True,
        ),
        JudgedSet(
            "efficientqa-other-test",
            "NQ-open (EfficientQA), the other 906 questions, test",
            "held out: the 15 % of these questions that part_of puts into test",
            True,
            lambda: _others("test"),
        ),
        JudgedSet(
            "efficientqa-other",
            "NQ-open (EfficientQA), the other 906 questions, train and dev",
            "NOT held out: sas-answers and the sas of the profile strong learned its part train; its part dev gave the "
            "weights of answersim",
            False,
            lambda: _others("train", "dev"),
        ),
        JudgedSet(
            "evouna-dev",
            "TriviaQA (EVOUNA), dev",
            "NOT held out: it chose settings, and the weights of answersim were fitted on it",
            False,
            lambda: load_evouna("dev"),
        ),
        JudgedSet(
            "evouna",
            "TriviaQA (EVOUNA), all questions",
            "NOT held out: it contains the questions that trained adapters; metrics that learned from it are left out",
            False,
            load_evouna,
            taught=True,
        ),
    )
}
DEFAULT = tuple(name for name in SETS if name != "evouna")


def chosen(names: Sequence[str]) -> list[JudgedSet]:
    """Return these sets in the order of the tables; all but the whole of EVOUNA if none is named.

    Raise LookupError if there is no such set.
    """
    if wrong := [name for name in names if name not in SETS]:
        raise unknown("data set", wrong[0], SETS)
    return [judged_set for name, judged_set in SETS.items() if name in (names or DEFAULT)]


def learned(name: str, profile: str = "embedded") -> str:
    """Return which parts of EVOUNA were used to train or tune this metric; "" if none was."""
    return "" if profile == "paper" else LEARNED.get(name.removeprefix("typed+"), "")
