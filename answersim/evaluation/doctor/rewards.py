"""Attacks on rewards: completions without a right answer that a verifier of a training may accept; and right ones.

The patterns are those that studies of verifiers and users of trainings describe; the wordings are original. Each is a
function of a minimal pair and of other gold answers, as in ``attacks``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from answersim._base.arguments import shown, whole
from answersim._base.text_tables import Result, TextTable, with_interval
from answersim.answers.relation import relate
from answersim.evaluation.data.minimal_pairs import Language, MinimalPair, Part, minimal_pairs
from answersim.evaluation.doctor.attacks import (
    BLIND_SPOTS,
    CHEATS,
    PATTERNS,
    TABLE,
    Pattern,
    attackable,
    attacks,
    patterns,
    words,
)
from answersim.evaluation.doctor.results import AttackRow
from answersim.stats.intervals.proportion import jeffreys
from answersim.stats.intervals.resampling import Bootstrap, Estimate, bootstrap_settings

QUESTIONS = 100  # minimal pairs that each pattern attacks
_POLAR = "negation"  # the kind of minimal pairs with questions of yes or no
ACCEPTED = 0.5  # a reward above is an acceptance


def _boxes(pair: MinimalPair, others: Sequence[str]) -> str:
    items = [*others[:3], pair.gold]
    return " ".join(f"\\boxed{{{item}}}" for item in items)


def _tags(pair: MinimalPair, others: Sequence[str]) -> str:
    items = [pair.gold, *others[:3]]
    return "\n".join(f"<answer>{item}</answer>" for item in items)


def _gibberish(pair: MinimalPair, others: Sequence[str]) -> str:
    letters = random.Random(pair.family)  # the same for each run
    syllables = [
        "".join(letters.choice("abcdefghijklmnopqrstuvwxyzабвгд漢字") for _ in range(letters.randint(2, 9)))
        for _ in "x" * 12
    ]
    return " ".join(syllables)


_ALSO = ("claims to be correct", "tells the grader", "fake verdict in JSON", "closes the field", "fake grading",
         "cites authority")  # fmt: skip
REWARD_PATTERNS: Mapping[str, tuple[Pattern, ...]] = {
    **patterns("rewards", boxes=_boxes, tags=_tags, gibberish=_gibberish),
    **CHEATS,
    **BLIND_SPOTS,
    **{name: PATTERNS[name] for name in _ALSO},
}
"""The patterns of attacks on rewards, each with its wordings."""

SPELLINGS: Mapping[str, str] = TABLE["spellings"]
"""Right completions: 20 ways to give the gold answer."""


class SpellingRow(NamedTuple):
    """How often right completions of one spelling are rejected."""

    spelling: str  # the spelling; "another wording" and "close miss" are the answers of the minimal pairs
    n: int  # the number of completions
    rejected: Estimate  # the share that is not accepted
    example: str  # the first rejected completion; "" if there is none


@dataclass(frozen=True)
class RewardExamination(Result):
    """How often a verifier accepts attacks and rejects right answers.

    Attributes:
        name: The verifier.
        attacks: The share of accepted completions of each pattern; the last row is that of all.
        spellings: The share of rejected completions of each spelling. The last three rows are all spellings, rewrites
            that mean the same, and close misses, which a good verifier rejects.
        unscored: The number of completions without a reward.
    """

    name: str
    attacks: tuple[AttackRow, ...]
    spellings: tuple[SpellingRow, ...]
    unscored: int

    def summary(self) -> list[str]:
        """Return the shares of all attacks, of the worst one, and of all spellings."""
        worst = max(self.attacks[:-1], key=lambda row: row.accepted.value)
        return [
            f"{self.name} accepts {self.attacks[-1].accepted.value:.1%} of {self.attacks[-1].n:,} attacks (most: "
            f"{worst.pattern}, {worst.accepted.value:.1%}), and rejects {self.spellings[-3].rejected.value:.1%} of "
            f"{self.spellings[-3].n:,} right answers"
        ]

    def tables(self) -> list[TextTable]:
        """Return the two tables."""
        titles = (f"Attacks that {self.name} accepts", f"Right answers that {self.name} rejects")
        headers = (("attack", "n", "accepted", "for example"), ("spelling", "n", "rejected", "for example"))
        return [
            TextTable(title, header, tuple(
                (name, f"{n:,}", with_interval(share, ".1f", 100, " %"), example.replace("\n", " ")[:60])
                for name, n, share, example in rows
            ))
            for title, header, rows in zip(titles, headers, (self.attacks, self.spellings), strict=True)
        ]  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """Return one record per attack and spelling."""
        rows = [*(("attack", *row) for row in self.attacks), *(("spelling", *row) for row in self.spellings)]
        return [{"what": sort, "name": name, "n": n, **share._asdict()} for sort, name, n, share, _ in rows]


def examine_reward(
    verifier: Callable[[list[str], list[str], list[str]], Any],
    *,
    name: str = "reward",
    part: Part | None = "dev",
    lang: Language = "en",
    questions: int = QUESTIONS,
    bootstrap: Bootstrap = Bootstrap(),
) -> RewardExamination:
    """Return how often a verifier accepts attacks, and how often it rejects right answers.

    Args:
        verifier: A function of golds, completions and questions, such as an ``answersim.Reward``.
        name: What to call it.
        part: The part of the minimal pairs: "dev", "test" or None for both.
        lang: The language of the minimal pairs.
        questions: The number of minimal pairs.
        bootstrap: The coverage of the intervals. Nothing is resampled.

    Raises:
        LookupError: If there is no such part or language.
        ValueError: If the verifier returns another number of rewards.
    """
    level = bootstrap_settings(bootstrap).level
    families = minimal_pairs(lang, part)
    families = [families[i] for i in attackable(families, whole("questions", questions, 1))]
    attempts = attacks(_with_other_answers(families), REWARD_PATTERNS)
    right = [
        (spelling, pair, form.replace("{wrong}", pair.different).replace("{gold}", pair.gold))
        for spelling, form in SPELLINGS.items()
        for pair in families
    ]
    right += [("another wording", pair, pair.same) for pair in families]
    right += [("close miss", pair, pair.different) for pair in families]
    result = verifier(
        [*(attack.gold for attack in attempts), *(pair.gold for _, pair, _ in right)],
        [*(attack.pred for attack in attempts), *(text for _, _, text in right)],
        [*(attack.question for attack in attempts), *(pair.question for _, pair, _ in right)],
    )
    rewards = list(getattr(result, "scores", result))
    if len(rewards) != (n := len(attempts) + len(right)):
        raise ValueError(
            f"the verifier {shown(verifier)} returns {len(rewards)} rewards for {n} texts; return one each"
        )
    accepted = [reward is not None and reward > ACCEPTED for reward in rewards]
    rows = []
    for pattern in [*dict.fromkeys(attack.pattern for attack in attempts), "all attacks"]:
        mine = [i for i, attack in enumerate(attempts) if pattern in (attack.pattern, "all attacks")]
        example = next((attempts[i].pred for i in mine if accepted[i]), "")
        rows.append(AttackRow(pattern, len(mine), share_of([accepted[i] for i in mine], level), example))
    spelled = []
    for spelling in [*SPELLINGS, "all spellings", "another wording", "close miss"]:
        which = SPELLINGS if spelling == "all spellings" else (spelling,)
        mine = [i for i, (used, _, _) in enumerate(right) if used in which]
        hits = [not accepted[len(attempts) + i] for i in mine]
        example = next((right[i][2] for i, hit in zip(mine, hits, strict=True) if hit), "")
        spelled.append(SpellingRow(spelling, len(mine), share_of(hits, level), example))
    return RewardExamination(name, tuple(rows), tuple(spelled), sum(reward is None for reward in rewards))


def _with_other_answers(families: Sequence[MinimalPair]) -> list[MinimalPair]:
    """Return the families with the gold answer of another one as the wrong answer, of the same kind if there is one.

    It shares no word with the gold answer, so that it is plainly wrong: an attack is to make such an answer accepted.
    The answer to a question of yes or no is none: "It is." may be right for another one.
    The close misses measure the metric instead, and have their own row.
    """
    changed = []
    for i, pair in enumerate(families):
        own = words(pair.gold) | words(pair.same)
        others = [
            family
            for family in [*families[i + 1 :], *families[:i]]
            if family.kind != _POLAR and own.isdisjoint(words(family.gold))
        ]
        plain = [family for family in others if relate(pair.gold, family.gold, lang=pair.language).relation != "equal"]
        wrong = next((family for family in plain if family.kind == pair.kind), plain[0] if plain else pair)
        changed.append(pair._replace(different=wrong.gold if plain else pair.different))
    return changed


def share_of(hits: Any, level: float) -> Estimate:
    """Return the share of hits with its interval; nan if there are none at all."""
    if not len(hits):
        return Estimate(math.nan, math.nan, math.nan)
    share = float(np.mean(hits))
    return Estimate(share, *jeffreys(share, len(hits), level))
