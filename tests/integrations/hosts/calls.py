"""How each host is called: rows and a metric go in, and what the host shows of each row comes out; its lines."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid4

import pytest

from tests.integrations.hosts.contract import PASSED, ROWS, VALUES, HostRow

FAILED = -1.0  # what dspy shows for a row that failed


class Seen(NamedTuple):
    """What a host shows of one row."""

    value: float | None = None  # None: the row failed
    verdict: Any = None  # as the host has it: a word, or whether it is "equivalent"
    reason: str = ""
    signature: str = ""
    error: str = ""


Rows = Sequence[HostRow]
Call = Callable[..., list[Seen]]


@dataclass(frozen=True)
class Way:
    """A way to call a host."""

    host: str  # the module that must be there; json for promptfoo, a program of npm that calls these functions
    call: Call  # takes rows, a metric and settings
    verdict: Literal["word", "passed", ""] = "word"  # the form of the verdict; "" if none is shown
    reason: bool = True  # whether the reason is shown
    limits: str = "any"  # the limits by default
    errors: Literal["shown", "left out", "raised"] = "shown"  # what happens to a row that cannot be scored
    objects: bool = True  # whether a metric may be an object, and not only a name
    missing: bool = True  # whether a prediction may be None
    several: bool = True  # whether a row may have several gold answers
    needs_verdict: str = ""  # of the error if answers are not counted; "" for a host that shows no verdict then
    encoder: bool = False  # whether its environment has torch

    def __str__(self) -> str:
        if isinstance(self.call, partial):
            return f"{self.call.func.__name__}-{'-'.join(map(str, self.call.keywords.values()))}"
        return self.call.__name__


def integration(name: str) -> Any:
    """The integration of this folder and host, such as "tracking.mlflow". The host is not there for mypy."""
    return import_module(f"answersim.integrations.{name}")


def each(work: Callable[..., Any], rows: Sequence[Sequence[Any]], read: Callable[[Any], Seen]) -> list[Seen]:
    """What this call returns for each of these arguments, or its error."""
    seen = []
    for arguments in rows:
        try:
            seen.append(read(work(*arguments)))
        except Exception as error:
            seen.append(Seen(error=str(error)))
    return seen


def awaited(calls: Sequence[Any], read: Callable[[Any], Seen]) -> list[Seen]:
    """What these coroutines return if all wait at the same time, or their errors."""

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*calls, return_exceptions=True)

    completed = asyncio.run(all_at_once())
    return [Seen(error=str(entry)) if isinstance(entry, BaseException) else read(entry) for entry in completed]


def autoevals(rows: Rows, metric: Any, how: str = "__call__", **settings: Any) -> list[Seen]:
    call = getattr(integration("evaluators.autoevals").AnswerSimilarity(metric, **settings), how)
    texts = [(row.prediction, row.golds, {"question": row.question}) for row in rows]
    if how == "eval_async":
        return awaited([call(output, expected, input=asked) for output, expected, asked in texts], _of_autoevals)
    return each(lambda output, expected, asked: call(output, expected, input=asked["question"]), texts, _of_autoevals)


def _of_autoevals(result: Any) -> Seen:
    assert result.name == result.metadata["signature"].partition("|")[0]
    return Seen(result.score, result.metadata["verdict"], result.metadata["reason"], result.metadata["signature"])


def deepeval_case(row: HostRow) -> Any:
    """A test case of deepeval; further gold answers are in its metadata."""
    case = import_module("deepeval.test_case").LLMTestCase
    more = {"golds": row.listed[1:]} if row.listed[1:] else None
    return case(input=row.question, actual_output=row.prediction, expected_output=row.listed[0], metadata=more)


def deepeval_data(metric: Any, rows: Rows, **config: Any) -> list[Any]:
    """The metric data of each row, in order, from deepeval's own entry point."""
    configs = import_module("deepeval.evaluate.configs")
    result = import_module("deepeval").evaluate(
        [deepeval_case(row) for row in rows],
        [metric],
        display_config=configs.DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=configs.CacheConfig(write_cache=False),
        error_config=configs.ErrorConfig(ignore_errors=True),
        async_config=configs.AsyncConfig(**config),
    )
    return [result.metrics_data[0] for result in sorted(result.test_results, key=lambda result: result.index)]


