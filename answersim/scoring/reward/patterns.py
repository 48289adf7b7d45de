"""The regular expressions and the words of the rules of rewards by name, from the tables beside this file."""

import re
from pathlib import Path

from answersim.answers.text.patterns import table

WORDS = {name: frozenset(words.split()) for name, _, words in table(str(Path(__file__).with_name("words.tsv")))}
ROWS = table(str(Path(__file__).with_name("patterns.tsv")))  # with an example and a counter-example of each
_YES_NO = "|".join(sorted(WORDS["yes_no"]))
PATTERNS = {name: re.compile(expression.replace("<yes_no>", _YES_NO)) for name, _, expression, *_ in ROWS}
