"""Tables of answers on disk, and what is read of them."""

import json

from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Columns


def read(data, columns=Columns(), **more):  # noqa: B008 # immutable
    pred = columns.preds[0] if len(columns.preds) == 1 else columns.preds
    return read_answers(
        data,
        pred=pred,
        gold=columns.gold,
        question=columns.question,
        id=columns.id,
        group=columns.group,
        split_gold=columns.split_gold,
        **more,
    )


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
