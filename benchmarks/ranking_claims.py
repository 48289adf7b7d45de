"""The claims of the papers that one system is better than another, and controls for the cause of a difference.

Every page of the ranking benchmark tests the claims whose two systems are on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, NamedTuple

from benchmarks.ranking_tables import SEEDS, Result, probability, share_training
from benchmarks.tables import Column, Table, interval, signed
from rankers.evaluation.comparison import Comparison, by_seeds, compare, with_holm
from rankers.evaluation.evaluate import Evaluation
from rankers.systems import addax

SURE = 0.05  # a claim holds if p after Holm is below this


class Claim(NamedTuple):
    """The claim that one system is better than another."""

    source: str  # the paper and its table, or, after a colon, the question of our control
    better: str  # the system that is claimed to be better
    other: str  # the other system
    measures: tuple[str, ...] = ()  # the measures of the claim; empty for all measures of the dataset


class Examined(NamedTuple):
    """A claim, the comparison of its systems (the better one second), and whether it holds."""

    claim: Claim  # the claim
    comparison: Comparison  # the difference of the better system from the other
    # "yes" or "opposite" if p is significant over questions and over trainings. ", these trainings" is added if p is
    # significant over questions only, so that further trainings might differ, and ", one training" if each system has
    # only one training, so that p over trainings is unknown. Otherwise "not shown".
    holds: str
    # p over trainings by Welch's test, where the test of ``comparison`` is paired by seed; None elsewhere
    p_welch: float | None = None


def _order_of_networks() -> Iterator[Claim]:
    """Yield the claim that MAN and its variants are best, and Match Pyramid and its variants last (section 3.2)."""
    for end in ("", "-adv", "-advcom", "-adv-k5", "-advcom-k5"):
        source = f"Gupta & Carvalho 2019, Table 1, order of networks{f' ({end})' if end else ''}"
        yield Claim(source, f"man{end}", f"dmn{end}")
        yield Claim(source, f"dmn{end}", f"match-pyramid{end}")
        yield Claim(source, f"man{end}", f"match-pyramid{end}")


def _committee(network: str) -> Iterator[Claim]:
    paper, control = f"Gupta & Carvalho 2019, Table 1, {network}", f"control of it, {network}"
    yield Claim(paper, f"{network}-adv", network)
    yield Claim(paper, f"{network}-advcom", network)
    yield Claim(paper, f"{network}-advcom", f"{network}-adv")
    yield Claim(f"{control}: adversarial or only trained for longer?", f"{network}-adv", f"{network}-ckpt")
    yield Claim(f"{control}: a generator or the hardest of the pool?", f"{network}-adv", f"{network}-dns")
    yield Claim(f"{control}: adversarial or ordinary members?", f"{network}-advcom", f"{network}-ckpt-committee")
    yield Claim(f"{control}: many members or the best one?", f"{network}-advcom", f"{network}-best-checkpoint")
    yield Claim(f"{control}: weights by dev or equal ones?", f"{network}-advcom", f"{network}-advcom-uniform")
    equal_k = f"{paper}, K = 5 for both, epoch by dev"
    yield Claim(equal_k, f"{network}-adv-k5", network)
    yield Claim(equal_k, f"{network}-advcom-k5", network)
    yield Claim(equal_k, f"{network}-advcom-k5", f"{network}-adv-k5")
    yield Claim(f"{control}: K = 5, adversarial or only trained for longer?", f"{network}-adv-k5", f"{network}-ckpt-k5")
    yield Claim(f"{control}: K = 5, a generator or the hardest?", f"{network}-adv-k5", f"{network}-dns-k5")
    yield Claim(f"{control}: the last epoch or the best on dev?", f"{network}-adv-best", f"{network}-adv")
    yield Claim(f"{control}: the best epoch on dev and the plain network", f"{network}-adv-best", network)


def _ggsa() -> Iterator[Claim]:
    paper = "Xu et al. 2019, Table"
    for name in ("qa-lstm", "global", "ggsa"):
        yield Claim(f"{paper} 2, attention or max?", f"{name}-att", name)
    yield Claim(f"{paper} 5, attention or max?", "iggsa-att", "iggsa")
    for name in ("ggsa", "iggsa"):
        yield Claim(f"{paper} 6, attention or max?", f"{name}-att-pointwise", f"{name}-pointwise")
    for end in ("", "-att"):
        yield Claim(f"{paper} 2", f"ggsa{end}", f"qa-lstm{end}")
        yield Claim(f"{paper} 2", f"ggsa{end}", f"global{end}")
    yield Claim(f"{paper} 3", "ggsa", "local")
    yield Claim(f"{paper} 3", "local-gate", "local")
    yield Claim(f"{paper} 4", "global", "group")
    yield Claim(f"{paper} 4", "group-offset", "group")
    yield Claim(f"{paper} 4", "ggsa", "group-offset")
    yield Claim(f"{paper} 4", "ggsa", "global")
    yield Claim(f"{paper} 4", "iggsa", "ggsa")
    yield Claim(f"{paper} 5", "iggsa", "qa-lstm")
    yield Claim(f"{paper} 5", "iggsa-att", "ggsa-att")
    yield Claim(f"{paper} 5", "iggsa-att", "ap-lstm")
    yield Claim(f"{paper} 5", "qa-lstm-multihop-plus", "qa-lstm-multihop")
    yield Claim(f"{paper} 5", "iggsa-multihop", "iggsa")
    yield Claim(f"{paper} 5", "iggsa-multihop", "iggsa-att")
    for other in ("qa-lstm-multihop-plus", "qa-lstm-multihop", "qa-lstm-multihop-mlp"):
        yield Claim(f"{paper} 5", "iggsa-multihop", other)
    yield Claim("control of Xu et al. 2019, Table 5: enough epochs?", "iggsa-multihop-long", "iggsa-multihop")
    for other in ("iggsa", "iggsa-att", "qa-lstm-multihop-plus", "qa-lstm-multihop"):
        yield Claim(f"{paper} 5, more epochs", "iggsa-multihop-long", other)
    for name in ("ggsa", "ggsa-att", "iggsa", "iggsa-att"):
        yield Claim(f"{paper} 6", f"{name}-pointwise", "ctrn-pointwise")
    for end in ("", "-att"):
        yield Claim(f"{paper} 6", f"iggsa{end}-pointwise", f"ggsa{end}-pointwise")
    for name in ("ggsa", "ggsa-att", "iggsa", "iggsa-att"):
        yield Claim(f"{paper} 7", name, f"{name}-pointwise", ("P@1",))
        yield Claim(f"{paper} 7", f"{name}-pointwise", name, ("MRR",))
    yield Claim("control of GGSA: better than BM25?", "iggsa", "bm25")


def _ggsa_figure() -> Iterator[Claim]:
    """Yield claims: groups of 4 to 20 beat global attention; larger groups and other numbers of heads do not help."""
    from rankers.systems.ggsa import SWEEPS

    figure = "Xu et al. 2019, Figure 8"
    for group, name in SWEEPS["group size"].items():
        if 4 <= group <= 20:
            yield Claim(f"{figure}, group size", name, "global")
    yield Claim(f"{figure}, group size", "ggsa", "ggsa-group-40")
    yield Claim(f"{figure}, heads", "ggsa", "ggsa-heads-1")
    yield Claim(f"{figure}, heads", "ggsa", "ggsa-heads-12")


def _scan() -> Iterator[Claim]:
    yield Claim("SCAN, Tables 2 to 4", "scan-rate-1", "tanda")
    yield Claim("SCAN, Tables 2 to 4", "tanda", "ce-plain")
    yield Claim("SCAN, Table 5", "scan-rate-1", "scan-wo-fd")
    yield Claim("SCAN, Table 5", "scan-rate-1", "scan-rate-1-wo-ld")
    yield Claim("SCAN, Table 6", "scan-rate-1-perturbed", "tanda-perturbed")
    yield Claim("SCAN, Table 6", "scan-rate-1-noisy", "tanda-noisy")
    for system in ("tanda", "scan-rate-1"):
        for untrained in ("minilm-biencoder", "minilm-maxsim"):
            yield Claim("control of SCAN: better than the encoder untrained?", system, untrained)
    yield Claim("control of SCAN: better with the published settings?", "scan", "tanda")
    yield Claim("control of SCAN: weights that move or the published rate?", "scan-rate-1", "scan")
    yield Claim("control of SCAN: equations 5 and 12 as printed?", "scan-equation-5", "tanda")
    yield Claim("control of SCAN: equation 5 or the features of the code?", "scan-equation-5", "scan")


def _addax() -> Iterator[Claim]:
    yield Claim("ADDAX, Table 1", "addax", "late-interaction")
    yield Claim("control of ADDAX: equal size and start", "addax", "late-interaction-wide")
    yield Claim("control of ADDAX: what does size bring?", "late-interaction-wide", "late-interaction")
    yield Claim("control of ADDAX: better than the encoder untrained?", "addax", "minilm-maxsim")
    for other in ("wo-mags", "wo-hw", "wo-hd", "att-mags"):
        yield Claim("ADDAX, Table 3", "addax", f"addax-{other}")
    yield Claim("control of ADDAX: what do signs cost?", "addax", "addax-binary")
    for setting, systems in addax.sweeps().items():
        for name in systems.values():
            if name != "addax":
                yield Claim(f"ADDAX, Figure 4, {setting}", "addax", name)


NETWORKS = ("match-pyramid", "dmn", "man")
CLAIMS = (
    *_order_of_networks(),
    *(claim for network in NETWORKS for claim in _committee(network)),
    *_ggsa(),
    *_ggsa_figure(),
    *_scan(),
    *_addax(),
)


def examined(results: Sequence[Result], measures: Sequence[str]) -> list[Examined]:
    """Test the claims whose two systems have results: by question, over the mean of the seeds.

    Holm's procedure applies within each source and measure.
    """
    evaluations = {result.system: result.seeds for result in results}
    there = [claim for claim in CLAIMS if claim.better in evaluations and claim.other in evaluations]
    tested: list[Examined] = []
    for _, same in groupby(there, key=lambda claim: claim.source):
        claims = list(same)
        for measure in measures:
            measured = [claim for claim in claims if not claim.measures or measure in claim.measures]
            family = with_holm(
                [
                    compare(
                        evaluations[claim.other],
                        evaluations[claim.better],
                        measure,
                        paired_seeds=share_training(claim.other, claim.better),
                    )
                    for claim in measured
                ]
            )
            tested += [
                Examined(claim, comparison, _holds(comparison), _welch(evaluations, claim, measure))
                for claim, comparison in zip(measured, family, strict=True)
            ]
    return tested


def _welch(evaluations: Mapping[str, Sequence[Evaluation]], claim: Claim, measure: str) -> float | None:
    if not share_training(claim.other, claim.better):
        return None
    return by_seeds(evaluations[claim.other], evaluations[claim.better], measure)


def _holds(comparison: Comparison) -> str:
    if not comparison.p_holm < SURE:
        return "not shown"
    verdict = "yes" if comparison.difference > 0 else "opposite"
    if comparison.p_seeds is None:
        return f"{verdict}, one training"
    return verdict if comparison.p_seeds < SURE else f"{verdict}, these trainings"


def claims_table(title: str, claims: Sequence[Examined]) -> Table:
    """Return a table with one row per claim and measure."""
    columns = ("source", "better", "than", "measure", "n", "difference", "95 %", "p", "p (Holm)", "p (seeds)",
               "p (Welch)", "holds")  # fmt: skip
    rows = tuple(
        (
            claim.source,
            claim.better,
            claim.other,
            comparison.measure,
            comparison.n_questions,
            signed(comparison.difference),
            interval(comparison.low, comparison.high),
            f"{comparison.p:.4f}",
            f"{comparison.p_holm:.4f}",
            probability(comparison.p_seeds),
            probability(p_welch),
            holds,
        )
        for claim, comparison, holds, p_welch in claims
    )
    notes = (
        f"holds: p below {SURE:g} by Fisher's randomization test over questions, after Holm's procedure within source "
        f"and measure; 'these trainings' if p (seeds) is not below {SURE:g}: further trainings might differ; 'one "
        "training' if a system has a single one",
        SEEDS,
        "p (Welch): where p (seeds) is paired, that of Welch's test, which ignores what the trainings share",
    )
    return Table(f"{title}: what the papers claim, and controls", tuple(map(Column, columns)), rows, notes)


def records(claims: Sequence[Examined]) -> Iterator[Mapping[str, Any]]:
    """Yield the same for JSON."""
    for claim, comparison, holds, p_welch in claims:
        yield {
            "source": claim.source,
            "better": claim.better,
            "other": claim.other,
            **asdict(comparison),
            "p_welch": p_welch,
            "holds": holds,
        }
