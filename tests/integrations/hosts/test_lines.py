"""The lines of the guide work, host by host: the names that they need, and what comes out."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.integrations.hosts import calls
from tests.integrations.hosts.contract import PASSED, ROWS, VALUES, lines_of, pasted

QUESTION, GOLDS, ROMA = "Which city?", ["Rome", "Roma"], "Roma"
ALL_GOLDS, ALL_PREDS = [row.golds for row in ROWS], [row.prediction for row in ROWS]
MEAN = sum(VALUES) / len(VALUES)


class Lines(NamedTuple):
    """The lines of a host."""

    library: str  # what must be there
    section: str  # of the guide
    names: Callable[[], dict[str, Any]]  # what they need
    shown: Callable[[dict[str, Any], str], Any]  # from their names and what they print
    expected: Any


def _langsmith() -> dict[str, Any]:
    langsmith = import_module("langsmith")
    client = langsmith.Client(api_url="http://127.0.0.1:1", api_key="key")
    example = calls.langsmith_example({"question": QUESTION}, {"answers": GOLDS})
    named = SimpleNamespace(evaluate=partial(langsmith.evaluate, client=client))
    return {"langsmith": named, "data": [example], "target": lambda inputs: {"answer": ROMA}}


def _dspy() -> dict[str, Any]:
    dspy = import_module("dspy")
    stated = {"devset": calls.dspy_examples(ROWS), "program": calls.dspy_program(ROWS)}
    return {"dspy": dspy, "lm": dspy.utils.DummyLM([{}]), **stated}


def _pydantic() -> dict[str, Any]:
    evals = import_module("pydantic_evals")
    dataset = evals.Dataset(name="rows", cases=[evals.Case(inputs=QUESTION, expected_output=GOLDS)])
    return {"dataset": dataset, "task": lambda question: ROMA}


def _inspect() -> dict[str, Any]:
    sample = import_module("inspect_ai.dataset").Sample(input=QUESTION, target=GOLDS)
    return {"samples": [sample], "solver": import_module("inspect_ai.solver").generate()}


def _langfuse() -> dict[str, Any]:
    data = [{"input": QUESTION, "expected_output": GOLDS}]
    return {"langfuse": calls.langfuse_client(), "data": data, "task": lambda *, item, **_: ROMA}


def _lighteval() -> dict[str, Any]:
    config = import_module("lighteval.tasks.lighteval_task").LightevalTaskConfig
    return {"LightevalTaskConfig": config, "prompt": calls.lighteval_document, "repo": "rows"}


def _of_langfuse(names: dict[str, Any], out: str) -> Any:
    return [evaluation.value for evaluation in names["result"].item_results[0].evaluations]


def _of_langsmith(names: dict[str, Any], out: str) -> Any:
    return [row["evaluation_results"]["results"][0].value for row in names["results"]]


def _of_lighteval(names: dict[str, Any], out: str) -> Any:
    output = import_module("lighteval.models.model_output").ModelResponse
    responses = [output(text=[row.prediction]) for row in ROWS]
    ours, documents = list(names["TASKS_TABLE"][0].metrics), [calls.lighteval_document(row) for row in ROWS]
    result = import_module("lighteval.metrics").apply_metric(responses, documents, ours)
    return [(row["f1"], bool(row["f1_equivalent"])) for row in result]


LINES = (
    Lines(
        *("autoevals", "autoevals", lambda: {"output": ROMA, "expected": GOLDS, "question": QUESTION}),
        *(lambda names, out: ": equivalent (threshold 0.5)" in out, True),
    ),
    Lines(
        "deepeval",
        "deepeval",
        lambda: {"deepeval": import_module("deepeval"), "test_cases": [calls.deepeval_case(ROWS[1])]},
        lambda names, out: names["result"].test_results[0].success,
        True,
    ),
    Lines("dspy", "dspy", _dspy, lambda names, out: names["score"].score, pytest.approx(100 * MEAN, abs=0.005)),
    Lines("evaluate", "evaluate", dict, lambda names, out: names["result"]["scores"], [pytest.approx(2 / 3), 0.0]),
    Lines(
        "haystack",
        "haystack",
        lambda: {"pipeline": import_module("haystack").Pipeline(), "golds": ALL_GOLDS, "preds": ALL_PREDS},
        lambda names, out: names["result"]["f1"]["individual_scores"],
        pytest.approx(VALUES),
    ),
    Lines("inspect_ai", "Inspect", _inspect, lambda names, out: len(names["task"].scorer), 1),
    Lines("langfuse", "langfuse", _langfuse, _of_langfuse, [1.0, "equivalent"]),
    Lines("langsmith", "langsmith and openevals", _langsmith, _of_langsmith, ["equivalent"]),
    Lines("lighteval", "lighteval", _lighteval, _of_lighteval, list(zip(VALUES, PASSED, strict=True))),
    Lines(
        "mlflow",
        "mlflow",
        lambda: {
            "mlflow": import_module("mlflow"),
            "data": [{"inputs": {"question": QUESTION}, "outputs": ROMA, "expectations": {"expected_response": GOLDS}}],
        },
        lambda names, out: out.splitlines()[-1],
        "1.0 1.0",
    ),
    Lines(
        "pydantic_evals",
        "pydantic-evals",
        _pydantic,
        lambda names, out: names["report"].cases[0].assertions["f1 equivalent"].value,
        True,
    ),
    Lines(
        "ragas",
        "ragas",
        lambda: {"response": ROMA, "golds": GOLDS},
        lambda names, out: ": equivalent (threshold 0.5)" in out,
        True,
    ),
    Lines(
        "torchmetrics",
        "torchmetrics",
        lambda: {"preds": ALL_PREDS, "golds": ALL_GOLDS},
        lambda names, out: "tensor(0.43" in out and float(names["metric"].compute()["f1"]),
        pytest.approx(MEAN),
    ),
)


@pytest.mark.parametrize("lines", [lines for lines in LINES if find_spec(lines.library)], ids=lambda lines: lines[0])
def test_the_lines_of_the_guide_work(lines: Lines, request: pytest.FixtureRequest, capsys: Any, tmp_path: Any) -> None:
    if lines.library == "mlflow":
        request.getfixturevalue("mlflow_store")
    if lines.library == "evaluate":
        request.getfixturevalue("monkeypatch").setattr("evaluate.config.HF_METRICS_CACHE", tmp_path)
    names = pasted(lines.section, **lines.names())
    assert lines.shown(names, capsys.readouterr().out) == lines.expected


def test_the_lines_of_promptfoo_work() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    (stated,) = yaml.safe_load(lines_of("promptfoo"))["defaultTest"]["assert"]
    assert (stated["type"], stated["value"]) == ("python", "file://check.py")
    seen = calls.promptfoo(ROWS, **stated["config"])
    assert [(entry.value, entry.verdict) for entry in seen] == list(zip(VALUES, PASSED, strict=True))