def deepeval(rows: Rows, metric: Any, run_async: bool = False, **settings: Any) -> list[Seen]:
    ours = integration("evaluators.deepeval").AnswerSimilarity(metric, **settings)
    data = deepeval_data(ours, rows, run_async=run_async)
    return [Seen(row.score, row.success, row.reason or "", row.evaluation_model or "", row.error or "") for row in data]


def dspy_examples(rows: Rows) -> list[Any]:
    """The rows as examples of dspy."""
    example = import_module("dspy").Example
    return [
        example(question=row.question, row=i, answer=row.golds).with_inputs("question", "row")
        for i, row in enumerate(rows)
    ]


def dspy_program(rows: Rows) -> Any:
    """A program that answers what the rows contain."""
    dspy: Any = import_module("dspy")

    class Program(dspy.Module):  # type: ignore[misc] # the library is not there for mypy
        def forward(self, question: str, row: int) -> Any:
            return dspy.Prediction(answer=rows[row].prediction)

    return Program()


def dspy_evaluate(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    """The scores of ``Evaluate``; the verdict is what an optimizer gets."""
    dspy: Any = import_module("dspy")
    ours = integration("frameworks.dspy").metric(metric, **settings)
    examples, program = dspy_examples(rows), dspy_program(rows)
    result = dspy.Evaluate(devset=examples, metric=ours, num_threads=4, failure_score=FAILED, max_errors=9)(program)
    verdicts = each(
        lambda example: ours(example, program(**example.inputs()), trace=[]), [(e,) for e in examples], Seen
    )
    return [
        Seen(None, error=verdict.error) if score == FAILED else Seen(score, verdict.value, "", ours.signature)
        for (_, _, score), verdict in zip(result.results, verdicts, strict=True)
    ]


def dspy_feedback(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    ours, program = integration("frameworks.dspy").feedback_metric(metric, **settings), dspy_program(rows)
    examples = [(example,) for example in dspy_examples(rows)]
    return each(
        lambda example: ours(example, program(**example.inputs()), None, "self", None),
        examples,
        lambda result: Seen(result.score, None, result.feedback, result.signature),
    )


def haystack_data(rows: Rows) -> dict[str, Any]:
    """The inputs of an evaluator of haystack."""
    return {
        "ground_truth_answers": [row.golds for row in rows],
        "predicted_answers": [row.prediction for row in rows],
        "questions": [row.question for row in rows],
    }


def haystack_pipeline(metric: Any, **settings: Any) -> Any:
    """A pipeline with one evaluator."""
    built = import_module("haystack").Pipeline()
    built.add_component("metric", integration("frameworks.haystack").AnswerSimilarityEvaluator(metric, **settings))
    return built


def haystack(rows: Rows, metric: Any, how: str = "run", **settings: Any) -> list[Seen]:
    pipeline, data = haystack_pipeline(metric, **settings), {"metric": haystack_data(rows)}
    if how == "loads":
        text = pipeline.dumps()
        assert "answersim.integrations.frameworks.haystack.AnswerSimilarityEvaluator" in text
        pipeline = type(pipeline).loads(text, allowed_modules=["answersim.integrations.frameworks.haystack"])
    result = (asyncio.run(pipeline.run_async(data)) if how == "run_async" else pipeline.run(data))["metric"]
    assert abs(result["score"] - sum(result["individual_scores"]) / len(rows)) < 1e-12
    columns = (result[name] for name in ("individual_scores", "verdicts", "reasons"))
    return [Seen(*row, result["signature"]) for row in zip(*columns, strict=True)]


def evaluate_compute(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    evaluate, ours = import_module("evaluate"), integration("evaluators.hf_evaluate")
    with TemporaryDirectory() as folder:
        evaluate.config.HF_METRICS_CACHE = Path(folder)  # type: ignore[attr-defined] # the library is not there for mypy
        loaded = evaluate.load(ours.folder(), metric, cache_dir=folder)
        result = loaded.compute(
            predictions=[row.prediction for row in rows], references=[row.listed for row in rows], **settings
        )
    assert abs(result[metric] - sum(result["scores"]) / len(rows)) < 1e-12
    verdicts = result["verdicts"] or [None] * len(rows)
    return [Seen(*row, "", result["signature"]) for row in zip(result["scores"], verdicts, strict=True)]


def inspect_eval(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    dataset = import_module("inspect_ai.dataset")
    scorer = integration("harnesses.inspect_ai").SCORERS[metric](**settings)
    samples = [dataset.Sample(input=row.question, target=row.golds, id=i) for i, row in enumerate(rows, start=1)]
    with TemporaryDirectory() as folder:  # Inspect reads samples from its file when they are needed
        result = inspect_log(samples, [row.prediction for row in rows], [scorer], folder).samples
        scores = [sample.scores[metric] for sample in sorted(result, key=lambda sample: sample.id)]
    return [
        Seen(score.value, score.metadata["verdict"], score.explanation, score.metadata["signature"]) for score in scores
    ]


def inspect_log(
    samples: Sequence[Any], answers: Sequence[str], scorers: Sequence[Any], folder: Any, log_format: str = "eval"
) -> Any:
    """The log of a task with recorded answers. (mockllm would fetch a tokenizer.)"""
    inspect, solvers = import_module("inspect_ai"), import_module("inspect_ai.solver")
    model_output = import_module("inspect_ai.model").ModelOutput

    @solvers.solver
    def replay() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = model_output.from_content("replay", answers[state.sample_id - 1])
            return state

        return solve

    task = inspect.Task(dataset=list(samples), solver=replay(), scorer=list(scorers))
    (log,) = inspect.eval(task, model="mockllm/model", log_dir=str(folder), log_format=log_format, display="none")
    assert log.status == "success", log.error
    return log


def langfuse_client() -> Any:
    """A client that sends nothing."""
    return import_module("langfuse").Langfuse(
        public_key="pk", secret_key="sk", host="http://127.0.0.1:1", tracing_enabled=False
    )


def langfuse_experiment(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    evaluator = integration("tracking.langfuse").evaluator(metric, **settings)
    data = [{"input": {"question": row.question, "row": i}, "expected_output": row.golds} for i, row in enumerate(rows)]

    def task(*, item: dict[str, Any], **_: Any) -> Any:
        return rows[item["input"]["row"]].prediction

    result = langfuse_client().run_experiment(name="rows", data=data, task=task, evaluators=[evaluator])
    seen = []
    for first in sorted(result.item_results, key=lambda first: first.item["input"]["row"]):
        score, *verdicts = first.evaluations or [None]
        verdict = verdicts[0].value if verdicts else None
        assert [of_verdict.data_type for of_verdict in verdicts] == ["CATEGORICAL"] * len(verdicts)
        seen.append(Seen() if score is None else Seen(score.value, verdict, score.comment, score.metadata["signature"]))
    return seen


def langsmith_example(inputs: dict[str, Any], outputs: dict[str, Any]) -> Any:
    """An example of a data set."""
    schemas = import_module("langsmith.schemas")
    return schemas.Example(id=uuid4(), dataset_id=UUID(int=1), inputs=inputs, outputs=outputs)


def langsmith_experiment(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    langsmith = import_module("langsmith")
    results = langsmith.evaluate(
        lambda inputs: {"answer": rows[inputs["row"]].prediction},
        data=[
            langsmith_example({"question": row.question, "row": i}, {"answer": row.golds}) for i, row in enumerate(rows)
        ],
        evaluators=[integration("tracking.langsmith").evaluator(metric, **settings)],
        client=langsmith.Client(api_url="http://127.0.0.1:1", api_key="key"),
        upload_results=False,
        max_concurrency=4,
    )
    seen = []
    for first in sorted(results, key=lambda first: first["example"].inputs["row"]):
        feedback = first["evaluation_results"]["results"][0]
        signature = (feedback.metadata or {}).get("signature", "")
        error = "" if feedback.score is not None else feedback.comment
        seen.append(Seen(feedback.score, feedback.value, feedback.comment, signature, error))
    return seen


def lighteval_document(row: HostRow, task: str = "rows") -> Any:
    """A document of lighteval."""
    return import_module("lighteval.tasks.requests").Doc(
        query=f"Q: {row.question} A:",
        choices=row.listed,
        gold_index=list(range(len(row.listed))),
        task_name=task,
        specific={"question": row.question},
    )


def lighteval_metric(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    ours = integration("harnesses.lighteval").metrics(metric, **settings)
    output = import_module("lighteval.models.model_output").ModelResponse
    result = import_module("lighteval.metrics").apply_metric(
        [output(text=[row.prediction]) for row in rows], [lighteval_document(row) for row in rows], ours
    )
    score, verdict = (entry.metric_name for entry in ours)
    signature = str(ours[0].sample_level_fn).removeprefix("answersim, score of ")
    verdicts = [None if row[verdict] != row[verdict] else bool(row[verdict]) for row in result]
    return [Seen(row[score], passed, "", signature) for row, passed in zip(result, verdicts, strict=True)]


def lm_eval_function(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    """The values that the function of a task returns; the tests of the task itself are in ``test_lm_eval``."""
    ours = integration("harnesses.lm_eval").ProcessResults(metric, reasons=True, **settings)
    texts = [({"question": row.question, "answer": row.listed}, [row.prediction]) for row in rows]

    def read(values: dict[str, Any]) -> Seen:
        reason, passed = values[f"{ours.name}_reason"], values.get(f"{ours.name}_equivalent")
        verdict = None if passed is None else bool(passed)
        return Seen(values[ours.name], verdict, reason, integration("harnesses.lm_eval").signature([reason]))

    return each(ours, texts, read)


def mlflow_genai(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    mlflow = import_module("mlflow")
    scorer = integration("tracking.mlflow").scorer(metric, **settings)
    data = [
        {
            "inputs": {"question": row.question, "row": i},
            "outputs": row.prediction,
            "expectations": {"expected_response": row.golds},
        }
        for i, row in enumerate(rows)
    ]
    result = mlflow.genai.evaluate(data=data, scorers=[scorer])
    seen: dict[int, Seen] = {}
    for trace in result.result_df["trace"]:
        trace = trace if hasattr(trace, "info") else mlflow.entities.Trace.from_json(trace)
        named = {assessment.name: assessment for assessment in trace.info.assessments}
        score, verdict = named[scorer.name], named.get(f"{scorer.name}_equivalent")
        error = "" if score.error is None else score.error.error_message
        about = score.metadata or {}
        seen[json.loads(trace.data.request)["row"]] = Seen(
            score.value, verdict and verdict.value, score.rationale or "", about.get("signature", ""), error
        )
    values = [entry.value for entry in seen.values() if entry.value is not None]
    if len(values) == len(rows):
        assert abs(result.metrics[f"{scorer.name}/mean"] - sum(values) / len(values)) < 1e-9
    return [seen[i] for i in range(len(rows))]


def mlflow_models(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    mlflow, pandas = import_module("mlflow"), import_module("pandas")
    ours = integration("tracking.mlflow").make_metric(metric, question="question", **settings)
    table = pandas.DataFrame(
        {
            "question": [row.question for row in rows],
            "gold": [row.golds if isinstance(row.golds, str) else tuple(row.golds) for row in rows],
            "pred": [row.prediction for row in rows],
        }
    )
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=table, predictions="pred", targets="gold", extra_metrics=[ours], evaluators="default"
        )
    outcome = result.tables["eval_results_table"]
    assert abs(result.metrics[f"{ours.name}/mean"] - outcome[f"{ours.name}/score"].mean()) < 1e-9
    columns = (outcome[f"{ours.name}/{column}"].tolist() for column in ("score", "justification"))
    signature = ours.metric_metadata["signature"]
    return [Seen(score, None, reason, signature) for score, reason in zip(*columns, strict=True)]


def promptfoo_context(row: HostRow, **config: Any) -> dict[str, Any]:
    """What promptfoo passes to an assertion."""
    texts = {"question": row.question, "answer": row.golds}
    return {"prompt": f"Q: {row.question}", "vars": texts, "test": {"vars": texts}, "config": config}


def promptfoo(rows: Rows, metric: Any, how: str = "get_assert", **settings: Any) -> list[Seen]:
    if how == "get_assert":
        texts = [(row.prediction, promptfoo_context(row, metric=metric, **settings)) for row in rows]
        return each(integration("harnesses.promptfoo").get_assert, texts, _of_promptfoo)
    ours = integration("harnesses.promptfoo").assertion(metric, gold="answer", question="question", **settings)
    return each(ours, [(row.prediction, promptfoo_context(row)) for row in rows], _of_promptfoo)


def _of_promptfoo(result: dict[str, Any]) -> Seen:
    assert list(result["namedScores"].values()) == [result["score"]]
    return Seen(result["score"], result["pass"], result["reason"], result["metadata"]["signature"])


def pydantic_dataset(evaluator: Any, rows: Rows) -> Any:
    """A data set with the rows as cases."""
    evals = import_module("pydantic_evals")
    cases = [
        evals.Case(name=str(i), inputs={"question": row.question, "row": i}, expected_output=row.golds)
        for i, row in enumerate(rows)
    ]
    return evals.Dataset(name="rows", cases=cases, evaluators=[evaluator])


def pydantic_evals_report(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    async def task(inputs: dict[str, Any]) -> Any:
        return rows[inputs["row"]].prediction

    evaluator = integration("evaluators.pydantic_evals").AnswerSimilarity(metric, **settings)
    report = pydantic_dataset(evaluator, rows).evaluate_sync(task, progress=False)
    assert not report.failures
    seen = []
    for case in sorted(report.cases, key=lambda case: int(case.name)):
        verdicts = [assertion.value for assertion in case.assertions.values()]
        errors = " ".join(failure.error_message for failure in case.evaluator_failures)
        scores = list(case.scores.values()) or [None]
        score, verdict = scores[0], verdicts[0] if verdicts else None
        seen.append(
            Seen(error=errors)
            if score is None
            else Seen(score.value, verdict, score.reason, score.evaluator_version, errors)
        )
    return seen


def ragas(rows: Rows, metric: Any, how: str = "score", **settings: Any) -> list[Seen]:
    ours = integration("evaluators.ragas").metric(metric, **settings)
    texts = [{"user_input": row.question, "reference": row.golds, "response": row.prediction} for row in rows]
    if how == "score":
        return [_of_ragas(ours.score(**row)) for row in texts]
    result = ours.batch_score(texts) if how == "batch_score" else asyncio.run(ours.abatch_score(texts))
    return [*map(_of_ragas, result)]


def ragas_evaluate(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    host, ours = import_module("ragas"), integration("evaluators.ragas").single_turn(metric, **settings)
    samples = [
        host.SingleTurnSample(user_input=row.question, reference=str(row.golds), response=row.prediction)
        for row in rows
    ]
    evaluation = host.evaluate(host.EvaluationDataset(samples=samples), metrics=[ours], show_progress=False)
    return [Seen(None if value != value else value, None, "", ours.signature) for value in evaluation[ours.name]]


def _of_ragas(result: Any) -> Seen:
    about = (result.traces or {}).get("output") or {}
    error = "" if result.value is not None else result.reason
    return Seen(result.value, about.get("verdict"), result.reason, about.get("signature", ""), error)


def torchmetrics_update(rows: Rows, metric: Any, **settings: Any) -> list[Seen]:
    ours = integration("evaluators.torchmetrics").AnswerSimilarity(metric, settings=settings, return_scores=True)
    for part in (rows[:2], rows[2:]):
        golds, questions = [row.golds for row in part], [row.question for row in part]
        ours.update([row.prediction for row in part], golds, questions)
    return [Seen(value, None, "", ours.signature) for value in ours.compute()["scores"].reshape(-1).tolist()]


CLIPPED: Any = {"limits": "clip"}
WAYS = (
    *(Way("autoevals", partial(autoevals, how=settings), **CLIPPED) for settings in ("__call__", "eval", "eval_async")),
    *(
        Way("deepeval", partial(deepeval, run_async=settings), "passed", needs_verdict="'threshold'", **CLIPPED)
        for settings in (False, True)
    ),
    Way("dspy", dspy_evaluate, "passed", reason=False),
    Way("dspy", dspy_feedback, ""),
    *(
        Way("haystack", partial(haystack, how=settings), objects=False, errors="raised")
        for settings in ("run", "run_async", "loads")
    ),
    Way("evaluate", evaluate_compute, reason=False, objects=False, missing=False),
    Way("inspect_ai", inspect_eval, objects=False, missing=False),
    Way("json", partial(promptfoo, how="get_assert"), "passed", needs_verdict="no calibration ships for bleu"),
    Way("json", partial(promptfoo, how="assertion"), "passed", needs_verdict="no calibration ships for bleu"),
    Way("langfuse", langfuse_experiment, errors="left out"),
    Way("langsmith", langsmith_experiment),
    Way("lighteval", lighteval_metric, "passed", reason=False, errors="raised", missing=False, encoder=True),
    Way("lm_eval", lm_eval_function, "passed", encoder=True),
    Way("mlflow", mlflow_genai, "passed"),
    Way("mlflow", mlflow_models, "", errors="raised", missing=False),
    Way("pydantic_evals", pydantic_evals_report, "passed"),
    *(Way("ragas", partial(ragas, how=settings), **CLIPPED) for settings in ("score", "batch_score", "abatch_score")),
    Way("ragas", ragas_evaluate, "", reason=False, errors="left out", missing=False, several=False, **CLIPPED),
    Way("torchmetrics", torchmetrics_update, "", reason=False, errors="raised", encoder=True),
)


# The lines of the guide.
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
    example = langsmith_example({"question": QUESTION}, {"answers": GOLDS})
    named = SimpleNamespace(evaluate=partial(langsmith.evaluate, client=client))
    return {"langsmith": named, "data": [example], "target": lambda inputs: {"answer": ROMA}}


def _dspy() -> dict[str, Any]:
    dspy = import_module("dspy")
    stated = {"devset": dspy_examples(ROWS), "program": dspy_program(ROWS)}
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
    return {"langfuse": langfuse_client(), "data": data, "task": lambda *, item, **_: ROMA}


def _lighteval() -> dict[str, Any]:
    config = import_module("lighteval.tasks.lighteval_task").LightevalTaskConfig
    return {"LightevalTaskConfig": config, "prompt": lighteval_document, "repo": "rows"}


def _of_langfuse(names: dict[str, Any], out: str) -> Any:
    return [evaluation.value for evaluation in names["result"].item_results[0].evaluations]


def _of_langsmith(names: dict[str, Any], out: str) -> Any:
    return [row["evaluation_results"]["results"][0].value for row in names["results"]]


def _of_lighteval(names: dict[str, Any], out: str) -> Any:
    output = import_module("lighteval.models.model_output").ModelResponse
    responses = [output(text=[row.prediction]) for row in ROWS]
    ours, documents = list(names["TASKS_TABLE"][0].metrics), [lighteval_document(row) for row in ROWS]
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
        lambda: {"deepeval": import_module("deepeval"), "test_cases": [deepeval_case(ROWS[1])]},
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
