"""The five papers: a claim as a row, and the main claims of each paper, which the overview sums up."""

from __future__ import annotations

from typing import NamedTuple

VERDICTS = ("holds", "opposite", "undecided")
UNTESTED = "not tested"
RECORDED, COMPUTED = "recorded", "computed"


class ClaimRow(NamedTuple):
    """A claim on one data set by one measure, tested or not. All numbers are as printed.

    Attributes:
        source: The paper and its table, or the question of a control. For the SAS paper the statement and its section.
        better: The side that is claimed to be better.
        other: The other side.
        dataset: The title of the data set.
        measure: The measure, or the coefficient.
        sentence: The claim in words.
        verdict: One of ``VERDICTS``, or "not tested".
        limit: "these trainings" or "one training" if the verdict is significant over questions only; or the reason
            why the claim was not tested.
        ours: Our difference, the better side minus the other.
        interval: Its 95 % interval.
        p: p over questions; "" if the claim is decided by the interval.
        p_trainings: p over trainings.
        published: The published difference, and both numbers in parentheses.
        same_test: Whether the test set is that of the paper.
        same_training: Whether the training data are those of the paper.
        details: A link to the table of the claim.
        scores: The origin of the scores, for claims of the SAS paper.
    """

    source: str
    better: str
    other: str
    dataset: str
    measure: str
    sentence: str
    verdict: str
    limit: str = ""
    ours: str = ""
    interval: str = ""
    p: str = ""
    p_trainings: str = ""
    published: str = ""
    same_test: str = ""
    same_training: str = ""
    details: str = ""
    scores: str = ""


class Headline(NamedTuple):
    """A main claim of a paper: what it says, and which rows test it.

    Attributes:
        text: The claim.
        pairs: The pairs (better, other) of systems that it compares.
        statement: For the SAS paper, the start of the statement.
    """

    text: str
    pairs: tuple[tuple[str, str], ...] = ()
    statement: str = ""

    def selects(self, row: ClaimRow) -> bool:
        """Return whether this row tests the claim."""
        if self.statement:
            return row.source.startswith(self.statement) and row.scores == RECORDED
        return (row.better, row.other) in self.pairs and row.verdict != UNTESTED


class Paper(NamedTuple):
    """A paper: its name in the sources of claims, its title here, the end of its page, its main claims, and a note."""

    name: str
    title: str
    page: str
    headlines: tuple[Headline, ...]
    note: str = ""


def _networks(better: str, other: str = "") -> tuple[tuple[str, str], ...]:
    return tuple((network + better, network + other) for network in ("match-pyramid", "dmn", "man"))


def _order(*ends: str) -> tuple[tuple[str, str], ...]:
    pairs = (("man", "dmn"), ("dmn", "match-pyramid"), ("man", "match-pyramid"))
    return tuple((better + end, other + end) for end in ends for better, other in pairs)


PAPERS = (
    Paper(
        "SAS paper",
        "SAS paper (semantic answer similarity)",
        "sas",
        (
            Headline(
                "without a common word, trained BERTScore agrees better with annotators than SAS",
                statement="BERTScore trained outperforms SAS",
            ),
            Headline(
                "with a common word, SAS agrees best", statement="... and better than the others with some overlap"
            ),
            Headline("training on names improves the bi-encoder", statement="Training on names improves"),
            Headline(
                "lexical metrics agree less than every semantic one", statement="Lexical metrics show considerably"
            ),
        ),
        "The difference is of two coefficients between metric and label: the first side minus the other. The first "
        "verdict uses the recorded scores of the models of the paper, the second one the scores of the embedded "
        "models on the same rows, which were trained on other data. p is over rows, after Holm; "
        "there is one training per model. An empty p means that "
        "the interval decides whether two coefficients are within .05. The published coefficients have two or three "
        "digits. Ours have three, are recomputed from the recorded scores, and round to the published ones.",
    ),
    Paper(
        "SCAN",
        "SCAN (spurious correlations, answer selection)",
        "scan",
        (
            Headline("SCAN ranks better than TANDA", (("scan", "tanda"),)),
            Headline("TANDA ranks better than plain fine-tuning", (("tanda", "ce-plain"),)),
            Headline("each part of SCAN helps", (("scan", "scan-wo-fd"), ("scan", "scan-wo-ld"))),
            Headline(
                "SCAN is more robust than TANDA to damaged training data",
                (("scan-perturbed", "tanda-perturbed"), ("scan-noisy", "tanda-noisy")),
            ),
        ),
    ),
    Paper(
        "ADDAX",
        "ADDAX (discriminative features, hashing denoiser)",
        "addax",
        (
            Headline("ADDAX ranks better than late interaction", (("addax", "late-interaction"),)),
            Headline(
                "each part of ADDAX helps",
                tuple(("addax", f"addax-{part}") for part in ("wo-mags", "wo-hw", "wo-hd", "att-mags")),
            ),
        ),
    ),
    Paper(
        "Gupta & Carvalho 2019",
        "Adversarial committees (Gupta & Carvalho 2019)",
        "committees",
        (
            Headline("MAN ranks better than DMN, and DMN better than Match Pyramid", _order("", "-adv", "-adv-k5")),
            Headline("adversarial training helps", _networks("-adv")),
            Headline("adversarial training helps with K = 5 and the epoch by dev", _networks("-adv-k5")),
            Headline("a committee of adversarial states is better than the plain network", _networks("-advcom")),
            Headline("a committee of adversarial states is better than a single one", _networks("-advcom", "-adv")),
            Headline(
                "adversarial training is better than longer ordinary training (our control)",
                (*_networks("-adv", "-ckpt"), *_networks("-adv-k5", "-ckpt-k5")),
            ),
        ),
        "DMN is the Deep Matching Net and MAN the Multihop Attention Network.",
    ),
    Paper(
        "Xu et al. 2019",
        "GGSA (Xu et al. 2019)",
        "ggsa",
        (
            Headline("GGSA ranks better than an LSTM", (("ggsa", "qa-lstm"), ("ggsa-att", "qa-lstm-att"))),
            Headline("GGSA ranks better than global self-attention", (("ggsa", "global"), ("ggsa-att", "global-att"))),
            Headline("interaction (iGGSA) helps", (("iggsa", "ggsa"), ("iggsa-att", "ggsa-att"))),
            Headline(
                "multihop attention composes iGGSA best",
                (("iggsa-multihop", "iggsa"), ("iggsa-multihop", "iggsa-att")),
            ),
            Headline(
                "multihop attention composes iGGSA best, with three times as many epochs",
                (("iggsa-multihop-long", "iggsa"), ("iggsa-multihop-long", "iggsa-att")),
            ),
            Headline(
                "attention composes better than the maximum",
                tuple((f"{name}-att", name) for name in ("qa-lstm", "global", "ggsa", "iggsa")),
            ),
            Headline(
                "the pairwise loss has the higher P@1, and the pointwise loss the higher MRR",
                tuple(
                    pair
                    for name in ("ggsa", "ggsa-att", "iggsa", "iggsa-att")
                    for pair in ((name, f"{name}-pointwise"), (f"{name}-pointwise", name))
                ),
            ),
        ),
        "Without another note, a network composes its states by their maximum. On YahooCQA (1,272 training questions) "
        "most pointwise networks stay at chance, so their tests there say little about the losses.",
    ),
)
