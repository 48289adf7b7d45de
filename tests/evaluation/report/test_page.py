"""What is in a page."""

import base64
import hashlib
import json
import math
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.text_tables import Column, Figure, FigureRow, Listing, Page, TextTable
from answersim.calibration.scores import Scores
from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.evaluation.agreement.judgments import Judgments
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.comparison.compare import compare
from answersim.evaluation.report import page as module
from answersim.evaluation.report.listing import in_utf16, listed, shared_words, words
from answersim.evaluation.report.page import check_page, embedded, page_html, ticks, write_report
from answersim.evaluation.systems.systems import evaluate
from answersim.stats.intervals.resampling import Bootstrap
from answersim.types import Pair
from tests.cases import cases_of, every


class Reader(HTMLParser):
    """The tags of a page with their attributes, the text of each script, and ids."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and not self.scripts[-1]:
            self.scripts[-1] = data
        else:
            self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


pytest.importorskip("jinja2", reason="needs the extra `report`")


EVIL = "</script><script>alert(1)</script><!--<b onload='x'>&\u2028\"'"
N = 80


def answers(*systems: str) -> dict[str, Any]:
    """Return made answers: the k-th system is wrong on every (3 + 3k)-th question. One text of each kind is evil."""
    golds: list[Any] = [f"red stone {i}" for i in range(N)]
    table: dict[str, Any] = {"gold": golds, "question": [f"what is {i}?" for i in range(N)]}
    for k, system in enumerate(systems):
        table[system] = [f"a red stone {i}" if i % (3 + 3 * k) else "brick" for i in range(N)]
        table[system][3] = EVIL
    golds[4] = [EVIL, "red stone 4"]
    table["question"][5] = EVIL
    return table


def judged(n: int = 60, **changes: Any) -> Judgments:
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=n).astype(float)
    fields: dict[str, Any] = {
        "name": "mine <b>",
        "lang": "en",
        "pairs": tuple(Pair(f"gold {i}", EVIL if i == 3 else f"{'gold' if i % 2 else 'pred'} {i}") for i in range(n)),
        "labels": labels,
        "scores": {
            "good": Scores(labels + 0.1 * rng.normal(size=n), "good|v:1"),
            "noise <i>": Scores(rng.normal(size=n)),
            "constant": Scores(np.ones(n), "constant|v:1"),
        },
        "questions": tuple(EVIL if i == 3 else f"what is {i}" for i in range(n)),
        "columns": {"category": [EVIL if i == 3 else "" for i in range(n)]},
    }
    return Judgments(**(fields | changes))


def every_kind() -> Page:
    """A page with everything that a page may have, and an evil text in each place."""
    rows = (FigureRow(EVIL, 40, 30, 50, {"right": 40.0, EVIL: 60.0}), FigureRow("nothing", math.nan))
    listing = Listing(
        EVIL,
        (
            Column(EVIL, [EVIL, "b"]),
            Column("verdict", [EVIL, "wrong"], "choice"),
            Column("gold", [[EVIL, "a"], "b"], "gold"),
            Column("pred", [EVIL, "b"], "pred"),
            Column("score", [0.5, math.nan], "number"),
        ),
        EVIL,
    )
    return Page(
        EVIL,
        [EVIL, EVIL],
        [Figure(EVIL, rows, (0.0, 100.0), " %", ".0f"), Figure(EVIL, (FigureRow("a", 1.0),), (-1.0, 2.0), EVIL)],
        [TextTable(EVIL, (EVIL, "n"), ((EVIL, "1"),), (EVIL,)), TextTable("", ("a", "b"), ((EVIL, EVIL),))],
        listing,
        [EVIL],
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of three results, and one with an evil text in every place."""
    folder = tmp_path_factory.mktemp("pages")
    settings: dict[str, Any] = {"pred": ["old <b>", "new"], "question": "question", "progress": False}
    data = answers("old <b>", "new")
    results = {
        "evaluate": evaluate(data, "recall", by=["length"], keep=ANSWER_VERDICTS, **settings),
        "compare": compare(data, "recall", **settings),
        "correlate": correlate(judged(), bootstrap=Bootstrap(resamples=20)),
    }
    by_name = {"every kind": page_html(every_kind(), f"answersim '{EVIL}'", {EVIL: EVIL})}
    for name, result in results.items():
        write_report(result, folder / f"{name}.html", command=EVIL, metadata={"file": EVIL})
        by_name[name] = (folder / f"{name}.html").read_text(encoding="utf-8")
    return by_name


KINDS = ("every kind", "evaluate", "compare", "correlate")


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)))


@every("kind", KINDS)
def test_no_text_becomes_a_tag(kind, pages):
    rows = read(pages[kind])
    assert len(rows.scripts) == 2  # the data and our own
    assert {"b", "img"} & {tag for tag, _ in rows.tags} == set()
    assert all("onload" not in attributes for _, attributes in rows.tags)
    assert EVIL in "".join(rows.text)  # it is there, as text
    json.loads(rows.scripts[0])


