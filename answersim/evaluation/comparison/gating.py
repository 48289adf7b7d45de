"""May a candidate pass? Decisions on intervals: of the difference to a baseline, and of the share of right answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from statistics import NormalDist
from typing import Any, NamedTuple

from answersim._base.arguments import between
from answersim._base.text_tables import Result, content, escaped, flat, html_result, json_object, with_interval
from answersim.answers.tables.reader import read_answers
from answersim.evaluation.comparison.compare import compare
from answersim.evaluation.comparison.comparison import Comparison, Comparisons
from answersim.evaluation.systems.results import Evaluation
from answersim.evaluation.systems.systems import evaluate
from answersim.stats.intervals.resampling import Estimate

PASS, FAIL, UNDECIDED = 0, 1, 3  # exit statuses; 2 is an error
_TITLES = {PASS: "Pass", FAIL: "Fail", UNDECIDED: "Undecided"}
MAX_DROP = 0.01
_MOST = 1_000_000  # questions: a larger number says that no realistic file decides


class Bar(NamedTuple):
    """One bar of a gate and the decision on it."""

    name: str  # "max_drop" or "min_right"
    limit: float  # the largest drop, or the smallest share of right answers
    status: int  # 0 if the interval is on the passing side of the limit, 1 if it is on the other side, 3 if undecided
    reason: str  # one sentence: what the interval excludes


@dataclass(frozen=True)
class Decision(Result):
    """A decision about a candidate.

    Attributes:
        status: 0 if the candidate passes all bars, 1 if it fails one, else 3: undecided.
        bars: The bars, one or two.
        candidate: The name of the candidate.
        comparison: The comparison with the baseline; None if there is none.
        share: The share of right answers of the candidate, with its interval; None if answers are not counted.
        counting: How right answers are counted, or why not.
    """

    status: int
    bars: tuple[Bar, ...]
    candidate: str
    comparison: Comparison | None
    share: Estimate | None
    counting: str

    @property
    def verdict(self) -> str:
        """The status in words."""
        return {PASS: "passed", FAIL: "failed", UNDECIDED: "undecided"}[self.status]

    @property
    def reason(self) -> str:
        """The reasons of all bars."""
        return "; ".join(bar.reason for bar in self.bars)

    def summary(self) -> list[str]:
        """Return the decision with its reasons, and the comparison with the baseline."""
        return [f"{self.verdict}: {self.reason}", *([] if self.comparison is None else self.comparison.summary())]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per bar."""
        return [{"candidate": self.candidate, "verdict": self.verdict, **flat(bar)} for bar in self.bars]

    def to_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        comparison = None if self.comparison is None else self.comparison.to_dict()
        return json_object(
            {"verdict": self.verdict, "reason": self.reason} | content(self) | {"comparison": comparison}
        )

    def headline(self) -> str:
        """Return the decision on each bar in Markdown, for the top of a summary."""
        lines = [f"### {_TITLES[self.status]}: {escaped(self.candidate)}", ""]
        lines += [f"- {_TITLES[bar.status]} ({_condition(bar, self)}): {bar.reason}." for bar in self.bars]
        return "\n".join([*lines, ""])

    def to_markdown(self) -> str:
        """Return a summary for a pull request: the decision, and the comparison with the baseline."""
        lines = [f"counted: {self.counting}"]
        if self.comparison is not None:
            lines = [*self.comparison.summary(), *self.comparison.footer()]
        elif self.share is not None:
            lines = [f"right: {with_interval(self.share, '.1f', 100, ' %')}", *lines]
        return "\n".join([self.headline(), *(f"- {escaped(line)}" for line in lines), ""])

    def _repr_html_(self) -> str:
        below = "" if self.comparison is None else self.comparison._repr_html_()
        return html_result([str(self)]) + below


