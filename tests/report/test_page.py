"""The report page: self-contained, every text escaped, its numbers those of the study."""

import base64
import hashlib
import json
import math
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="needs the extra `report`")
pytest.importorskip("jinja2", reason="needs the extra `report`")

from answersim.agreement.error_analysis import gaps
from answersim.agreement.judgments import Judgments
from answersim.agreement.study import correlate
from answersim.report import page as module
from answersim.report.page import page
from answersim.report.rendering import PageSettings
from answersim.stats.bounded_mean import bounded_mean
from answersim.stats.resampling import Bootstrap
from answersim.types import Pair, Scores
from tests.report.pages import read

pytestmark = pytest.mark.usefixtures("small_files")

EVIL = "</script><script>alert(1)</script><!--<b onload='x'>&\u2028\"'"


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


SETTINGS = PageSettings(command=f"answersim report '{EVIL}'", metadata={"file": EVIL})


@pytest.fixture(scope="module")
def made() -> tuple[Judgments, Any, str]:
    data = judged()
    study = correlate(data, bootstrap=Bootstrap(resamples=50))
    return data, study, page(data, study, bootstrap=Bootstrap(resamples=20), settings=SETTINGS)


def test_no_text_of_a_pair_becomes_a_tag(made):
    rows = read(made[2])
    assert len(rows.scripts) == 2  # the data and our own
    assert {"b", "i", "img"} & {tag for tag, _ in rows.tags} == set()
    assert all("onload" not in attributes for _, attributes in rows.tags)
    assert EVIL in "".join(rows.text)  # it is there, as text


