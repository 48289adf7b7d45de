from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from rankers.modules import glove, words
from rankers.modules.vocabulary import Words
from rankers.modules.words import InputConfig
from rankers.systems.fit import fit

pytest.importorskip("torch")

# The format of glove.840B.300d.txt, with two numbers per word: case matters there, and a token may contain spaces.
LINES = "The 9 9\nthe 0.5 -1.0\n. . . 0.1 0.2\nKettle 2 3\nkettle 0.25 4e-1\nBoat 1 1\nBOAT 7 7\n, 0 0.5\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "vectors" / "glove.2d.txt"
    path.parent.mkdir()
    path.write_text(LINES, encoding="utf-8")
    return path


def test_words_have_the_vectors_of_the_file(file: Path) -> None:
    vocabulary = Words(["the", "kettle", "boat", "unheard", ","])
    table = glove.table(vocabulary, file, 2, seed=1).numpy()
    assert table.shape == (7, 2)
    assert table[0].tolist() == [0, 0]  # padding
    np.testing.assert_allclose(table[[2, 3, 4, 6]], [[0.5, -1], [0.25, 0.4], [1, 1], [0, 0.5]])
    assert table[5].any()  # a word that the file does not have
    assert table[1].any()  # the unknown word
    assert (glove.table(vocabulary, file, 2, seed=1).numpy() == table).all()
    assert (glove.table(vocabulary, file, 2, seed=2).numpy() != table)[[1, 5]].all()


def test_a_header_is_not_a_word(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("2 3\nthe 1 2 3\nboat 4 5 6\n")
    assert glove.table(Words(["boat", "the"]), tmp_path / "a.txt", 3)[2:].tolist() == [[4, 5, 6], [1, 2, 3]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("the 1\n", "line 1: 1 numbers, but a vector has 2"),
        ("boat 1 2\nthe 1 x\n", "line 2: '1 x' are not 2 numbers"),
        ("the 1 nan\n", "line 1: a number is not finite"),
        ("a 1 2\n", "has none of the 1 words"),
        ("the a 1 2\nthe 1 2 3\n", "has none of the 1 words"),
    ],
)
def test_wrong_input_is_an_error_with_its_line(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(ValueError, match=r"a\.txt") as found:
        glove.table(Words(["the"]), tmp_path / "a.txt", 2)
    assert says in str(found.value)


def test_a_file_is_found_by_its_name_in_the_data_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_DATA", str(file.parents[1]))
    assert glove.path("glove.2d.txt") == file
    assert glove.path(str(file)) == file
    with pytest.raises(FileNotFoundError, match=r"glove\.none\.txt.*nlp\.stanford\.edu.*\$ANSWERSIM_DATA/vectors"):
        glove.path("glove.none.txt")


def test_a_network_is_trained_on_the_vectors_and_loaded_without_the_file(
    asked: Any, file: Path, tmp_path: Path
) -> None:
    questions = asked(6)
    overrides = {"inputs.source": "glove", "inputs.glove": str(file), "inputs.size": 2, "epochs": 1}
    ranker = fit(
        "match-pyramid", questions, questions, folder=tmp_path / "f", preset="smoke", overrides=overrides, device="cpu"
    )
    file.unlink()
    loaded = rankers.load(tmp_path / "f" / "match-pyramid" / "model")
    assert loaded.signature == ranker.signature


@pytest.mark.parametrize("settings", [{"source": "glove"}, {"glove": "glove.6B.300d.txt"}])
def test_source_and_file_go_together(settings: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="the source 'glove' needs the name of a file"):
        InputConfig(**settings)
    assert "glove" in words.SOURCES
