"""What every system of the GGSA paper promises, over the table of all of them, made small."""

import subprocess
import sys
from dataclasses import asdict, replace

import pytest
import torch

from rankers.inputs.batch import Batch
from rankers.systems import catalog
from rankers.systems.ggsa import SWEEPS, architecture, names
from tests.cases import every

SMALL = {"dim": 12, "dff": 16, "group": 3, "offsets": (0, 1), "reach": 1, "hidden": 6}


# Every attention, composition, similarity, gate and interaction is in one of these.
NETWORKS = """qa-lstm-multihop-plus qa-lstm-multihop-mlp ap-lstm ctrn-pointwise global-att local local-gate group
    group-offset ggsa-att-pointwise iggsa-multihop""".split()


def small(name, **more):
    """This system with few numbers: what it is stays as it is."""
    config = architecture(name).config
    changed = {field: value for field, value in {**SMALL, **more}.items() if field in asdict(config)}
    if getattr(config, "offsets", None) == (0,):
        changed["offsets"] = (0,)
    return replace(config, **changed)


@pytest.fixture
def network(embedding):
    def make(name, **more):
        torch.manual_seed(1)
        return architecture(name).network(small(name, **more), embedding(12)).eval()

    return make


@pytest.fixture
def batch(texts):
    of = torch.tensor([0, 0, 1, 2, 2, 1]), torch.tensor([0, 3, 1, 2, 3, 1])
    return Batch(texts([4, 1, 2], seed=1), texts([3, 8, 1, 5], seed=2), *of)


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_are_finite_and_reach_every_parameter(name, network, batch, texts):
    net = network(name)
    ones = texts([1], seed=3)
    for each in (Batch(ones, texts([1], seed=4), torch.tensor([0]), torch.tensor([0])), batch):
        net.zero_grad()
        net(each).square().sum().backward()
        for parameter in net.parameters():
            assert parameter.grad is not None
            assert torch.isfinite(parameter.grad).all()
    still = [n for n, parameter in net.named_parameters() if not parameter.grad.any()]
    assert still == [], "what never changes has no place in a network"


@pytest.mark.parametrize("size", ["cpu", "paper"])
def test_no_two_systems_are_the_same(size):
    built = [architecture(name, size=size) for name in names()]
    assert len({(known.network, known.config) for known in built}) == len(names())


def test_a_name_states_its_parts():
    config = architecture("iggsa-att-pointwise").config
    assert (config.attention, config.gate, config.composition, config.similarity) == (
        "group", True, "attention", "mlp",
    )  # fmt: skip
    assert architecture("global").config.final_norm
    assert not architecture("local").config.gate
    assert architecture("group").config.head_offsets == (0,) * 6
    assert architecture("group-offset", size="paper").config.head_offsets == (0, 0, 0, 5, 5, 5)
    assert architecture("iggsa-multihop").config.interaction
    assert architecture("qa-lstm-multihop-plus").config.dropout == 0.3
    assert architecture("qa-lstm", size="paper").config.hidden == 141


def test_every_row_of_the_tables_of_the_paper_has_a_system():
    pairwise = """qa-lstm global ggsa qa-lstm-att global-att ggsa-att local local-gate group group-offset iggsa ap-lstm
        qa-lstm-multihop-mlp qa-lstm-multihop qa-lstm-multihop-plus iggsa-att iggsa-multihop"""  # Tables 2 to 5
    pointwise = "ctrn ggsa ggsa-att iggsa iggsa-att"  # Tables 6 and 7
    rows = [*pairwise.split(), *(f"{name}-pointwise" for name in pointwise.split())]
    assert set(rows) <= set(catalog.names())


def test_the_pairwise_loss_has_the_settings_of_the_corpus_under_the_preset_paper():
    for name in ("ggsa", "iggsa-att", "qa-lstm"):
        own = catalog.config(name, "paper", "insuranceqa")
        yahoo, pointwise = (catalog.config(system, "paper", "yahooqa") for system in (name, "ggsa-pointwise"))
        assert (own.recipe.batch_size, own.recipe.answer_length, own.inputs.trainable) == (128, 200, True)
        assert (yahoo.recipe.batch_size, yahoo.recipe.answer_length) == (256, 50)
        assert yahoo.inputs == pointwise.inputs
        assert (yahoo.recipe.loss, yahoo.recipe.dev_measure) == ("hinge", "P@1")  # Table 7 compares the losses
        assert catalog.config(name, "cpu", "yahooqa") == catalog.config(name, "cpu", "insuranceqa")
    assert [catalog.config("qa-lstm", "paper", corpus).network.hidden for corpus in ("wikiqa", "yahooqa")] == [141, 256]


def test_multihop_with_more_epochs_differs_in_nothing_else():
    usual, longer = (catalog.config(name, "cpu") for name in ("iggsa-multihop", "iggsa-multihop-long"))
    assert (usual.recipe.epochs, longer.recipe.epochs) == (8, 24)
    assert replace(longer, recipe=replace(longer.recipe, epochs=8, patience=4)) == usual
    assert catalog.config("iggsa-multihop-long", "paper") == catalog.config("iggsa-multihop", "paper")


def test_the_systems_of_a_sweep_differ_from_ggsa_in_its_setting():
    assert {SWEEPS["group size"][10], SWEEPS["heads"][6]} == {"ggsa"}
    assert architecture("ggsa-group-4", size="paper").config.head_offsets == (0, 0, 0, 2, 2, 2)
    assert architecture("ggsa-heads-3", size="paper").config.head_offsets == (0, 0, 5)


@every(
    ("name", "more", "message"),
    [
        ("gsa", {}, "no system is called 'gsa'"),
        ("ggsa-max", {}, "no system is called 'ggsa-max'"),
        ("ggsa", {"size": "gpu"}, "no size is called 'gpu'; did you mean 'cpu'"),
    ],
)
def test_what_is_not_known_is_named(name, more, message):
    with pytest.raises(LookupError, match=message):
        architecture(name, **more)


def test_names_load_no_torch():
    code = "import sys; from rankers.systems.ggsa import names; names(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
