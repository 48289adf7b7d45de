"""Synonyms of English words by WordNet 3.0, from a compact table that is shipped with the package."""

from answersim.metrics.lexical.wordnet.reader import fingerprint, synonyms

__all__ = ["fingerprint", "synonyms"]
