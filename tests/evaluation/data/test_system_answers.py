"""Judged answers: how joined golds are taken apart, which part a question belongs to, and the files' formats."""

import json
from collections import Counter

import pytest

from answersim.evaluation.data import system_answers
from answersim.evaluation.data.datasets import DatasetNotFoundError
from answersim.evaluation.data.system_answers import (
    SystemAnswer,
    golds_of,
    in_nq_open_sas,
    load_diver,
    load_efficientqa,
    load_evouna,
    part_of,
)


def record(**changes):
    """A record in the format of EVOUNA's files, with two systems."""
    plain = {
        "question": "Who wrote Emma?",
        "golden_answer": "Jane Austen/Austen",
        "answer_fid": "Austen",
        "judge_fid": True,
        "answer_gpt4": "It was written by Emily Bronte.",
        "judge_gpt4": False,
        "improper": False,
    }
    return plain | changes


def written(folder, *records):
    path = folder / "evouna.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("joined", "golds"),
    [
        pytest.param("Paris", ("Paris",), id="one"),
        pytest.param("61/sixty-one", ("61", "sixty-one"), id="two"),
        pytest.param("a/b/a", ("a", "b"), id="each once"),
        pytest.param(" a /b//", ("a", "b"), id="none empty, no blanks around"),
        pytest.param("Robin / Dick Grayson/Robin", ("Robin / Dick Grayson", "Robin"), id="a slash between blanks"),
        pytest.param("AC/DC/ACDC", ("AC/DC", "ACDC"), id="a word that holds a slash"),
        pytest.param("ORD/UN/LOCODE:USCHI/Chi", ("ORD", "UN/LOCODE:USCHI", "Chi"), id="a code"),
        pytest.param("before 9/11/11 September", ("before 9/11", "11 September"), id="a date"),
        pytest.param("19/11 (film)/x", ("19", "11 (film)", "x"), id="but not within a longer number"),
        pytest.param("BAC/DC", ("BAC", "DC"), id="nor within a longer word"),
        pytest.param("see http://x.org/y", ("see http://x.org", "y"), id="an address"),
        pytest.param("%22Bo%22 Li/Who%3F/a%2Fb", ('"Bo" Li', "Who?", "a/b"), id="characters of addresses"),
        pytest.param("8 %/90%", ("8 %", "90%"), id="a plain per cent sign"),
        pytest.param("%C3%A9tude", ("étude",), id="several bytes are one letter"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_joined_golds_are_taken_apart(joined, golds):
    assert golds_of(joined) == golds


def test_a_record_gives_an_answer_a_system(tmp_path):
    assert load_evouna(path=written(tmp_path, record())) == [
        SystemAnswer("Who wrote Emma?", ("Jane Austen", "Austen"), "fid", "Austen", True, "train"),
        SystemAnswer(
            "Who wrote Emma?", ("Jane Austen", "Austen"), "gpt4", "It was written by Emily Bronte.", False, "train"
        ),
    ]


def test_the_parts_are_disjoint_and_together_all(tmp_path):
    path = written(tmp_path, *(record(question=f"question {i}?") for i in range(60)))
    parts = {part: load_evouna(part, path=path) for part in ("train", "dev", "test")}
    assert all(entry.part == part for part, item in parts.items() for entry in item)
    assert all(parts.values())
    assert sum(map(len, parts.values())) == len(load_evouna(path=path)) == 120


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"judge_gpt4": "yes"}, "record 2: judge_gpt4 is 'yes', but it must be bool", id="verdict"),
        pytest.param({"answer_fid": None}, "record 2: answer_fid is None, but it must be str", id="answer"),
        pytest.param(
            {"golden_answer": "/"}, "record 2: golden_answer is '/', but it must contain at least one answer", id="gold"
        ),
    ],
)
def test_a_record_of_another_format_is_named(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        load_evouna(path=written(tmp_path, record(), record(**changes)))


def test_a_file_that_is_no_list_is_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    with pytest.raises(ValueError, match="contains a JSON dict, but a file of EVOUNA is a list"):
        load_evouna(path=path)


def test_an_unknown_part_is_an_error_before_the_file_is_read(tmp_path):
    with pytest.raises(LookupError, match="no part is called 'trian'; did you mean 'train'"):
        load_evouna("trian", path=tmp_path / "absent.json")


def test_the_error_for_a_missing_file_names_its_source(no_data):
    with pytest.raises(DatasetNotFoundError, match=r"evouna-TQ.json was not found; .*QA-Eval"):
        load_evouna()


def test_only_definite_verdicts_of_efficientqa_are_read_and_escapes_resolved(tmp_path):
    line = {
        "question": "first song of the band",
        "answer": ["One", "One"],
        "def_correct_predictions": ['\\"One\\"', "Caf\\\\u00e9"],
        "poss_correct_predictions": ["a song"],
        "def_incorrect_predictions": ["Two"],
    }
    path = tmp_path / "efficientqa.jsonl"
    path.write_text(json.dumps(line) + "\n\n", encoding="utf-8")
    result = load_efficientqa(path=path)
    assert [(row.golds, row.answer, row.verdict) for row in result] == [
        (("One",), '"One"', True),
        (("One",), "Café", True),
        (("One",), "Two", False),
    ]


def efficientqa(folder, *questions):
    """Write a file in the format of EfficientQA: one correct, one possibly correct and one wrong answer each."""
    path = folder / "efficientqa.jsonl"
    records = [
        {
            "question": question,
            "answer": ["gold"],
            "def_correct_predictions": ["good"],
            "poss_correct_predictions": ["fair"],
            "def_incorrect_predictions": ["bad"],
        }
        for question in questions
    ]
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


@pytest.fixture
def two_sas_questions(tmp_path, monkeypatch):
    """NQ-open of the SAS paper with two questions, the first of them in two rows."""
    (tmp_path / "sas").mkdir()
    rows = ("0,who wrote emma,a,b", "1,who wrote emma,a,c", "2,who wrote the café's song,d,e")
    text = "\n".join((",question,answer1,answer2", *rows))
    (tmp_path / "sas" / "nq_open_with_questions.csv").write_text(text, encoding="utf-8")
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path))
    monkeypatch.setattr(system_answers, "NQ_OPEN_SAS_QUESTIONS", 2)
    return tmp_path


