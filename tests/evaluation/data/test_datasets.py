"""The data sets: rows, labels, groups, and what is no data set."""

import json
import sys
from collections import Counter

import numpy as np
import pytest

from answersim._base.errors import MissingExtraError
from answersim.evaluation.data import DatasetNotFoundError, about, load, names, present
from answersim.evaluation.data.datasets import RECORDED, TABLE_1
from answersim.evaluation.data.labeled import LabeledPairs, read_csv, read_pairs
from answersim.types import Pair
from benchmarks import system_answers
from benchmarks.system_answers import (
    SystemAnswer,
    golds_of,
    in_nq_open_sas,
    load_diver,
    load_efficientqa,
    load_evouna,
    part_of,
)
from tests.cases import cases_of, every

HEAD = ",answer1,answer2,label,berttrained,f1,sas,bertvanilla,bi_encoder,bleu,rouge_L,meteor"
HEAD += ",new_berttrained,new_bi_encoder"


def recorded_table(rows):
    """A table of scores as the paper recorded it, of (answer1, answer2, label, f1)."""
    lines = [f"{i},{a},{b},{label},0,{f1},0,0,0,0,0,0,0,0" for i, (a, b, label, f1) in enumerate(rows)]
    return "\n".join([HEAD, *lines]) + "\n"


def test_the_names_are_listed():
    assert names() == ("squad", "germanquad", "nq-open", "evouna", "probe", "probe-de")


def test_every_set_has_a_line_of_its_own():
    lines = [about(name) for name in names()]
    assert len(set(lines)) == len(lines)
    assert not any("\n" in line for line in lines)
    with pytest.raises(LookupError, match="did you mean 'probe'"):
        about("prob")


def test_an_unknown_set_or_cleaning_is_an_error_with_the_nearest_name(no_data):
    with pytest.raises(LookupError, match="no data set is called 'sqaud'; did you mean 'squad'"):
        load("sqaud")
    with pytest.raises(LookupError, match="no cleaning is called 'papers'; did you mean 'paper'"):
        load("squad", cleaning="papers")


@every(("name", "lang", "message"), cases_of(__file__)["a_language_that_a_set_does_not_have_is_an_error"])
def test_a_language_that_a_set_does_not_have_is_an_error(name, lang, message):
    with pytest.raises(ValueError, match=message):
        load(name, lang=lang)


@pytest.mark.parametrize("name", ["squad", "germanquad", "nq-open"])
def test_the_error_for_a_missing_set_has_the_places_and_the_remedy(no_data, monkeypatch, tmp_path, name):
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    assert not present(name)
    with pytest.raises(DatasetNotFoundError) as error:
        load(name)
    for word in (repr(name), "$ANSWERSIM_DATA (not set)", str(tmp_path / "cache"), "answersim data fetch"):
        assert word in str(error.value)


def test_a_folder_that_lacks_the_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path / "mine"))
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(DatasetNotFoundError) as error:
        load("squad")
    assert str(tmp_path / "mine" / "sas") in str(error.value)
    assert str(tmp_path / "cache" / "data" / "sas") in str(error.value)


def test_a_file_of_another_size_or_label_is_an_error_that_names_both(monkeypatch, tmp_path):
    folder = tmp_path / "sas" / "recorded"
    folder.mkdir(parents=True)
    (folder / "squad_table_results_1.csv").write_text(recorded_table([("a", "b", "0.0", "0.0")]))
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"its rows are 1, but should be 942; run 'answersim data fetch'"):
        load("squad")
    rows = [(f"a{i}", f"b{i}", "0.0", "0.0") for i in range(942)]
    (folder / "squad_table_results_1.csv").write_text(recorded_table(rows))
    assert len(load("squad", cleaning="recorded")) == 942
    with pytest.raises(ValueError, match=r"sizes are Sizes\(size=942, .* should be Sizes\(size=939,"):
        load("squad")


@pytest.mark.parametrize(("name", "lang"), [("probe", "en"), ("probe-de", "de")])
def test_the_probe_is_shipped(no_data, name, lang):
    data = load(name)
    assert (data.name, data.lang) == (name, lang)
    assert data.questions is not None
    assert data.categories is not None
    assert set(data.labels) == {0, 1, 2}
    assert len(data) >= {"en": 400, "de": 150}[lang]
    assert load("probe", lang=lang).pairs == data.pairs


