from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import load

TREC = "7 Q0 p1 1 9.5 bm25\n7 Q0 p3 3 7.5 bm25\n7 Q0 p2 2 8.5 bm25\n8 Q0 p1 1 3.0 bm25\n9 Q0 p1 1 3.0 bm25\n"
MSMARCO = "7\tp1\t1\n7\tp3\t3\n7\tp2\t2\n8\tp1\t1\n9\tp1\t1\n"
QRELS = "7 0 p2 3\n7 0 p9 2\n7 0 p8 1\n7 0 p1 0\n8 0 p1 1\n"


@pytest.fixture(params=[TREC, MSMARCO], ids=["trec", "msmarco"])
def home(put: Callable[[str, str], Path], request: pytest.FixtureRequest) -> Path:
    put("trecdl19/queries.tsv", "7\twho?\n8\twhen?\n9\tnever judged\n")
    put("trecdl19/passages.tsv", "".join(f"p{i}\tpassage {i}\tand more\n" for i in (1, 2, 3, 9)))
    put("trecdl19/run.bm25.txt", request.param)
    return put("trecdl19/qrels.with_text.txt", QRELS)


def test_the_pool_is_the_run_and_what_is_not_judged_is_not_relevant(home: Path) -> None:
    questions = load("trecdl19", "test", home=home, check=False)
    assert [(q.id, q.text, {c.id: c.grade for c in q.candidates}) for q in questions] == [
        ("7", "who?", {"p1": 0, "p2": 3, "p3": 0}),
        ("8", "when?", {"p1": 1}),
    ]
    assert (questions.relevant, questions.pool) == (2, "bm25@100")
    assert questions.items[1].candidates[0].text == "passage 1\tand more"


def test_the_first_of_the_run_by_rank_are_the_pool(home: Path) -> None:
    questions = load("trecdl19", "test", home=home, check=False, depth=2)
    assert {c.id for c in questions.items[0].candidates} == {"p1", "p2"}


def test_judgments_beyond_the_pool_are_kept(home: Path) -> None:
    questions = load("trecdl19", "test", home=home, check=False, depth=1)
    assert questions.judged == {"7": {"p2": 3, "p9": 2, "p8": 1}, "8": {}}
    assert questions.items[0].golds == ("passage 2\tand more", "passage 9\tand more")
    assert questions.notes[0] == "the pools hold 0 of 2 relevant passages (recall@1 0.000)"


def test_a_limit_keeps_the_same_questions_whatever_the_seed(home: Path) -> None:
    kept = [[q.id for q in load("trecdl19", "test", home=home, check=False, limit=1, seed=s)] for s in (0, 1)]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 1


def test_the_published_counts_are_checked(home: Path) -> None:
    with pytest.raises(ValueError, match=r"contains 2 judged questions, but trecdl19 \(test\) has 43"):
        load("trecdl19", "test", home=home)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("run.bm25.txt", "7 p1\n", "line 1: 2 cells, but a run has six"),
        ("run.bm25.txt", "7 Q0 p7 1 1 x\n", "names 'p7', but .*passages.tsv has no text"),
        ("queries.tsv", "1\tx\n", "names '7', but .*queries.tsv has no text"),
        ("qrels.with_text.txt", "7 0 p1\n", "line 1: 3 cells, but each line has 4"),
    ],
)
def test_files_that_do_not_fit_are_named(
    put: Callable[[str, str], Path], home: Path, name: str, text: str, complaint: str
) -> None:
    put(f"trecdl19/{name}", text)
    with pytest.raises(ValueError, match=complaint):
        load("trecdl19", "test", home=home, check=False)


def test_ms_marco_counts_grade_one_as_relevant(put: Callable[[str, str], Path]) -> None:
    put("msmarco/queries.dev.small.tsv", "7\twho?\n")
    put("msmarco/collection.tsv", "p1\ta\np2\tb\n")
    put("msmarco/run.dev.small.tsv", "7\tp2\t1\n7\tp1\t2\n")
    home = put("msmarco/qrels.dev.small.tsv", "7\t0\tp1\t1\n")
    questions = load("msmarco", "dev", home=home, check=False)
    assert questions.relevant == 1
    assert {c.id: c.grade for c in questions.items[0].candidates} == {"p1": 1, "p2": 0}


@pytest.mark.data
def test_pool_and_judgments_beyond_it_are_all_that_ndcg_needs(data_home: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    questions = load("trecdl19", "test", home=data_home)
    qrels = {q.id: {c.id: c.grade for c in q.candidates} | dict(questions.judged[q.id]) for q in questions}
    folder = data_home / "ranking/trecdl19"
    run = list(ir_measures.read_trec_run(str(folder / "run.bm25.txt")))
    given = list(ir_measures.read_trec_qrels(str(folder / "qrels.with_text.txt")))
    measure = ir_measures.nDCG @ 10
    result, expected = (ir_measures.calc_aggregate([measure], each, run)[measure] for each in (qrels, given))
    # Anserini's .5058 needs all 9,260 judgments; here are the 3,983 of passages that have text.
    assert result == expected == pytest.approx(0.50927, abs=5e-6)


def test_the_complete_judgments_are_read_too(put: Callable[[str, str], Path], home: Path) -> None:
    put("trecdl19/qrels.dl19-passage.txt", QRELS + "8 0 p77 3\n")
    questions = load("trecdl19-complete", "test", home=home, check=False)
    assert questions.judged["8"] == {"p77": 3}
    assert (questions.corpus, questions.relevant) == ("trecdl19-complete", 2)
