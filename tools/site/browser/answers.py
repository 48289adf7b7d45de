"""What the page calls inside the browser: a pasted table goes in; verdicts, a comparison, scores and a report come out.

It runs in the package's own wheel by Pyodide, and as well in any Python with answersim: the numbers are the same.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answersim import __version__
from answersim.answers.blocks import AnswerBlock
from answersim.answers.reader import read_answers
from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.errors import DetectedFormatWarning
from answersim.evaluation.compare import compare_all
from answersim.evaluation.comparison import Comparison
from answersim.evaluation.systems import evaluate
from answersim.io import detection, files
from answersim.io.files import Table
from answersim.scoring.score import score
from answersim.text_tables import TextTable, html_result, html_table
from answersim.types import Scores

try:
    from tools.site.browser import quantized
except ModuleNotFoundError:  # in the page, the files are beside each other
    import quantized  # type: ignore[no-redef,import-not-found]

LEXICAL = ("em", "f1", "recall", "containment", "bleu", "rouge-l", "meteor", "typed+recall", "typed+f1")
METRICS = (*LEXICAL, quantized.NAME)
NAME = "pasted-table"  # in messages
GOLD = ("gold", "gold answer", "gold_answer", "reference", "references", "expected", "target", "truth", "ground_truth")
PRED = ("pred", "prediction", "predictions", "predicted", "output", "response", "completion", "model")
QUESTION = ("question", "query", "prompt", "input")
ANSWERS = ("answer", "answers")  # the gold answers if there is no better name
OTHER = ("id", "label", "system")
SHOWN_ANSWERS, SHOWN_CHANGES, SHOWN_SCORES, SHOWN_ROWS = 25, 25, 100, 4
_WIDTH = 80  # characters of a text in a table


def call(name: str, request: str) -> str:
    """Run one of the functions of this file on a request in JSON, and return its result, or its error, as JSON."""
    functions = {"describe": describe, "evaluated": evaluated, "report": report, "encoded": encoded}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = functions[name](json.loads(request))
        except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
            text = error.args[0] if isinstance(error, KeyError) and error.args else error
            return json.dumps({"error": f"{type(error).__name__}: {text}"})
    messages = dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, UserWarning))
    return json.dumps(result | {"warnings": list(messages)})


def describe(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a table is read: its columns, whether its first row names them, and which one is what.

    Args:
        request: "text", and "header": True, False, or None to decide it by the names in the first row.
    """
    table, header = read(request["text"], request.get("header"))
    if not table.rows:
        raise ValueError("the table has no rows; paste one answer per row, with its gold answer")
    return {
        "columns": list(table.columns),
        "header": header,
        "rows": len(table.rows),
        "first": [[_text(row.get(name)) for name in table.columns] for row in table.rows[:SHOWN_ROWS]],
        **roles(table.columns),
    }


def read(text: str, header: bool | None = None) -> tuple[Table, bool]:
    """Return the table in a text, CSV, TSV, a JSON array or JSON lines, and whether its first row names the columns.

    A table without such a row gets the names gold, prediction, prediction 2, ...

    >>> read("Rome,in Rome")
    (Table(columns=('gold', 'prediction'), rows=[{'gold': 'Rome', 'prediction': 'in Rome'}], arrow=None), False)
    """
    start = text.lstrip("\ufeff \t\r\n")[:1]
    suffix = {"[": ".json", "{": ".jsonl"}.get(start, ".csv")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{NAME}{suffix}"
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        try:
            if suffix != ".csv":
                return files.read(path), True
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DetectedFormatWarning)  # of a pasted table, every format is detected
                delimiter = detection.delimiter_of(path, "utf-8", "\t" if "\t" in text.partition("\n")[0] else ",")
            first = next(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter), [])
            named = is_header(first) if header is None else header
            if not named:
                line = delimiter.join(_names(len(first)))
                path.write_text(f"{line}\n{text}", encoding="utf-8", errors="surrogatepass", newline="")
            return files.read_csv(path, delimiter), named
        except ValueError as error:
            raise ValueError(str(error).replace(f"{folder}/", "")) from error


def is_header(cells: Sequence[str]) -> bool:
    """Return whether a row names columns: one of its cells is a usual name.

    >>> is_header(["Gold", "GPT"]), is_header(["Rome", "the city of Rome"])
    (True, False)
    """
    return any(cell.strip().lower() in (*GOLD, *PRED, *QUESTION, *ANSWERS, *OTHER) for cell in cells)


def roles(columns: Sequence[str]) -> dict[str, Any]:
    """Return the column of gold answers or None, those of predictions, and that of questions or None, by their names.

    Names that are not usual have no role: the page asks for it.

    >>> roles(["question", "gold", "pred a", "pred b", "score"])
    {'gold': 'gold', 'preds': ['pred a', 'pred b'], 'question': 'question'}
    >>> roles(["answer", "output"]), roles(["case", "user_query"])
    ({'gold': 'answer', 'preds': ['output'], 'question': None}, {'gold': None, 'preds': [], 'question': None})
    """
    plain = {name: name.strip().lower() for name in columns}
    question = next((name for name in columns if plain[name] in QUESTION), None)
    rest = [name for name in columns if name != question and plain[name] not in OTHER]
    gold = next((name for usual in (*GOLD, *ANSWERS) for name in rest if plain[name] == usual), None)
    preds = [name for name in rest if name != gold and plain[name].startswith(PRED)]
    return {"gold": gold, "preds": preds, "question": question}


