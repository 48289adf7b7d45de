from __future__ import annotations

from rankers.systems import catalog
from rankers.systems.definitions import Trained, Untrained
from rankers.systems.uses import ENCODERS, NO_TRAINING, SMALL, USES, WORD_COUNTS


def test_every_listed_system_is_of_the_use_that_it_is_listed_under() -> None:
    ready, counting = ([catalog.system(name) for name in use] for use in (NO_TRAINING, WORD_COUNTS))
    assert all(isinstance(system, Untrained) and not system.reads for system in ready)
    assert all(isinstance(system, Untrained) and system.reads for system in counting)
    assert all(isinstance(catalog.system(name), Trained) for name in (*SMALL, *ENCODERS))


def test_systems_on_an_encoder_are_those_whose_network_reads_a_checkpoint() -> None:
    for use, on_encoder in ((SMALL, False), (ENCODERS, True)):
        for name in use:
            system = catalog.system(name)
            assert isinstance(system, Trained)
            assert hasattr(catalog.config(system.training, "cpu").network, "checkpoint") is on_encoder, name


def test_no_system_has_two_uses() -> None:
    names = [name for systems in USES.values() for name in systems]
    assert len(names) == len(set(names))
