"""Make the sample of EVOUNA that ships: 300 answers of five systems with the verdicts of people.

    ANSWERSIM_DATA=... python -m tools.evouna_sample

It has all answers to 30 questions each of TriviaQA and NQ, from the part "test", on which no weight was trained. Only
questions with one gold answer are drawn, because a labeled pair has one. The calibrations that ship are made from the
other questions of this part, so these answers test them. Those of ``sas`` in the profile "strong" are an exception.
"""

from __future__ import annotations

from pathlib import Path

import answersim
from benchmarks.system_answers import EVOUNA, EVOUNA_NQ, SystemAnswer, load_evouna, locate
from tools.tables import write

FILE = Path(answersim.__file__).parent / "evaluation/data/evouna.csv"
COLUMNS = ("question", "category", "gold", "pred", "label")
QUESTIONS = 30  # of each source
SYSTEMS = 5


def sample(answers: list[SystemAnswer], questions: int = QUESTIONS) -> list[SystemAnswer]:
    """Return all answers to this number of questions, evenly spread over those with one gold answer."""
    by_question: dict[str, list[SystemAnswer]] = {}
    for answer in answers:
        if len(answer.golds) == 1:
            by_question.setdefault(answer.question, []).append(answer)
    whole = [given for given in by_question.values() if len(given) == SYSTEMS]
    return [answer for i in range(questions) for answer in whole[i * len(whole) // questions]]


def main() -> None:
    """Write the sample."""
    answers = [answer for path in (EVOUNA, EVOUNA_NQ) for answer in sample(load_evouna("test", path=locate(path)))]
    rows = [(answer.question, answer.system, answer.golds[0], answer.answer, int(answer.verdict)) for answer in answers]
    write(FILE, [COLUMNS, *rows])


if __name__ == "__main__":
    main()
