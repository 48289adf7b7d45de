"""Files are fetched, resumed and checked by their sum; what ships: the probe and the minimal pairs."""

import csv
import hashlib
import io
import os
import re
import socket
import threading
from collections import Counter, defaultdict
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from answersim._base.errors import ChecksumError
from answersim._base.io.folders import cache_folder
from answersim.answers.text.tokens import squad_words
from answersim.evaluation.data.fetch import FILES, FetchError, File, fetch
from answersim.evaluation.data.minimal_pairs import FILE as FILE_PROBE
from answersim.evaluation.data.minimal_pairs import minimal_pairs
from answersim.metrics.checkpoints.search import sha256
from tests.cases import cases_of, every

BODY = bytes(range(256)) * 1000  # four pieces of 64 KiB


class Source(ThreadingHTTPServer):
    """A server of files, which can break off after so many bytes."""

    def __init__(self, files):
        self.files = files
        self.cut: int | None = None
        self.seen = []
        super().__init__(("127.0.0.1", 0), Answers)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/some commit".replace(" ", "%20")


class Answers(BaseHTTPRequestHandler):
    server: "Source"

    def do_GET(self):
        self.server.seen.append(self.path)
        body = self.server.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.cut])

    def log_message(self, *_):
        pass


@pytest.fixture
def source(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Source({"/some%20commit/data/a%20b.csv": BODY})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setattr("answersim.evaluation.data.fetch.SOURCE", server.url)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


FILE = File("sas/a.csv", "data/a b.csv", hashlib.sha256(BODY).hexdigest())


@pytest.fixture(autouse=True)
def _a_set(monkeypatch, tmp_path):
    monkeypatch.setitem(FILES, "a", (FILE,))
    monkeypatch.setattr("answersim.evaluation.data.fetch.TIMEOUT", 5)
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path))


