"""Questions and answers in several languages, short as answers are: a language and texts in each line of the table."""

from pathlib import Path

LINES = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
ROWS = [(code, texts) for code, *texts in (line.split("\t") for line in LINES)]
GERMAN, ENGLISH = ([tuple(texts) for code, texts in ROWS if code == of] for of in ("de", "en"))
OTHERS = {code: texts for code, texts in ROWS if code not in ("de", "en")}
