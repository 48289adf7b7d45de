"""The rules of benchmarks, exactly as their owners compute them: a name means the owner's number."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.official import forms as forms
    from answersim.metrics.official import metric as metric
    from answersim.metrics.official.api import aggregate, profiles, score
    from answersim.metrics.official.registry import Profile, profile

__all__ = ["Profile", "aggregate", "profile", "profiles", "score"]

if not TYPE_CHECKING:
    __getattr__ = submodules(
        __name__,
        ["forms", "metric"],
        {"Profile": "registry", "aggregate": "api", "profile": "registry", "profiles": "api", "score": "api"},
    )
