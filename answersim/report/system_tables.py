"""The tables of a page of systems that the reader can search: all answers, and those that changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from answersim.evaluation.comparison import Comparison
from answersim.extraction import Extraction
from answersim.report import browsing
from answersim.report.browsing import Texts
from answersim.report.comparing import CHANGES
from answersim.report.gathering import SystemAnswers
from answersim.report.outcomes import OUTCOMES
from answersim.report.shared_words import in_utf16

MOST_ANSWERS = 100_000  # rows of a table: more make a page that a browser opens slowly
MOST_CHANGES = 20_000
VERDICTS = ("wrong", "unsure", "not attempted", "right")
_LOOKS = [OUTCOMES[verdict].css for verdict in VERDICTS]


class Shown(NamedTuple):
    """The part of the page on single answers.

    Attributes:
        data: The data for the script.
        answers: The table of all answers for the template; None if there is none.
        changes: The table of the answers that changed.
        answers_words: A sentence on what is shown and what is left out.
        changes_words: The same for the changes.
    """

    data: dict[str, Any]
    answers: dict[str, Any] | None
    changes: dict[str, Any] | None
    answers_words: str
    changes_words: str


class _Place(NamedTuple):
    """An answer: its system and its row, from 0."""

    system: str
    row: int


def shown_tables(
    answers: SystemAnswers | None,
    pairs: Sequence[Comparison],
    *,
    most_answers: int = MOST_ANSWERS,
    most_changes: int = MOST_CHANGES,
    budget: int = browsing.BUDGET,
) -> Shown:
    """Return the tables of answers and of changes.

    Args:
        answers: The answers, or None if single answers are not shown.
        pairs: The compared systems; none if there is one system.
        most_answers: The maximum number of rows of the first table. Wrong and unsure answers are kept before right
            ones.
        most_changes: The maximum number of rows of the second one, over all pairs of systems.
        budget: The maximum number of characters of the page. Long texts are shortened.
    """
    if answers is None:
        reason = (
            "Single answers are not shown, because there are no verdicts. ‘answersim report FILE’ shows their scores."
        )
        return Shown({"lang": "en", "texts": [], "tables": {}}, None, None, reason, reason)
    texts = Texts(list(_every_text(answers)), budget)
    places = _ordered(answers)
    first, second = _answer_table(answers, places[:most_answers], texts), None
    words = [_left_out(len(places), min(len(places), most_answers), "answers", bool(answers.verdicts))]
    changed_words = ""
    if pairs:
        second, changed_words = _change_table(answers, pairs, texts, most_changes)
    if texts.words:
        words.append(texts.words)
    tables = {"answers": first} | ({} if second is None else {"changes": second})
    data = {"lang": "en", "texts": texts.listed(), "tables": tables}
    return Shown(data, first, second, " ".join(words), changed_words)


def _every_text(answers: SystemAnswers) -> Iterator[str]:
    for gold in answers.golds:
        yield from [gold] if isinstance(gold, str) else gold
    for preds in answers.preds.values():
        yield from preds
    for finals in answers.finals.values():
        yield from (answer.text for answer in finals)
    yield from answers.questions or ()


def _ordered(answers: SystemAnswers) -> list[_Place]:
    """Return all answers: the wrong ones, the unsure ones and the right ones, in each the least probable ones first."""
    n = len(answers.ids)
    systems = list(answers.preds)
    main = answers.probabilities or next(iter(answers.scores.values()), {})
    values = np.concatenate([main[system] for system in systems]) if main else np.zeros(n * len(systems))
    ranks = np.zeros(len(values))
    if answers.verdicts:
        calls = np.concatenate([answers.verdicts[system] for system in systems])
        ranks = np.array([VERDICTS.index(call) for call in calls.tolist()])
    return [_Place(systems[i // n], i % n) for i in np.lexsort((values, ranks)).tolist()]


def _left_out(n: int, shown: int, what: str, by_verdict: bool) -> str:
    if n <= shown:
        return f"All {n:,} {what}, to search, filter, sort and download."
    order = "the wrong and unsure ones before the right ones" if by_verdict else "those with the lowest scores"
    return (
        f"{shown:,} of {n:,} {what}, to search, filter, sort and download: {order}. The other {n - shown:,} are not on "
        "this page; ‘answersim evaluate --keep 'wrong,unsure,not attempted,right' --output FILE’ writes all of them."
    )


def _answer_table(answers: SystemAnswers, places: Sequence[_Place], texts: Texts) -> dict[str, Any]:
    finals = [answers.finals[at.system][at.row] for at in places if answers.finals]
    found = [browsing.answer(answers.golds[at.row], _read(answers, at), texts) for at in places]
    columns: list[dict[str, Any]] = []
    if len(answers.preds) > 1:
        columns.append(browsing.choice_column("system", "system", [at.system for at in places], list(answers.preds)))
    if answers.verdicts:
        calls = [str(answers.verdicts[at.system][at.row]) for at in places]
        columns.append(browsing.choice_column("verdict", "verdict", calls, VERDICTS, classes=_LOOKS, rem=8))
    if answers.probabilities:
        probabilities = [answers.probabilities[at.system][at.row] for at in places]
        columns.append(browsing.number_column("p", "p right", probabilities))
    if answers.labels:
        labels = [answers.labels[at.system].labels[at.row] for at in places]
        columns.append(browsing.number_column("label", "label", labels))
    columns += [
        browsing.number_column(f"m{k}", name, [scores[at.system][at.row] for at in places])
        for k, (name, scores) in enumerate(answers.scores.items())
    ]
    if answers.questions is not None:
        asked = [answers.questions[at.row] for at in places]
        columns.append(browsing.text_column("question", "question", asked, texts))
    columns += [
        browsing.marked_column("gold", "gold", [a.gold for a in found], [a.in_gold for a in found], texts),
        browsing.marked_column(
            "pred",
            "final answer" if finals else "prediction",
            [a.pred for a in found],
            [a.in_pred for a in found],
            texts,
            rem=10 if finals else 14,
        ),
        *(_full_texts(answers, places, finals, texts) if finals else ()),
        browsing.text_column("row", "row", [answers.ids[at.row] for at in places], texts, rem=browsing.ROW),
    ]
    return browsing.table("answers", columns, len(places))


def _read(answers: SystemAnswers, at: _Place) -> str:
    """Return the text that was compared: the final answer if one was read out of the prediction, else all of it."""
    return answers.finals[at.system][at.row].text if answers.finals else answers.preds[at.system][at.row]


def _full_texts(
    answers: SystemAnswers, places: Sequence[_Place], finals: Sequence[Extraction], texts: Texts
) -> list[dict[str, Any]]:
    """Return the columns of the rule that found each answer, and of the full text with the answer marked."""
    rules = [answer.rule or "none" for answer in finals]
    full = [texts.fitted(answers.preds[at.system][at.row]) for at in places]
    marks = [
        in_utf16([(answer.start, answer.end)], text) if answer.rule and 0 <= answer.start < len(text) else []
        for answer, text in zip(finals, full, strict=True)
    ]
    return [
        browsing.choice_column("rule", "rule", rules, list(dict.fromkeys(rules)), inside="full"),
        browsing.marked_column("full", "prediction", full, marks, texts, "answer", rem=12),
    ]


def _change_table(
    answers: SystemAnswers, pairs: Sequence[Comparison], texts: Texts, most: int
) -> tuple[dict[str, Any] | None, str]:
    rows = [(pair.names, change) for pair in pairs for change in pair.changed]
    if not rows:
        return None, "No answer changed by more than the numerical noise."
    rows.sort(key=lambda row: CHANGES.index(row[1].change))  # stable: by pair and size in each
    total, rows = len(rows), rows[:most]
    sides = [_Place(first, c.row) for (first, _), c in rows], [_Place(second, c.row) for (_, second), c in rows]
    before, after = (
        [browsing.answer(answers.golds[at.row], _read(answers, at), texts) for at in side] for side in sides
    )
    columns: list[dict[str, Any]] = []
    names = pairs[0].names
    if len(pairs) > 1:
        titles = [" → ".join(pair.names) for pair in pairs]
        at = [" → ".join(systems) for systems, _ in rows]
        columns.append(browsing.choice_column("pair", "systems", at, titles))
        names = ("first", "second")
    columns.append(
        browsing.choice_column(
            "change",
            "change",
            [c.change for _, c in rows],
            CHANGES,
            classes=["went-wrong", "became-right", "lower", "higher"],
            rem=8.5,
        )
    )
    if answers.questions is not None:
        asked = [answers.questions[c.row] for _, c in rows]
        columns.append(browsing.text_column("question", "question", asked, texts))
    columns.append(browsing.text_column("gold", "gold", [a.gold for a in before], texts))
    for k, (name, found) in enumerate(zip(names, (before, after), strict=True)):
        shown, marks = [a.pred for a in found], [a.in_pred for a in found]
        columns.append(browsing.marked_column(f"pred{k}", f"answer: {name}", shown, marks, texts, rem=11))
        if answers.verdicts:
            calls = [str(answers.verdicts[at.system][at.row]) for at in sides[k]]
            how: dict[str, Any] = {"classes": _LOOKS, "inside": f"pred{k}"}
            columns.append(browsing.choice_column(f"verdict{k}", f"verdict: {name}", calls, VERDICTS, **how))
    columns.append(browsing.number_column("first", f"score: {names[0]}", [c.first for _, c in rows], rem=6))
    columns.append(browsing.number_column("second", f"score: {names[1]}", [c.second for _, c in rows], rem=6))
    columns.append(browsing.text_column("row", "row", [answers.ids[c.row] for _, c in rows], texts, rem=browsing.ROW))
    words = f"{len(rows):,} answers changed" if total == len(rows) else (
        f"{total:,} answers changed. The first {len(rows):,} are on this page, and {total - len(rows):,} are not; "
        "‘answersim compare A B --changes FILE’ writes all of them"
    )  # fmt: skip
    return browsing.table("changed answers", columns, len(rows)), f"{words}."
