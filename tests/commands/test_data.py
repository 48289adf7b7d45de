"""`answersim data`: the sets of the paper are listed and fetched."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import refused, succeed


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small server in place of the paper's repository, with one file of one set; its folder."""
    from answersim.evaluation.data import fetch

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    folder = tmp_path / "server"
    folder.mkdir()
    (folder / "squad.csv").write_text("answer1,answer2,label\n")
    pinned = fetch.File("sas/squad.csv", "squad.csv", sha256((folder / "squad.csv").read_bytes()).hexdigest())
    monkeypatch.setattr(fetch, "FILES", {"squad": (pinned,)})
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(fetch, "fetch", partial(fetch.fetch, base_url=url))
        yield folder
        server.shutdown()


def test_data_fetch_brings_the_files_and_says_where_they_lie(source: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache" / "data" / "sas" / "squad.csv"
    assert succeed("data", "fetch") == f"fetched  {place}\n"
    assert place.read_bytes() == (source / "squad.csv").read_bytes()
    assert succeed("data", "fetch", "squad") == f"was here  {place}\n"


def test_data_fetch_of_other_bytes_or_names_is_one_line(source: Path, tmp_path: Path) -> None:
    (source / "squad.csv").write_text("changed")
    assert "is pinned for sas/squad.csv" in refused("data", "fetch", "squad")
    (source / "squad.csv").unlink()
    assert "answers 404" in refused("data", "fetch", "squad")
    assert "'squat'; did you mean 'squad'?" in refused("data", "fetch", "squat")
    assert not (tmp_path / "cache" / "data" / "sas" / "squad.csv").exists()


def test_data_list_says_which_sets_are_here(no_data: None) -> None:
    lines = {line.split()[0]: line.split()[1] for line in succeed("data", "list").splitlines()[2:]}
    assert lines["probe"] == "yes"
    assert {lines[name] for name in ("squad", "germanquad", "nq-open")} == {"no"}