@pytest.mark.parametrize(
    ("question", "contained"),
    [
        pytest.param("who wrote emma", True, id="the same"),
        pytest.param(" Who  wrote\tEMMA ?", True, id="case, spaces and a question mark"),
        pytest.param("who wrote 'Emma'", True, id="punctuation"),
        pytest.param("who wrote the cafe\u0301s song", True, id="an accent as a character of its own"),
        pytest.param("who wrote the cafes song", False, id="no accent"),
        pytest.param("who wrote emma 2", False, id="one more word"),
        pytest.param("", False, id="no question"),
    ],
)
def test_a_question_of_nq_open_sas_is_found_in_any_spelling(two_sas_questions, question, contained):
    assert in_nq_open_sas([question, "who wrote emma"]) == [contained, True]


def test_efficientqa_is_split_by_nq_open_sas(two_sas_questions):
    path = efficientqa(two_sas_questions, "Who wrote Emma?", "who wrote dracula", "who wrote the café's song")
    inside, outside = (
        {answer.question for answer in load_efficientqa(nq_open_sas=flag, path=path)} for flag in (True, False)
    )
    assert inside == {"Who wrote Emma?", "who wrote the café's song"}
    assert outside == {"who wrote dracula"}


def test_a_file_that_misses_questions_of_nq_open_sas_is_refused(two_sas_questions):
    with pytest.raises(ValueError, match=r"contains 1 of the questions of sas/nq_open_with_questions.csv, but it must"):
        load_efficientqa(nq_open_sas=False, path=efficientqa(two_sas_questions, "who wrote emma", "x"))


