"""The pages in a browser: nothing is wider than the screen, and filters, downloads and copies give the right rows."""

import csv
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="needs the extra `report`")

from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.comparison.compare import compare
from answersim.evaluation.doctor import examine
from answersim.evaluation.report.page import write_report
from answersim.evaluation.systems.systems import evaluate
from answersim.stats.intervals.resampling import Bootstrap
from tests.evaluation.report.test_page import EVIL, judged
from tools.site import axe, chromium
from tools.site.chromium import Page

pytestmark = pytest.mark.skipif(
    chromium.executable() is None, reason="needs Chromium (Debian: apt-get install chromium)"
)

N = 120
WAIT = 60.0  # seconds; the machine of a test may be busy
WIDTHS = (1280, 390)
# What is right of the screen: outside of parts that scroll, and in them after scrolling to their end.
OUTSIDE = """(() => {
    for (const part of document.querySelectorAll(".scroll, pre")) part.scrollLeft = 1e6;
    return [...document.querySelectorAll("header *, main *, footer *")]
        .filter((each) => each.getClientRects().length && each.getBoundingClientRect().right > innerWidth + 1)
        .filter((each) => !each.closest("svg svg *, .skip, .browser thead"))
        .map((each) => each.outerHTML.slice(0, 100));
})()"""
HOSTILE = {  # by row: predictions that a page or a spreadsheet could obey
    3: EVIL,
    5: "=1+1",
    7: "+CMD|' /C calc'!A0",
    9: "-2",
    11: "@SUM(A1)",
    13: "\u202eשלום עולם",
    15: "long " * 2000,
    17: "x" * 10_000,
    19: 'quote " and, comma;\nsecond line\ttab',
    21: "  =1+1",
    23: "",
    25: "😀 red stone 25",
    27: "hay " * 200 + "red stone 27 needle" + " hay" * 200,
}


def answers(*systems: str) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {
        "gold": [[f"red stone {i}", f"ruby {i}"] for i in range(N)],
        "question": [f"what is number {i}, in words that make a line?" for i in range(N)],
    }
    for k, system in enumerate(systems):
        table[system] = [f"a red stone {i}" if i % (3 + 3 * k) else "brick" for i in range(N)]
        for at, text in HOSTILE.items():
            table[system][at] = text
    return table


NAMES = ("evaluate", "compare", "correlate", "doctor")
OUTCOMES = {
    "right": ("#0072b2", "✓"),
    "unsure": ("#e69f00", "?"),
    "not-attempted": ("#bbbbbb", "–"),
    "wrong": ("#d55e00", "✗"),
}
LONG = "system-with-a-name-that-is-long-and-has-no-space-at-all-in-it"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    settings: dict[str, Any] = {"question": "question", "progress": False}
    results = {
        "one": evaluate(answers("mine"), "recall", pred=["mine"], keep=ANSWER_VERDICTS, by=["length"], **settings),
        "evaluate": evaluate(answers("old", LONG), "recall", pred=["old", LONG], keep=ANSWER_VERDICTS, **settings),
        "compare": compare(answers("old", LONG), "recall", pred=["old", LONG], **settings),
        "correlate": correlate(judged(), bootstrap=Bootstrap(resamples=20)),
        "doctor": examine(["f1", "recall"], attacked=3, properties=False, progress=False),
    }
    for name, result in results.items():
        write_report(result, folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in results}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Path]]:
    downloads = tmp_path_factory.mktemp("downloads")
    with chromium.opened(downloads=downloads) as page:
        yield page, downloads


def show(tab: Page, page: Path, width: int) -> None:
    tab.resize(width)
    tab.open(page.as_uri())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["one", *NAMES])
def test_no_page_is_wider_than_the_screen_and_nothing_is_requested(name, width, pages, browser):
    tab, _ = browser
    tab.errors.clear()
    tab.requests.clear()
    show(tab, pages[name], width)
    assert tab.run("document.documentElement.scrollWidth") <= width
    if name != "doctor":  # it lists no answers
        assert tab.run("document.querySelectorAll('.browser:not([hidden]) tbody tr').length") > 0
    assert tab.run(OUTSIDE) == []
    assert tab.errors == []
    assert [url for url in tab.requests if not url.startswith("file:")] == []


