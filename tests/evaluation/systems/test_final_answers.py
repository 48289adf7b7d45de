from answersim.answers.extraction import Extractor
from answersim.evaluation.systems.final_answers import FinalAnswers

DATA = {"gold": ["Rome"] * 200, "pred": ["\\boxed{Rome}"] * 2 + ["Rome"] * 198}


def counted(extractor: Extractor | None, rows: int = 200) -> list[str]:
    found = FinalAnswers(extractor)
    found.read(DATA["pred"][:rows])
    return found.notes()


def test_answers_are_counted_by_rule() -> None:
    assert counted(Extractor("boxed")) == [
        "final answers by the rule boxed: in 2 of 200 predictions (boxed 2); 198 (99 %) have none and are read as a "
        "whole"
    ]
    assert counted(Extractor("boxed", "empty"))[0].endswith("198 (99 %) have none and are counted as empty")


def test_without_a_rule_a_note_appears_from_one_percent_on() -> None:
    (note,) = counted(None)
    assert note.startswith("2 of 200 predictions contain a box")
    found = FinalAnswers(None)
    found.read(["\\boxed{x}"] + ["x"] * 200)
    assert found.notes() == []
