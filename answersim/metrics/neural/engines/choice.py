"""Which engine runs a network: torch if it is installed, else numpy. Both give the same scores within 1e-5."""

from __future__ import annotations

import os
from importlib.util import find_spec

from answersim._base.errors import NO_NETWORK, WITHOUT_TORCH, MissingExtraError, install_command, unknown

VARIABLE = "ANSWERSIM_ENGINE"  # for comparisons of the two; it changes no signature
LIGHT = "embedded-numpy"  # the extra without torch
_NEEDED = {"torch": ("torch", "transformers"), "numpy": ("tokenizers",)}


def engine(metric: str) -> str:
    """Return "torch" or "numpy": the engine in ``$ANSWERSIM_ENGINE``, or else the first one that is installed."""
    chosen = os.environ.get(VARIABLE)
    if chosen and chosen not in _NEEDED:
        raise unknown(f"engine in {VARIABLE}", chosen, tuple(_NEEDED))
    names = (chosen,) if chosen else tuple(_NEEDED)
    lacking = {name: next((package for package in _NEEDED[name] if find_spec(package) is None), "") for name in names}
    for name, package in lacking.items():
        if not package:
            return name
    if chosen == "torch":
        raise MissingExtraError(f"the metric {metric}", "embedded", lacking[chosen], NO_NETWORK)
    instead = f"with torch {install_command('embedded')}; or {NO_NETWORK}"
    raise MissingExtraError(f"the metric {metric}", LIGHT, lacking["numpy"], instead, WITHOUT_TORCH)


def missing_engine(metric: str) -> MissingExtraError | None:
    """Return the error of ``engine``, or None if an engine is installed."""
    try:
        engine(metric)
    except MissingExtraError as error:
        return error
    return None