@pytest.mark.parametrize("name", ["one", *NAMES])
def test_on_a_narrow_screen_every_column_is_a_line_of_its_row(name, pages, browser):
    tab, _ = browser
    show(tab, pages[name], 390)
    cut_off = """[...document.querySelectorAll(".browser tbody td")].filter((each) => {
        const box = each.getBoundingClientRect();
        return box.right > innerWidth || box.left < 0 || box.height === 0;
    }).length"""
    assert tab.run(cut_off) == 0


def download(tab: Page, folder: Path) -> list[dict[str, str]]:
    """Click on the button of the listed rows and return the rows of the file, which is removed."""
    tab.run("document.querySelector('#download').click()")
    end = time.monotonic() + WAIT
    while not (files := [path for path in folder.glob("*.csv") if path.stat().st_size]):
        assert time.monotonic() < end, "nothing was downloaded"
        time.sleep(0.05)
    time.sleep(0.1)
    text = files[0].read_bytes().decode("utf-8")
    files[0].unlink()
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


def choose(tab: Page, control: str, value: str) -> None:
    tab.run(
        f"(() => {{ const each = document.getElementById('{control}'); each.value = {value!r};"
        "each.dispatchEvent(new Event(each.tagName === 'SELECT' ? 'change' : 'input')); })()"
    )


def test_a_download_has_the_filtered_rows(pages, browser):
    tab, folder = browser
    show(tab, pages["one"], 1280)
    every = download(tab, folder)
    assert len(every) == N
    assert list(every[0]) == ["verdict", "p right", "score", "question", "gold", "prediction", "row"]
    predictions = answers("mine")["mine"]
    by_row = {row["row"]: row for row in every}
    for i, text in enumerate(predictions):
        dangerous = text.lstrip().startswith(("=", "+", "-", "@")) and text != "-2"  # a number runs nothing
        assert by_row[str(i + 1)]["prediction"] == ("'" + text if dangerous else text), i
    assert {row["verdict"] for row in every} >= {"right", "wrong"}
    choose(tab, "filter-c0", "0")
    wrong = download(tab, folder)
    assert [row["row"] for row in wrong] == [row["row"] for row in every if row["verdict"] == "wrong"]
    choose(tab, "search", "BRICK")
    time.sleep(0.3)
    bricks = download(tab, folder)
    assert bricks
    assert {row["prediction"] for row in bricks} == {"brick"}
    assert len(bricks) == sum(row["prediction"] == "brick" and row["verdict"] == "wrong" for row in every)
    choose(tab, "search", "no such answer")
    time.sleep(0.3)
    assert download(tab, folder) == []
    assert tab.run("document.querySelector('#status').textContent").startswith("0–0 of 0")


def test_rows_are_sorted_by_a_column(pages, browser):
    tab, folder = browser
    show(tab, pages["one"], 1280)
    tab.run("document.querySelector('#browser th[data-key=c2] button').click()")
    scores = [float(row["score"]) for row in download(tab, folder)]
    assert scores == sorted(scores, reverse=True)
    choose(tab, "order", "c3 up")
    questions = [row["question"] for row in download(tab, folder)]
    assert questions == sorted(questions)


def test_changes_are_downloaded_too_and_the_worst_come_first(pages, browser):
    tab, folder = browser
    show(tab, pages["compare"], 1280)
    rows = download(tab, folder)
    order = ["went wrong", "became right", "lower", "higher"]
    changes = [order.index(row["change"]) for row in rows]
    assert changes == sorted(changes)
    assert changes


def test_the_words_that_were_found_are_marked_by_more_than_color(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 1280)
    choose(tab, "search", "a red stone 26")
    time.sleep(0.3)
    marks = "[...document.querySelectorAll('td[data-name={}] mark.shared')].map((each) => each.textContent)"
    assert "red stone 26" in tab.run(marks.format("prediction"))
    assert "red stone 26" in tab.run(marks.format("gold"))
    assert tab.run("getComputedStyle(document.querySelector('mark.shared')).textDecorationLine") == "underline"


def test_of_a_long_text_the_part_with_the_found_words_is_shown_first_and_all_of_it_by_a_button(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 1280)
    choose(tab, "search", "needle")
    time.sleep(0.3)
    cell = "document.querySelector('td[data-name=prediction] div')"
    assert tab.run(f"{cell}.querySelector('mark').textContent") == "red stone 27"
    assert len(tab.run(f"{cell}.textContent")) < 400
    tab.run(f"{cell}.querySelector('button').click()")
    assert tab.run(f"{cell}.textContent") == HOSTILE[27]


