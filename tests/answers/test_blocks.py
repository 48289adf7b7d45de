"""Blocks of answers: all of them together are the whole table."""

import answersim.io.files
from answersim.answers.blocks import Columns
from answersim.answers.reader import Answers
from tests.answers.tables import lines, read


def test_a_file_in_pieces_gives_the_answers_of_the_whole_table(tmp_path, monkeypatch):
    monkeypatch.setattr("answersim.io.chunks.ROWS", 3)
    rows = [{"id": i, "gold": f"g{i}", "out": {"text": f"a{i}"}, "label": i % 2} for i in range(8)]
    path = lines(tmp_path / "a.jsonl", rows)
    columns = Columns(preds=("out.text",), id="id", others=("label",), own=("label", "s"), optional=("length",))
    blocks = Answers(path, columns)
    assert [len(block.ids) for block in blocks] == [3, 3, 2]
    assert (blocks.name, blocks.systems, blocks.rows) == ("a", ("a",), 8)
    answers = read(path, columns)
    whole = read(answersim.io.files.read(path), columns)
    assert list(whole.predictions) == ["out.text"]  # no file
    assert answers == whole._replace(
        name="a", predictions={"a": whole.predictions["out.text"]}, own={"a": whole.own["out.text"]}
    )
    assert answers.predictions == {"a": [f"a{i}" for i in range(8)]}
    assert answers.own == {"a": {"label": [i % 2 for i in range(8)]}}
