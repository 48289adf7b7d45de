"""The command export: a split of a corpus as files that other tools read: a BEIR folder, TREC qrels and pools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.runtime.cli_errors import user_errors

PROGRAM = "rankers"
QRELS, POOLS = "qrels.trec", "pools.jsonl"


def export(
    data: Annotated[str, typer.Argument(help="A corpus, or a table of question, candidate and label.")],
    to: Annotated[Path, typer.Option(help="The folder to write.")],
    split: Annotated[str, typer.Option(help="The split of the corpus.")] = "test",
) -> None:
    """Write questions as a BEIR folder, qrels and a file to rank. The files are qrels.trec and pools.jsonl."""
    with user_errors(PROGRAM):
        from answersim.io import files
        from rankers.commands import training
        from rankers.data.beir import write_beir
        from rankers.evaluation import runs
        from rankers.evaluation.qrels import qrels_of

        questions = training.questions(data, split)
        rows = [
            {
                "question_id": question.id,
                "question": question.text,
                "candidates": [candidate.text for candidate in question.candidates],
                "candidate_ids": [candidate.id for candidate in question.candidates],
            }
            for question in questions
        ]
        for name in (QRELS, POOLS):
            if (to / name).exists():
                raise FileExistsError(f"{to / name} exists already; give another folder, or remove it")
        write_beir(questions, to)
        runs.write_qrels(qrels_of(questions).grades, to / QRELS)
        files.write(files.Table(tuple(rows[0]), rows), to / POOLS)
        hint = f" (rankers evaluate --relevant {questions.relevant})" if questions.relevant > 1 else ""
        typer.echo(f"{to}: {len(questions):,} questions; grades from {questions.relevant} on are relevant{hint}")
