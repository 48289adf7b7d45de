"""Synonyms of English words by WordNet 3.0, from a compact table that is shipped with the package."""

__all__: list[str] = []
