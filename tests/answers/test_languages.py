"""The table of languages in the documentation is that of the code."""

import re
from pathlib import Path

from answersim.answers.text.support import SUPPORT
from answersim.answers.text.tokens import tokenizer
from tests.cases import every

PAGE = Path(__file__).parents[2] / "docs" / "languages.md"
ROWS = {
    "similarity": "trained on pairs of sentences",
    "judged": "trained on judged answers",
    "checked": "verdicts checked",
    "values": "numbers, dates, units",
    "marks": "marks of final answers",
    "by_character": "tokens of",
}


@every("name", [*ROWS])
def test_the_page_has_the_languages_of_the_table(name: str) -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    (row,) = (line.split("|")[2] for line in rows if ROWS[name] in line.split("|")[1])
    assert set(re.findall(r"\b[a-z]{2}\b", row)) - {"by", "of"} == getattr(SUPPORT, name)


@every(("lang", "text"), [("zh", "北京大学"), ("ja", "東京大学"), ("th", "กรุงเทพ")])
def test_a_character_is_a_token_in_these_languages(lang: str, text: str) -> None:
    assert lang in SUPPORT.by_character
    assert len(tokenizer(lang)(text)) > 3