@pytest.mark.data
class TestThePapersSets:
    """What the files of the paper give; the numbers in words stand in section 3 and Table 1."""

    @pytest.fixture(autouse=True)
    def _home(self, data_home):
        """Skips where the sets are absent."""

    @pytest.mark.parametrize(
        ("name", "paper", "recorded", "released"),
        [("squad", 939, 942, 942), ("germanquad", 421, 425, 425), ("nq-open", 3559, 3559, 3658)],
    )
    def test_each_cleaning_gives_the_rows_that_it_promises(self, name, paper, recorded, released):
        assert len(load(name)) == paper
        assert len(load(name, cleaning="recorded")) == recorded
        assert len(load(name, cleaning="none")) == released

    @pytest.mark.parametrize("name", TABLE_1)
    def test_the_cleaned_pairs_are_distinct_and_labeled(self, name):
        data = load(name)
        assert len(set(data.pairs)) == len(data)
        assert set(data.labels) == {0, 1, 2}
        assert data.lang == ("de" if name == "germanquad" else "en")
        assert set(data.recorded) == set(RECORDED)

    def test_two_of_the_423_german_pairs_have_no_label(self):
        everything = load("germanquad", cleaning="recorded")
        bare = everything.where(np.isnan(everything.labels))
        assert len(bare) == 3
        assert bare.pairs.count(Pair("", "")) == 2  # one of them a repetition
        assert TABLE_1["germanquad"].size - len(load("germanquad")) == 2

    @pytest.mark.parametrize(("name", "mean"), [("squad", 23), ("germanquad", 68), ("nq-open", 13)])
    def test_the_mean_answer_is_as_long_as_in_table_1(self, name, mean):
        assert round(np.mean([len(answer) for pair in load(name).pairs for answer in pair])) == mean

    def test_answers_that_look_like_gaps_are_answers(self):
        data = load("nq-open", cleaning="none")
        assert sum(pair.gold == "None" for pair in data.pairs) == 9

    def test_each_pair_of_nq_open_has_its_question_and_99_have_a_category(self):
        data = load("nq-open")
        assert all(data.questions)
        assert sum(map(bool, data.categories)) == 99
        assert set(data.labels[np.array(data.categories) != ""]) == {2}

    def test_40_labels_were_raised_from_0(self):
        released, cleaned = load("nq-open", cleaning="none"), load("nq-open")
        before = {}
        for pair, label in zip(released.pairs, released.labels, strict=True):
            before.setdefault(pair, set()).add(label)
        same_text = [
            (before[pair], label)
            for pair, label in zip(cleaned.pairs, cleaned.labels, strict=True)
            if pair in before and label not in before[pair]
        ]
        assert len(same_text) == 29  # the text of the other eleven was repaired as well
        assert all(was == {0} and now > 0 for was, now in same_text)
        assert sum(pair not in before for pair in cleaned.pairs) == 277

    def test_the_released_rows_have_a_question_where_one_can_be_found(self):
        data = load("nq-open", cleaning="none")
        assert sum(not question for question in data.questions) == 5
        assert sum(map(bool, data.categories)) == 147
        assert data.recorded == {}

    @pytest.mark.parametrize("name", ["squad", "germanquad"])
    def test_the_recorded_scores_stand_beside_the_released_rows(self, name):
        released, recorded = load(name, cleaning="none"), load(name, cleaning="recorded")
        assert released.pairs == recorded.pairs
        np.testing.assert_array_equal(released.labels, recorded.labels)
        np.testing.assert_array_equal(released.recorded["sas"], recorded.recorded["sas"])

    def test_the_cache_serves_as_well_as_the_variable(self, data_home, monkeypatch, tmp_path):
        (tmp_path / "data").symlink_to(data_home.resolve(), target_is_directory=True)
        monkeypatch.delenv("ANSWERSIM_DATA")
        monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path))
        assert present("squad")
        assert len(load("squad")) == 939


@pytest.fixture
def three():
    return LabeledPairs(
        name="three",
        lang="en",
        pairs=(Pair("a", "b"), Pair("c", "c"), Pair("d", "")),
        labels=[0, 2, np.nan],
        questions=("q1", "q2", "q3"),
        categories=("x", "y", "x"),
        recorded={"f1": [0, 1, 0.5]},
    )


def written(folder, text, encoding="utf-8"):
    path = folder / "pairs.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_where_keeps_what_belongs_to_a_pair_together(three):
    some = three.where(np.array([True, False, True]))
    assert (some.name, some.lang, len(some)) == ("three", "en", 2)
    assert some.pairs == (Pair("a", "b"), Pair("d", ""))
    assert some.questions == ("q1", "q3")
    assert some.categories == ("x", "x")
    np.testing.assert_array_equal(some.labels, [0, np.nan])
    np.testing.assert_array_equal(some.recorded["f1"], [0, 0.5])


@pytest.mark.parametrize("mask", [[True, False], [1, 0, 1], [[True, False, True]]])
def test_a_mask_is_one_boolean_a_pair(three, mask):
    with pytest.raises(ValueError, match="a mask for 3 pairs is 3 booleans"):
        three.where(mask)


