"""The command evaluate: measures of a run, and how close its top candidates are in meaning to the gold answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from answersim.io import files, output_files
from answersim.runtime.cli_errors import user_errors
from answersim.runtime.terminal import text_table
from answersim.text_tables import json_values, latex_table, markdown_table
from rankers.commands.options import Relevant, Seed, names_in
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
Texts = Annotated[
    Path | None,
    typer.Option(
        help="The texts of the documents, for --metric with --qrels: ids and texts (.jsonl, .tsv, .csv, or .gz), "
        "such as corpus.jsonl of BEIR or collection.tsv of MS MARCO."
    ),
]
Queries = Annotated[
    Path | None,
    typer.Option(
        help="The texts of the questions, which some metrics read, and gold answers (golds) if they have any, in "
        "the formats of --texts."
    ),
]
Strict = Annotated[
    bool | None,
    typer.Option(
        help="Whether a question or document of the run that has no grade is an error. Default: yes for a corpus; "
        "for qrels they are counted, if run and qrels have any document in common."
    ),
]


def evaluate(
    run: Annotated[Path, typer.Option(help="The run: a TREC file, plain or gzip.")],
    qrels: Annotated[Path | None, typer.Option(help="The grades: a TREC file of qrels.")] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(help=f"A ranking measure, such as nDCG@10. May be repeated. Default: {', '.join(USUAL)}."),
    ] = None,
    corpus: Annotated[str | None, typer.Option(help="A corpus: its grades, and its texts for --metric.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of the corpus. Default: test.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="A metric of answersim for the top candidates. May be repeated."),
    ] = None,
    texts: Texts = None,
    queries: Queries = None,
    skip_missing: Annotated[
        bool, typer.Option(help="Leave questions without texts out of --metric, instead of raising an error.")
    ] = False,
    relevant: Relevant = None,
    gain: Annotated[Literal["linear", "exponential"], typer.Option(help="How nDCG counts gains.")] = "linear",
    without_positives: Annotated[
        Literal["skip", "zero"],
        typer.Option(help="Whether a question without a relevant document is skipped or counts as zero."),
    ] = "skip",
    strict: Strict = None,
    against: Annotated[
        Path | None, typer.Option(help="Another run. The differences of all means between the two runs are tested.")
    ] = None,
    seed: Seed = 0,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="An irrelevant top candidate with at least this value of --metric is listed as equivalent to a gold "
            f"answer. Default: {THRESHOLD}."
        ),
    ] = None,
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
        metrics = names_in(metric)
        if output is not None:
            output_files.check_place(output, tuple(DOCUMENTS))
            output_files.refuse_overwriting_input([run, against, qrels, texts, queries], output)
        _check_options(run, against, qrels, corpus, split, metrics, texts, queries, skip_missing)
        grades, trec = _grades(qrels, relevant), [runs.read_trec(path) for path in (run, against) if path]
        questions = _questions(corpus, split or "test", relevant)
        if texts is not None and grades is not None:
            questions = _with_texts(trec, grades, texts, queries, skip_missing, seed)
        evaluation, *others = (
            evaluate_run(
                one,
                grades if questions is None else questions,  # type: ignore[arg-type] # one of them is there
                USUAL if measure is None else names_in(measure),
                metrics,
                qrels=grades,
                gain=gain,
                without_positives=without_positives,
                strict=strict,
                ties_seed=seed,
                threshold=threshold,
                dataset=corpus or (qrels.name if qrels else ""),
            )
            for one in trec
        )
        compared = compare_all(others[0], {evaluation.system: evaluation}, list(evaluation.values)) if others else []
        typer.echo(_page(evaluation, compared, format_))
        if output is not None:
            _write(evaluation, compared, output)
        for warning in evaluation.warnings:
            typer.echo(f"{PROGRAM}: {warning}", err=True)


def _check_options(
    run: Path,
    against: Path | None,
    qrels: Path | None,
    corpus: str | None,
    split: str | None,
    metrics: Sequence[str],
    texts: Path | None,
    queries: Path | None,
    skip_missing: bool,
) -> None:
    """Check that the options give grades, and texts for the metrics, and that none of them would be ignored."""
    if corpus is None and qrels is None:
        raise ValueError("there are no grades to measure by; give --qrels FILE or --corpus NAME")
    if corpus is None and split is not None:
        raise ValueError(f"--split {split} is the split of a corpus; give --corpus NAME, or leave --split out")
    if against is not None and against.exists() and run.exists() and against.samefile(run):
        raise ValueError(f"--against {against} is the run itself; give another run")
    if metrics and qrels is not None and corpus is None and texts is None:
        raise ValueError("--metric compares texts, and qrels contain none; give --texts FILE, or --corpus NAME")
    unread = {"--texts": texts, "--queries": queries, "--skip-missing": skip_missing or None}
    for option, value in unread.items():
        if value is not None and (corpus is not None or not metrics):
            why = "the corpus has its texts" if corpus is not None else "no --metric would read it"
            raise ValueError(f"{option} is given, but {why}; leave it out")


def _with_texts(
    trec: Sequence[Run], grades: Qrels, texts: Path, queries: Path | None, skip_missing: bool, ties_seed: int
) -> Questions:
    documents = text_files.read_documents(texts, run_texts.needed_ids(trec, grades, ties_seed))
    asked = None if queries is None else text_files.read_queries(queries)
    questions = run_texts.with_texts(
        trec, grades, documents, asked, name=texts.stem, skip_missing=skip_missing, ties_seed=ties_seed
    )
    for note in questions.notes:
        typer.echo(f"{PROGRAM}: {note}", err=True)
    return questions


def _questions(corpus: str | None, split: str, relevant: int | None) -> Questions | None:
    if corpus is None:
        return None
    from rankers.data import load

    questions = load(corpus, split)
    return questions if relevant is None else replace(questions, relevant=relevant)


def _grades(path: Path | None, relevant: int | None) -> Qrels | None:
    return None if path is None else Qrels(runs.read_qrels(path), relevant=1 if relevant is None else relevant)


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