def test_the_page_allows_its_own_script_alone_and_no_request(made):
    rows = read(made[2])
    policy = next(tag["content"] for _, tag in rows.tags if tag.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    digest = base64.b64encode(hashlib.sha256(rows.scripts[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    for tag, attributes in rows.tags:
        for name in ("src", "href", "action", "data", "xlink:href"):
            value = attributes.get(name)
            file = tag == "a" and name == "href" and "download" in attributes  # a figure, inside the page
            assert value is None or value.startswith("data:" if file else "#"), (tag, value)
    assert not re.search(r"@import|url\((?!#)", made[2])


def test_the_browser_reads_every_pair_unchanged_and_a_column_per_metric(made):
    data, study, html = made
    held = json.loads(read(html).scripts[0])
    table = held["tables"]["pairs"]
    columns = {column["key"]: column for column in table["columns"]}

    def texts(key: str) -> list[str]:
        return [held["texts"][at] for at in columns[key]["at"]]

    assert list(zip(texts("gold"), texts("pred"), strict=True)) == [tuple(pair) for pair in data.pairs]
    assert texts("question") == list(data.questions or ())
    kinds = columns["kind"]
    assert [kinds["choices"][i] for i in kinds["values"]][3] == EVIL
    assert columns["label"]["values"] == data.labels.tolist()
    assert table["variants"] == list(study.metrics)
    for k, name in enumerate(study.metrics):
        values = data.scores[name].values
        assert columns[f"m{k}"]["name"] == name
        np.testing.assert_allclose(columns[f"m{k}"]["values"], values, rtol=1e-4)
        np.testing.assert_allclose(columns["gap"]["values"][k], 1000 * gaps(values, data.labels), atol=0.5)


def test_the_tables_show_the_numbers_of_the_study(made):
    _, study, html = made
    result = study.row("good").measured["tau-b"]
    assert f'{result.value:.3f} <small class="interval">[{result.low:.3f}, {result.high:.3f}]</small>' in html
    assert f"good agrees best with human labels, tau-b {result.value:.3f}" in html
    assert "good|v:1" in html
    assert "These metrics are constant here, so they cannot be compared: constant" in html
    shown = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert "nan" not in re.sub(r"data:[^\"]*", "", shown)  # the files of figures


def test_the_page_explains_a_missing_calibration(made):
    assert "There is no calibration: all 60 scores are 1" in made[2]
    assert "reliability diagram of good" in made[2]


def test_ids_are_unique_and_what_is_referred_to_is_there(made):
    tags = read(made[2]).tags
    drawn = {"path", "g", "clipPath", "clippath", "pattern", "use", "defs"}  # equal shapes of figures share their ids
    ours = [each["id"] for tag, each in tags if "id" in each and tag not in drawn]
    assert {"pairs-browser", "browse", "data"} <= set(ours)
    assert len(ours) == len(set(ours))
    everything = {tag.get("id") for _, tag in tags}
    links = [each["href"] for tag, each in tags if tag == "a" and "download" not in each]
    assert links
    for link in links:
        assert link is not None
        assert link[1:] in everything


def test_every_control_has_a_name_and_every_figure_a_label(made):
    tags = read(made[2]).tags
    assert all(each.get("aria-label") for tag, each in tags if tag == "svg")
    assert all(each.get("type") == "button" for tag, each in tags if tag == "button")
    html = made[2]
    for control in ("search", "variant", "side", "kind", "order"):
        assert re.search(rf'<label[^>]*>[^<]+<(?:input|select)[^>]*id="pairs-{control}"', html)


def test_grades_on_a_scale_are_grouped_and_the_same_study_is_the_same_page():
    labels = np.linspace(0, 5, 60)
    data = judged(labels=labels, scores={"good": Scores(labels)})
    study = correlate(data, bootstrap=Bootstrap(resamples=20))
    html = page(data, study, positive_from=3, bootstrap=Bootstrap(resamples=10))
    assert page(data, study, positive_from=3, bootstrap=Bootstrap(resamples=10)) == html
    assert "in five groups of about equal size" in html
    assert "its label is at least 3" in html


def test_a_study_of_other_pairs_is_refused():
    data = judged()
    study = correlate(data, bootstrap=Bootstrap(resamples=10))
    with pytest.raises(ValueError, match="the study is of 60 pairs"):
        page(data.where(data.labels > 0), study)
    with pytest.raises(ValueError, match="the study contains 'good'"):
        page(judged(scores={"noise <i>": data.scores["noise <i>"]}), study)


def test_forest_plots_of_all_subsets_share_one_scale(made):
    _, study, _ = made
    low, high = module._limits(study)
    measured = [row.measured["tau-b"] for row in study.rows if "tau-b" in row.measured]
    ends = [number for each in measured for number in (each.low, each.high) if math.isfinite(number)]
    assert low < min(ends) <= max(ends) < high


def test_the_first_screen_has_the_decision_one_figure_and_the_share_right(made):
    data, _, html = made
    opening = html[: html.index("<nav")]
    right = int((data.labels >= 2).sum())
    assert "good agrees best with human labels, tau-b" in opening
    share = bounded_mean(data.labels >= 2)  # each question has one answer
    interval = f"[{100 * share.low:.0f}, {100 * share.high:.0f}]"
    assert f"By the labels, {right} of 60 answers are right (label at least 2), " in opening
    assert f"{100 * right / 60:.0f} % {interval}" in opening
    assert opening.count("<svg") == 1


def best(**scores: Any) -> str:
    """The sentence on the best metric over all pairs."""
    data = judged(scores={name: Scores(values) for name, values in scores.items()})
    return module._best(correlate(data, bootstrap=Bootstrap(resamples=20)), "all")


def test_only_a_metric_that_agrees_and_differs_from_all_others_agrees_best():
    rng, labels = np.random.default_rng(5), judged().labels
    random = "All pairs: no metric agrees with the labels here; no interval of tau-b is above 0."
    assert best(one=rng.normal(size=60), other=rng.normal(size=60)) == random
    against = best(against=-labels - 0.1 * np.arange(60) / 60)
    assert against == f"{random} These order the pairs against the labels: against."
    score = labels + 0.1 * rng.normal(size=60)
    twins = best(one=score, twin=score + 1e-9 * np.arange(60))
    assert "has the highest agreement with human labels, tau-b" in twins
    assert "Not significantly different from it: " in twins
    assert "agrees best" not in twins


def test_a_set_without_questions_has_no_column_for_them():
    data = judged(questions=None, scores={"good": judged().scores["good"]})
    study = correlate(data, bootstrap=Bootstrap(resamples=5))
    columns = module._pairs(data, study, [""] * 60, "good", 2.0)[0]["tables"]["pairs"]["columns"]
    assert "question" not in {column["key"] for column in columns}
