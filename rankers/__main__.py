"""The command line of rankers: parse, one library call, print."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from answersim.cli_errors import user_errors
from rankers.commands import ranking, training
from rankers.evaluation import runs
from rankers.evaluation.comparison import Comparison, compare_all
from rankers.evaluation.evaluation import Evaluation, evaluate
from rankers.evaluation.measures import USUAL, mean
from rankers.evaluation.qrels import Qrels
from rankers.evaluation.semantic import THRESHOLD
from rankers.types import Questions

if TYPE_CHECKING:
    from answersim import Interval

PROGRAM = "rankers"

app = typer.Typer(
    name=PROGRAM,
    help="Published answer-selection systems, judged by ranking measures and by answer similarity.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def _several() -> None:
    """Keep the names of the commands, however few there are."""


@app.command("evaluate")
def evaluate_(
    run: Annotated[Path, typer.Option(help="The run: a TREC file, plain or gzip.")],
    qrels: Annotated[Path | None, typer.Option(help="The grades: a TREC file of qrels.")] = None,
    measures: Annotated[str, typer.Option(help="Ranking measures, separated by spaces.")] = " ".join(USUAL),
    corpus: Annotated[str | None, typer.Option(help="A corpus: its grades, and its texts for --metrics.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of the corpus; test if not given.")] = None,
    metrics: Annotated[
        str, typer.Option(help="Metrics of answersim for the top candidates, separated by commas.")
    ] = "",
    relevant: Annotated[int | None, typer.Option(help="The lowest grade that counts as relevant.")] = None,
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
        Path | None, typer.Option(help="Another run. The difference of each mean from it is tested.")
    ] = None,
    ties_seed: Annotated[int, typer.Option(help="The seed of the order of equal scores.")] = 0,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="An irrelevant top candidate with at least this value of --metrics is listed as equivalent to a "
            f"gold answer; {THRESHOLD} "
            "if not given."
        ),
    ] = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="What is printed.")] = "table",
) -> None:
    """Evaluate a run: measures of its rankings, and how close its top candidates are to the gold answers."""
    with user_errors(PROGRAM):
        if corpus is None and qrels is None:
            raise ValueError("there are no grades to measure by; give --qrels FILE or --corpus NAME")
        if corpus is None and split is not None:
            raise ValueError(f"--split {split} is the split of a corpus; give --corpus NAME, or leave --split out")
        if against is not None and against.exists() and run.exists() and against.samefile(run):
            raise ValueError(f"--against {against} is the run itself; give another run")
        questions, grades = _questions(corpus, split or "test", relevant), _grades(qrels, relevant)

        def evaluated(path: Path) -> Evaluation:
            return evaluate(
                runs.read_trec(path),
                grades if questions is None else questions,  # type: ignore[arg-type] # one of them is there
                _names(measures),
                _names(metrics),
                qrels=grades,
                gain=gain,
                without_positives=without_positives,
                strict=strict,
                ties_seed=ties_seed,
                threshold=threshold,
                dataset=corpus or (qrels.name if qrels else ""),
            )

        evaluation = evaluated(run)
        other = evaluated(against) if against else None
        compared = compare_all(other, {evaluation.system: evaluation}, list(evaluation.values)) if other else []
        typer.echo(_json(evaluation, compared) if format == "json" else _page(evaluation, compared))
        for warning in evaluation.warnings:
            typer.echo(f"{PROGRAM}: {warning}", err=True)


@app.command("list")
def list_() -> None:
    """List the systems that have a name."""
    with user_errors(PROGRAM):
        from rankers.systems import catalog

        typer.echo(_table(("system", "what it is"), [(name, catalog.system(name).summary) for name in catalog.names()]))


app.command("train")(training.train)
app.command("rank")(ranking.rank)
app.command("publish")(training.publish)


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    app()


def _questions(corpus: str | None, split: str, relevant: int | None) -> Questions | None:
    if corpus is None:
        return None
    from rankers.data import corpora, load

    questions = load(corpus, split)
    if corpus in corpora() and (caution := corpora()[corpus].caution):
        typer.echo(f"{PROGRAM}: {corpus}: {caution}", err=True)
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
        "doubts": suspected,  # the former name
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
            str(len(evaluation.defined(measure))),
            f"{evaluation.mean(measure):.4f}",
            _ends(evaluation.interval(measure)),
            average,
        )
        rows.append(row[: len(header)])
    tables = [_table(header, rows)]
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
        tables.append(_table(against, lines))
    for name, judgement in evaluation.semantic.items():
        if judgement.false_negatives:
            title = f"{name} >= {judgement.threshold:g}, and counted as wrong"
            shown = [
                (f"{suspect.value:.3f}", suspect.question, suspect.choice, suspect.gold)
                for suspect in judgement.false_negatives
            ]
            tables.append(f"{title}\n{_table(('value', 'question', 'top candidate', 'gold answer'), shown)}")
    return "\n\n".join(tables)


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return columns as wide as needed, with texts truncated to 60 characters."""
    lines = [header, *(tuple(cell if len(cell) <= 60 else cell[:59] + "…" for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def _ends(interval: Interval | Comparison, sign: str = "") -> str:
    return f"{interval.low:{sign}.4f} .. {interval.high:{sign}.4f}"


def _names(text: str) -> list[str]:
    """Split a list of names at spaces and commas that are not within parentheses."""
    return [name for name in re.split(r"[\s,]+(?![^(]*\))", text) if name]


if __name__ == "__main__":
    main()
