"""groups: which of many samples mean the same, and the majority, the best of k, and the entropy of each question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations, compress
from typing import Any, NamedTuple

import numpy as np

from answersim._base import arguments
from answersim._base.text_tables import counted
from answersim.answers.extraction.extractor import Extractor, extractor
from answersim.answers.tables.reader import read_answers
from answersim.answers.tables.table import Answers
from answersim.answers.text.tokens import language
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.evaluation.samples.equality import (
    DIFFERENT,
    EQUAL,
    OPEN,
    AnswerPair,
    Equality,
    abstains,
    by_metric,
    by_rules,
)
from answersim.evaluation.samples.results import AnswerGroup, AtK, QuestionGroups, SampleGroups, SamplesRow
from answersim.scoring.cache import CacheLike
from answersim.scoring.languages.table_language import table_language
from answersim.scoring.reward.reading import LONGEST_PLAIN, Answer, read_answer, read_gold
from answersim.stats.intervals.bounded_mean import bounded_mean
from answersim.stats.intervals.resampling import Bootstrap, bootstrap_settings
from answersim.stats.samples_at_k import majority_at_k, pass_at_k, semantic_entropy
from answersim.types import OneNamed

MOST = 100  # different answers of a question that are compared with each other


class _Question(NamedTuple):
    """The different answers to one question, the most frequent first, with the number of samples of each."""

    system: str
    name: str
    text: str  # "" if there is no question
    golds: tuple[str, ...]
    answers: list[Answer]
    counts: list[int]
    abstaining: list[bool]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of answers that are compared."""
        return list(combinations([i for i, alone in enumerate(self.abstaining) if not alone][:MOST], 2))

    def with_gold(self) -> list[AnswerPair]:
        """Return the comparisons of all answers with the gold answers; none if these cannot be read."""
        return [AnswerPair(self.golds, answer, self.text) for answer in self.answers if self.golds]

    def with_answer(self, i: int, j: int) -> AnswerPair:
        """Return the comparison of an answer with another one in the place of the gold answer."""
        return AnswerPair((self.answers[i].text,), self.answers[j], self.text)


def groups(
    data: Any,
    metric: OneNamed = None,
    *,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    group: str | None = None,
    k: Sequence[int] | None = None,
    extract: Any = "auto",
    calibration: CalibrationLike | None = ANY,
    threshold: float | None = None,
    lang: str = "auto",
    bootstrap: Bootstrap = Bootstrap(),
    cache: CacheLike | None = None,
) -> SampleGroups:
    """Join the samples of each question that mean the same, and score the majority and the best of k samples.

    The final answer of each sample is read out. Two answers are equal if one is right with the other as the gold
    answer, and neither is wrong. Equal answers are joined transitively, but two answers that are different are never in
    one group (``joining.joined`` states the order). Samples that answer nothing are one group, which votes like any
    other. A group is right if more of its samples are right than wrong. maj@k and pass@k are exact over all subsets of
    k samples, and ties of the majority are broken at random. All comparisons are two passes over all questions. Of a
    question with more than 100 different answers, the rarer ones are groups of their own.

    Args:
        data: What ``answersim.read_answers`` reads or returns, with one row per sample.
        metric: None for the rules of ``answersim.Reward`` without an encoder; else a metric, which then decides alone
            by its verdicts.
        pred: The column of the samples, or the columns of several systems.
        gold: The column of the gold answers, which are the same in all rows of a question.
        question: The column of the questions. Rows with the same question belong together.
        id: The column that identifies a row.
        group: The column that says which rows belong together, if it is not the question.
        k: The numbers of samples; by default, 1 and the smallest number of samples of a question.
        extract: The rule for final answers, as in ``answersim.score``; None reads the samples as they are.
        calibration: The calibration of the metric, as in ``answersim.evaluate``.
        threshold: The score of the metric from which answers are equal, instead of a calibration.
        lang: The language of the answers, as of ``answersim.evaluate``.
        bootstrap: The coverage of the intervals, which are over questions. Nothing is resampled.
        cache: As of ``answersim.score``.

    Raises:
        LookupError: If there is no such column, metric or calibration.
        ValueError: If neither questions nor groups are named, gold answers of a question differ, the metric has no
            verdicts, or no question has k samples.

    >>> samples = {"q": ["?"] * 4, "gold": ["1/2"] * 4}
    >>> samples["pred"] = ["0.5", "1/2", "2", "I don't know."]
    >>> found = groups(samples, question="q", k=[1, 4])
    >>> (question,) = found.questions
    >>> [(group.answer, group.n, group.right) for group in question.groups]
    [('0.5', 2, True), ('2', 1, False), ("I don't know.", 1, False)]
    >>> [(at.k, at.majority.value, at.passed.value) for at in found.at]
    [(1, 0.5, 0.5), (4, 1.0, 1.0)]
    """
    sizes = None if k is None else sorted({arguments.whole("k", size, 1) for size in arguments.listed("k", k)})
    level = bootstrap_settings(bootstrap).level
    rule = extractor(extract)
    answers = read_answers(data, pred=pred, gold=gold, question=question, id=id, group=group)
    code = language(table_language(lang, answers))
    _check_grouped(answers)
    if metric is None:
        if threshold is not None or calibration != ANY:
            raise ValueError(
                "the rules decide without scores, so that threshold and calibration have no effect; name a metric"
            )
        equality = by_rules(code)
    else:
        settings: dict[str, Any] = {"calibration": calibration, "threshold": threshold, "cache": cache}
        equality = by_metric(metric, lang=code, has_questions=any(answers.questions or ()), **settings)
    questions = _questions(answers, rule, code)
    grouped = _grouped(questions, equality)
    rows = [_row(name, [group for group in grouped if group.system == name], level) for name in answers.predictions]
    at, notes = _at(grouped, sizes, level)
    signed = f"{equality.signature}|extract:{'none' if rule is None else rule.signed.partition(':')[2]}"
    notes = [f"equal answers: {equality.sentence}", *notes, *_left_out(questions, grouped)]
    return SampleGroups(answers.name, signed, tuple(rows), tuple(at), tuple(grouped), level, tuple(notes))


