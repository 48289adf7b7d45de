"""What commands read: files, columns, outputs that reason, and no guess about their roles."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.storing import read
from answersim.evaluation.systems.results import Evaluation
from tests.cases import cases_of
from tests.command_line import output, refused, run, succeed
from tests.command_line import output as run_main

N = 40
SOURCES = ("log", "bad row", "systems")  # each has several gold answers
COMMANDS: dict[str, list[str]] = dict(cases_of(__file__)["COMMANDS"])
LABELED = {"correlate": "--label", "calibrate": "--labels"}


def pairs() -> list[tuple[str, str]]:
    """Return each command with two sources in turn, so that each pair of sources meets several commands."""
    left_out = {name: SOURCES[i % 3] for i, name in enumerate(COMMANDS)} | {"label": "systems"}
    return [(name, source) for name in COMMANDS for source in SOURCES if source != left_out[name]]


def answer(i: int, system: int) -> str:
    return f"answer {i}" if (i + system) % 3 else "another"


def inspect_log(path: Path, system: int) -> Path:
    """Write a log of Inspect, whose epochs are 2 for the answers that are right, as if they were labels."""
    samples = [
        {
            "id": i,
            "epoch": 1 + int(answer(i, system) != "another"),
            "input": f"question {i}?",
            "target": [f"answer {i}", "nothing"],
            "output": {"choices": [], "completion": answer(i, system)},
        }
        for i in range(N)
    ]
    log = {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def table(path: Path, source: str) -> Path:
    rows: list[dict[str, Any]] = []
    for i in range(N):
        preds = {name: answer(i, system) for system, name in enumerate("ab")}
        labels = {f"label_{name}": 1 + int(pred != "another") for name, pred in preds.items()}
        rows.append({"id": i, "gold": f"answer {i}|nothing", **preds, **labels})
    if source == "bad row":
        del rows[4]["a"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def words(command: str, source: str, folder: Path) -> list[str]:
    """Return the command line."""
    name, *_ = command.split()
    several = name == "compare" or source == "systems"
    if source == "log":
        paths = [inspect_log(folder / f"{system}.json", i) for i, system in enumerate("ab")][: 2 if several else 1]
        files, options, labels = [str(path) for path in paths], ["--from", "inspect"], ["epoch"]
    else:
        preds = ["a", "b"] if several else ["a"]
        files, labels = [str(table(folder / "t.jsonl", source))], [f"label_{pred}" for pred in preds]
        options = ["--pred", ",".join(preds), "--split-gold", "|", *(["--skip-bad"] if source == "bad row" else [])]
    if command in LABELED:
        options += [LABELED[command], ",".join(labels)]
    more = [str(folder / word) if word.endswith(".json") else word for word in COMMANDS[command]]
    return [name, *files, *more, *options]


@pytest.mark.filterwarnings("ignore::UserWarning")  # left-out rows, and studies of few rows
@pytest.mark.parametrize(("command", "source"), pairs())
def test_every_command_reads_logs_several_golds_bad_rows_and_systems(command: str, source: str, tmp_path: Path) -> None:
    status, out, err = run(*words(command, source, tmp_path))
    assert status == {"compare with a bar": 3}.get(command, 0), err  # 40 answers do not decide a gate
    rows = N - (source == "bad row")
    expected = {"score": f" {rows} ", "calibrate": f"{rows * (2 if source == 'systems' else 1)} pairs"}
    assert expected.get(command, "") in out


def test_a_sheet_is_of_one_system(tmp_path: Path) -> None:
    status, _, err = run(*words("label", "systems", tmp_path))
    assert (status, "no column 'a,b'" in err) == (2, True)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_row_and_an_option_that_a_log_leaves_without_effect_are_errors(command: str, tmp_path: Path) -> None:
    status, _, err = run(*(word for word in words(command, "bad row", tmp_path) if word != "--skip-bad"))
    assert status == 2
    assert "row 5: 'a' is null" in err
    assert "--skip-bad" in err
    status, _, err = run(*words(command, "log", tmp_path), "--encoding", "cp1252")
    assert status == 2
    assert "--encoding is given, but a log has its own format" in err


NAMES = {
    "two dollars": "$a$ and $b$",
    "broken formula": r"$\frac{$",
    "one dollar": "cost in $",
    "escaped dollar": r"\$x\$",
    "backslashes": r"C:\new\table \\",
    "braces": "{0} {name} {{}} %s %(x)s",
    "line end": "two\nlines\r\nthree",
    "tab": "a\tb",
    "controls": "\x00\x07\x1b[31mred\x1b[0m\x7f",
    "long": "x" * 20_000,
    "wide": "W" * 100,
    "right to left": "\u202eשלום العربية\u202c",
    "emoji": "👩‍👩‍👧 🇩🇪 名前 𝒳",
    "html": "<b onclick='x'>&amp;</b><script>alert(1)</script>",
    "svg": '</text></svg><img src=x onerror="alert(1)">',
    "font": "font-family: evil; font: 12px x",
    "color": "#010203 #040506",
    "underscores": "__dunder__",
    "one underscore": "_",
    "pipe": "a|b\\|c",
    "markdown": "[x](javascript:y) *b* `c` # d",
    "jinja": "{{ 7 * 7 }}{% raw %}",
    "quotes": "\"'`",
    "formula of a sheet": "=1+1",
    "comment": "--><!-- x",
    "half a surrogate pair": "half \ud800",
    "space": "\u2003wide\u00a0",
}


def named_table(path: Path, names: list[str], n: int = 40) -> Path:
    """Judged pairs with a column of scores under each of these names, as JSON lines, which hold any name."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n):
        label = int(rng.integers(2))
        row = {"gold": f"red stone {i}", "pred": f"red {i}" if i % 2 else "brick", "label": label}
        rows.append(row | {name: label + 0.5 * rng.normal() for name in names})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_study_is_printed_and_written_with_them(tmp_path: Path) -> None:
    names = [*NAMES.values()]
    path = named_table(tmp_path / "judged.jsonl", names)
    out = succeed("correlate", path, "--resamples", 1, "--tests", "bootstrap", "-o", tmp_path / "out.json")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\ud800]", out)
    content = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [row["metric"] for row in content["rows"][: len(names)]] == names
    succeed("correlate", path, "--resamples", 1, "--tests", "bootstrap", "-o", tmp_path / "out.md")
    page = (tmp_path / "out.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<\w", page)
    lines = [line for line in page.split("\n") if line.startswith("|")]
    bars = Counter(len(re.findall(r"(?<!\\)\|", line)) for line in lines)
    assert bars == {9: 3 * (4 + len(names)), 10: 3 * (4 + len(names))}  # AUC first; yes and no; with two baselines