def test_every_outcome_has_the_color_and_the_mark_of_the_figures(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 1280)
    tab.run("document.body.insertAdjacentHTML('beforeend', '<b id=probe></b>')")
    for name, (color, mark) in OUTCOMES.items():
        tab.run(f"document.querySelector('#probe').className = 'tag {name}'")
        look = "getComputedStyle(document.querySelector('#probe')"
        assert tab.run(f"{look}).getPropertyValue('--look')") == color
        assert tab.run(f"{look}, '::before').content") == f'"{mark} "'


def test_the_page_uses_the_width_of_a_wide_screen_and_the_figure_is_beside_the_answer(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 1280)
    box = "document.querySelector('{}').getBoundingClientRect()"
    figure, lead = box.format(".opening figure"), box.format(".lead")
    assert tab.run(f"{figure}.left") > tab.run(f"{lead}.right") - 1
    assert tab.run(f"{figure}.right") > 1200
    show(tab, pages["one"], 390)
    assert tab.run(f"{figure}.top") > tab.run(f"{lead}.bottom") - 1


def test_bars_and_intervals_are_where_their_numbers_are(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 1280)
    share = """(() => {
        const track = document.querySelector(".track.whole").getBoundingClientRect();
        const part = document.querySelector(".track.whole .part.right").getBoundingClientRect();
        return 100 * part.width / track.width;
    })()"""
    printed = float(tab.run("document.querySelector('.chart .number').textContent").split()[0])
    assert tab.run(share) == pytest.approx(printed, abs=1)


def test_a_table_that_is_wider_than_the_screen_says_so(pages, browser):
    tab, _ = browser
    hint = "getComputedStyle(document.querySelector('#table-1 .scroll'), '::before').content"
    show(tab, pages["evaluate"], 390)
    assert "more columns" in tab.run(hint)
    show(tab, pages["one"], 1280)
    assert tab.run(hint) == "none"


def test_no_usual_table_needs_scrolling_at_1280(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 1280)
    assert (
        tab.run(
            "[...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).length"
        )
        == 0
    )


@pytest.mark.slow
@pytest.mark.skipif(not (axe.DOWNLOADS / axe.ARCHIVE).is_file(), reason="needs axe-core: `make test-browser`")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["one", *NAMES])
def test_axe_finds_nothing_serious(name, dark, pages, browser):
    tab, _ = browser
    for width in WIDTHS:
        tab.resize(width, dark=dark)
        tab.open(pages[name].as_uri())
        assert axe.serious(tab, axe.source()) == []
    tab.resize(1280, dark=False)


def test_a_copied_table_has_tabs_and_intervals_in_cells_of_their_own(pages, browser):
    tab, _ = browser
    show(tab, pages["evaluate"], 1280)
    tab.run("window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    tab.run("document.querySelector('#table-1 button.copy').click()")
    lines = [line.split("\t") for line in tab.run("window.copied").rstrip("\n").split("\n")]
    mean, share, expected = (
        [name, f"{name} low", f"{name} high"] for name in ("mean recall", "share right", "expected right")
    )
    assert lines[0] == ["system", "n", *mean, "right", "wrong", "unsure", "not attempted", *share, *expected]
    assert len(lines) == 3
    assert {len(line) for line in lines} == {len(lines[0])}
    assert lines[1][:2] == ["old", str(N)]
    assert float(lines[1][3]) < float(lines[1][4])


def test_hostile_texts_run_nothing_and_are_shown_as_they_are(pages, browser):
    tab, _ = browser
    show(tab, pages["one"], 390)
    tab.run("window.alert = () => { window.attacked = true; }")
    choose(tab, "search", "alert(1)")
    time.sleep(0.3)
    assert EVIL in tab.run(
        "[...document.querySelectorAll('td[data-name=prediction] div')].map((each) => each.textContent)"
    )
    assert tab.run("window.attacked === undefined")
    assert tab.run("document.querySelectorAll('.browser td b, .browser td script').length") == 0
    choose(tab, "search", "\u05e9\u05dc\u05d5\u05dd")
    time.sleep(0.3)
    assert tab.run("getComputedStyle(document.querySelector('td[data-name=prediction] div')).direction") == "rtl"
