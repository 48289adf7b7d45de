"""What a notebook shows of each result: every text escaped, nothing loaded from elsewhere."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.scores import Score, Scores
from answersim.calibration.storing import find
from answersim.evaluation.comparison.gating import gate
from tests.cases import every

BAD = "<script>alert('x')</script>\x1b\u202e"
NAMES = (f"old {BAD}", f"new {BAD}")
GOLD = ["Rome", "Oslo", BAD, "Bern"] * 6
TABLE = {"gold": GOLD, NAMES[0]: ["Rome", "in Oslo", BAD, "Basel"] * 6, NAMES[1]: ["Rome", "Oslo", "x", "Bern"] * 6}


def judgments() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    labels = rng.random(40)
    return {"gold": ["a b"] * 40, "pred": ["a c"] * 40, "label": labels, BAD: labels + rng.random(40)}


def calibrated(index: int | None) -> Any:
    scores = answersim.score_pairs(
        list(zip(GOLD, TABLE[NAMES[0]], strict=True)), ["recall"], calibration={"recall": find("recall")}
    )["recall"]
    return scores if index is None else scores[index]


def comparison() -> Any:
    return answersim.compare(TABLE, "f1", pred=NAMES, progress=False).pair


RESULTS: dict[str, Callable[[], Any]] = {
    "score": lambda: Score(0.25, BAD),
    "scores": lambda: Scores(np.arange(12) / 12, BAD),
    "scores with references": lambda: Scores([0.5, 1.0], "f1", [0, 1]),
    "no scores": lambda: Scores([]),
    "calibrated score": lambda: calibrated(0),
    "calibrated scores": lambda: calibrated(None),
    "evaluation": lambda: answersim.evaluate(TABLE, "recall", pred=NAMES, progress=False),
    "comparison": comparison,
    "comparisons": lambda: answersim.compare(TABLE | {BAD: GOLD}, "f1", pred=[*NAMES, BAD], progress=False),
    "gate": lambda: gate(comparison(), max_drop=0.5),
    "agreement": lambda: answersim.correlate(
        judgments(), ["f1"], bootstrap=answersim.Bootstrap(resamples=50), progress=False
    ),
    "corrected": lambda: answersim.estimate_mean(np.arange(60) / 60, [i / 60 if i < 20 else np.nan for i in range(60)]),
}
TAGS = {"p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td"}
VOID = re.compile(r"https?:|//|url\(|@import", re.IGNORECASE)


class Tags(HTMLParser):
    """The tags and attributes of a text, which must be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)
        assert {name for name, _ in attrs} <= {"style"}
        assert {value for _, value in attrs} <= {"text-align: left", "text-align: right"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module", params=RESULTS)
def shown(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param, RESULTS[request.param]()._repr_html_()


def test_every_text_is_escaped_and_nothing_is_loaded(shown):
    _, html = shown
    assert Tags(html).seen <= TAGS
    assert not VOID.search(html)
    assert "\x1b" not in html
    assert "\u202e" not in html


@every(
    ("name", "texts"),
    [
        ("score", ["<b>0.25</b>", "&lt;script&gt;"]),
        ("scores", ["mean 0.458", '<td style="text-align: right">0.083</td>', "... and 2 more"]),
        ("scores with references", ["reference", "mean 0.750"]),
        ("no scores", ["no scores"]),
        ("calibrated score", ["equivalent", "probability", "recall|text:en"]),
        ("calibrated scores", ["verdict", "equivalent", "different"]),
        ("evaluation", ["share right", "recall|text:en"]),
        ("comparison", ["is not distinguishable from", "would be found in 8 of 10 cases"]),
        ("gate", ["passed", "difference"]),
        ("agreement", ["tau-b", "intervals"]),
        ("corrected", ["labels of 60 rows"]),
    ],
)
def test_a_notebook_shows_the_content(name, texts):
    html = RESULTS[name]()._repr_html_()
    for text in texts:
        assert text in html


def test_several_comparisons_show_every_pair():
    assert RESULTS["comparisons"]()._repr_html_().count("would be found in 8 of 10 cases") == 3
