"""The systems of the four papers: their published settings, and what each ablation changes. The CSVs have the rest."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from typing import Any

import pytest
import torch

from rankers import papers
from rankers.models import dmn, ggsa, hybrid, late_interaction, man, match_pyramid, neural_ranker
from rankers.modules.scoring import Batch
from rankers.systems import catalog
from rankers.training.definitions import Trained
from rankers.training.overrides import apply
from tests.cases import cases_of, every

CASES = cases_of(__file__)

OF_LATE = late_interaction.Config(
    checkpoint="bert-base-uncased", unfrozen_layers=12, project=0, dropout=0.1, question_length=32, answer_length=128
)
OF_HYBRID = hybrid.Config(unfrozen_layers=2, lora_r=32, late=1.0, scale=20.0, question_length=48, answer_length=128)
MATCHZOO = match_pyramid.Config(channels=(16, 32), kernel=3, grid=(3, 10), dropout=0.1, normalise=True)
OF_DMN = dmn.Config(hidden=100, channels=2, kernel=3, pool=3, dense=50, dropout=0.6)  # the code of its authors
PAPERS = ("committee", "ggsa", "scan", "addax")
# training, preset, corpus, the path of a setting, its value: as printed in the papers, or as its ablation is called
SETTINGS: list[tuple[str, str, str, str, Any]] = [
    ("addax", "paper", "wikiqa", "recipe.learning_rate", 1e-5),  # ADDAX, section 4.2
    ("addax", "paper", "wikiqa", "recipe.epochs", 18),
    ("addax", "paper", "insuranceqa", "recipe.epochs", 60),
    ("addax", "paper", "insuranceqa", "recipe.learning_rate", 5e-6),
    ("addax-wo-hd", "paper", "yahooqa", "recipe.batch_size", 64),
    ("late-interaction", "paper", "yahooqa", "recipe.learning_rate", 9e-6),
    ("late-interaction", "paper", "", "network", OF_LATE),
    (
        "late-interaction",
        "cpu",
        "",
        "network",
        late_interaction.Config(project=384, question_length=20, answer_length=50),
    ),
    ("addax", "paper", "msmarco", "recipe.epochs", 24),
    ("addax", "paper", "mine", "recipe.epochs", 18),
    ("addax", "cpu", "yahooqa", "recipe.learning_rate", 1e-4),
    ("addax", "paper", "", "network.alpha", 5),
    ("addax", "paper", "", "network.delta", 1e-6),
    ("addax", "paper", "", "network.gamma", 0.003),
    ("addax-wo-mags", "paper", "", "network.use_mag", False),  # Table 3
    ("addax-wo-hw", "paper", "", "network.use_highway", False),
    ("addax-wo-hd", "paper", "", "network.use_hashing", False),
    ("addax-att-mags-hd", "paper", "", "network.attention_only", True),
    ("addax-att-mags", "cpu", "", "network.unfrozen_layers", 1),  # or there would be nothing to train
    ("addax-delta-3e-06", "cpu", "", "network.delta", 3e-6),  # Figure 4
    ("scan", "paper", "", "recipe.batch_size", 140),  # SCAN, section 4.3
    ("scan", "paper", "", "recipe.learning_rate", 2e-5),
    ("scan", "paper", "", "network.max_length", 128),
    ("scan", "cpu", "wikiqa", "objective.tau", 1.0),
    ("scan", "cpu", "wikiqa", "objective.reweighting.presave", 0.7),
    ("scan", "cpu", "selqa", "objective.tau", 0.3),
    ("scan", "cpu", "selqa", "objective.reweighting.lrbl", 1e-4),
    ("scan", "cpu", "selqa", "objective.reweighting.presave", 0.9),
    ("scan", "paper", "antique", "objective.reweighting.lrbl", 1e-3),
    ("scan", "paper", "toy", "objective.reweighting.lrbl", 1e-4),
    ("scan-rate-1", "paper", "antique", "objective.reweighting.lrbl", 1.0),
    ("scan-rate-1", "paper", "antique", "objective.tau", 0.5),
    ("scan-equation-5", "cpu", "selqa", "objective.reweighting.rff", "paper"),
    ("scan-equation-5", "cpu", "selqa", "network.detector_dim", 0),
    ("scan-equation-5", "paper", "wikiqa", "objective.reweighting.lrbl", 1e-4),
    ("scan-wo-fd", "cpu", "", "objective.fd", False),  # Table 5
    ("scan-rate-1-wo-ld", "cpu", "", "objective.ld", False),
    ("scan-rate-1-wo-ld", "cpu", "", "network.debias", False),
    ("tanda", "cpu", "", "objective.fd", False),
    ("scan", "cpu", "wikiqa", "source", "selqa"),
    ("tanda", "cpu", "selqa", "source", "wikiqa"),
    ("scan", "cpu", "questions-of-a-user", "source", ""),
    ("ce-plain", "cpu", "wikiqa", "source", ""),
    ("scan-rate-1-noisy", "cpu", "", "damage.labels", 0.2),  # Table 6
    ("tanda-perturbed", "cpu", "", "damage.letters", 0.3),
    ("qa-lstm", "paper", "wikiqa", "network.hidden", 141),  # GGSA, section 4.2
    ("qa-lstm", "paper", "yahooqa", "network.hidden", 256),
    ("ggsa", "paper", "insuranceqa", "recipe.batch_size", 128),
    ("ggsa", "paper", "insuranceqa", "inputs.trainable", True),
    ("iggsa-att", "paper", "yahooqa", "recipe.batch_size", 256),
    ("iggsa-att", "paper", "yahooqa", "recipe.loss", "hinge"),  # Table 7 compares the losses
    ("iggsa-att", "cpu", "yahooqa", "recipe.batch_size", 32),
    ("global", "cpu", "", "network.final_norm", True),  # Table 4
    ("local", "cpu", "", "network.gate", False),
    ("group", "cpu", "", "network.head_offsets", (0,) * 6),
    ("group-offset", "paper", "", "network.head_offsets", (0, 0, 0, 5, 5, 5)),
    ("iggsa-multihop", "cpu", "", "network.interaction", True),
    ("qa-lstm-multihop-plus", "cpu", "", "network.dropout", 0.3),
    ("iggsa-att-pointwise", "cpu", "", "network.similarity", "mlp"),
    ("ggsa-group-4", "paper", "", "network.head_offsets", (0, 0, 0, 2, 2, 2)),  # Figure 8
    ("ggsa-heads-3", "paper", "", "network.head_offsets", (0, 0, 5)),
    ("iggsa-multihop", "cpu", "", "recipe.epochs", 8),
    ("iggsa-multihop-long", "cpu", "", "recipe.epochs", 24),
    ("qa-lstm", "paper", "wikiqa", "network.dropout", 0.0),
    ("ggsa", "paper", "", "network", ggsa.Config(dim=300, heads=6, group=10, dropout=0.3, word_scale=300**0.5)),
    ("ggsa", "cpu", "", "network.dff", 384),
    ("man", "paper", "", "network", man.Config(hidden=141, hops=2, attention="sequential", dropout=0)),
    ("match-pyramid", "paper", "", "network", MATCHZOO),
    ("dmn", "paper", "", "network", OF_DMN),
    ("dmn", "paper", "", "network.grid", (29, 29)),  # 90 words, 88 places of a kernel, 29 of a pool
    ("man", "paper", "", "recipe.margin", 0.2),  # committees, section 3
    ("dmn", "paper", "", "recipe.margin", 1.0),
    ("dmn-adv", "cpu", "", "calibration", "question"),
    ("man-adv", "cpu", "", "calibration", "none"),
    ("dmn-adv", "cpu", "", "recipe.negatives", 1),
    ("dmn-adv-k5", "cpu", "", "recipe.negatives", 5),
    ("dmn-adv-k5", "cpu", "", "adversary.samples", 5),
    ("dmn-adv-k5", "cpu", "", "adversary.baseline", "mean"),
    ("dmn-ckpt-k5", "cpu", "", "adversary", None),
    ("hybrid", "smoke", "", "network.unfrozen_layers", 2),  # of no paper
    ("hybrid", "cpu", "", "network", OF_HYBRID),
    ("hybrid", "paper", "", "network", replace(OF_HYBRID, unfrozen_layers=6)),
    ("hybrid", "cpu", "", "recipe.question_length", 48),
    ("hybrid", "cpu", "", "recipe.answer_length", 128),
    ("hybrid", "smoke", "", "recipe.loss", "listwise"),
    ("hybrid", "smoke", "", "recipe.keep", "last"),
    ("hybrid", "smoke", "", "recipe.limit", 24),
    ("hybrid", "cpu", "", "recipe.epochs", 3),
]


@every(("training", "preset", "corpus", "path", "value"), SETTINGS)
def test_a_training_has_its_published_settings(training, preset, corpus, path, value):
    result: Any = catalog.config(training, preset, corpus)
    for name in path.split("."):
        result = getattr(result, name)
    assert result == value


@pytest.mark.parametrize("paper", PAPERS)
def test_a_row_overrides_what_it_states_and_names_a_training_and_a_network(paper):
    listed = papers.rows(paper)
    defined = [row.training for row in listed if row.kind]
    assert len(set(defined)) == len(defined)
    for row in listed:
        assert row.training in defined
        assert not row.start or row.start in defined
        if row.system:
            assert isinstance(system := catalog.system(row.system), Trained)
            assert (system.training, system.ranks, system.summary) == (row.training, row.ranks, row.summary)
        if row.kind:
            config = catalog.config(row.training, "cpu")
            assert apply(config, row.overrides) == config
            assert isinstance(config.network, neural_ranker.config(row.kind))


def test_no_two_trainings_are_the_same():
    for preset in ("cpu", "paper"):
        stated = [
            (t.kind, t.start, t.negatives, repr(catalog.config(name, preset)), t.transfers)
            for name, t in catalog.TRAININGS.items()
            if name not in ("ce-plain", "iggsa-multihop-long")  # the first differs by its start, the other under "cpu"
        ]
        assert len(set(stated)) == len(stated)


def test_phases_of_a_committee_network_differ_in_the_source_of_their_negatives():
    for kind in ("match-pyramid", "dmn", "man"):
        first, usual = catalog.config(kind, "cpu"), catalog.config(f"{kind}-adv", "cpu")
        assert (catalog.TRAININGS[kind].start, first.adversary) == ("", None)
        for phase, negatives in (("adv", "adversarial"), ("ckpt", "sampled"), ("dns", "hardest")):
            for end in ("", "-k5"):
                training = catalog.TRAININGS[f"{kind}-{phase}{end}"]
                config, adversarial = (catalog.config(f"{kind}-{name}{end}", "cpu") for name in (phase, "adv"))
                assert (training.start, training.kind, training.negatives) == (kind, kind, negatives)
                assert config.recipe == adversarial.recipe
                assert config.recipe.learning_rate < first.recipe.learning_rate
                assert (config.adversary is not None) == (phase == "adv")
        equal = catalog.config(f"{kind}-adv-k5", "cpu")
        assert equal.adversary is not None
        assert usual.adversary is not None
        assert equal.adversary.learning_rate == 10 * usual.adversary.learning_rate


@every(("system", "training", "ranks"), CASES["a_system_ranks_by_a_part_of_its_training"])
def test_a_system_ranks_by_a_part_of_its_training(system, training, ranks):
    definition: Any = catalog.system(system)
    assert (definition.training, definition.ranks) == (training, ranks)


def test_every_row_of_the_tables_of_the_papers_has_a_system():
    pairwise = """qa-lstm global ggsa qa-lstm-att global-att ggsa-att local local-gate group group-offset iggsa ap-lstm
        qa-lstm-multihop-mlp qa-lstm-multihop qa-lstm-multihop-plus iggsa-att iggsa-multihop"""  # GGSA, Tables 2 to 5
    pointwise = "ctrn ggsa ggsa-att iggsa iggsa-att"  # GGSA, Tables 6 and 7
    scan = "ce-plain tanda scan scan-wo-fd scan-rate-1-wo-ld scan-wo-both tanda-noisy scan-rate-1-perturbed"
    named = [*pairwise.split(), *(f"{name}-pointwise" for name in pointwise.split()), *scan.split()]
    assert set(named) <= set(catalog.names())


SMALL = {"dim": 12, "dff": 16, "group": 3, "offsets": (0, 1), "reach": 1, "hidden": 6}
# Every attention, composition, similarity, gate and interaction is in one of these.
NETWORKS = """qa-lstm-multihop-plus qa-lstm-multihop-mlp ap-lstm ctrn-pointwise global-att local local-gate group
    group-offset ggsa-att-pointwise iggsa-multihop match-pyramid dmn man""".split()


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_are_finite_and_reach_every_parameter(name, embedding, texts):
    torch.manual_seed(1)
    config: Any = catalog.config(name, "cpu").network
    small = {field: value for field, value in SMALL.items() if field in asdict(config)}
    if getattr(config, "offsets", None) == (0,):
        small["offsets"] = (0,)
    net = neural_ranker.network(catalog.TRAININGS[name].kind)(replace(config, **small), embedding(12)).eval()
    places = torch.tensor([0, 0, 1, 2, 2, 1]), torch.tensor([0, 3, 1, 2, 3, 1])
    single = Batch(texts([1], seed=3), texts([1], seed=4), torch.tensor([0]), torch.tensor([0]))
    for batch in (single, Batch(texts([4, 1, 2], seed=1), texts([3, 8, 1, 5], seed=2), *places)):
        net.zero_grad()
        net(batch).square().sum().backward()
        for parameter in net.parameters():
            assert parameter.grad is not None
            assert torch.isfinite(parameter.grad).all()
    still = [n for n, parameter in net.named_parameters() if not parameter.grad.any()]  # type: ignore[union-attr]
    assert still == [], "what never changes has no place in a network"


def test_names_are_listed_without_torch():
    code = "import sys; from rankers.systems import catalog; catalog.names(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
