"""The command evaluate: measures of a run, and how close its top candidates are in meaning to the gold answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from answersim.runtime.cli_errors import user_errors
from rankers.commands.columns import column_table, names_in
from rankers.data import run_texts
from rankers.data import texts as text_files
from rankers.evaluation import runs
from rankers.evaluation.comparison import Comparison, compare_all
from rankers.evaluation.evaluate import Evaluation
from rankers.evaluation.evaluate import evaluate as evaluate_run
from rankers.evaluation.measures import USUAL, mean
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.semantic import THRESHOLD
from rankers.types import Questions, Run

if TYPE_CHECKING:
    from answersim import Interval

PROGRAM = "rankers"


def evaluate(
    run: Annotated[Path, typer.Option(help="The run: a TREC file, plain or gzip.")],
    qrels: Annotated[Path | None, typer.Option(help="The grades: a TREC file of qrels.")] = None,
    measures: Annotated[str, typer.Option(help="Ranking measures, separated by spaces.")] = " ".join(USUAL),
    corpus: Annotated[str | None, typer.Option(help="A corpus: its grades, and its texts for --metrics.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of the corpus. Default: test.")] = None,
    metrics: Annotated[
        str, typer.Option(help="Metrics of answersim for the top candidates, separated by commas.")
    ] = "",
    texts: Annotated[
        Path | None,
        typer.Option(
            help="The texts of the documents, for --metrics with --qrels: ids and texts (.jsonl, .tsv, .csv, or .gz), "
            "such as corpus.jsonl of BEIR or collection.tsv of MS MARCO."
        ),
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(
            help="The texts of the questions, which some metrics read, and gold answers (golds) if they have any, in "
            "the formats of --texts."
        ),
    ] = None,
    skip_missing: Annotated[
        bool, typer.Option(help="Leave questions without texts out of --metrics, instead of raising an error.")
    ] = False,
    relevant: Annotated[
        int | None,
        typer.Option(help="The lowest grade that counts as relevant. Default: that of the corpus; 1 for --qrels."),
    ] = None,
    gain: Annotated[Literal["linear", "exponential"], typer.Option(help="How nDCG counts gains.")] = "linear",
    without_positives: Annotated[
        Literal["skip", "zero"],
        typer.Option(help="Whether a question without a relevant document is skipped or counts as zero."),
    ] = "skip",
    strict: Annotated[
        bool | None,
        typer.Option(
            help="Whether a question or document of the run that has no grade is an error. Default: yes for a corpus; "
            "for qrels they are counted, if run and qrels have any document in common."
        ),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another run. The differences of all means between the two runs are tested.")
    ] = None,
    ties_seed: Annotated[int, typer.Option(help="The seed of the order of equal scores.")] = 0,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="An irrelevant top candidate with at least this value of --metrics is listed as equivalent to a gold "
            f"answer. Default: {THRESHOLD}."
        ),
    ] = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="The output format.")] = "table",
) -> None:
    """Evaluate a run by ranking measures and metrics. Metrics compare its top candidates with the gold answers."""
    with user_errors(PROGRAM):
        if corpus is None and qrels is None:
            raise ValueError("there are no grades to measure by; give --qrels FILE or --corpus NAME")
        if corpus is None and split is not None:
            raise ValueError(f"--split {split} is the split of a corpus; give --corpus NAME, or leave --split out")
        if against is not None and against.exists() and run.exists() and against.samefile(run):
            raise ValueError(f"--against {against} is the run itself; give another run")
        if metrics and qrels is not None and corpus is None and texts is None:
            raise ValueError("--metrics compares texts, and qrels contain none; give --texts FILE, or --corpus NAME")
        unread = {"--texts": texts, "--queries": queries, "--skip-missing": skip_missing or None}
        for option, value in unread.items():
            if value is not None and (corpus is not None or not metrics):
                why = "the corpus has its texts" if corpus is not None else "no --metrics would read it"
                raise ValueError(f"{option} is given, but {why}; leave it out")
        grades, trec = _grades(qrels, relevant), [runs.read_trec(path) for path in (run, against) if path]
        questions = _questions(corpus, split or "test", relevant)
        if texts is not None and grades is not None:
            questions = _with_texts(trec, grades, texts, queries, skip_missing, ties_seed)

        def evaluated(one: Run) -> Evaluation:
            return evaluate_run(
                one,
                grades if questions is None else questions,  # type: ignore[arg-type] # one of them is there
                names_in(measures),
                names_in(metrics),
                qrels=grades,
                gain=gain,
                without_positives=without_positives,
                strict=strict,
                ties_seed=ties_seed,
                threshold=threshold,
                dataset=corpus or (qrels.name if qrels else ""),
            )

        evaluation, *others = map(evaluated, trec)
        compared = compare_all(others[0], {evaluation.system: evaluation}, list(evaluation.values)) if others else []
        typer.echo(_json(evaluation, compared) if format == "json" else _page(evaluation, compared))
        for warning in evaluation.warnings:
            typer.echo(f"{PROGRAM}: {warning}", err=True)


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


def _json(evaluation: Evaluation, compared: Sequence[Comparison]) -> str:
    """Return the evaluation and the comparisons as one JSON object; undefined numbers are null."""
    suspected = {
        name: [suspect._asdict() for suspect in scores.false_negatives] for name, scores in evaluation.semantic.items()
    }
    page = {
        "rows": evaluation.rows(),
        "counts": evaluation.counts._asdict(),
        "comparisons": [
            {key: None if value != value else value for key, value in comparison._asdict().items()}
            for comparison in compared
        ],
        "false_negatives": suspected,
        "warnings": list(evaluation.warnings),
    }
    return json.dumps(page, ensure_ascii=False, indent=2, allow_nan=False)


def _page(evaluation: Evaluation, compared: Sequence[Comparison]) -> str:
    """Return the evaluation and the comparisons as tables, one below the other."""
    header = ("measure", "questions", "mean", "95 % interval", "over tied orders")[: 5 if evaluation.counts.tied else 4]
    rows = []
    for measure in evaluation.values:
        average = f"{mean(evaluation.tie_averaged[measure]):.4f}" if measure in evaluation.tie_averaged else ""
        row = (
            measure,
            str(len(evaluation.defined_values(measure))),
            f"{evaluation.mean(measure):.4f}",
            _ends(evaluation.interval(measure)),
            average,
        )
        rows.append(row[: len(header)])
    tables = [column_table(header, rows)]
    if compared:
        against = ("measure", f"less {compared[0].first}", "95 % interval", "p", "p (Holm)")
        lines = [
            (
                comparison.measure,
                f"{comparison.difference:+.4f}",
                _ends(comparison, "+"),
                f"{comparison.p:.4f}",
                f"{comparison.p_holm:.4f}",
            )
            for comparison in compared
        ]
        tables.append(column_table(against, lines))
    for name, judgement in evaluation.semantic.items():
        if judgement.false_negatives:
            title = f"{name} >= {judgement.threshold:g}, and counted as wrong"
            shown = [
                (f"{suspect.value:.3f}", suspect.question or suspect.question_id, suspect.choice, suspect.gold)
                for suspect in judgement.false_negatives
            ]
            tables.append(f"{title}\n{column_table(('value', 'question', 'top candidate', 'gold answer'), shown)}")
    return "\n\n".join(tables)


def _ends(interval: Interval | Comparison, sign: str = "") -> str:
    return f"{interval.low:{sign}.4f} .. {interval.high:{sign}.4f}"
