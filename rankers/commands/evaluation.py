"""The commands evaluate and compare: measures of runs, and how close their top candidates are to the gold answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from answersim._base.io import files, output_files
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import OptionGroup, Use, command, option
from answersim._base.runtime.terminal import text_table
from rankers import api
from rankers.commands import training
from rankers.commands.options import RELEVANT, Device, Folder, Seed, TableColumns, names_in
from rankers.commands.ranking import ranker
from rankers.data import texts as text_files
from rankers.evaluation import runs
from rankers.evaluation.comparison import compare_runs
from rankers.evaluation.evaluate import evaluate as evaluate_run
from rankers.evaluation.qrels import Qrels
from rankers.settings import CALIBRATED, THRESHOLD

if TYPE_CHECKING:
    from answersim._base.text_tables import Result
    from rankers.types import Questions, Run

PROGRAM = "rankers"
USUAL = ("MAP", "MRR", "P@1", "nDCG@5")
DOCUMENTS = {".json": "json", ".md": "markdown", ".tex": "latex"}

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", help=f"A ranking measure, such as nDCG@10. May be repeated. Default: {', '.join(USUAL)}."
    ),
]
Gains = Annotated[Literal["linear", "exponential"], typer.Option(help="How nDCG counts gains.")]
Form = Annotated[Literal["text", "markdown", "json", "latex"], typer.Option("--format", help="The output format.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write this file: .json, .md, .tex, or a table with a row per measure."),
]


@dataclass(frozen=True)
class Grades(OptionGroup):
    """What grades the documents of a run: qrels, a corpus or a labeled table."""

    heading: ClassVar[str] = "Grades"

    qrels: Path | None = option(None, "The grades: a TREC file of qrels.")
    data: str | None = option(None, "A corpus or a labeled table: its grades, and its texts for --metric and --model.")
    split: str | None = option(None, "The split of the corpus. Default: test.")
    relevant: int | None = option(None, RELEVANT)
    without_positives: Literal["skip", "zero"] = option(
        "skip", "Whether a question without a relevant document is skipped or counts as zero."
    )
    strict: bool | None = option(
        None,
        "Whether a question or document of the run that has no grade is an error. Default: yes for --data; for qrels "
        "they are counted, if run and qrels have any document in common.",
    )

    def check(self) -> None:
        """Raise ValueError if there are no grades, or an option would be ignored."""
        if self.data is None and self.qrels is None:
            raise ValueError("there are no grades to measure by; give --qrels FILE, or --data with a corpus or a table")
        if self.data is None and self.split is not None:
            raise ValueError(f"--split {self.split} is the split of a corpus; give --data NAME, or leave --split out")

    def questions(self, columns: TableColumns) -> Questions | None:
        """Return the questions of the corpus or the table, None without one."""
        if self.data is None:
            if named := columns.named():
                raise ValueError(f"--{min(named).replace('_', '-')} is a column of a table; give --data FILE with it")
            return None
        return training.questions(self.data, self.split or "test", self.relevant, columns.named())

    def judged(self) -> Qrels | None:
        """Return the qrels, None without a file of them."""
        if self.qrels is None:
            return None
        return Qrels(runs.read_qrels(self.qrels), relevant=1 if self.relevant is None else self.relevant)


@dataclass(frozen=True)
class TopCandidates(OptionGroup):
    """The metrics of answersim that compare top candidates with gold answers, and the texts that they read."""

    heading: ClassVar[str] = "Top candidates"

    metric: tuple[str, ...] = option(
        (),
        "A metric of answersim for the top candidates. May be repeated.",
        "--metric",
        "-m",
        multiple="verbatim",
    )
    texts: Path | None = option(
        None,
        "The texts of the documents, for --metric with --qrels: ids and texts (.jsonl, .tsv, .csv, or .gz), such as "
        "corpus.jsonl of BEIR or collection.tsv of MS MARCO.",
    )
    queries: Path | None = option(
        None,
        "The texts of the questions, which some metrics read, and gold answers (golds) if they have any, in the "
        "formats of --texts.",
    )
    skip_missing: bool = option(False, "Leave questions without texts out of --metric, instead of raising an error.")
    threshold: str | None = option(
        None,
        "An irrelevant top candidate with at least this value of --metric is listed as equivalent to a gold answer. "
        f"{CALIBRATED}: the score at which the shipped calibration of the metric says so. Default: {THRESHOLD}.",
    )

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return names_in(self.metric)

    @property
    def limit(self) -> Any:
        """The threshold: a number, "calibrated", or None."""
        if self.threshold in (None, CALIBRATED):
            return self.threshold
        try:
            return float(str(self.threshold))
        except ValueError:
            raise ValueError(
                f"--threshold is {self.threshold!r}, but it must be a number, such as {THRESHOLD}, or {CALIBRATED}"
            ) from None

    def check(self, grades: Grades) -> None:
        """Raise ValueError if the metrics have no texts, or an option would be ignored."""
        if self.metrics and grades.qrels is not None and grades.data is None and self.texts is None:
            raise ValueError("--metric compares texts, and qrels contain none; give --texts FILE, or --data NAME")
        unread = {"--texts": self.texts, "--queries": self.queries, "--skip-missing": self.skip_missing or None}
        for name, value in unread.items():
            if value is not None and (grades.data is not None or not self.metrics):
                why = f"{grades.data} has its texts" if grades.data is not None else "no --metric would read it"
                raise ValueError(f"{name} is given, but {why}; leave it out")
        _ = self.limit  # its errors come before any work

    def questions(self, texts: Path, trec: Sequence[Run], qrels: Qrels, ties_seed: int) -> Questions:
        """Return the questions of the qrels with these texts, and print their notes."""
        documents = text_files.read_documents(texts, text_files.wanted_ids(trec, qrels, ties_seed))
        asked = None if self.queries is None else text_files.read_queries(self.queries)
        questions = text_files.with_texts(
            trec, qrels, documents, asked, name=texts.stem, skip_missing=self.skip_missing, ties_seed=ties_seed
        )
        for note in questions.notes:
            typer.echo(f"{PROGRAM}: {note}", err=True)
        return questions


@command
def evaluate(
    grades: Grades,
    top: TopCandidates,
    columns: TableColumns,
    run: Annotated[Path | None, typer.Option(help="The run: a TREC file, plain or gzip.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Rank the questions of --data with this model, as `rankers rank` does.")
    ] = None,
    measure: Measures = None,
    folder: Folder = None,
    gain: Gains = "linear",
    seed: Seed = 0,
    format_: Form = "text",
    output: Output = None,
    device: Device = None,
) -> None:
    """Evaluate a run, or a model on labeled questions. Metrics compare its top candidates with the gold answers.

    Equal scores are in the order that --seed decides.
    """
    with user_errors(PROGRAM):
        _check_output(output, [run, grades.qrels, top.texts, top.queries])
        if (run is None) == (model is None):
            raise ValueError("give either --run FILE or --model NAME with --data")
        if folder is not None and model is None:
            raise ValueError(f"--folder {folder} has a trained system; give --model NAME too, or leave --folder out")
        if model is not None and grades.data is None:
            raise ValueError(f"--model {model} needs questions to rank; give --data with a corpus or a table")
        grades.check()
        top.check(grades)
        questions = grades.questions(columns)
        if model is not None and questions is not None:
            trec = api.run(ranker(model, folder, device), questions, "-".join(Path(model).name.split()))
        else:
            trec = runs.read_trec(run or "")
        judged, settings = _settings(grades, top, questions, [trec], measure, gain, seed)
        evaluation = evaluate_run(trec, judged, **settings)
        _show(evaluation, evaluation.warnings, format_, output)


@command
def compare(
    run: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN...", help="TREC files, plain or gzip, the baseline first.")
    ],
    grades: Grades,
    top: Annotated[TopCandidates, Use(without="threshold")],
    columns: TableColumns,
    measure: Measures = None,
    gain: Gains = "linear",
    seed: Seed = 0,
    format_: Form = "text",
    output: Output = None,
) -> None:
    """Compare runs on the same questions. Each is tested against the first, with Holm's procedure over all tests."""
    with user_errors(PROGRAM):
        _check_output(output, [*run, grades.qrels, top.texts, top.queries])
        if len(run) < 2:
            raise ValueError(f"{run[0]} is one run; give at least two, the baseline first")
        if len({path.resolve() for path in run}) < len(run):
            raise ValueError("a run is given twice; give each once")
        grades.check()
        top.check(grades)
        trec = [runs.read_trec(path) for path in run]
        if len({one.name for one in trec}) < len(trec):  # the files of one tool may all have its name
            trec = [one._replace(name=path.name.split(".")[0]) for one, path in zip(trec, run, strict=True)]
        judged, settings = _settings(grades, top, grades.questions(columns), trec, measure, gain, seed)
        compared = compare_runs(trec, judged, **settings)
        warnings = (f"{each.system}: {line}" for each in compared.evaluations for line in each.warnings)
        _show(compared, dict.fromkeys(warnings), format_, output)


