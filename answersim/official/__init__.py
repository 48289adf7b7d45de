"""The rules of benchmarks, exactly as their owners compute them: a name means the owner's number."""

from answersim.official.api import aggregate, profiles, score
from answersim.official.registry import Profile, profile

__all__ = ["Profile", "aggregate", "profile", "profiles", "score"]
