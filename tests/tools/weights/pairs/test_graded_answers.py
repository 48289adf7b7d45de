"""Graded answers of SemEval-2013 Task 7, in a small archive of the same format."""

import zipfile

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.graded_answers import ARCHIVE, Graded, graded_pairs, read_archive

FOLDER = "training/3way/beetle/"
TRAIN, DEV = "Why does salt melt?", "Why does ice float?"  # their splits, by SHA-256


def question(text, references, answers):
    """A file of the task: references are (category, text), answers are (grade, text)."""
    best = "".join(
        f"<referenceAnswer{f' category={chr(34)}{category}{chr(34)}' if category else ''}>{reference}</referenceAnswer>"
        for category, reference in references
    )
    given = "".join(f'<studentAnswer accuracy="{grade}">{answer}</studentAnswer>' for grade, answer in answers)
    return (
        f'<?xml version="1.0"?>\n<question><questionText>{text}</questionText>\n'
        f"<referenceAnswers>{best}</referenceAnswers><studentAnswers>{given}</studentAnswers></question>"
    )


def archive(folder, files):
    path = folder / ARCHIVE
    with zipfile.ZipFile(path, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return path


SALT = question(
    TRAIN,
    [("BEST", "the heat parts it"), ("GOOD", "it is\n   hot"), ("MINIMAL", "cold is not hot at all"), ("KEYWORD", "x")],
    [("correct", "The HEAT parts it."), ("incorrect", "cold is not hot at all"), ("contradictory", "it is  \n cold")],
)
ICE = question(DEV, [("", "it is light &amp; dry")], [("correct", "it is light"), ("incorrect", "  ")])


def test_answers_are_paired_with_the_reference_that_is_nearest_and_not_minimal(tmp_path):
    path = archive(tmp_path, {f"{FOLDER}salt.xml": SALT, f"{FOLDER}ice.xml": ICE})
    assert graded_pairs(path, "train") == [
        TrainingPair("the heat parts it", "The HEAT parts it.", 1.0, "train", "task7:correct", TRAIN),
        TrainingPair("it is hot", "cold is not hot at all", 0.2, "train", "task7:incorrect", TRAIN),
        TrainingPair("it is hot", "it is cold", 0.0, "train", "task7:contradictory", TRAIN),
    ]


def test_references_without_a_category_are_used_and_empty_answers_are_not(tmp_path):
    path = archive(tmp_path, {f"{FOLDER}ice.xml": ICE})
    assert graded_pairs(path, "dev") == [
        TrainingPair("it is light & dry", "it is light", 1.0, "dev", "task7:correct", DEV)
    ]
    assert graded_pairs(path, "train") == []


def test_files_are_read_in_the_order_of_their_names_and_those_of_the_test_never(tmp_path):
    def of(text):
        return question(text, [("BEST", "x")], [("correct", "x")])

    files = {
        f"{FOLDER}b.xml": of("b?"),
        f"{FOLDER}a.xml": of("a?"),
        f"{FOLDER}readme.txt": "no question",
        "training/2way/beetle/c.xml": of("c?"),
        "test/3way/beetle/test-unseen-answers/d.xml": of("d?"),
        "training/3way/sciEntsBank/e.xml": of("e?"),
    }
    assert list(read_archive(archive(tmp_path, files))) == [
        Graded(f"{name}?", ("x",), "x", "correct") for name in "abe"
    ]
