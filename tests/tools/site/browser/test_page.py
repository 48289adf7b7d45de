"""The page in a headless Chromium: its numbers are those of the package, and it reaches no other host."""

from __future__ import annotations

import csv
import io
import json
import random
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import answersim
from tools.site import axe
from tools.site.browser import answers, assemble, chromium, differences, quantized
from tools.site.browser.screenshots import empty_rows, screenshots

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(chromium.executable() is None, reason="no Chromium is installed: apt-get install chromium"),
]
FOLDER = assemble.ROOT / "build" / "browser"
PINS = json.loads((assemble.HERE / "pins.json").read_text(encoding="utf-8"))
ODD = (
    ("What is it?", "naïve café", 'He said "naïve, café"', "naive cafe"),
    ("Zwei?", "Straße|Strasse", "STRASSE", ""),
    ("Values?", "3.5 liters", "3,500 ml", "3.5 gallons"),
    ("Lines?", "a\nb", "a b", "b\ta"),
    ("Chinese?", "北京|北京市", "北京", "上海"),
    ("Date?", "9 November 1989", "November 9, 1989", "1989"),
    ("Nothing but signs?", "?!", "?!", "..."),
    ("Joined?", "e\u0301te\u0301", "été", "👩‍👩‍👧 été"),
    ("Right to left?", "شمال", "شمال\u200f", "<b>شمال</b>"),
    ("Formula?", "=1+1", "<script>alert(1)</script>", "2"),
    ("Long?", "the dogs were running " * 60, "a dog runs " * 40, "running"),
    ("Spaces?", " x ", "x", "  "),
)


# The files that the page offers, by their type. Its policy forbids to read them by their address.
_KEPT = """{ const made = URL.createObjectURL; window.blobs = {};
    URL.createObjectURL = (blob) => { blobs[blob.type] = blob; return made(blob); } }"""


class Site(NamedTuple):
    """The page, its address, and where the browser writes what it requested."""

    page: chromium.Page
    url: str
    netlog: Path