def _settings(
    grades: Grades,
    top: TopCandidates,
    questions: Questions | None,
    trec: Sequence[Run],
    measure: Sequence[str] | None,
    gain: str,
    seed: int,
) -> tuple[Any, dict[str, Any]]:
    """Return what the runs are evaluated on, and the arguments that both commands share."""
    qrels = grades.judged()
    if top.texts is not None and qrels is not None:
        questions = top.questions(top.texts, trec, qrels, seed)
    return questions if questions is not None else qrels, {
        "measures": USUAL if measure is None else names_in(measure),
        "metrics": top.metrics,
        "qrels": qrels,
        "gain": gain,
        "without_positives": grades.without_positives,
        "strict": grades.strict,
        "ties_seed": seed,
        "threshold": top.limit,
        "dataset": Path(grades.data).name.split(".")[0] if grades.data else grades.qrels.name if grades.qrels else "",
    }


def _check_output(output: Path | None, inputs: Sequence[Path | None]) -> None:
    if output is not None:
        output_files.check_place(output, tuple(DOCUMENTS))
        output_files.refuse_overwriting_input(list(inputs), output)


def _show(result: Result, warnings: Iterable[str], format_: str, output: Path | None) -> None:
    """Print a result and its warnings, and write it to the file."""
    typer.echo(_page(result, format_))
    if output is not None and (form := DOCUMENTS.get(output.suffix.lower())):
        with output_files.atomic_write(output) as draft:
            draft.write_text(_page(result, form).rstrip("\n") + "\n", encoding="utf-8")
    elif output is not None:
        rows = result.records()
        files.write(files.Table(tuple(rows[0]), rows), output)
    for warning in warnings:
        typer.echo(f"{PROGRAM}: {warning}", err=True)


def _page(result: Result, format_: str) -> str:
    """Return a result in this format."""
    if format_ == "json":
        return json.dumps(result.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
    if format_ == "text":
        return "\n\n".join("\n".join(text_table(table)) for table in result.tables())
    return result.to_markdown() if format_ == "markdown" else result.to_latex()