def _check_grouped(answers: Answers) -> None:
    if answers.columns.question is None and answers.columns.group is None:
        raise ValueError(
            "no column says which samples belong together; name that of the questions with --question (question=), or "
            "another one with --group (group=)"
        )


def _questions(block: Answers, rule: Extractor | None, lang: str) -> list[_Question]:
    """Return the different answers of each system to each question."""
    names = block.groups if block.groups is not None else list(block.questions or ())
    rows: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        rows[name].append(i)
    rows_of_questions = []
    for name, at in rows.items():
        golds = block.golds[at[0]]
        for i in at:
            if block.golds[i] != golds:
                raise ValueError(
                    f"the gold answer of {name[:60]!r} is {arguments.shown(golds)} in row {block.numbers[at[0]]} and "
                    f"{arguments.shown(block.golds[i])} in row {block.numbers[i]}; the samples of a question need one "
                    "gold answer: correct it, or name another column with --group (group=)"
                )
        texts = read_gold(golds).texts
        longest = max([LONGEST_PLAIN, *(3 * len(text) for text in texts)])
        question = "" if block.questions is None else block.questions[at[0]]
        for system, preds in block.predictions.items():
            read = [read_answer(preds[i], rule, longest) for i in at]
            counts = Counter(answer.text for answer in read)
            first = {answer.text: answer for answer in reversed(read)}
            order = sorted(counts, key=lambda text: (-counts[text], len(text), text))
            answers = [first[text] for text in order]
            abstaining = [abstains(answer, question) for answer in answers]
            rows_of_questions.append(
                _Question(system, name, question, texts, answers, [counts[text] for text in order], abstaining)
            )
    return sorted(rows_of_questions, key=lambda row: list(block.predictions).index(row.system))


def _grouped(questions: Sequence[_Question], equality: Equality) -> list[QuestionGroups]:
    """Return the groups of all questions.

    All comparisons are two passes over all questions. The second one has the other direction of the pairs that the
    first one does not call different.
    """
    known: dict[AnswerPair, int] = {}

    def compare(rows: Sequence[AnswerPair]) -> None:
        new = [row for row in dict.fromkeys(rows) if row not in known]
        known.update(zip(new, equality.compare(new).tolist(), strict=True))

    compare(
        [
            row
            for question in questions
            for row in (*question.with_gold(), *(question.with_answer(*pair) for pair in question.pairs))
        ]
    )
    left = [
        [pair for pair in question.pairs if known[question.with_answer(*pair)] != DIFFERENT] for question in questions
    ]
    compare([question.with_answer(j, i) for question, pairs in zip(questions, left, strict=True) for i, j in pairs])
    grouped = []
    for question, pairs in zip(questions, left, strict=True):
        outcomes = dict.fromkeys(question.pairs, DIFFERENT)
        for i, j in pairs:
            both = known[question.with_answer(i, j)], known[question.with_answer(j, i)]
            outcomes[i, j] = DIFFERENT if DIFFERENT in both else EQUAL if EQUAL in both else OPEN
        grouped.append(_groups_of(question, outcomes, [known[row] for row in question.with_gold()]))
    return grouped


def _groups_of(question: _Question, pairs: dict[tuple[int, int], int], gold: Sequence[int]) -> QuestionGroups:
    """Return the groups of one question from the outcomes of its pairs, and of its answers with the gold answers."""
    abstaining = [i for i, alone in enumerate(question.abstaining) if alone]
    texts = [answer.text for answer in question.answers]
    groups, conflicts = joined(texts, question.counts, {**pairs, **dict.fromkeys(combinations(abstaining, 2), EQUAL)})
    answer_groups = []
    for members in groups:
        votes = sum(gold[i] * question.counts[i] for i in members) if question.golds else 0
        right = votes > 0 if question.golds else None
        spellings = tuple(texts[i] for i in members)
        n = sum(question.counts[i] for i in members)
        answer_groups.append(AnswerGroup(spellings[0], n, right, members[0] in abstaining, spellings))
    distinct = sum(not group.abstains for group in answer_groups)
    entropy = semantic_entropy([group.n for group in answer_groups])
    total = sum(question.counts)
    result = (total, tuple(answer_groups), distinct, entropy, conflicts)
    return QuestionGroups(question.system, question.name, question.golds, *result)