def server(folder: Path, seen: list[str] | None = None) -> ThreadingHTTPServer:
    """Serve a folder on a free port, as ``python -m http.server`` does. Requests are noted in ``seen``."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            if seen is not None:
                seen.append(self.path)

        def end_headers(self) -> None:
            if seen is not None:
                self.send_header("Access-Control-Allow-Origin", "*")  # so that only a policy stands in the way
            super().end_headers()

    running = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=running.serve_forever, daemon=True).start()
    return running


@pytest.fixture(scope="module")
def folder() -> Path:
    """The folder that `make browser` wrote, of this very tree."""
    if not FOLDER.is_dir():
        pytest.skip(f"there is no {FOLDER.relative_to(assemble.ROOT)}: run `make browser`, which downloads 160 MB")
    (wheel,) = (FOLDER / assemble.LIBRARIES).glob("answersim-*.whl")
    with zipfile.ZipFile(wheel) as inside:
        old = [
            name
            for name in inside.namelist()
            if ".dist-info/" not in name and (assemble.ROOT / name).read_bytes() != inside.read(name)
        ]
    old += [name for name in assemble.PAGE if (FOLDER / name).read_bytes() != (assemble.HERE / name).read_bytes()]
    assert not old, f"the page is not of this tree, but older: run `make browser` ({', '.join(old[:5])})"
    return FOLDER


@pytest.fixture(scope="module")
def site(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    running = server(folder)
    netlog = tmp_path_factory.mktemp("chromium") / "requests.json"
    with chromium.opened(netlog) as page:
        page.resize(1280)
        url = f"http://127.0.0.1:{running.server_port}/index.html"
        page.send("Page.addScriptToEvaluateOnNewDocument", source=_KEPT)
        page.open(url)
        yield Site(page, url, netlog)
    running.shutdown()
    running.server_close()
    # After the browser has ended, because it completes the file then.
    assert chromium.requested(netlog, origin=url.removesuffix("/index.html")) == {url.removesuffix("/index.html")}


def filled(page: chromium.Page, table: str, split: str = "", lang: str = "en") -> None:
    """Paste a table, and wait until it is read."""
    page.run(f"""document.querySelector('#columns').hidden = true;
        document.querySelector('#text').value = {json.dumps(table)};
        document.querySelector('#split').value = {json.dumps(split)};
        document.querySelector('#lang').value = {json.dumps(lang)};
        document.querySelector('#text').dispatchEvent(new Event('change'))""")
    page.wait("!document.querySelector('#columns').hidden || !document.querySelector('#error').hidden")
    assert page.run("document.querySelector('#error').textContent") == ""


def scored(page: chromium.Page, metric: str = "recall", metrics: tuple[str, ...] = ()) -> tuple[str, Any]:
    """Score the table and return the CSV and the results that the page offers."""
    page.run(f"""{{ const further = {json.dumps(metrics)};
        document.querySelector('#metric').value = {json.dumps(metric)};
        document.querySelectorAll('#metrics input').forEach((box) => (box.checked = further.includes(box.value)));
        document.querySelector('#status').textContent = '';
        document.querySelector('#form').requestSubmit() }}""")
    page.wait("document.querySelector('#status').textContent === 'Done.' || !document.querySelector('#error').hidden")
    assert page.run("document.querySelector('#error').textContent") == ""
    return page.run("blobs['text/csv'].text()"), json.loads(page.run("blobs['application/json'].text()"))


def of_the_package(table: str, metric: str, metrics: tuple[str, ...], **options: Any) -> dict[str, Any]:
    """Return what the same request gives in this Python."""
    described = json.loads(answers.call("describe", json.dumps({"text": table})))
    request = {"text": table, "split_gold": None, "lang": "en", "metric": metric, "metrics": metrics} | options
    request |= {name: described[name] for name in ("header", "gold", "preds", "question")}
    result: dict[str, Any] = json.loads(answers.call("evaluated", json.dumps(request)))
    assert "error" not in result, result
    return result


def check_equal(found: Any, expected: Any, where: str = "results") -> None:
    """Check that results are equal: answers and counts exactly, statistics up to the order of additions."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for name, value in expected.items():
            check_equal(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            check_equal(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float) and ".answers[" not in where:
        ends = where.endswith((".low", ".high", ".least_difference"))
        assert found == pytest.approx(expected, rel=1e-9 if ends else 1e-12), where
    else:
        assert found == expected, where


def as_csv(rows: Any, delimiter: str = ",") -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_odd_answers_have_the_numbers_of_the_package_to_the_last_digit(site: Site, delimiter: str) -> None:
    table = as_csv([("question", "gold", "pred old", "pred new"), *ODD], delimiter)
    filled(site.page, table, split="|")
    found, results = scored(site.page, "recall", answers.LEXICAL)
    expected = of_the_package(table, "recall", answers.LEXICAL, split_gold="|")
    assert found == expected["csv"]
    assert len(found.splitlines()[0].split(",")) == 4 + 2 * len(answers.LEXICAL)
    check_equal(results, expected["numbers"])
    assert site.page.run("document.querySelectorAll('#results script, #results b script').length") == 0
    assert site.page.errors == []


@pytest.mark.parametrize(
    ("metric", "lang"), [("f1", "en"), ("meteor", "en"), ("rouge-l", "de"), ("typed+recall", "en")]
)
def test_verdicts_and_comparisons_of_many_rows_are_those_of_the_package(site: Site, metric: str, lang: str) -> None:
    rng = random.Random(0)
    words = [f"word{i}" for i in range(300)] + ["running", "runs", "dog", "dogs", "Straße", "12", "twelve"]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(0, 9)))

    def near(answer: str) -> str:
        return " ".join(word if rng.random() < 0.7 else rng.choice(words) for word in answer.split())

    golds = [text() or "x" for _ in range(3000)]
    table = as_csv([("gold", "pred a", "pred b"), *((gold, near(gold), near(near(gold))) for gold in golds)])
    filled(site.page, table, lang=lang)
    found, results = scored(site.page, metric)
    expected = of_the_package(table, metric, (), lang=lang)
    assert found == expected["csv"]
    check_equal(results, expected["numbers"])


def test_the_encoder_gives_the_cosines_of_the_package_but_for_its_8_bits(site: Site) -> None:
    table = as_csv([("question", "gold", "pred old", "pred new"), *ODD])
    filled(site.page, table, split="|")
    found, results = scored(site.page, quantized.NAME, ("f1",))
    rows = list(csv.DictReader(io.StringIO(found, newline="")))
    for system, column in (("pred old", 2), ("pred new", 3)):
        exact = answersim.score([row[1].split("|") for row in ODD], [row[column] for row in ODD], "bi-encoder")
        got = [float(row[f"{quantized.NAME} of {system}"]) for row in rows]
        assert max(abs(one - other) for one, other in zip(got, exact.values.tolist(), strict=True)) < differences.BOUND
        assert got != exact.values.tolist()  # 8 bits, and not the package
        assert len(set(got)) >= 5
    signature = results["evaluation"]["signature"]
    assert signature.startswith(f"bi-encoder|encoder:all-MiniLM-L6-v2@{PINS['encoder']['sha256'][:12]}/int8|")
    assert signature != exact.signature
    assert 0 < results["comparisons"][0]["p"] <= 1
    assert site.page.errors == []


