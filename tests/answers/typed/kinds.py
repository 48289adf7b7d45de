"""Each kind of value with an example: the first one on the page of values."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "values.md").read_text(encoding="utf-8")
ROWS = PAGE.partition("| kind | examples |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
EXAMPLES = {
    kind: re.findall(r"\"([^\"]+)\"|([^,`]+)", examples)[0]
    for _, kinds, listed, _ in (row.split("|") for row in ROWS)
    for kind, examples in zip(kinds.strip().split(", "), listed.strip().split("; "), strict=True)
}
EXAMPLES = {kind: quoted or plain for kind, (quoted, plain) in EXAMPLES.items()}
