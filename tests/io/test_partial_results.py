"""The scores of an unfinished file: stored by piece, resumed if the answers are the same."""

from pathlib import Path

import numpy as np
import pytest

from answersim.io.partial_results import Frame, PartialResults, UnfinishedWarning
from tests.cases import every

DIGESTS = [bytes([i]) * 16 for i in range(3)]


def frame(i: int) -> Frame:
    return Frame(DIGESTS[i], np.array([[i / 2, 1.0], [0.25, float(i)]]), {})


def stored(path: Path, *pieces: int, signatures: tuple[str, ...] = ("f1", "em")) -> PartialResults:
    results = PartialResults(path, signatures)
    for i in pieces:
        results.append(frame(i))
    return results


def test_pieces_come_back_in_order_while_their_answers_are_the_same(tmp_path):
    stored(tmp_path / "draft", 0, 1).close()
    results = PartialResults(tmp_path / "draft", ("f1", "em"))
    for i in (0, 1):
        recalled = results.recall(DIGESTS[i])
        np.testing.assert_array_equal(recalled.columns, frame(i).columns)
    assert results.recall(DIGESTS[2]) is None
    assert results.rows == 4
    assert [piece.digest for piece in results.frames()] == DIGESTS[:2]
    with pytest.warns(UnfinishedWarning, match="its 4 scored rows are reused"):
        results.tell()
    results.close()


def test_other_answers_are_not_recalled_and_what_follows_them_is_dropped(tmp_path):
    stored(tmp_path / "draft", 0, 1, 2).close()
    results = PartialResults(tmp_path / "draft", ("f1", "em"))
    assert results.recall(DIGESTS[0]) is not None
    assert results.recall(DIGESTS[2]) is None  # the second piece has other answers
    with pytest.warns(UnfinishedWarning):
        results.append(frame(2))
    results.close()
    resumed = PartialResults(tmp_path / "draft", ("f1", "em"))
    assert resumed.recall(DIGESTS[0]) is not None
    assert resumed.recall(DIGESTS[2]) is not None
    assert resumed.recall(DIGESTS[2]) is None
    resumed.close()


def test_scores_of_other_metrics_are_not_recalled(tmp_path):
    stored(tmp_path / "draft", 0).close()
    results = PartialResults(tmp_path / "draft", ("f1", "recall"))
    assert results.recall(DIGESTS[0]) is None
    results.close()


def test_a_changed_byte_is_noticed(tmp_path):
    stored(tmp_path / "draft", 0, 1).close()
    content = bytearray((tmp_path / "draft").read_bytes())
    content[-20] ^= 1
    (tmp_path / "draft").write_bytes(content)
    results = PartialResults(tmp_path / "draft", ("f1", "em"))
    assert results.recall(DIGESTS[0]) is not None
    assert results.recall(DIGESTS[1]) is None
    results.close()


@every("done", [True, False])
def test_the_file_is_removed_only_when_all_is_done(tmp_path, done):
    results = stored(tmp_path / "draft", 0)
    results.done = done
    results.close()
    assert (tmp_path / "draft").exists() == (not done)


def test_without_a_path_nothing_is_stored():
    results = PartialResults(None, ("f1", "em"))
    results.append(frame(0))
    assert results.recall(DIGESTS[0]) is None
    results.close()