def test_the_encoder_scores_each_text_by_itself(site: Site) -> None:
    pairs = [("Rome", "in Rome"), ("Oslo", "the city of Oslo"), ("Straße", "a street"), ("Rome", "Rome")]
    together = as_csv([("gold", "pred"), *pairs, *((f"word {i}", f"{i} words") for i in range(200))])
    filled(site.page, together)
    many = [row[2] for row in csv.reader(io.StringIO(scored(site.page, quantized.NAME)[0]))][1:5]
    site.page.open(site.url + "?alone")
    filled(site.page, as_csv([("gold", "pred"), *pairs]))
    few = [row[2] for row in csv.reader(io.StringIO(scored(site.page, quantized.NAME)[0]))][1:]
    assert [float(score) for score in many] == pytest.approx([float(score) for score in few], abs=1e-6)
    assert float(few[3]) == 1.0


def test_the_encoder_is_loaded_only_when_it_is_chosen_and_its_progress_is_shown(folder: Path, tmp_path: Path) -> None:
    seen: list[str] = []
    running = server(folder, seen)
    with chromium.opened(tmp_path / "requests.json") as page:
        page.send("Page.addScriptToEvaluateOnNewDocument", source=_KEPT)
        page.open(f"http://127.0.0.1:{running.server_port}/index.html")
        filled(page, "gold,pred\nRome,in Rome\n")
        scored(page, "f1")
        large = {"/lib/minilm.onnx", "/lib/minilm.json", "/lib/ort-wasm-simd-threaded.wasm", "/lib/ort.wasm.min.mjs"}
        assert not large & set(seen)
        page.run("""{ window.said = [];
            new MutationObserver(() => said.push(document.querySelector('#status').textContent)).observe(
            document.querySelector('#status'), { childList: true, characterData: true, subtree: true }) }""")
        scored(page, quantized.NAME)
        assert large <= set(seen)
        said = page.run("said")
    assert any(text.startswith("Loading the encoder (13 of 26 MB)") for text in said), said
    assert any(text.startswith("Encoding: 0 of 2 texts") for text in said), said
    assert all(path.startswith("/") for path in seen)
    running.shutdown()
    running.server_close()


def test_a_table_without_names_is_recognized(site: Site) -> None:
    filled(site.page, "Rome;in Rome\nOslo;Bergen\n")
    assert site.page.run("document.querySelector('#header').checked") is False
    found, _ = scored(site.page, "em")
    assert found.splitlines()[1:] == ["Rome,in Rome,0.0", "Oslo,Bergen,0.0"]


def test_unknown_columns_are_asked_for(site: Site) -> None:
    page = site.page
    page.open(site.url + "?unknown")
    filled(page, "case\tuser_query\texpected_text\tbot\n1\tWho?\tRome\tin Rome\n")
    page.run("document.querySelector('#header').click()")
    page.wait("document.querySelector('#found').textContent.startsWith('1 rows, 4 columns. Choose')")
    assert page.run("[...document.querySelectorAll('#preview select')].map((each) => each.value)") == [""] * 4
    page.run("document.querySelector('#form').requestSubmit()")
    assert "which column has the gold answers" in page.run("document.querySelector('#error').textContent")
    for name, role in (("case", "gold"), ("expected_text", "gold"), ("bot", "pred")):
        page.run(f"""{{ const each = document.querySelector('#preview select[name="{name}"]');
            each.value = {role!r}; each.dispatchEvent(new Event('change')) }}""")
    assert page.run("document.querySelector('#preview select').value") == ""  # only one column has the gold answers
    found, _ = scored(page, "typed+recall")
    assert found.splitlines() == ["case,user_query,expected_text,bot,typed+recall", "1,Who?,Rome,in Rome,1.0"]


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(site: Site, dark: bool) -> None:
    page = site.page
    script = axe.source()
    for width in (390, 1280):
        page.resize(width, dark=dark)
        page.open(site.url + f"?axe{width}{dark}")
        assert axe.serious(page, script) == []
        filled(page, as_csv([("question", "gold", "pred old", "pred new"), *ODD]), split="|")
        scored(page)
        assert axe.serious(page, script) == []
    page.resize(1280, dark=False)


