"""Tables of answers on disk, and what is read of them."""

import json

from answersim.answers.blocks import Columns
from answersim.answers.reader import Answers


def read(data, columns=Columns(), **more):  # noqa: B008 # immutable
    return Answers(data, columns, **more).read()


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
