"""The command evaluate: measures of a run, and how close its top candidates are in meaning to the gold answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from answersim._base.io import files, output_files
from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import OptionGroup, command, option
from answersim._base.runtime.terminal import text_table
from answersim._base.text_tables import json_values, latex_table, markdown_table
from rankers.commands.options import RELEVANT, Seed, names_in
from rankers.data import run_texts
from rankers.data import texts as text_files
from rankers.evaluation import runs
from rankers.evaluation.comparison import Comparison, compare_all, comparison_table
from rankers.evaluation.evaluate import Evaluation
from rankers.evaluation.evaluate import evaluate as evaluate_run
from rankers.evaluation.measures import USUAL
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.semantic import THRESHOLD
from rankers.types import Questions, Run

PROGRAM = "rankers"
DOCUMENTS = {".json": "json", ".md": "markdown", ".tex": "latex"}


@dataclass(frozen=True)
class Grades(OptionGroup):
    """What grades the documents of a run: qrels or a corpus."""

    heading: ClassVar[str] = "Grades"

    qrels: Path | None = option(None, "The grades: a TREC file of qrels.")
    corpus: str | None = option(None, "A corpus: its grades, and its texts for --metric.")
    split: str | None = option(None, "The split of the corpus. Default: test.")
    relevant: int | None = option(None, RELEVANT)
    without_positives: Literal["skip", "zero"] = option(
        "skip", "Whether a question without a relevant document is skipped or counts as zero."
    )
    strict: bool | None = option(
        None,
        "Whether a question or document of the run that has no grade is an error. Default: yes for a corpus; for qrels "
        "they are counted, if run and qrels have any document in common.",
    )

    def check(self) -> None:
        """Raise ValueError if there are no grades, or an option would be ignored."""
        if self.corpus is None and self.qrels is None:
            raise ValueError("there are no grades to measure by; give --qrels FILE or --corpus NAME")
        if self.corpus is None and self.split is not None:
            raise ValueError(f"--split {self.split} is the split of a corpus; give --corpus NAME, or leave --split out")

    def questions(self) -> Questions | None:
        """Return the questions of the corpus, None without one."""
        if self.corpus is None:
            return None
        from rankers.data import load

        questions = load(self.corpus, self.split or "test")
        return questions if self.relevant is None else replace(questions, relevant=self.relevant)

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
    threshold: float | None = option(
        None,
        "An irrelevant top candidate with at least this value of --metric is listed as equivalent to a gold answer. "
        f"Default: {THRESHOLD}.",
    )

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return names_in(self.metric)

    def check(self, grades: Grades) -> None:
        """Raise ValueError if the metrics have no texts, or an option would be ignored."""
        if self.metrics and grades.qrels is not None and grades.corpus is None and self.texts is None:
            raise ValueError("--metric compares texts, and qrels contain none; give --texts FILE, or --corpus NAME")
        unread = {"--texts": self.texts, "--queries": self.queries, "--skip-missing": self.skip_missing or None}
        for name, value in unread.items():
            if value is not None and (grades.corpus is not None or not self.metrics):
                why = "the corpus has its texts" if grades.corpus is not None else "no --metric would read it"
                raise ValueError(f"{name} is given, but {why}; leave it out")

    def questions(self, texts: Path, trec: Sequence[Run], qrels: Qrels, ties_seed: int) -> Questions:
        """Return the questions of the qrels with these texts, and print their notes."""
        documents = text_files.read_documents(texts, run_texts.needed_ids(trec, qrels, ties_seed))
        asked = None if self.queries is None else text_files.read_queries(self.queries)
        questions = run_texts.with_texts(
            trec, qrels, documents, asked, name=texts.stem, skip_missing=self.skip_missing, ties_seed=ties_seed
        )
        for note in questions.notes:
            typer.echo(f"{PROGRAM}: {note}", err=True)
        return questions


@command
def evaluate(
    run: Annotated[Path, typer.Option(help="The run: a TREC file, plain or gzip.")],
    grades: Grades,
    top: TopCandidates,
    measure: Annotated[
        list[str] | None,
        typer.Option(help=f"A ranking measure, such as nDCG@10. May be repeated. Default: {', '.join(USUAL)}."),
    ] = None,
    gain: Annotated[Literal["linear", "exponential"], typer.Option(help="How nDCG counts gains.")] = "linear",
    against: Annotated[
        Path | None, typer.Option(help="Another run. The differences of all means between the two runs are tested.")
    ] = None,
    seed: Seed = 0,
    format_: Annotated[
        Literal["text", "markdown", "json", "latex"], typer.Option("--format", help="The output format.")
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write this file: .json, .md, .tex, or a table with a row per measure."),
    ] = None,
) -> None:
    """Evaluate a run by ranking measures and metrics. Metrics compare its top candidates with the gold answers.

    Equal scores are in the order that --seed decides.
    """
    with user_errors(PROGRAM):
        if output is not None:
            output_files.check_place(output, tuple(DOCUMENTS))
            output_files.refuse_overwriting_input([run, against, grades.qrels, top.texts, top.queries], output)
        grades.check()
        if against is not None and against.exists() and run.exists() and against.samefile(run):
            raise ValueError(f"--against {against} is the run itself; give another run")
        top.check(grades)
        qrels, trec = grades.judged(), [runs.read_trec(path) for path in (run, against) if path]
        questions = grades.questions()
        if top.texts is not None and qrels is not None:
            questions = top.questions(top.texts, trec, qrels, seed)
        evaluation, *others = (
            evaluate_run(
                one,
                qrels if questions is None else questions,  # type: ignore[arg-type] # one of them is there
                USUAL if measure is None else names_in(measure),
                top.metrics,
                qrels=qrels,
                gain=gain,
                without_positives=grades.without_positives,
                strict=grades.strict,
                ties_seed=seed,
                threshold=top.threshold,
                dataset=grades.corpus or (grades.qrels.name if grades.qrels else ""),
            )
            for one in trec
        )
        compared = compare_all(others[0], {evaluation.system: evaluation}, list(evaluation.values)) if others else []
        typer.echo(_page(evaluation, compared, format_))
        if output is not None:
            _write(evaluation, compared, output)
        for warning in evaluation.warnings:
            typer.echo(f"{PROGRAM}: {warning}", err=True)


def _write(evaluation: Evaluation, compared: Sequence[Comparison], output: Path) -> None:
    if form := DOCUMENTS.get(output.suffix.lower()):
        with output_files.atomic_write(output) as draft:
            draft.write_text(_page(evaluation, compared, form).rstrip("\n") + "\n", encoding="utf-8")
        return
    rows = evaluation.records()
    files.write(files.Table(tuple(rows[0]), rows), output)


def _page(evaluation: Evaluation, compared: Sequence[Comparison], format_: str) -> str:
    """Return the evaluation and the comparisons in this format."""
    if format_ == "json":
        content = evaluation.to_dict() | {"comparisons": json_values([asdict(one) for one in compared])}
        return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    more = [comparison_table(compared)] if compared else []
    if format_ == "text":
        first, *listed = evaluation.tables()
        return "\n\n".join("\n".join(text_table(table)) for table in (first, *more, *listed))
    lines = [line for table in more for line in (markdown_table if format_ == "markdown" else latex_table)(table)]
    return "\n".join([evaluation.to_markdown() if format_ == "markdown" else evaluation.to_latex(), *lines])