@pytest.mark.parametrize("key", ["controls", "html"])
def test_a_calibration_is_made_of_it_and_applied(key: str, tmp_path: Path) -> None:
    name = NAMES[key]
    path = named_table(tmp_path / "judged.jsonl", [name])
    out = succeed("calibrate", path, "--score", name, "-o", tmp_path / "mine.json")
    assert "\x1b" not in out
    assert read(tmp_path / "mine.json").signature == f"column|name:{name}"
    asked = ("score", path, "-c", tmp_path / "mine.json", "--score", name)
    assert "\x1b" not in succeed(*asked, "-o", tmp_path / "said.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text(encoding="utf-8").splitlines()]
    assert set(rows[0]) == {"gold", "pred", "label", name, "probability", "verdict"}


@pytest.mark.parametrize("words", cases_of(__file__)["no_text_becomes_a_formula_in_a_csv_output"])
def test_no_text_becomes_a_formula_in_a_csv_output(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, last in (("one", "Rome"), ("two", "Oslo")):
        rows = [{"id": i, "gold": "-5 Rome", "pred": f"{sign}1+{i} {last}"} for i, sign in enumerate("=+-@\t\r" * 4)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    output(*words)
    with open("out.csv", encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'-5 Rome" in cells
    assert any(cell.startswith("'@1+") for cell in cells)
    assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r")]


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize("value", ["inf", "", "nan"])
def test_a_named_column_of_scores_with_a_gap_is_told_with_its_row(value, tmp_path):
    path, rng = tmp_path / "judged.csv", np.random.default_rng(0)
    rows = [f"answer {i},answer {rng.integers(40)},{rng.integers(2)},{i}" for i in range(40)]
    path.write_text("\n".join(["gold,pred,label,tool", *rows[:2], f"a,b,1,{value}", *rows[3:]]))
    message = refused("correlate", path, "--score", "tool", "-o", tmp_path / "out.csv")
    assert f"row 3: the score 'tool' is '{value}', but it must be a finite number" in message
    if value != "inf":
        code, _, err = run("correlate", path, "-m", "f1", "-o", tmp_path / "out.csv")
        assert (code, err.count("the column is not studied as scores")) == (0, 1)


THINKING = "<think>It could be {other}, or even 7. Let me see: \\boxed{{{other}}}? No.</think>\n"
FORMS = {  # by the rule of "auto" that reads the answer
    "boxed": ["So the answer is \\boxed{{{answer}}}.", THINKING + "\\[\\boxed{{\\text{{{answer}}}}}\\]"],
    "answer-tag": ["<answer>{answer}</answer>", THINKING + "First {other}.\n<answer> {answer} </answer>"],
    "hash": ["We add both numbers.\n#### {answer}"],
    "final": ["**Final answer:** {answer}", "It was long ago. The answer is {answer}.", "Antwort: {answer}"],
    "reasoning": [THINKING + "{answer}"],
    None: ["{answer}"],
}
ABSTENTIONS = ["I don't know.", THINKING + "I am not sure.", "\\boxed{{\\text{{unknown}}}}", ""]
GOLDS = ["72", "Paris", "3.5", "Marie Curie", "1969"]
N_OUTPUTS = 600


def outputs() -> list[dict[str, str]]:
    """Return 600 rows: every form with each answer, right and wrong in turn, and abstentions in the last tenth."""
    forms = [(rule, form) for rule, of_rule in FORMS.items() for form in of_rule]
    rows = []
    for i in range(N_OUTPUTS):
        gold, other = GOLDS[i // 2 % 5], GOLDS[(i // 2 + 1) % 5]
        rule, form = forms[i // 2 % len(forms)]
        kind = "right" if i % 2 == 0 else "wrong"
        if i >= 9 * N_OUTPUTS // 10:
            rule, form, kind = None, ABSTENTIONS[i % 4], "not attempted"
        answer = gold if kind == "right" else other
        other = other if kind == "right" else gold
        rows.append({"gold": gold, "pred": form.format(answer=answer, other=other), "rule": str(rule), "kind": kind})
    return rows


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outputs") / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in outputs()), encoding="utf-8")
    return path


def evaluated(path: Path, **how: str) -> Evaluation:
    return answersim.evaluate(path, "em", keep=("right", "wrong", "unsure", "not attempted"), progress=False, **how)


def test_every_form_is_decided_as_it_was_made(path: Path) -> None:
    evaluation = evaluated(path, extract="auto")
    verdicts = {int(answer.row): answer for answer in evaluation.answers}
    rows = outputs()
    assert [verdicts[i].verdict for i in range(1, N_OUTPUTS + 1)] == [row["kind"] for row in rows]
    attempted = [i for i, row in enumerate(rows) if row["kind"] != "not attempted"]
    assert [str(verdicts[i + 1].rule) for i in attempted] == [rows[i]["rule"] for i in attempted]
    for answer in evaluation.answers:
        if answer.place is not None and answer.rule is not None:
            assert answer.answer in answer.pred[slice(*answer.place)]
    row = evaluation.row()
    assert (row.right, row.wrong, row.not_attempted) == (270, 270, 60)
    assert [round(rate.value, 3) for rate in row.attempts] == [0.9, 0.5, 0.474]
    assert any("predictions contain a box" in note for note in evaluated(path).notes)


def test_the_command_states_the_counts_the_rules_and_what_was_not_found(path: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    text = run_main(
        "evaluate", path, "-m", "em", "--extract", "auto", "--keep", "wrong,right,not attempted", "-o", output, "-v"
    )
    assert "270 of 600 right, 45 % [41, 49]; 270 wrong, 0 unsure, 60 not attempted" in text
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    missing = Counter(row["rule"] for row in rows)[None]
    assert f"; {missing} ({round(100 * missing / N_OUTPUTS)} %) have none and are read as a whole" in " ".join(
        text.split()
    )
    assert "right of attempted" in text


def test_two_rules_are_compared_in_each_rate(path: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    rows = [row | {"other": row["gold"] if i % 3 else "no idea"} for i, row in enumerate(outputs())]
    plain.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = run_main("compare", plain, "--pred", "pred,other", "-m", "em", "--extract", "auto", "--rows", 0, "-v")
    assert "67 % [63, 70] attempted against 90 % [87, 92]" in text
    assert "right of the attempted answers against 50 %" in text
    assert "final answers by the rule auto: in" in text
