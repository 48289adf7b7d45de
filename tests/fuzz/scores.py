"""Scores: odd pairs against the references, invariances, threads."""

import math
import random
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import answersim
from answersim.types import Pair
from benchmarks import references
from tests.fuzz import odd
from tests.fuzz.area import Checked, Round, area

EXACT, CLOSE = 1e-9, 1e-5
LEXICAL = ("em", "f1", "recall", "containment", "bleu", "bleu-paper", "rouge-l", "meteor")
NEURAL = ("bi-encoder", "sas", "bertscore-trained", "answersim")


@area(
    "odd pairs against references",
    "em, f1, rouge-l, bleu and meteor equal the SQuAD script, rouge_score, sacrebleu and NLTK to within 1e-9",
)
def against_references() -> Iterator[Round]:
    oracles = {
        ("em", "en", "squad"): references.squad_em,
        ("f1", "en", "squad"): references.squad_f1,
        ("rouge-l", "en", "squad"): references.rouge_l,
        ("bleu", "en", "squad"): references.sentence_bleu,
        ("bleu", "zh", "embedded"): lambda pairs: references.sentence_bleu(pairs, tokenize="zh"),
        ("bleu-paper", "en", "embedded"): references.corpus_bleu,
    }
    from contextlib import ExitStack

    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore")
        try:
            wordnet = stack.enter_context(references.nltk_wordnet())
            oracles["meteor", "en", "squad"] = lambda pairs: references.meteor(pairs, wordnet)
        except FileNotFoundError:
            pass  # without Debian's WordNet, METEOR has no reference here

        def make_round(rng: random.Random) -> Checked:
            pairs = [Pair(*pair) for pair in odd.pairs(rng, 40)]
            checks, failed = 0, []
            for (name, lang, profile), oracle in oracles.items():
                remaining = [pair for pair in pairs if _is_comparable(name, *pair)]
                if not remaining:
                    continue
                golds, preds = zip(*remaining, strict=True)
                ours = answersim.score(golds, preds, metric=name, lang=lang, profile=profile, progress=False)
                theirs = oracle(remaining)
                checks += len(remaining)
                for pair, first, second in zip(remaining, ours, theirs, strict=True):
                    if abs(first - second) > EXACT:
                        failed.append(f"{name} ({lang}) of {tuple(pair)} is {first}, the reference {second}")
            return checks, failed

        yield make_round


def _is_comparable(name: str, gold: str, pred: str) -> bool:
    """Return whether ours and the reference promise the same number. The documentation lists the exceptions."""
    if name == "bleu":
        return bool(gold.split() and pred.split()) and "<skipped>" not in gold + pred
    if name == "rouge-l":
        return bool(gold.split() or pred.split())
    if name == "meteor":
        return bool(gold.split() and pred.split())
    return True


@area(
    "invariances",
    "a score is finite and depends on no other pair: neither on order, batch nor duplicates; em is symmetric",
)
def invariances() -> Iterator[Round]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def make_round(rng: random.Random) -> Checked:
            neural = rng.random() < 0.2
            name = rng.choice(NEURAL if neural else LEXICAL)
            pairs = odd.pairs(rng, rng.randint(2, 8 if neural else 60))
            base = _scores(name, pairs)
            tolerance = CLOSE if neural else 0.0
            order = list(range(len(pairs)))
            rng.shuffle(order)
            cut = rng.randrange(len(pairs) + 1)
            others = {
                "another order": [
                    s for _, s in sorted(zip(order, _scores(name, [pairs[i] for i in order]), strict=True))
                ],
                "two batches": [*_scores(name, pairs[:cut]), *_scores(name, pairs[cut:])],
                "twice": _scores(name, [*pairs, *pairs])[len(pairs) :],
            }
            if not neural:
                others["one by one"] = [answersim.score(*pair, metric=name) for pair in pairs]
            if name == "em":
                others["swapped"] = _scores(name, [(pred, gold) for gold, pred in pairs])
            failed = [
                f"{name} of {pair} is {value}"
                for pair, value in zip(pairs, base, strict=True)
                if not math.isfinite(value)
            ]
            for kind, other_scores in others.items():
                failed += [
                    f"{name}, {kind}: {pair} has {second}, else {first}"
                    for pair, first, second in zip(pairs, base, other_scores, strict=True)
                    if not abs(first - second) <= tolerance
                ]
            return len(pairs) * (1 + len(others)), failed

        yield make_round


@area("threads", "calls from eight threads at once give the same scores as a plain loop")
def threads() -> Iterator[Round]:
    with warnings.catch_warnings(), ThreadPoolExecutor(8) as pool:
        warnings.simplefilter("ignore")

        def make_round(rng: random.Random) -> Checked:
            calls: list[tuple[str, list[tuple[str, str]], dict[str, Any]]] = []
            for _ in range(24):
                name = rng.choice((*LEXICAL, *NEURAL))
                pairs = odd.pairs(rng, rng.randint(1, 4))
                asks = name in ("sas", "answersim") and rng.random() < 0.5
                calls.append((name, pairs, {"question": [odd.text(rng) for _ in pairs]} if asks else {}))
            expected = [_scores(*call[:2], **call[2]) for call in calls]
            order = list(range(len(calls)))
            rng.shuffle(order)
            jobs = {i: pool.submit(_scores, *calls[i][:2], **calls[i][2]) for i in order}
            failed = []
            for i, job in jobs.items():
                try:
                    worst = max(abs(a - b) for a, b in zip(job.result(timeout=100), expected[i], strict=True))
                except Exception as error:
                    failed.append(f"{calls[i][0]} of {calls[i][1]}: {type(error).__name__}: {error}")
                    continue
                if worst > CLOSE:
                    failed.append(f"{calls[i][0]} of {calls[i][1]} is off by {worst}")
            return len(calls), failed

        yield make_round


def _scores(name: str, pairs: list[tuple[str, str]], **given: Any) -> list[float]:
    if not pairs:
        return []
    golds, preds = zip(*pairs, strict=True)
    return np.asarray(answersim.score(golds, preds, metric=name, progress=False, **given)).tolist()