def test_another_number_of_sas_questions_is_refused(two_sas_questions, monkeypatch):
    monkeypatch.setattr(system_answers, "NQ_OPEN_SAS_QUESTIONS", 863)
    with pytest.raises(ValueError, match="has 2 different questions, but the file of the paper has 863"):
        in_nq_open_sas(["x"])


def test_a_missing_sas_file_is_an_error_that_names_the_remedy(no_data):
    with pytest.raises(DatasetNotFoundError, match=r"the data set 'nq-open' was not found; .*answersim data fetch"):
        in_nq_open_sas(["x"])


def test_a_question_of_diver_qa_that_evouna_has_is_in_the_part_it_has_there(tmp_path):
    questions = {part_of(f"Who wrote {name}?"): f"Who wrote {name}?" for name in ("Emma", "Dracula")}
    path = written(tmp_path, *(record(question=question) for question in questions.values()))
    asked = [f"who wrote {name}" for name in ("Emma", "Dracula")]
    rows = [f'{question},"a, b",squad,It is a.,m,{i}' for i, question in enumerate([*asked, "Why?", *asked])]
    diver = tmp_path / "diver.csv"
    diver.write_text("\n".join(["questions,answers,dataset,prediction,model,eval", *rows]), encoding="utf-8")
    result = load_diver(path=diver, evouna_path=path)
    assert [row.question for row in result] == [asked[0]] * 2 + [asked[1]] * 2 + ["Why?"]
    assert {row.question: row.part for row in result} == dict(zip(asked, questions, strict=True)) | {
        "Why?": part_of("Why?")
    }
    assert [(row.golds, row.verdict) for row in result[:2]] == [(("a, b",), False), (("a, b",), False)]
    assert load_diver("test", path=diver, evouna_path=path) == [row for row in result if row.part == "test"]


@pytest.mark.data
class TestTheFilesAsPublished:
    """The counts that the files are known by."""

    @pytest.fixture(autouse=True)
    def _home(self, data_home):
        if not (data_home / "judged").is_dir():
            pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")

    def test_evouna_has_9690_answers_to_1938_questions_by_five_systems(self):
        result = load_evouna()
        assert (len(result), len({row.question for row in result})) == (9690, 1938)
        assert {row.system for row in result} == {"fid", "gpt35", "chatgpt", "gpt4", "newbing"}
        assert sum(row.verdict for row in result) == 8221

    def test_its_parts_have_1361_293_and_284_questions(self):
        sizes = {part: len({entry.question for entry in load_evouna(part)}) for part in ("train", "dev", "test")}
        assert sizes == {"train": 1361, "dev": 293, "test": 284}

    def test_diver_qa_has_1500_answers_and_shares_9_questions_with_evouna_in_the_same_part(self):
        result = load_diver()
        assert (len(result), sum(row.verdict for row in result)) == (1500, 1099)
        known = {entry.question.casefold(): entry.part for entry in load_evouna()}
        shared = {row.question: row.part for row in result if row.question.casefold() in known}
        assert len(shared) == 9
        assert all(known[question.casefold()] == part for question, part in shared.items())

    def test_efficientqa_has_753_right_and_4149_wrong_answers(self):
        result = load_efficientqa()
        assert (len(result), sum(row.verdict for row in result)) == (4902, 753)
        assert not any("\\u" in row.answer for row in result)

    def test_863_of_the_1769_questions_of_efficientqa_are_in_nq_open_sas(self):
        whole, inside, outside = (load_efficientqa(certain=False, nq_open_sas=flag) for flag in (None, True, False))
        count = Counter((answer.verdict, answer.certain) for answer in inside)
        assert count == {(True, True): 411, (True, False): 555, (False, True): 2449}
        count = Counter((answer.verdict, answer.certain) for answer in outside)
        assert count == {(True, True): 342, (True, False): 429, (False, True): 1700}
        assert sorted(inside + outside) == sorted(whole)
        lines = system_answers.locate(system_answers.EFFICIENTQA).read_text(encoding="utf-8").splitlines()
        flags = in_nq_open_sas(json.loads(line)["question"] for line in lines)
        assert (len(flags), sum(flags)) == (1769, 863)