def everything(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_file_arrives_once_and_a_wrong_one_is_replaced(source, tmp_path):
    path = tmp_path / "data/sas/a.csv"
    assert fetch("a") == [(path, True)]
    assert path.read_bytes() == BODY
    assert everything(tmp_path) == ["data/sas/a.csv"]
    source.seen.clear()
    assert fetch("a") == [(path, False)]
    assert source.seen == []
    path.write_bytes(b"older")
    fetch("a")
    assert path.read_bytes() == BODY


def test_a_download_that_breaks_off_is_an_error_and_leaves_nothing(source, tmp_path):
    source.cut = 100_000
    with pytest.raises(FetchError, match=r"cannot be read: .*IncompleteRead.*'answersim data fetch' again"):
        fetch("a")
    assert everything(tmp_path) == []


def test_other_bytes_than_the_pinned_ones_never_take_the_place(source, tmp_path):
    source.files = dict.fromkeys(source.files, b"something else")
    result = hashlib.sha256(b"something else").hexdigest()
    with pytest.raises(ChecksumError, match=f"has the SHA-256 {result}, but {FILE.sha256} is pinned for sas/a.csv"):
        fetch("a")
    assert everything(tmp_path) == []


def test_a_file_that_the_source_does_not_have_is_an_error_that_names_it(source, tmp_path, monkeypatch):
    monkeypatch.setitem(FILES, "a", (FILE, File("sas/b.csv", "data/b.csv", FILE.sha256)))
    with pytest.raises(FetchError, match=r"/data/b\.csv answers 404"):
        fetch("a")
    assert everything(tmp_path) == ["data/sas/a.csv"]


@pytest.mark.parametrize(
    ("listens", "timeout", "message"), [(False, 5, "cannot be read: .*Check the network"), (True, 0.2, "timed out")]
)
def test_a_source_that_does_not_answer_is_an_error_with_the_reason(monkeypatch, listens, timeout, message):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if listens:
            silent.listen()
        monkeypatch.setattr("answersim.evaluation.data.fetch.SOURCE", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr("answersim.evaluation.data.fetch.TIMEOUT", timeout)
        with pytest.raises(FetchError, match=message):
            fetch("a")


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(source, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/sas").write_text("a file where the folder should be")
    with pytest.raises(FetchError, match=r"sas.a\.csv cannot be written"):
        fetch("a")


def test_an_unknown_set_is_an_error_before_any_request(source):
    with pytest.raises(LookupError, match="did you mean 'squad'"):
        fetch(["germanquad", "sqad"])
    assert source.seen == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has another folder for caches")
@pytest.mark.parametrize(("environment", "expected"), cases_of(__file__)["the_cache_is_in_the_folder_of_the_platform"])
def test_the_cache_is_in_the_folder_of_the_platform(environment, expected, monkeypatch):
    for name in ("ANSWERSIM_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)


@pytest.mark.data
def test_the_pinned_hashes_are_those_of_the_files(data_home):
    for name in {*FILES} - {"a"}:
        for file in FILES[name]:
            assert sha256(data_home / file.path) == file.sha256, file.path


LANGUAGES = ("en", "de")


class Row(NamedTuple):
    """A row of the probe with its label as a number."""

    id: str
    category: str
    question: str
    gold: str
    pred: str
    label: int


@cache
def table(lang: str) -> list[list[str]]:
    text = (files("answersim.evaluation.data") / "probe" / f"{lang}.csv").read_bytes().decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def rows(lang: str) -> list[Row]:
    return [
        Row(i, category, question, gold, pred, int(label))
        for i, category, question, gold, pred, label in table(lang)[1:]
    ]


def share_a_word(row: Row) -> bool:
    return not set(squad_words(row.gold)).isdisjoint(squad_words(row.pred))


def test_the_readme_counts_what_the_files_hold():
    readme = (files("answersim.evaluation.data") / "probe" / "README.md").read_text("utf-8")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in readme.splitlines() if "|" in line]
    message = {row[0]: [int(n) for n in row[2:]] for row in cells[2:]}

    counts: Counter[tuple[str, str, int]] = Counter()
    for lang in LANGUAGES:
        for row in rows(lang):
            half = "F1 > 0" if share_a_word(row) else "F1 = 0"
            counts.update((lang, name, row.label) for name in (row.category, half, "all"))
    names = {name for _, name, _ in counts}
    held = {name: [counts[lang, name, label] for lang in LANGUAGES for label in (2, 1, 0)] for name in names}

    assert message == held
    assert all(f"`{lang}.csv` ({len(rows(lang))} rows)" in readme for lang in LANGUAGES)


PAIR_LANGUAGES = ("en", "de", "zh", "ja")


@every(
    ("name", "digest"),
    [
        ("en.csv", "746c1436a72a9397919ddd05c914ce1c764142135f85bd9b24b0fa3c272d2242"),
        ("de.csv", "13d64690deaba3d0b2375bec184a549c90f828dfcef169a8711ad50f9ee4d501"),
        (FILE_PROBE, "5d6a2a51a0dc0c4fd108582169242cb50ca3d062cb5d28c8a7aa3562a9e212d8"),
    ],
)
def test_a_file_of_the_probe_is_frozen(name, digest):
    assert sha256(files("answersim.evaluation.data") / "probe" / name) == digest


def test_a_pair_is_made_of_the_two_rows_of_its_family():
    by_family = defaultdict(list)
    with (files("answersim.evaluation.data") / "probe" / FILE_PROBE).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            by_family[row["family"]].append(row)
    for pair in minimal_pairs("de", "dev"):
        same, different = by_family[pair.family]
        assert (same["label"], different["label"]) == ("1", "0")
        assert (pair.gold, pair.same, pair.different) == (same["gold"], same["candidate"], different["candidate"])
        assert (pair.language, pair.part) == ("de", "dev")


@every(("language", "part"), [("fr", None), (None, "train"), ("EN", None), ("en", "")])
def test_an_unknown_language_or_part_is_refused(language, part):
    with pytest.raises(LookupError, match="of the probe"):
        minimal_pairs(language, part)


def test_a_language_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="language"):
        minimal_pairs(1)


def test_the_datasheet_counts_what_the_file_holds():
    text = (files("answersim.evaluation.data") / "probe" / "minimal_pairs.md").read_text("utf-8")
    table = text.partition("| kind | what varies |")[2].partition("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    stated = {cells[0]: [int(n) for n in cells[3:]] for cells in lines}
    counts: Counter[tuple[str, str]] = Counter()
    for pair in minimal_pairs():
        counts.update((name, column) for name in (pair.kind, "all") for column in (pair.language, pair.part))
    names = (*sorted({pair.kind for pair in minimal_pairs()}), "all")
    assert stated == {name: [counts[name, column] for column in (*PAIR_LANGUAGES, "dev", "test")] for name in names}


def test_the_text_of_the_datasheet_has_the_numbers_of_the_file():
    text = (files("answersim.evaluation.data") / "probe" / "minimal_pairs.md").read_text("utf-8")
    n = {language: 2 * len(minimal_pairs(language)) for language in PAIR_LANGUAGES}
    assert f"holds {sum(n.values()):,} rows in {len(minimal_pairs()):,} families" in text
    assert f"English has {n['en']:,} rows, German {n['de']:,}, Chinese {n['zh']} and Japanese {n['ja']}" in text
    questions = sum(bool(pair.question) for pair in minimal_pairs())
    assert re.search(rf"{questions} families\s+have one", text)
