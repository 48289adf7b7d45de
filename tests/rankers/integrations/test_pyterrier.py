"""PyTerrier: the transformer alone, in a pipeline and in an experiment. It needs no Java."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import rankers
from tests.cases import every

pt: Any = pytest.importorskip("pyterrier", reason="needs pyterrier")
pd: Any = pytest.importorskip("pandas")
integration: Any = import_module("rankers.integrations.pyterrier")

TOPICS = [("q1", "where is the kettle"), ("q2", "who wrote the report")]
DOCUMENTS = {
    "q1": {"d1": "the boat is on the lake", "d2": "the kettle is in the kitchen", "d3": "nobody knows"},
    "q2": {"d1": "it rained all day", "d4": "the report was written by Ann, who wrote much"},
}
QRELS = {"q1": {"d2": 1}, "q2": {"d4": 1}}


def frame() -> Any:
    rows = [
        {"qid": qid, "query": query, "docno": docno, "text": text, "score": 9.0 - i, "rank": i, "more": f"{qid}{docno}"}
        for qid, query in TOPICS
        for i, (docno, text) in enumerate(DOCUMENTS[qid].items())
    ]
    return pd.DataFrame(rows)


def test_scores_are_those_of_rank_and_other_columns_stay():
    stated = frame()
    result = integration.Reranker("word-overlap").transform(stated)
    pd.testing.assert_frame_equal(stated, frame())  # the input is not changed
    assert list(result["more"]) == list(stated["more"])
    for qid, query in TOPICS:
        rows = result[result["qid"] == qid].set_index("docno")
        ranked = rankers.rank(query, list(DOCUMENTS[qid].values()), "word-overlap")
        names = list(DOCUMENTS[qid])
        assert {names[entry.index]: entry.score for entry in ranked} == rows["score"].to_dict()
        assert rows["rank"].idxmin() == names[ranked[0].index]
        assert sorted(rows["rank"]) == list(range(len(rows)))


def test_an_empty_frame_stays_empty():
    result = integration.Reranker("word-overlap").transform(frame().iloc[:0])
    assert len(result) == 0
    assert {"qid", "query", "docno", "text", "score", "rank"} <= set(result.columns)


def test_it_is_part_of_pipelines_and_experiments():
    first = pt.Transformer.from_df(frame(), uniform=True)
    topics = pd.DataFrame(TOPICS, columns=["qid", "query"])
    qrels = pd.DataFrame(
        [(qid, docno, label) for qid, labels in QRELS.items() for docno, label in labels.items()],
        columns=["qid", "docno", "label"],
    )
    reranked = first >> integration.Reranker("word-overlap") % 1
    table = pt.Experiment([first, reranked], topics, qrels, ["recip_rank"], names=["first", "reranked"])
    values = dict(zip(table["name"], table["recip_rank"], strict=True))
    assert values == {"first": 0.5, "reranked": 1.0}
    assert not pt.java.started()


@every(
    ("change", "says"),
    [
        (lambda rows: rows.drop(columns=["text"]), "text"),
        (
            lambda rows: rows.assign(text=None),
            "the text of document 'd1' of question 'q1' is None, but it must be a text",
        ),
        (lambda rows: pd.concat([rows, rows.iloc[:1]]), "the document 'd1' is twice under question 'q1'"),
        (lambda rows: rows.assign(query=rows["docno"]), "the question 'q1' has several queries"),
    ],
)
def test_wrong_input_is_an_error_that_names_it(change, says):
    with pytest.raises((ValueError, KeyError), match=says):
        integration.Reranker("word-overlap").transform(change(frame()))


def test_models_are_those_of_rank():
    assert "word-overlap" in repr(integration.Reranker("word-overlap"))
    with pytest.raises(LookupError, match="word-overlop"):
        integration.Reranker("word-overlop")
    with pytest.raises(ValueError, match="device is 'gpu'"):
        integration.Reranker("word-overlap", device="gpu")
