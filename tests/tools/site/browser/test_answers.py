"""What the page calls, in this Python: tables are read as they are pasted, and numbers are those of the package."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import answersim
from tools.site.browser import answers as browser
from tools.site.browser.answers import call, describe, is_header, read


@pytest.mark.parametrize(
    ("text", "columns", "named"),
    [
        ("gold,pred\nRome,in Rome\n", ("gold", "pred"), True),
        ("Gold\tGPT\nRome\tin Rome\n", ("Gold", "GPT"), True),
        ("Rome\tin Rome\nOslo\tOslo\n", ("gold", "prediction"), False),
        ("Rome;in Rome;Roma\n", ("gold", "prediction", "prediction 2"), False),
        ('[{"gold": ["Rome", "Roma"], "pred": "x"}]', ("gold", "pred"), True),
        ('{"answer": "Rome", "output": "x"}\n', ("answer", "output"), True),
        ("\ufeffgold,pred\r\nRome,Rome\r\n", ("gold", "pred"), True),
    ],
)
def test_a_table_is_read_as_it_is_pasted(text: str, columns: tuple[str, ...], named: bool) -> None:
    table, header = read(text)
    assert (table.columns, header) == (columns, named)
    assert len(table.rows) >= 1


def test_the_first_row_can_be_called_names_or_answers() -> None:
    assert read("Rome,Roma\nOslo,Oslo", header=True)[0].columns == ("Rome", "Roma")
    assert read("gold,pred\nOslo,Oslo", header=False)[0].rows[0] == {"gold": "gold", "prediction": "pred"}


def test_a_quoted_answer_keeps_delimiters_quotes_and_line_ends() -> None:
    table, _ = read('gold,pred\n"a, ""b""\nc",x\n')
    assert table.rows == [{"gold": 'a, "b"\nc', "pred": "x"}]


@pytest.mark.parametrize("cells", [["Rome", "in Rome"], [""], [], ["golden", "predicting"]])
def test_answers_are_no_names(cells: list[str]) -> None:
    assert not is_header(cells)


def request(**changes: Any) -> str:
    text = "question,gold,old,new\nq1,Rome|Roma,in Roma,x\nq2,Oslo,Oslo,Oslo\nq3,Bern,,Bern\n"
    usual: dict[str, Any] = {"text": text, "header": True, "gold": "gold", "preds": ["old", "new"]}
    usual |= {"question": "question", "split_gold": "|", "metric": "recall", "metrics": ["em"], "lang": "en"}
    return json.dumps(usual | changes)


def test_the_file_has_the_scores_of_the_package_with_all_digits() -> None:
    result = json.loads(call("evaluated", request(metrics=["em", "rouge-l"])))
    lines = result["csv"].splitlines()
    expected = answersim.score_pairs([(["Rome", "Roma"], "in Roma")], ["recall", "em", "rouge-l"], progress=False)
    assert lines[0].startswith("question,gold,old,new,recall of old,em of old,rouge-l of old,recall of new")
    assert lines[1].split(",")[4:7] == [repr(scores.values[0].item()) for scores in expected.values()]
    assert result["signatures"] == [scores.signature for scores in expected.values()]
    assert result["warnings"] == []


def test_one_system_is_not_compared() -> None:
    result = json.loads(call("evaluated", request(preds=["old"])))
    assert result["comparisons"] == []
    assert result["csv"].startswith("question,gold,old,new,recall,em\n")


def test_two_systems_are_compared_as_by_the_package() -> None:
    result = json.loads(call("evaluated", request()))
    answers = {"gold": [["Rome", "Roma"], "Oslo", "Bern"], "old": ["in Roma", "Oslo", ""], "new": ["x", "Oslo", "Bern"]}
    pair = answersim.compare(answers, "recall", pred=["old", "new"]).pair
    assert result["numbers"]["comparisons"][0]["p"] == pair.p
    assert str(pair) in result["comparisons"][0]
    assert "went wrong" in result["comparisons"][0]


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("evaluated", {"preds": []}, "choose at least one"),
        ("evaluated", {"gold": ""}, "no column of gold answers is chosen"),
        ("evaluated", {"gold": "golds"}, "golds"),
        ("evaluated", {"text": 'gold,pred\n"Rome,x\n'}, "pasted-table.csv, line"),
        ("describe", {"text": "gold,pred\n"}, "no rows"),
        ("describe", {"text": "gold,pred\na,b,c\n", "header": None}, "3 values for 2 columns"),
        ("describe", {"text": "[1, 2]"}, "must be an object"),
    ],
)
def test_an_error_names_the_remedy_and_no_file_of_the_machine(name: str, changed: dict[str, Any], message: str) -> None:
    error = json.loads(call(name, request(**changed)))["error"]
    assert message in error
    assert "/tmp" not in error


def test_the_columns_are_guessed_by_their_names() -> None:
    found = describe({"text": "id,prompt,reference,model a,model b\n1,q,g,a,b"})
    assert (found["gold"], found["preds"], found["question"]) == ("reference", ["model a", "model b"], "prompt")


def test_unknown_names_of_columns_are_not_guessed() -> None:
    found = describe({"text": "case\tuser_query\tbot\n1\tq\tRome", "header": True})
    assert (found["gold"], found["preds"], found["question"]) == (None, [], None)
    found = describe({"text": "gold,bot\nRome,Rome"})
    assert (found["gold"], found["preds"]) == ("gold", [])


def test_the_example_of_the_page_is_decided_by_its_default_metric_and_calibration() -> None:
    page = (Path(browser.__file__).parent / "page.js").read_text(encoding="utf-8")
    (default,) = re.findall(r'options\(\$\("metric"\), .*, "(.+)"\);', page)
    rows = json.loads(re.sub(r",\s*\]$", "]", page.partition("const EXAMPLE = ")[2].partition(";\n")[0]))
    text = "\n".join("\t".join(row) for row in rows)
    found = describe({"text": text})
    columns = {name: found[name] for name in ("header", "gold", "preds", "question")}
    assert columns["preds"] == ["pred old", "pred new"]
    result = json.loads(call("evaluated", request(text=text, metric=default, metrics=[], **columns)))
    evaluation = result["numbers"]["evaluation"]
    assert default == "typed+recall"
    assert "by the calibration of typed+recall" in result["verdicts"]
    missed = {(row["system"], row["row"]): row["verdict"] for row in evaluation["answers"]}
    verdicts = {
        (row[1], row[2 + k]): missed.get((name, str(i + 1)), "right")
        for i, row in enumerate(rows[1:])
        for k, name in enumerate(columns["preds"])
    }
    assert verdicts["two", "2"] == "right"
    assert verdicts["4,806 m", "4,860 m"] == "wrong"
    assert verdicts["4,806 m", "4806 meters"] == "right"
    assert verdicts["Bern", "Basel"] == "wrong"
    counts = [row["right"] for row in evaluation["rows"] if row["subset"] == "all"]
    assert counts == [sum(verdicts[row[1], row[2 + k]] == "right" for row in rows[1:]) for k in (0, 1)]


def test_the_report_is_one_page() -> None:
    html = json.loads(call("report", request()))["html"]
    assert html.startswith("<!doctype html>")
    assert "old: 2 of 3 right" in html
