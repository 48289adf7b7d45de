"""The rules of benchmarks, exactly as their owners compute them: a name means the owner's number."""

from answersim.metrics.official.api import aggregate, profiles, score
from answersim.metrics.official.registry import Profile, profile

__all__ = ["Profile", "aggregate", "profile", "profiles", "score"]
