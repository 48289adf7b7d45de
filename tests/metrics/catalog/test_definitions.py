"""What the definition of each metric states is what the metric does."""

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.metrics.catalog import lookup
from answersim.types import Definition, capabilities
from tests.cases import every

NAMES = (*answersim.names(), "typed+recall")


@every("name", list(lookup.ENTRIES))
def test_a_line_of_the_catalog_leads_to_the_definition_of_that_name(name: str) -> None:
    assert isinstance(lookup.entry(name), Definition)
    assert lookup.entry(name).name == name
    assert lookup.entry(name) is lookup.ENTRIES[name]
    assert (lookup.entry(name).kind == lookup.REMOTE) == (name in lookup.remote_names())


@every("name", NAMES)
def test_the_examples_have_the_scores_of_the_metric(name: str) -> None:
    entry = lookup.entry(name)
    assert len(entry.examples) == 3
    try:
        metric = answersim.metric(name)
    except (CheckpointNotFoundError, MissingExtraError) as error:
        pytest.skip(f"needs the weights of {name}: {error}")
    scores = [metric([example])[0] for example in ((gold, pred) for gold, pred, _ in entry.examples)]
    assert scores == pytest.approx([example.score for example in entry.examples], abs=6e-4)


@every("name", NAMES)
def test_a_definition_states_what_the_weights_read(name: str) -> None:
    assert lookup.entry(name).reads_questions == lookup.reads_question(name)


@every("name", [name for name in NAMES if lookup.entry(name).kind == "lexical"])
def test_a_metric_of_verdicts_is_one_of_0_and_1(name: str) -> None:
    assert (lookup.entry(name).range == "0 or 1") == (capabilities(answersim.metric(name)).scale == "binary")
