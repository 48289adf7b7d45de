"""Every reader of a corpus: small files in its format, the questions that they give, and files that it refuses."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rankers.data import load, tables
from rankers.evaluation import runs
from rankers.evaluation.evaluate import evaluate
from rankers.types import Questions

Put = Callable[[str, str], Path]
DEV = "wikiqa/dev.tsv"
WIKIQA = {DEV: 'who?\tthe "one" \t1\nwho?\tother\t0\nwhen?\tnow\t1\n'}
RAW = {
    "wikiqa-raw/WikiQA-test.tsv.gz": "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\r\n"
    "Q1\twho?\tD1\tT\tD1-0\tmixed\t1\r\n"
    "Q1\twho?\tD1\tT\tD1-1\tmixed too\t0\r\n"
    "Q2\twho?\tD2\tT\tD2-0\tnone\t0\r\n"
    'Q3\twhen?\tD2\tT\tD2-0\t"all\t1\r\n'
}
SENTENCE = "{}\nNN\tNN\nA\tB\n0\t1\n-\t-"
XML = {
    "trecqa/xml/DEV.xml": f"<QApairs id='1.2'>\n<question>\n{SENTENCE.format('Who	?')}\n</question>\n"
    f"<positive>\n{SENTENCE.format('It	is	Ann	& Co <	2')}\nAnn\t\n3\t\n</positive>\n"
    f"<positive>\n{SENTENCE.format('Ann	!')}\nAnn\t\n1\t\n</positive>\n"
    f"<negative>\n{SENTENCE.format('Bob')}\n</negative>\n</QApairs>\n"
    f"<QApairs id='2'>\n<question>\n{SENTENCE.format('When	?')}\n</question>\n"
    f"<negative>\n{SENTENCE.format('now')}\n</negative>\n</QApairs>\n"
    f"<QApairs id='3'>\n<question>\n{SENTENCE.format('Where	?')}\n</question>\n</QApairs>\n"
}


def judged(*answers: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"doc_id": f"7_{i}", "passage": text, "label": label} for i, (text, label) in enumerate(answers)]


ANTIQUE = {
    "antique/dev.tsv": '"say ""hi""?"\tgood, no\t1\t4\n"say ""hi""?"\t"a\tb\nc"\t0\t2\nhow?\tso\t1\t3\n',
    "antique/test.tsv": "why?\tbecause\t1\t3\nwhy?\twhy not\t0\t1\nwhy?\tdo not ask\t0\t2\n",
    "antique/judged-answers-500q.json": json.dumps(
        {
            'say "hi"?': judged(("x", 4)),  # a dev question, by its text
            "HOW? ": judged(("other", 3)),  # a dev question, in another spelling
            "for what reason?": judged(("because", 3), ("why not", 1), ("new", 2)),  # the test question, by its answers
            "where?": judged(("here", 4), ("there", 1), ("because", 2)),
        }
    ),
}
ANSWERS = {f"A{i}": f"answer {i}" for i in range(20)} | {f"X{i}": f"extra {i}" for i in range(20)}
INSURANCE = {
    "insuranceqa/answers.tsv": "".join(f"{name}\t{text}\n" for name, text in ANSWERS.items()),
    "insuranceqa/mini.train.tsv": "what cost\tX1 A2\t\nwhat much\tX3\t\n"
    + "".join(f"other {i}\tX{i}\t\n" for i in range(10, 20)),
    "insuranceqa/mini.dev.tsv": "what cost\tX1\tA1 A2 A3\n",
}
DL19 = {
    "trecdl19/queries.tsv": "7\twho?\n8\twhen?\n9\tnever judged\n",
    "trecdl19/passages.tsv": "".join(f"p{i}\tpassage {i}\tand more\n" for i in (1, 2, 3, 8, 9)),
    "trecdl19/run.bm25.txt": "7 Q0 p1 1 9.5 bm25\n7 Q0 p3 3 7.5 bm25\n7 Q0 p2 2 8.5 bm25\n8 Q0 p1 1 3.0 bm25\n",
    "trecdl19/qrels.with_text.txt": "7 0 p2 3\n7 0 p9 2\n7 0 p8 1\n7 0 p1 0\n8 0 p1 1\n",
}


def fives(*questions: str) -> str:
    return "".join(f"{q}#answer {i} to {q}#{int(i == 4)}\n" for q in questions for i in range(5))


def content(questions: Questions) -> list[tuple[str, set[tuple[str, int]]]]:
    return [(question.text, {(c.text, c.grade) for c in question.candidates}) for question in questions]


MIXED, NONE, ALL = ("who?", {("mixed", 1), ("mixed too", 0)}), ("who?", {("none", 0)}), ("when?", {('"all', 1)})
ANN = ("Who ?", {("It is Ann & Co < 2", 1), ("Ann !", 1), ("Bob", 0)})
# questions are blocks of lines, even if two share a text
SELQA = {"selqa/dev.tsv": 'who?\t"a\t1\nwho?\tb\t0\nwhen?\tc\t1\nwho?\td\t1\n'}
OF_SELQA = [("who?", {('"a', 1), ("b", 0)}), ("when?", {("c", 1)}), ("who?", {("d", 1)})]
OF_MINI = {("extra 1", 1), ("answer 1", 0), ("answer 2", 0), ("answer 3", 0)}
OF_DL19 = [{(f"passage {i}\tand more", grade) for i, grade in ((1, 0), (2, 3), (3, 0))}, {("passage 1\tand more", 1)}]
# corpus, split, options, files, the questions with their candidates and grades
READ = [
    ("wikiqa", "dev", {}, WIKIQA, [("who?", {('the "one" ', 1), ("other", 0)}), ("when?", {("now", 1)})]),
    ("wikiqa-raw", "test", {}, RAW, [MIXED, NONE, ALL]),
    ("wikiqa-raw", "test", {"version": "no-all-"}, RAW, [MIXED, ALL]),
    ("wikiqa-raw", "test", {"version": "clean"}, RAW, [MIXED]),
    ("selqa", "dev", {}, SELQA, OF_SELQA),
    ("trecqa", "dev", {}, XML, [ANN]),
    ("antique", "dev", {}, ANTIQUE, [('say "hi"?', {("good, no", 4), ("a\tb\nc", 2)}), ("how?", {("so", 3)})]),
    ("antique", "test", {}, ANTIQUE, [("why?", {("because", 3), ("why not", 1), ("do not ask", 2)})]),
    # train leaves out dev and test questions, by their texts and by their answers
    ("antique", "train", {}, ANTIQUE, [("where?", {("here", 4), ("there", 1), ("because", 2)})]),
    ("insuranceqa-mini", "dev", {}, INSURANCE, [("what cost", OF_MINI)]),
    ("trecdl19", "test", {}, DL19, [("who?", OF_DL19[0]), ("when?", OF_DL19[1])]),
    ("trecdl19", "test", {"depth": 1}, DL19, [("who?", {("passage 1\tand more", 0)}), ("when?", OF_DL19[1])]),
]


def written(put: Put, files: Mapping[str, str]) -> Path:
    return [put(name, text) for name, text in files.items()][-1]


@pytest.mark.parametrize(("corpus", "split", "options", "contents", "expected"), READ)
def test_a_file_gives_its_questions(put, corpus, split, options, contents, expected):
    questions = load(corpus, split, home=written(put, contents), check=False, **options)
    assert content(questions) == expected
    assert len({question.id for question in questions}) == len(questions)
    # an id of the file that reveals the place or the source of a text is replaced by a hash
    assert not any(c.id.startswith(("D1-", "7_", "A", "X")) for question in questions for c in question.candidates)


def test_grades_golds_and_notes_are_those_of_the_corpus(put):
    home = written(put, {**RAW, **XML, **ANTIQUE, **INSURANCE, **DL19})
    raw = load("wikiqa-raw", "test", home=home, check=False)
    assert [question.id for question in raw] == ["Q1", "Q2", "Q3"]
    assert "1 questions without a relevant candidate" in raw.notes
    xml = load("trecqa", "dev", home=home, check=False)
    assert (xml.items[0].id, xml.items[0].golds) == ("1.2", ("Ann",))
    assert xml.notes[0] == "1 questions left out for which no sentence was judged"
    antique = load("antique", "test", home=home, check=False)
    assert (antique.relevant, antique.gains, antique.pool) == (3, {1: 0, 2: 1, 3: 2, 4: 3}, "judged")
    assert load("insuranceqa-mini", "dev", home=home, check=False).items[0].golds == ("extra 1",)
    trec = load("trecdl19", "test", home=home, check=False, depth=1)
    assert (trec.relevant, trec.pool, trec.judged) == (2, "bm25@1", {"7": {"p2": 3, "p9": 2, "p8": 1}})
    assert trec.items[0].golds == ("passage 2\tand more", "passage 9\tand more")
    assert trec.notes[0] == "the pools hold 0 of 2 relevant documents (recall@1 0.000)"
    assert {c.id for c in load("trecdl19", "test", home=home, check=False, depth=2).items[0].candidates} == {"p1", "p2"}


def test_negatives_of_insuranceqa_are_right_answers_of_other_training_questions(put):
    home = written(put, INSURANCE)

    def pools(**options):
        return [pool for _, pool in content(load("insuranceqa-mini", "train", home=home, check=False, **options))]

    few = pools(negatives=10)  # of 13 right answers
    assert [(sum(grade for _, grade in pool), len(pool)) for pool in few] == [(2, 12), (1, 11)] + [(1, 11)] * 10
    right = {ANSWERS[name] for name in ("X1", "A2", "X3", *(f"X{i}" for i in range(10, 20)))}
    assert [{text for text, _ in pool} for pool in pools(negatives=500)] == [right] * 12
    assert pools(negatives=5) == pools(negatives=5, seed=0) != pools(negatives=5, seed=1)


JUDGED, RUN, YAHOO = "antique/judged-answers-500q.json", "trecdl19/run.bm25.txt", "yahoocqa-small/test.txt"
# corpus, split, the changed file and its text, what the message says
REFUSED = [
    ("antique", "train", JUDGED, "{", "line 1: not JSON"),
    ("antique", "train", JUDGED, '["a"]', "must be an object"),
    ("antique", "train", JUDGED, '{"w": [{"label": 3}]}', "an answer to 'w': .* has no text"),
    ("antique", "train", JUDGED, '{"where?": [{"passage": "a", "label": "x"}]}', "the label is 'x'"),
    ("antique", "dev", "antique/dev.tsv", "a\tb\n\nc\n", r"dev\.tsv, line 1: 2 cells, but each line has 4"),
    ("antique", "dev", "antique/dev.tsv", 'a\tb\t1\t1\nc\t"d\n', r"dev\.tsv, line 2: a quote is opened here"),
    ("wikiqa", "dev", "wikiqa/dev.tsv", "a\tb\t1\n\nc\n", r"dev\.tsv, line 3: 1 cells, but each line has 3"),
    ("insuranceqa-mini", "dev", "insuranceqa/mini.dev.tsv", "who\tX9\tA77\n", "has the answer 'A77', which is not in"),
    (
        "trecqa",
        "dev",
        "trecqa/xml/DEV.xml",
        "<QApairs id='9'>\n<positive>\na\n</positive>\n</QApairs>\n",
        "'9'> contains 0",
    ),
    ("trecdl19", "test", RUN, "7 p1\n", "line 1: 2 fields"),
    ("trecdl19", "test", RUN, "7 Q0 p7 1 1 x\n", "the document 'p7' of '7' has no text"),
    ("trecdl19", "test", "trecdl19/queries.tsv", "1\tx\n", "the question '7' has no text"),
    ("trecdl19", "test", "trecdl19/qrels.with_text.txt", "7 0 p1\n", "line 1: 3 fields"),
    ("yahoocqa-disjoint", "test", YAHOO, "a#b\n", "line 1: 2 cells, but each line must be question#"),
    ("yahoocqa-disjoint", "test", YAHOO, "a#b#c#0\n", "line 1: 4 cells"),
    ("yahoocqa-disjoint", "test", YAHOO, fives("who") + "who#x#0\nwhen#y#0\n", "line 7: another question, but each"),
    ("yahoocqa-disjoint", "test", YAHOO, fives("who") + "when#y#0\n", "must have 5 lines, but the last one has 1"),
]


@pytest.mark.parametrize(("corpus", "split", "name", "text", "message"), REFUSED)
def test_a_file_that_does_not_fit_is_named(put, corpus, split, name, text, message):
    home = written(put, {**ANTIQUE, **INSURANCE, **DL19, "yahoocqa-small/train.txt": fives("where"), name: text})
    with pytest.raises(ValueError, match=message):
        load(corpus, split, home=home, check=False)


@pytest.mark.parametrize(
    ("corpus", "split", "contents", "complaint"),
    [
        ("trecdl19", "test", DL19, "contains 2 judged questions, but trecdl19 (test) has 43"),
        ("wikiqa", "dev", {DEV: "q\ta\t1\n"}, "contains 1 questions, but wikiqa (dev) has 122"),
        ("wikiqa", "dev", {DEV: "".join(f"q{i}\ta\t1\n" for i in range(122))}, "contains 122 candidates, but wikiqa"),
        (
            "wikiqa",
            "dev",
            {DEV: "".join(f"q{i % 122:03}\ta{i}\t0\n" for i in sorted(range(1126), key=lambda i: i % 122))},
            "contains 0 relevant candidates, but wikiqa (dev) has 136",
        ),
    ],
)
def test_a_file_that_is_not_the_published_one_is_an_error_with_the_difference(put, corpus, split, contents, complaint):
    home = written(put, contents)
    with pytest.raises(ValueError, match="check=False") as caught:
        load(corpus, split, home=home)
    assert str(home / "ranking") in str(caught.value)
    assert complaint in str(caught.value)
    assert len(load(corpus, split, home=home, check=False)) > 0


def test_a_missing_file_is_an_error_with_its_source(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"wikiqa \(dev\) needs the file .*dev\.tsv.*xish9/SCAN"):
        load("wikiqa", "dev", home=tmp_path)


def test_files_are_found_in_the_folder_of_the_environment(put, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_DATA", str(put(DEV, "q\ta\t1\n")))
    assert len(load("wikiqa", "dev", check=False)) == 1


def test_notes_state_what_measures_depend_on(put):
    home = put(DEV, "p\ta\t1\nq\tb\t0\nq\tb\t0\nr\tc\t1\nr\td\t0\n")
    assert load("wikiqa", "dev", home=home, check=False).notes == (
        "1 questions without a relevant candidate",
        "1 questions with relevant candidates only",
        "1 candidates that repeat the text of another of their question (kept)",
    )


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.tsv", b"caf\xe9", "is not UTF-8: it has the byte 0xe9"),
        ("a.tsv.gz", b"plain", "is damaged: .*fetch it again"),
        ("a.tsv.gz", gzip.compress(b"whole", mtime=0)[:-6], "is damaged: .*fetch it again"),
    ],
)
def test_a_damaged_file_is_named_and_a_byte_order_mark_is_none(tmp_path, name, content, complaint):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name} {complaint}"):
        tables.text(tmp_path / name)
    (tmp_path / "b.gz").write_bytes(gzip.compress("\ufeffé".encode()))
    assert tables.text(tmp_path / "b.gz") == "é"


@pytest.mark.data
def test_no_training_question_of_antique_is_a_dev_or_test_question(data_home):
    train, dev, test = (
        {q.text.lower().strip() for q in load("antique", split, home=data_home)} for split in ("train", "dev", "test")
    )
    assert not train & (dev | test)


@pytest.mark.data
def test_pool_and_judgments_beyond_it_are_all_that_ndcg_needs(data_home):
    ir_measures = pytest.importorskip("ir_measures")
    questions, folder = load("trecdl19", "test", home=data_home), data_home / "ranking/trecdl19"
    run, stated, name = (
        runs.read_trec(folder / "run.bm25.txt"),
        str(folder / "qrels.with_text.txt"),
        ir_measures.nDCG @ 10,
    )
    theirs = ir_measures.calc_aggregate([name], list(ir_measures.read_trec_qrels(stated)), run.scores)[name]
    # Anserini's .5058 needs all 9,260 judgments; here are the 3,983 of passages that have text.
    assert evaluate(run, questions, ["nDCG@10"]).mean("nDCG@10") == pytest.approx(theirs, abs=1e-9)
    assert theirs == pytest.approx(0.50927, abs=5e-6)


def stripped(questions: Questions) -> list[tuple[str, list[tuple[str, int]]]]:
    return sorted((q.text.strip(), sorted((c.text.strip(), c.grade) for c in q.candidates)) for q in questions)


@pytest.mark.data
def test_the_versions_of_wikiqa_agree(data_home):
    """So every mean on the 243 questions follows from that on the 237, and the trainings are the same."""
    for split in ("dev", "test"):
        clean = stripped(load("wikiqa", split, home=data_home))
        assert clean == stripped(load("wikiqa-raw", split, home=data_home, version="clean"))
    longer = stripped(load("wikiqa-raw", "test", home=data_home, version="no-all-"))
    more = [pool for text, pool in longer if (text, pool) not in clean]
    assert (len(clean), len(longer), len(more)) == (237, 243, 6)
    assert {grade for pool in more for _, grade in pool} == {1}
