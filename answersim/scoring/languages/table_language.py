"""The language of the answers of a table: as it is given, of its column "lang", or guessed once from its texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain

from answersim._base.arguments import is_missing, text
from answersim._base.errors import GuessedLanguageWarning, warn_user
from answersim.answers.tables.table import Answers
from answersim.answers.text.languages import MOST, text_language
from answersim.answers.text.tokens import LANGUAGES, language

AUTO = "auto"
COLUMN = "lang"  # the column with the language of each row, which is read if it exists
_QUESTION = "question"


def table_language(lang: str, answers: Answers) -> str:
    """Return the language of the answers, as an ISO 639-1 code.

    A code that is given decides, and for "auto" the column "lang", which must have one. Else it is English, unless the
    texts are clearly in another language, which is shown as a warning once.
    """
    if (code := text("lang", lang, "de")) != AUTO:
        language(code)
        return code
    stated = sorted(set(row_languages(answers)))
    if len(stated) > 1:
        raise ValueError(
            f"the column {COLUMN!r} has the languages {', '.join(stated)}, but this analysis has one; give lang= for "
            "all rows, or one table per language"
        )
    if stated:
        return stated[0]
    guessed = text_language(_texts(answers))
    if guessed is None:
        return "en"
    texts = f"{guessed.showing} of {guessed.n} texts are clearly {guessed.name}"
    guess = f"the language of these answers is {guessed.name}: {texts}"
    warn_user(GuessedLanguageWarning(f"{guess}; if it is another one, give it with lang= (--lang)"), once=True)
    return guessed.code


def row_languages(answers: Answers) -> list[str]:
    """Return the language of each row by its column, guessed for empty cells; no language if no cell has a code."""
    if not answers.has(COLUMN):
        return []
    values = ["" if is_missing(value) else str(value).strip() for value in answers.values(COLUMN)]
    codes = [value.replace("_", "-").partition("-")[0].lower() for value in values]
    if LANGUAGES.isdisjoint(codes):
        return []
    if unknown := [i for i, code in enumerate(codes) if code and code not in LANGUAGES]:
        rule = "other rows have ISO 639-1 codes; give a code such as 'de', or leave the cell empty"
        where = f"{answers.path}, row {answers.numbers[unknown[0]]}"
        raise ValueError(f"{where}: {COLUMN!r} is {values[unknown[0]][:60]!r}, but {rule}")
    if empty := [i for i, code in enumerate(codes) if not code]:
        guessed = text_language(_texts(answers.at(empty)))
        code, name = ("en", "English") if guessed is None else (guessed.code, guessed.name)
        rows = f"{len(empty):,} of {len(codes):,} rows, which are read as {name}"
        warn_user(GuessedLanguageWarning(f"the column {COLUMN!r} is empty in {rows}"), once=True)
        return [stated or code for stated in codes]
    return codes


def languages_of(lang: str, answers: Answers) -> list[str]:
    """Return the languages of a table, the most frequent first: one, or those of its column "lang"."""
    stated = Counter(row_languages(answers)) if lang == AUTO else Counter()
    return [code for code, _ in stated.most_common()] if len(stated) > 1 else [table_language(lang, answers)]


def _texts(answers: Answers) -> Iterable[str]:
    """Return the texts of the first rows: questions, gold answers and predictions, row by row."""
    questions = answers.questions
    if questions is None and answers.has(_QUESTION):
        questions = [str(value) for value in answers.values(_QUESTION)]
    columns = [*([] if questions is None else [questions]), *answers.predictions.values()]
    golds = [
        [gold] if isinstance(gold, str) else [item for item in gold if isinstance(item, str)]
        for gold in answers.golds[:MOST]
    ]
    return chain.from_iterable([[*gold, *others] for gold, *others in zip(golds, *columns, strict=False)])
