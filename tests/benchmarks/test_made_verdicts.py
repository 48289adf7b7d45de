"""Made verdicts: their shares, errors and directions are those of their names."""

from __future__ import annotations

from benchmarks.made_verdicts import ROWS, made_verdicts
from tests.cases import every


@every("made", list(made_verdicts()))
def test_the_name_states_what_was_made(made) -> None:
    share, kind, errors = made.name.replace(" correct,", "").replace("errs by", "errs").split()
    assert made.labels.mean() == float(share)
    accepted = ((made.verdicts == 1) & (made.labels == 0)).sum()
    refused = ((made.verdicts == 0) & (made.labels == 1)).sum()
    assert accepted + refused == float(errors) * ROWS
    assert {"accepts": refused == 0, "refuses": accepted == 0, "errs": accepted == refused}[kind]
    assert 0 < made.verdicts.mean() < 1