@every("kind", KINDS)
def test_the_page_allows_its_own_script_alone_and_requests_nothing(kind, pages):
    rows = read(pages[kind])
    policy = next(tag["content"] for _, tag in rows.tags if tag.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    digest = base64.b64encode(hashlib.sha256(rows.scripts[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    ids = {attributes.get("id") for _, attributes in rows.tags}
    for tag, attributes in rows.tags:
        for name in ("src", "href", "action", "data", "xlink:href"):
            value = attributes.get(name)
            assert value is None or value.startswith("#"), (tag, value)
            assert value is None or value[1:] in ids
    assert not re.search(r"@import|url\(", pages[kind])


@every("kind", KINDS)
def test_ids_are_unique_and_every_control_has_a_name(kind, pages):
    tags = read(pages[kind]).tags
    ours = [entry["id"] for _, entry in tags if "id" in entry]
    assert len(ours) == len(set(ours))
    assert all(entry.get("type") == "button" for tag, entry in tags if tag == "button")
    for control in ("search", "order"):
        assert re.search(rf'<label[^>]*>[^<]+<(?:input|select)[^>]*id="{control}"', pages[kind])


@every("kind", KINDS)
def test_the_first_screen_has_the_decision_and_one_figure(kind, pages):
    opening = pages[kind].partition("<nav")[0]
    assert opening.count('<p class="lead">') == 1
    assert opening.count("<figure>") == 1


@every("kind", KINDS)
def test_what_is_not_a_number_is_not_shown(kind, pages):
    assert not re.search(r"\bnan\b", text_of(pages[kind]))


def test_a_comparison_shows_which_is_better_and_what_changed(pages):
    result = compare(answers("old <b>", "new"), "recall", pred=["old <b>", "new"], question="question")
    html = pages["compare"]
    assert f"{result.pair}" in text_of(html.partition("<nav")[0])
    data = json.loads(read(html).scripts[0])
    assert data["table"]["n"] == len(result.pair.changed)
    change = data["table"]["columns"][0]
    assert [change["choices"][i] for i in change["values"]] == [row.change for row in result.pair.changed]


def test_of_three_systems_the_best_and_its_rivals_are_named(tmp_path):
    names = ["first", "second", "third"]
    result = compare(answers(*names), "recall", pred=names, question="question")
    sentences = result.page().sentences
    assert sentences[0] == "third has the highest share of right answers; not distinguishable from it: second"
    assert sentences[1:] == [str(pair) for pair in result.pairs]


def test_a_study_shows_its_coefficients_its_errors_and_all_pairs(pages):
    data = judged()
    study = correlate(data, bootstrap=Bootstrap(resamples=20))
    html = pages["correlate"]
    result = study.row("good").measured["tau-b"]
    assert f'{result.value:.3f} <small class="interval">[{result.low:.3f}, {result.high:.3f}]</small>' in html
    assert "Errors of good by kind" in html
    held = json.loads(read(html).scripts[0])
    columns = {column["name"]: column for column in held["table"]["columns"]}
    gaps = columns["gap of good"]["values"]
    assert [abs(gap) for gap in gaps] == sorted((abs(gap) for gap in gaps), reverse=True)
    rows = [int(row) - 1 for row in columns["row"]["values"]]
    assert sorted(rows) == list(range(60))
    golds = [held["texts"][at] for at in columns["gold"]["at"]]
    assert golds == [data.pairs[i].gold for i in rows]
    np.testing.assert_allclose(columns["good"]["values"], data.scores["good"].values[rows], rtol=1e-4)


def test_all_figures_of_subsets_have_one_scale():
    study = correlate(judged(), by=["length"], bootstrap=Bootstrap(resamples=20))
    figures = study.page().figures
    assert len(figures) > 1
    assert len({figure.ends for figure in figures}) == 1
    evaluation = evaluate(answers("a"), "recall", pred="a", by=["length"])
    assert {figure.ends for figure in evaluation.page().figures} == {(0.0, 100.0)}


def test_without_a_calibration_there_is_a_page_with_means():
    page = evaluate(answers("mine"), "bleu", pred="mine").page()
    assert page.title == "the table: mean bleu"
    assert "not counted as right or wrong" in page_html(page)


def test_any_result_is_a_page(tmp_path):
    plan = answersim.plan(width=[0.1])
    assert write_report(plan, tmp_path / "plan.html").startswith("written: ")
    html = (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "<h1>Sample plan</h1>" in html
    assert plan.summary()[0] in text_of(html)
    with pytest.raises(TypeError, match="the result is of the type dict; give what a function of answersim returns"):
        write_report({}, tmp_path / "no.html")  # type: ignore[arg-type]


def test_places_in_a_figure_are_shares_of_its_axis():
    drawn = module._figure(Figure("", (FigureRow("a", 40, 30, 55, {"right": 40.0, "wrong": 60.0}),), (0, 100), " %"))
    (row,) = drawn["rows"]
    assert (row["at"], row["left"], row["width"]) == (40, 30, 25)
    assert [(part["left"], part["width"]) for part in row["parts"]] == [(0, 40), (40, 60)]
    assert drawn["zero"] is None
    assert module._figure(Figure("", (FigureRow("a", 1),), (-1, 3)))["zero"] == 25
    assert ticks(5, 5) == [5]


def test_an_interval_in_a_text_of_a_user_stays_a_text():
    table = module._table(TextTable("", ("answer", "share", "note"), (("x [1, 2]", "5 % [1, 9]", "see [1, 2]"),)), 0)
    assert [(cell["text"], cell["interval"]) for cell in table["rows"][0]] == [
        ("x [1, 2]", ""),
        ("5 %", "[1, 9]"),
        ("see [1, 2]", ""),
    ]


def test_embedded_json_is_read_back_and_ends_no_element():
    printed = embedded({"a": EVIL, "b": [1.5, None]})
    assert json.loads(printed) == {"a": EVIL, "b": [1.5, None]}
    assert not set("<>&") & set(printed)
    with pytest.raises(ValueError, match="JSON"):
        embedded(math.nan)


def test_the_script_builds_no_markup_and_runs_no_text():
    text = module._resource("page.js")
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch("):
        assert forbidden not in text


def test_a_page_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch):
    with pytest.raises(ValueError, match="a report is an HTML file"):
        check_page(tmp_path / "report.txt")
    with pytest.raises(FileNotFoundError, match="no folder to write it in"):
        check_page(tmp_path / "nowhere" / "report.html")
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"\.\[report\]"):
        check_page(tmp_path / "report.html")


def test_half_a_surrogate_pair_is_replaced(tmp_path):
    write_report(answersim.plan(width=[0.1]), tmp_path / "a.html", command="a\ud800b")
    assert "a?b" in (tmp_path / "a.html").read_text(encoding="utf-8")


def of(*columns: Column, **how: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The texts and the columns of a listing, by name."""
    data, _ = listed(Listing("changed answers", columns, "in order"), **how)
    return data, {column["name"]: column for column in data["table"]["columns"]}


def texts(data: dict[str, Any], column: dict[str, Any]) -> list[str]:
    return [data["texts"][at] for at in column["at"]]


def test_texts_are_whole_if_they_fit_and_shortened_alike_if_not():
    values = ["x" * 10_000, "y" * 10_000, "short"]
    data, columns = of(Column("question", values))
    assert texts(data, columns["question"]) == values
    data, columns = of(Column("question", values), Column("row", ["1", "2", "3"]), budget=12_000)
    assert texts(data, columns["question"])[1:] == [
        "y" * 5_000 + " … [5,000 more characters are not on this page]",
        "short",
    ]
    _, printed = listed(Listing("answers", (Column("question", values),), ""), budget=12_000)
    assert printed["words"].endswith(" 2 texts have more than 5,000 characters. Their ends are left out.")


def test_marks_are_of_the_nearest_gold_answer_which_comes_first():
    data, columns = of(Column("gold", [["Oslo", "city of Rome"]], "gold"), Column("pred", ["😀 city in Rome"], "pred"))
    assert texts(data, columns["gold"]) == ["city of Rome | Oslo"]
    assert columns["gold"]["marks"] == [[0, 4, 8, 12]]
    assert columns["pred"]["marks"] == [[3, 7, 11, 15]]  # in UTF-16


def test_of_too_many_rows_the_first_are_shown_and_the_rest_is_counted():
    data, printed = listed(Listing("answers", (Column("f1", [0.5] * 1200, "number"),), ""), most=1000)
    assert data["table"]["n"] == len(data["table"]["columns"][0]["values"]) == 1000
    assert printed["words"] == "The first 1,000 of 1,200 answers are on this page; --output FILE writes all of them."


@every(("gold", "pred", "in_gold", "in_pred"), cases_of(__file__)["SHARED_WORDS"])
def test_words_that_both_answers_have_are_found(gold, pred, in_gold, in_pred):
    result = shared_words([gold], pred)
    assert [gold[start:end] for start, end in result.in_gold] == in_gold
    assert [pred[start:end] for start, end in result.in_pred] == in_pred


def test_characters_are_counted_as_javascript_does():
    text = "😀😀 x 👩‍👩‍👧 y"
    ranges = [(word.start, word.end) for word in words(text)]
    encoded = text.encode("utf-16-le")
    ends = in_utf16(ranges, text)
    printed = [encoded[2 * a : 2 * b].decode("utf-16-le") for a, b in zip(ends[::2], ends[1::2], strict=True)]
    assert printed == ["😀😀", "x", "👩‍👩‍👧", "y"]
