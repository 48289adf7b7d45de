"""A panel: several judges give a verdict on each pair, and an arbiter decides if they disagree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from answersim.judge.metric import REVISION, CountedCalls, Judge, Judged, MissingReplyError
from answersim.judge.parsing import Outcome
from answersim.judge.settings import ERROR
from answersim.judge.usage import JudgeUsage, UsageTotal
from answersim.signature import computed_once, signature
from answersim.types import Capabilities, Pair


@dataclass(frozen=True)
class Panel(CountedCalls):
    """Several judges that get the same requests.

    Without an arbiter, the score of a pair is the mean score of the judges. With one, the judges decide if their scores
    are equal, and the arbiter alone decides otherwise. A judge whose reply is unparsed has no vote: the arbiter
    decides, or the pair is unparsed.
    """

    judges: tuple[Judge, ...]  # at least two judges, which differ in their models only
    arbiter: Judge | None = None  # a further judge, or None. It gets only the pairs on which the judges disagree.
    unparsed: str | float = ERROR  # as for ``Judge``. The setting of the judges does not count.
    # the usage of all calls so far; that of the judges does not count
    totals: UsageTotal = field(default_factory=UsageTotal, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check that the members differ in their models only."""
        members = self._members()
        if len(self.judges) < 2 or len({judge.model for judge in members}) < len(members):
            names = ", ".join(judge.model for judge in members)
            raise ValueError(f"a panel has at least two judges, and all models differ, but they are: {names}")
        if any(replace(judge, model="", unparsed=ERROR) != self._common() for judge in members):
            raise ValueError(
                "the judges of a panel differ in their models only, but their prompts, parameters, repeats or orders "
                "differ; make them equal"
            )

    @computed_once
    def signature(self) -> str:
        """As for a judge, with all models and the arbiter: ``judge|prompt:...|model:a,b|...|arbiter:c|rev:1``."""
        models = ",".join(judge.model for judge in self.judges)
        arbiter = None if self.arbiter is None else self.arbiter.model
        common = replace(self._common(), model=models, unparsed=self.unparsed)
        return signature("judge", common, revision=REVISION, arbiter=arbiter)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of its judges."""
        return self.judges[0].capabilities

    @property
    def reads_questions(self) -> bool:
        """Whether the prompt has a place for the question."""
        return self.judges[0].reads_questions

    @property
    def grades(self) -> Sequence[str]:
        """The grades of the prompt."""
        return self.judges[0].grades

    @property
    def where(self) -> str:
        """The place of the replies, for messages."""
        return self.judges[0].where

    def judge(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> tuple[list[Judged], JudgeUsage]:
        """Return the verdicts on each pair, in order, and the usage of all members. Errors are those of ``Judge``."""
        results: list[tuple[list[Judged], JudgeUsage]] = []
        lacking: list[MissingReplyError] = []
        try:
            for member in self.judges:
                try:
                    results.append(member.judge(pairs, questions))
                except MissingReplyError as error:
                    lacking.append(error)
            if lacking:  # those of all members, so that they can be requested together
                missing = tuple(request for error in lacking for request in error.missing)
                raise MissingReplyError(str(lacking[0]), len(missing), missing)
        except BaseException:
            self.totals.add(sum((part for _, part in results), JudgeUsage()))  # those that answered before
            raise
        votes = [[judged[i] for judged, _ in results] for i in range(len(pairs))]
        decided = [_common_outcome(of_pair) for of_pair in votes]
        disputed = [i for i, outcome in enumerate(decided) if outcome is None]
        rows = {(pairs[i], "" if questions is None else questions[i]) for i in disputed}
        usage = sum((part for _, part in results), JudgeUsage())
        usage = replace(usage, pairs=results[0][1].pairs, disputed=len(rows))
        if self.arbiter is not None and disputed:
            asked = None if questions is None else [questions[i] for i in disputed]
            arbitrated, part = self.arbiter.judge([pairs[i] for i in disputed], asked)
            usage = replace(usage + part, pairs=usage.pairs)
            for i, judged in zip(disputed, arbitrated, strict=True):
                decided[i] = judged
        return [_mean_outcome(votes[i]) if found is None else found for i, found in enumerate(decided)], usage

    def _members(self) -> tuple[Judge, ...]:
        return self.judges if self.arbiter is None else (*self.judges, self.arbiter)

    def _common(self) -> Judge:
        return replace(self.judges[0], model="", unparsed=ERROR)


def _common_outcome(votes: Sequence[Judged]) -> Judged | None:
    """Return the verdict on which all judges agree; None if they do not, or one has none."""
    scores = {judged.score for judged in votes}
    return votes[0] if len(scores) == 1 and None not in scores else None


def _mean_outcome(votes: Sequence[Judged]) -> Judged:
    """Return the mean of the votes as one outcome; an unparsed one if a judge has none."""
    scores = [judged.score for judged in votes if judged.score is not None]
    if len(scores) < len(votes):
        return Judged(tuple(outcome for judged in votes for outcome in judged.outcomes))
    return Judged((Outcome(f"{math.fsum(scores):g} of {len(scores)}", math.fsum(scores) / len(scores)),))