def _row(system: str, grouped: Sequence[QuestionGroups], level: float) -> SamplesRow:
    most = float(max(question.n for question in grouped))
    abstained = [sum(group.n for group in question.groups if group.abstains) / question.n for question in grouped]
    columns = [
        ([question.distinct for question in grouped], most),
        ([question.entropy for question in grouped], max(float(np.log(most)), 1e-9)),
        (abstained, 1.0),
    ]
    means = [bounded_mean(values, bounds=(0.0, highest), level=level) for values, highest in columns]
    return SamplesRow(system, len(grouped), sum(question.n for question in grouped), *means)


def _at(grouped: Sequence[QuestionGroups], sizes: list[int] | None, level: float) -> tuple[list[AtK], list[str]]:
    """Return maj@k and pass@k by system, and a note for each k that some questions have too few samples for."""
    readable = [question for question in grouped if question.golds]
    if not readable:
        return [], []
    most, least = max(question.n for question in readable), min(question.n for question in readable)
    rows, notes = [], []
    for system in dict.fromkeys(question.system for question in readable):
        for k in sorted({1, least}) if sizes is None else sizes:
            mine = [question for question in readable if question.system == system]
            enough = [question for question in mine if question.n >= k]
            if not enough:
                raise ValueError(f"k is {k}, but no question has more than {most} samples; give a smaller k")
            if lacking := len(mine) - len(enough):
                notes.append(f"{system}, k {k}: {counted(lacking, 'question')} with fewer samples left out")
            votes = [([group.n for group in row.groups], [bool(group.right) for group in row.groups]) for row in enough]
            majority = [majority_at_k(n, right, k) for n, right in votes]
            passed = [pass_at_k(sum(n), sum(compress(n, right)), k) for n, right in votes]
            means = [bounded_mean(np.clip(values, 0.0, 1.0), level=level) for values in (majority, passed)]
            rows.append(AtK(system, k, len(enough), *means))
    return rows, notes


def _left_out(questions: Sequence[_Question], grouped: Sequence[QuestionGroups]) -> list[str]:
    """Return what the numbers do not count, and how many conflicts there were."""
    notes = []
    if unreadable := sum(not question.golds for question in questions):
        notes.append(f"{counted(unreadable, 'question')} without a readable gold answer: not in maj@k and pass@k")
    if many := sum(len(question.answers) - sum(question.abstaining) > MOST for question in questions):
        notes.append(f"{counted(many, 'question')} with more than {MOST} different answers: the rarer are alone")
    if conflicts := sum(question.conflicts for question in grouped):
        notes.append(f"{counted(conflicts, 'pair')} of equal answers not joined, as that would join different answers")
    return notes


def joined(
    texts: Sequence[str], counts: Sequence[int], outcomes: Mapping[tuple[int, int], int]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Return the groups of answers, from what is known of their pairs, and the number of conflicts.

    Equal pairs are joined one after another, unless that would bring two different answers into one group. The pairs of
    frequent answers are first: by the smaller count, then the larger one, then the texts. So the groups do not depend
    on the order of the answers. The result has the positions of the answers of each group: the largest group first, and
    in it the most frequent answer, or the shortest of these. A conflict is an equal pair that is in two groups, because
    joining them would join different answers. ``outcomes``: by two positions, the smaller first: 1 if the answers are
    equal and -1 if they are different.
    """

    def order(pair: tuple[int, int]) -> tuple[int, int, list[str]]:
        mine = [counts[i] for i in pair]
        return -min(mine), -max(mine), sorted(texts[i] for i in pair)

    members: dict[int, set[int]] = {i: {i} for i in range(len(texts))}
    of = list(range(len(texts)))
    enemies: dict[int, set[int]] = {i: set() for i in range(len(texts))}
    for (i, j), outcome in outcomes.items():
        if outcome < 0:
            enemies[i].add(j)
            enemies[j].add(i)
    conflicts = 0
    for i, j in sorted((pair for pair, outcome in outcomes.items() if outcome > 0), key=order):
        group, other_group = of[i], of[j]
        if group == other_group:
            continue
        if any(enemies[member] & members[other_group] for member in members[group]):
            conflicts += 1
            continue
        members[group] |= members.pop(other_group)
        for member in members[group]:
            of[member] = group
    ranked = [sorted(group, key=lambda i: (-counts[i], len(texts[i]), texts[i])) for group in members.values()]
    ranked.sort(key=lambda group: (-sum(counts[i] for i in group), texts[group[0]]))
    return tuple(map(tuple, ranked)), conflicts