def gate(
    data: Any, metric: Any = None, *, max_drop: float | None = None, min_right: float | None = None, **settings: Any
) -> Decision:
    """Decide whether a candidate passes: ``compare`` with a largest drop, or ``evaluate`` with a least share.

    Intervals decide. The first bar is a test of non-inferiority on the paired difference of the shares of right
    answers, or of the mean scores if answers are not counted. At a level of 95 %, a candidate whose true drop is just
    the allowed one passes in at most 3 % of all samples of questions, and one without a drop fails in fewer. This holds
    in all our simulations of verdicts, and of scores whose rare losses are not larger than all differences that the
    sample has (``benchmarks/results/coverage.md``). If nearly all scores differ a little, and a loss of 1 on 2 % of the
    questions was not drawn, more pass: 16 % with 100 questions, 48 % with 30. Verdicts do not have this weakness. The
    second bar is on the share of right answers. With both bars, a candidate must pass both.

    ==========  =============================================  ===============================================
    status      interval of candidate less baseline            interval of the share of right answers
    ==========  =============================================  ===============================================
    0           is above -max_drop: a larger drop is excluded  is above min_right
    1           is below -max_drop: the drop is larger         is below min_right
    3           contains -max_drop                             contains min_right
    ==========  =============================================  ===============================================

    Args:
        data: The baseline first and the candidate second: what ``compare`` reads or returns. Without a baseline, which
            needs ``min_right``: what ``evaluate`` reads or returns.
        metric: For data that are to be read: the metric that counts, as of ``compare`` and ``evaluate``.
        max_drop: The allowed drop, from 0 to 1; .01 is one point of right answers, and the default for a comparison.
            With 0, only a candidate that is better passes, or one with identical predictions.
        min_right: The share of right answers that the candidate must have, from 0 to 1.
        settings: For data that are to be read: other arguments of ``read_answers``, and of ``compare`` or ``evaluate``.

    Raises:
        ValueError: If a bar is outside 0 to 1, there is no bar, answers must be counted and are not, or an evaluation
            has several systems.

    >>> same = {"gold": ["Rome"] * 600}
    >>> same |= {"old": ["Rome", "Oslo"] * 300, "new": ["Rome", "Bergen"] * 300}
    >>> found = compare(same, "em", pred=["old", "new"])
    >>> gate(found, max_drop=0.01).status, gate(found, max_drop=0.001).status
    (0, 3)
    >>> gate(found, min_right=0.4).status, gate(found, min_right=0.6).status
    (0, 1)

    Source: Piaggio et al. 2012, "Reporting of noninferiority and equivalence randomized trials".
    """
    outcome = _read(data, max_drop, min_right, settings if metric is None else {"metric": metric, **settings})
    bars = []
    if isinstance(outcome, (Comparison, Comparisons)):
        drop = between("max_drop", MAX_DROP if max_drop is None else max_drop, 0, 1, ends=True)
        pair, is_identical = _pair(outcome)
        bars.append(_drop(pair, drop, is_identical))
        candidate, comparison, rule, level, n = pair.names[1], pair, pair.rule, pair.level, pair.n
        share = None if pair.points is None else pair.points.shares[1]
    else:
        candidate, share, level = _alone(outcome, max_drop, min_right)
        n, comparison, rule = outcome.row().n, None, outcome.rule
    if min_right is not None:
        least = between("min_right", min_right, 0, 1, ends=True)
        if share is None:
            raise ValueError(f"min_right is {least:g}, but {rule.sentence}")
        ends = f"[{100 * share.low:.1f}, {100 * share.high:.1f}] %"
        start = f"the {level:.0%} interval of the share of right answers, {ends}"
        more = _more_answers(share, least, level, n)
        bars.append(Bar("min_right", least, *_decided(share, least, start, f"{100 * least:g} %", more)))
    statuses = [bar.status for bar in bars]
    status = FAIL if FAIL in statuses else UNDECIDED if UNDECIDED in statuses else PASS
    return Decision(status, tuple(bars), candidate, comparison, share, rule.sentence)


def _read(data: Any, max_drop: float | None, min_right: float | None, settings: Mapping[str, Any]) -> Any:
    """Return the comparison or the evaluation that decides."""
    if isinstance(data, (Comparison, Comparisons, Evaluation)):
        if settings:
            raise TypeError(
                f"data is a result, so {next(iter(settings))} has no effect; give it to compare or evaluate"
            )
        return data
    reading = {name: settings[name] for name in signature(read_answers).parameters if name in settings}
    settings_of_compare = {name: value for name, value in settings.items() if name not in reading}
    answers = read_answers(data, **reading)
    if len(answers.systems) > 1:
        return compare(answers, **settings_of_compare)
    if min_right is None or max_drop is not None:
        why = "and there is no bar without min_right" if min_right is None else f"but max_drop is {max_drop}"
        raise ValueError(
            f"there is one system, so there is no baseline, {why}; give a second table, or the columns of both systems "
            "(--pred BASELINE,CANDIDATE; pred=[...]), or min_right alone (--min-right)"
        )
    if settings_of_compare.get("score") is not None:
        raise ValueError("score needs a baseline too; give a second table, or a metric")
    return evaluate(
        answers,
        keep=(),
        **{name: value for name, value in settings_of_compare.items() if name not in ("noise", "score")},
    )