def test_the_report_is_that_of_the_package(site: Site) -> None:
    table = as_csv([("question", "gold", "pred old", "pred new"), *ODD])
    filled(site.page, table, split="|")
    scored(site.page)
    site.page.run("document.querySelector('#report').click()")
    site.page.wait("document.querySelector('#status').textContent === 'The report is ready.'")
    html = site.page.run("blobs['text/html'].text()")
    assert html.startswith("<!doctype html>")
    for sentence in of_the_package(table, "recall", (), split_gold="|")["numbers"]["evaluation"]["summary"]:
        assert sentence in html
    assert html.count("<svg") >= 2


def test_an_error_is_shown_and_the_next_table_is_read(site: Site) -> None:
    site.page.run("""document.querySelector('#text').value = 'gold,pred\\nRome,"in Rome';
        document.querySelector('#text').dispatchEvent(new Event('change'))""")
    site.page.wait("!document.querySelector('#error').hidden")
    message = site.page.run("document.querySelector('#error').textContent")
    assert "line 2" in message
    assert "/tmp" not in message
    filled(site.page, "gold,pred\nRome,Rome\n")


def test_it_is_used_with_the_keyboard_alone(site: Site) -> None:
    page = site.page
    page.open(site.url + "?keyboard")
    reached = []
    for _ in range(5):
        page.press("Tab", 9)
        reached.append(page.run("document.activeElement.id || document.activeElement.className"))
    assert reached == ["skip", "text", "file", "example", "run"]
    page.run("document.querySelector('#example').focus()")
    page.press("Enter", 13, "\r")
    page.wait("!document.querySelector('#columns').hidden")
    while page.run("document.activeElement.id") != "run":
        page.press("Tab", 9)
    page.press("Enter", 13, "\r")
    page.wait("document.querySelector('#status').textContent === 'Done.'")
    assert page.run("document.activeElement.id") == "results-heading"
    assert page.run("document.querySelector('#comparison').hidden") is False


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen_and_every_field_has_a_label(site: Site, width: int) -> None:
    page = site.page
    page.resize(width)
    filled(page, as_csv([("question", "gold", "pred old", "pred new"), *ODD]), split="|")
    scored(page, "recall", answers.LEXICAL)
    assert page.run("document.documentElement.scrollWidth") <= width
    fields = "[...document.querySelectorAll('input, select, textarea')]"
    assert (
        page.run(f"{fields}.filter((field) => !field.labels.length && !field.ariaLabel).map((field) => field.id)") == []
    )
    page.resize(1280)


_LEAK = """(() => {
    const source = `onmessage = ({ data }) =>
        fetch(data).then(() => postMessage("reached"), () => postMessage("refused"))`;
    const leak = (from) => new Promise((done) => {
        from.onmessage = ({ data }) => done(data);
        from.postMessage(URL_ + "?worker");
    });
    const worker = () => new Worker(globalThis.URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    const image = () => new Promise((done) => Object.assign(new Image(), { onload: () => done("reached"),
        onerror: () => done("refused"), src: URL_ + "?image" }));
    const here = () => fetch(URL_).then(() => "reached", () => "refused");
    return Promise.all([here(), leak(worker()), image()]);
})()"""


def test_neither_the_page_nor_its_worker_can_reach_another_host(site: Site, tmp_path: Path) -> None:
    pixel = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
    (tmp_path / "leak.gif").write_bytes(pixel)
    (tmp_path / "free.html").write_text("<!doctype html><title>no policy</title>", encoding="utf-8")
    seen: list[str] = []
    other, free = server(tmp_path, seen), server(tmp_path)
    script = _LEAK.replace("URL_", json.dumps(f"http://127.0.0.1:{other.server_port}/leak.gif"))
    with chromium.opened(tmp_path / "requests.json") as page:  # of its own, as the other one must request nothing else
        page.open(f"http://127.0.0.1:{free.server_port}/free.html")
        assert page.run(script) == ["reached"] * 3  # a page without the policy
        assert len(seen) == 3
        page.open(site.url)
        assert page.run(script) == ["refused"] * 3
        assert len(page.errors) >= 3
    assert len(seen) == 3
    for running in (other, free):
        running.shutdown()
        running.server_close()


def test_the_pictures_of_the_documentation_are_made_by_a_command(folder: Path, tmp_path: Path) -> None:
    pictures = screenshots(folder, tmp_path)
    assert [path.name for path in pictures] == ["browser-1280.png", "browser-390.png", "notebook.png", "report.png"]
    for path, width in zip(pictures, (1280, 390, 820, 1280), strict=True):
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20], "big") == width
        assert int.from_bytes(content[20:24], "big") > 700
        assert empty_rows(path) <= 100