@every(
    ("field", "value"),
    [("labels", [0.0]), ("questions", ("q",)), ("categories", ("c", "c", "c")), ("recorded", {"f1": [1.0, 2.0, 3.0]})],
)
def test_each_pair_has_one_of_everything(field, value):
    whole = {"name": "two", "lang": "en", "pairs": (Pair("a", "b"),) * 2, "labels": [0, 1]}
    with pytest.raises(ValueError, match="two has 2 pairs but"):
        LabeledPairs(**(whole | {field: value}))


def test_nothing_in_it_can_be_written_into(three):
    with pytest.raises(ValueError, match="read-only"):
        three.labels[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        three.recorded["f1"][0] = 1
    with pytest.raises(TypeError):
        three.recorded["em"] = three.labels
    with pytest.raises(AttributeError):
        three.name = "four"


def test_to_pandas_has_a_column_for_everything(three):
    pytest.importorskip("pandas")
    frame = three.to_pandas()
    assert list(frame.columns) == ["question", "category", "gold", "pred", "label", "f1"]
    assert frame["pred"].tolist() == ["b", "c", ""]
    frame.loc[0, "f1"] = 9.0
    assert three.recorded["f1"][0] == 0


def test_to_pandas_without_pandas_names_the_extra(three, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"\[tables\]"):
        three.to_pandas()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("gold,label\na,1\n", "no column 'pred'; its first line names: gold, label", id="a column short"),
        pytest.param("gold,pred,label\na,b,good\n", "row 1: label is 'good', but it must be a number", id="a word"),
    ],
)
def test_the_error_for_a_wrong_file_names_the_place(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_pairs(written(tmp_path, text))


def test_bytes_of_another_encoding_are_an_error_unless_it_is_named(tmp_path):
    path = written(tmp_path, "gold,pred,label\nMünchen,b,1\n", encoding="mac_roman")
    with pytest.raises(ValueError, match=r"is not UTF-8: byte 0x9f at position 17"):
        read_csv(path)
    assert read_csv(path, encoding="mac_roman")[0]["gold"] == "München"


def record(**changes):
    """A record in the format of EVOUNA's files, with two systems."""
    plain = {
        "question": "Who wrote Emma?",
        "golden_answer": "Jane Austen/Austen",
        "answer_fid": "Austen",
        "judge_fid": True,
        "answer_gpt4": "It was answers_file by Emily Bronte.",
        "judge_gpt4": False,
        "improper": False,
    }
    return plain | changes


def answers_file(folder, *records):
    path = folder / "evouna.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.mark.parametrize(("joined", "golds"), cases_of(__file__)["joined_golds_are_taken_apart"])
def test_joined_golds_are_taken_apart(joined, golds):
    assert golds_of(joined) == tuple(golds)


def test_a_record_gives_an_answer_a_system(tmp_path):
    assert load_evouna(path=answers_file(tmp_path, record())) == [
        SystemAnswer("Who wrote Emma?", ("Jane Austen", "Austen"), "fid", "Austen", True, "train"),
        SystemAnswer(
            "Who wrote Emma?", ("Jane Austen", "Austen"), "gpt4", "It was answers_file by Emily Bronte.", False, "train"
        ),
    ]


def test_the_parts_are_disjoint_and_together_all(tmp_path):
    path = answers_file(tmp_path, *(record(question=f"question {i}?") for i in range(60)))
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
        load_evouna(path=answers_file(tmp_path, record(), record(**changes)))


def test_a_file_that_is_no_list_is_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    with pytest.raises(ValueError, match="contains a JSON dict, but a file of EVOUNA is a list"):
        load_evouna(path=path)


def test_an_unknown_part_is_an_error_before_the_file_is_read(tmp_path):
    with pytest.raises(LookupError, match="no part is called 'trian'; did you mean 'train'"):
        load_evouna("trian", path=tmp_path / "absent.json")


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
    ("question", "contained"), cases_of(__file__)["a_question_of_nq_open_sas_is_found_in_any_spelling"]
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


def test_a_missing_file_is_an_error_that_names_its_source_or_the_remedy(no_data):
    with pytest.raises(DatasetNotFoundError, match=r"evouna-TQ.json was not found; .*QA-Eval"):
        load_evouna()
    with pytest.raises(DatasetNotFoundError, match=r"the data set 'nq-open' was not found; .*answersim data fetch"):
        in_nq_open_sas(["x"])


def test_a_question_of_diver_qa_that_evouna_has_is_in_the_part_it_has_there(tmp_path):
    questions = {part_of(f"Who wrote {name}?"): f"Who wrote {name}?" for name in ("Emma", "Dracula")}
    path = answers_file(tmp_path, *(record(question=question) for question in questions.values()))
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