def _pair(comparison: Comparison | Comparisons) -> tuple[Comparison, bool]:
    """Return the only pair, and whether a metric scored equal predictions, so that the first bar is passed."""
    if isinstance(comparison, Comparison):
        return comparison, False
    if len(comparison.pairs) > 1:
        raise ValueError(
            f"there are {len(comparison.pairs)} pairs of systems, but a gate has a baseline and a candidate; give two"
        )
    if comparison.answers is None or not comparison.is_computed:
        return comparison.pair, False
    first, second = comparison.answers.predictions.values()
    return comparison.pair, first == second


def _alone(
    evaluation: Evaluation, max_drop: float | None, min_right: float | None
) -> tuple[str, Estimate | None, float]:
    """Return the name of the only system, its share of right answers and the level of the interval."""
    if max_drop is not None:
        raise ValueError(f"max_drop is {max_drop}, but there is no baseline; compare two systems, or give min_right")
    if min_right is None:
        raise ValueError("there is no baseline and no min_right, so there is no bar; give min_right, such as 0.8")
    row = evaluation.row()
    return row.system, None if row.right is None else row.share, float(evaluation.settings.get("level", 0.95))


def _drop(comparison: Comparison, drop: float, identical: bool) -> Bar:
    if identical:
        return Bar("max_drop", drop, PASS, "all predictions are identical, so nothing changed")
    low, high = comparison.decisive.low, comparison.decisive.high
    if comparison.points is None:
        interval, limit = f"the difference of the mean score, [{low:+.4f}, {high:+.4f}]", f"-{drop:g}"
    else:
        interval = f"the difference in right answers, [{100 * low:+.2f}, {100 * high:+.2f}] points"
        limit = f"-{100 * drop:g}"
    start = f"the {comparison.level:.0%} interval of {interval}"
    return Bar("max_drop", drop, *_decided(comparison.decisive, -drop, start, limit, _more(comparison, drop)))


def _decided(estimate: Estimate, limit: float, start: str, printed_limit: str, more: str) -> tuple[int, str]:
    """Return on which side of the limit the interval is, as a status and as a sentence."""
    if estimate.low > limit:
        return PASS, f"{start}, is above {printed_limit}"
    if estimate.high < limit:
        return FAIL, f"{start}, is below {printed_limit}"
    return UNDECIDED, f"{start}, contains {printed_limit}{more}"


def _more(comparison: Comparison, drop: float) -> str:
    """Return about how many questions would exclude the drop if there is none, as the end of a sentence."""
    least = comparison.scores.least_difference if comparison.points is None else comparison.points.least_difference
    needed = comparison.n * (least / drop) ** 2 + 1 if drop else 0.0
    if needed <= comparison.n:
        return ""
    return f"; if there is no true difference, {_about(needed)} questions would decide in 8 of 10 cases"


def _more_answers(share: Estimate, least: float, level: float, n: int) -> str:
    """Return about how many answers would decide on a share if it is the true one, as the end of a sentence."""
    apart = share.value - least
    half = (share.high - share.low) / 2  # with more answers, the interval is symmetric
    normal = NormalDist()
    deviations = 1 + normal.inv_cdf(0.8) / normal.inv_cdf((1 + level) / 2)
    needed = _about(_MOST + 1 if apart == 0 else n * (deviations * half / apart) ** 2 + 1)
    return f"; if the true share is {100 * share.value:.1f} %, {needed} answers would decide in 8 of 10 cases"


def _about(needed: float) -> str:
    return f"more than {_MOST:,}" if needed > _MOST else f"about {int(needed):,}"


def _condition(bar: Bar, decision: Decision) -> str:
    """Return a bar in words, with what it is on."""
    if bar.name == "min_right":
        return f"at least {100 * bar.limit:g} % right"
    assert decision.comparison is not None
    if decision.comparison.points is None:
        return f"mean score at most {bar.limit:g} below {escaped(decision.comparison.names[0])}"
    points = f"{100 * bar.limit:g} point{'' if bar.limit == 0.01 else 's'}"
    return f"at most {points} of right answers below {escaped(decision.comparison.names[0])}"
