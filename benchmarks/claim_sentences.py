"""Claims as sentences: the names of systems and metrics in words, and who is claimed to be better than whom."""

from __future__ import annotations

import re

from rankers.systems import ggsa

NETWORKS = {
    "match-pyramid": "Match Pyramid",
    "dmn": "DMN",
    "man": "MAN",
}
TRAININGS = {  # what follows the name of a network, and its name within a sentence
    "": "plain {}",
    "-adv": "adversarially trained {}",
    "-advcom": "the committee of adversarial states of {}",
    "-advcom-uniform": "the same committee with equal weights",
    "-best-checkpoint": "the best single adversarial state of {}",
    "-ckpt": "{} trained for as long with ordinary negatives",
    "-ckpt-committee": "a committee of ordinary states of {}",
    "-dns": "{} trained with the hardest negatives of a pool",
    "-adv-best": "adversarially trained {} at its best epoch on dev",
    "-adv-k5": "adversarially trained {} (K = 5, best epoch on dev)",
    "-advcom-k5": "the committee of adversarial states of {} (K = 5)",
    "-ckpt-k5": "{} trained for as long with five ordinary negatives",
    "-dns-k5": "{} trained with the five hardest negatives of a pool",
}
SYSTEMS = {
    "minilm-maxsim": "untrained MaxSim over the same encoder",
    "late-interaction": "trained late interaction",
    "late-interaction-wide": "trained late interaction of equal size and start",
    "addax": "ADDAX",
    "addax-wo-mags": "ADDAX without its cells (MAGs)",
    "addax-wo-hw": "ADDAX without the highway",
    "addax-wo-hd": "ADDAX without the hashing denoiser",
    "addax-att-mags": "cross attention alone",
    "addax-binary": "ADDAX with one bit per number",
    "ce-plain": "plain fine-tuning",
    "tanda": "TANDA",
    "scan": "SCAN",
    "scan-published": "SCAN with the published rate of its weights",
    "scan-equation-5": "SCAN with equations 5 and 12 as printed",
    "scan-wo-fd": "SCAN without feature decorrelation",
    "scan-wo-ld": "SCAN without language debiasing",
    "scan-perturbed": "SCAN after a training on misspelled texts",
    "tanda-perturbed": "TANDA after the same",
    "scan-noisy": "SCAN after a training on labels with 20 % flipped",
    "tanda-noisy": "TANDA after the same",
    **ggsa.TITLES,
}
COMPOSITIONS = {  # of the GGSA paper: what follows the name of a network, the longest first
    "-multihop-long": " with multihop attention and more epochs",
    **ggsa.COMPOSITIONS,
}
SWEPT = re.compile(r"(ggsa|addax)-(group|heads|alpha|delta|gamma)-(.+)")
SETTINGS = {
    "group": "groups of {}",
    "heads": "{} heads",
    "alpha": "alpha = {}",
    "delta": "delta = {}",
    "gamma": "gamma = {}",
}
METRICS = {
    "sas": "SAS",
    "bi-encoder": "the bi-encoder",
    "bi-encoder-names": "the bi-encoder trained on names",
    "bertscore-vanilla": "vanilla BERTScore",
    "bertscore-trained": "trained BERTScore",
    "bertscore-names": "BERTScore trained on names",
    "rouge-l": "ROUGE-L",
    "meteor": "METEOR",
    "f1": "F1",
    "bleu-paper": "BLEU",
}
SETS = {"squad": "SQuAD", "nq-open": "NQ-open", "germanquad": "GermanQuAD"}
OVERLAP = {"F1=0": "no common word", "F1!=0": "a common word"}
COEFFICIENTS = {"kendall": "tau", "pearson": "Pearson's r", "spearman": "Spearman's rho"}
DIGITS = ", no digits"


def system(name: str) -> str:
    """Return the name of a ranking system in words, or its name in code if it has no words here.

    >>> system("dmn-adv"), system("iggsa-att-pointwise"), system("ggsa-heads-12")
    ('adversarially trained DMN', 'pointwise iGGSA with attention', 'GGSA with 12 heads')
    >>> system("unheard-of")
    '`unheard-of`'
    """
    for network, words in NETWORKS.items():
        if name.startswith(network) and (how := name.removeprefix(network)) in TRAININGS:
            return TRAININGS[how].format(words)
    if name in SYSTEMS:
        return SYSTEMS[name]
    if name.endswith(ggsa.POINTWISE):
        return f"pointwise {system(name.removesuffix(ggsa.POINTWISE))}"
    if swept := SWEPT.fullmatch(name):
        network, setting, value = swept.groups()
        words = SETTINGS[setting].format(value)
        return f"{SYSTEMS[network]} with {words.removesuffix('s') if words == '1 heads' else words}"
    for ending, words in COMPOSITIONS.items():
        if name.endswith(ending) and name.removesuffix(ending) in SYSTEMS:
            return SYSTEMS[name.removesuffix(ending)] + words
    return f"`{name}`"


def ranking_sentence(better: str, other: str, measure: str, dataset: str) -> str:
    """Return the claim that one system is better than another.

    >>> ranking_sentence("scan", "tanda", "MAP", "WikiQA")
    'On WikiQA, SCAN has a higher MAP than TANDA.'
    """
    return f"On {dataset}, {system(better)} has a higher {measure} than {system(other)}."


def metric_sentence(compared: str, coefficient: str, dataset: str, subset: str, margin: bool) -> str:
    """Return a claim of the SAS paper on agreement with annotators.

    Args:
        compared: Both sides, as ``benchmarks.study`` writes them: ``a > b``, ``a < .5``, ``worst of a, b > best of c``.
        coefficient: Its name in ``benchmarks.study``.
        dataset: The name of the set.
        subset: "F1=0" or "F1!=0".
        margin: Whether the claim is that both sides are close.

    >>> metric_sentence("bertscore-trained > sas", "kendall", "squad", "F1=0", margin=False)
    'On SQuAD, no common word, trained BERTScore has a higher tau than SAS.'
    >>> metric_sentence("best of sas, f1 < 0.5", "kendall", "squad", "F1=0", margin=False)
    'On SQuAD, no common word, the best of SAS and F1 has a tau below 0.5.'
    >>> metric_sentence("sas > sas, no digits", "kendall", "squad", "F1!=0", margin=True)
    'On SQuAD, a common word, SAS has about the same tau as SAS on the rows without digits.'
    """
    name = COEFFICIENTS[coefficient]
    where = f"On {SETS[dataset]}, {OVERLAP[subset]},"
    if " < " in compared:
        side, _, level = compared.partition(" < ")
        return f"{where} {_side(side)} has a {name} below {level}."
    higher, _, lower = compared.partition(" > ")
    how = "about the same {} as" if margin else "a higher {} than"
    return f"{where} {_side(higher)} has {how.format(name)} {_side(lower)}."


def _side(side: str) -> str:
    """Return one side of a claim in words.

    >>> _side("worst of rouge-l, f1, sas"), _side("sas on nq-open")
    ('the worst of ROUGE-L, F1 and SAS', 'SAS on NQ-open')
    """
    if side.endswith(DIGITS):
        return f"{_side(side.removesuffix(DIGITS))} on the rows without digits"
    first, on, elsewhere = side.partition(" on ")
    which, of, names = first.rpartition(" of ")
    words = [METRICS.get(name, f"`{name}`") for name in names.split(", ")]
    joined = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return (f"the {which} of {joined}" if of else joined) + (f" on {SETS[elsewhere]}" if on else "")