def evaluated(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return verdicts, comparisons and scores as HTML, and the scores with all digits as CSV.

    Args:
        request: "text", "header", "gold", "preds", "question" (or None), "split_gold" (or None), "metric" for verdicts
            and comparison, "metrics" for further scores, and "lang".
    """
    table, evaluation = _evaluation(request, keep=("wrong", "unsure", "not attempted"))
    answers = read_answers(table, **_columns(request)).read()
    comparisons: tuple[Comparison, ...] = ()
    if len(answers.predictions) > 1 and len(answers.golds) > 1:
        comparisons = compare_all(
            answers.predictions,
            gold=answers.golds,
            question=answers.questions,
            progress=False,
            **_metric(request, request["metric"]),
        ).pairs
    scores = _scores(request, answers)
    compared = [
        pair._repr_html_() + (html_table(_changes(answers, pair), aligned=True) if pair.changed else "")
        for pair in comparisons
    ]
    signatures = {scored.signature: None for scored in scores.values()}
    numbers = {name: scored.values.tolist() for name, scored in scores.items()}
    return {
        "verdicts": html_result(evaluation.summary(), evaluation.tables(SHOWN_ANSWERS), evaluation.footer()),
        "comparisons": compared,
        "scores": html_table(_score_table(answers, numbers), aligned=True),
        "signatures": list(signatures),
        "csv": _csv(table.extended(numbers)),
        "numbers": {"evaluation": evaluation.to_dict(), "comparisons": [pair.to_dict() for pair in comparisons]},
        "version": __version__,
    }


def report(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the page of ``answersim report``. Raises: MissingExtraError without matplotlib or jinja2."""
    from answersim.report.systems import systems_page

    _, evaluation = _evaluation(request, keep=ANSWER_VERDICTS)
    return {"html": systems_page(evaluation)}


def encoded(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the token ids ("ids") of the texts of a table whose vectors the page must compute before it is scored."""
    answers = read_answers(read(request["text"], request["header"])[0], **_columns(request)).read()
    golds = [[gold] if isinstance(gold, str) else gold for gold in answers.golds]
    texts = [text for listed in (*golds, *answers.predictions.values()) for text in listed]
    return {"ids": quantized.needed(texts)}


def _metric(request: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the metric of this name and its language; that of the page reads all languages by one network."""
    return {"metric": quantized.metric()} if name == quantized.NAME else {"metric": name, "lang": request["lang"]}


def _evaluation(request: Mapping[str, Any], keep: Any) -> tuple[Table, Any]:
    table, _ = read(request["text"], request["header"])
    if not request["gold"]:
        raise ValueError("no column of gold answers is chosen; choose one")
    if not request["preds"]:
        raise ValueError("no column of predictions is chosen; choose at least one")
    evaluation = evaluate(
        read_answers(table, **_columns(request)),
        keep=keep,
        progress=False,
        **_metric(request, request["metric"]),
    )
    return table, evaluation


def _columns(request: Mapping[str, Any]) -> dict[str, Any]:
    return {"pred": request["preds"]} | {name: request[name] for name in ("gold", "question", "split_gold")}


def _scores(request: Mapping[str, Any], answers: AnswerBlock) -> dict[str, Scores]:
    """Return the scores of each metric for each system, by the name of their column."""
    metrics = list(dict.fromkeys([request["metric"], *request["metrics"]]))
    several = len(answers.predictions) > 1
    return {
        f"{name} of {system}" if several else name: score(
            answers.golds, preds, progress=False, **_metric(request, name)
        )
        for system, preds in answers.predictions.items()
        for name in metrics
    }


def _changes(answers: AnswerBlock, pair: Comparison) -> TextTable:
    first, second = pair.names
    rows = tuple(
        (
            *(str(row.row + 1), row.change, f"{row.first:.3f}", f"{row.second:.3f}", _text(answers.golds[row.row])),
            *(_text(answers.predictions[name][row.row]) for name in pair.names),
        )
        for row in pair.changed[:SHOWN_CHANGES]
    )
    left = len(pair.changed) - len(rows)
    header = ("row", "change", f"score {first}", f"score {second}", "gold", first, second)
    return TextTable("Answers that changed", header, rows, (f"... and {left:,} more",) if left else ())


def _score_table(answers: AnswerBlock, numbers: Mapping[str, Sequence[float]]) -> TextTable:
    rows = tuple(
        (
            *(str(i + 1), *(f"{column[i]:.3f}" for column in numbers.values()), _text(answers.golds[i])),
            *(_text(preds[i]) for preds in answers.predictions.values()),
        )
        for i in range(min(len(answers.golds), SHOWN_SCORES))
    )
    left = len(answers.golds) - len(rows)
    notes = (f"... and {left:,} more rows; the file has all of them, with all digits",) if left else ()
    return TextTable("", ("row", *numbers, "gold", *answers.predictions), rows, notes)


def _csv(table: Table) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        files.write(table, path)
        return path.read_bytes().decode("utf-8")


def _text(value: Any) -> str:
    """Return the text of a cell on one line, shortened. A list of gold answers is joined by " | "."""
    text = " | ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _names(n: int) -> list[str]:
    return ["gold", "prediction", *(f"prediction {i}" for i in range(2, n))][:n]
