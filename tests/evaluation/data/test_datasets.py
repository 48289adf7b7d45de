"""The data sets: rows, labels, groups, and what is no data set."""

import builtins
from collections import Counter

import numpy as np
import pytest

from answersim._base.errors import MissingExtraError
from answersim.evaluation.data import DatasetNotFoundError, about, load, names, present
from answersim.evaluation.data.datasets import RECORDED, TABLE_1
from answersim.evaluation.data.labeled import LabeledPairs, read_csv, read_pairs
from answersim.types import Pair
from tests.cases import every

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


def test_an_unknown_set_is_an_error_with_the_nearest_name():
    with pytest.raises(LookupError, match="no data set is called 'sqaud'; did you mean 'squad'"):
        load("sqaud")


def test_an_unknown_cleaning_is_an_error(no_data):
    with pytest.raises(LookupError, match="no cleaning is called 'papers'; did you mean 'paper'"):
        load("squad", cleaning="papers")


@every(
    ("name", "lang", "message"),
    [
        ("squad", "de", "has no answers in 'de'; it has them in en"),
        ("germanquad", "en", "has no answers in 'en'; it has them in de"),
        ("probe", "fr", "has no answers in 'fr'; it has them in en, de"),
        ("probe-de", "en", "has no answers in 'en'; it has them in de"),
    ],
)
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


def test_a_file_of_another_size_is_an_error_that_names_both_sizes(monkeypatch, tmp_path):
    folder = tmp_path / "sas" / "recorded"
    folder.mkdir(parents=True)
    (folder / "squad_table_results_1.csv").write_text(recorded_table([("a", "b", "0.0", "0.0")]))
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"its rows are 1, but should be 942; run 'answersim data fetch'"):
        load("squad")


def test_a_file_with_another_label_is_an_error_that_names_both_shares(monkeypatch, tmp_path):
    folder = tmp_path / "sas" / "recorded"
    folder.mkdir(parents=True)
    rows = [(f"a{i}", f"b{i}", "0.0", "0.0") for i in range(942)]
    (folder / "squad_table_results_1.csv").write_text(recorded_table(rows))
    monkeypatch.setenv("ANSWERSIM_DATA", str(tmp_path))
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

    def test_the_numbers_of_54_unfit_questions_are_missing(self, data_home):
        asked = read_csv(data_home / "sas/nq_open_with_questions.csv")
        annotated = read_csv(data_home / "sas/recorded/nq_open_sas_low_scores_annotated.csv", encoding="mac_roman")
        gone = set(range(3635)) - {int(row[""]) for row in asked}
        unfit = Counter(row["Explanation"].strip() for row in annotated if int(row[""]) in gone)
        assert len(asked) == 3581
        assert unfit == {"Wrong gold label": 34, "Imprecise question": 14, "Multiple correct answers": 6}
        assert len(gone) == 54

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
    original = builtins.__import__

    def refuse(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
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
