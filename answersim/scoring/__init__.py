"""Scores of texts and of files of any size: see ``score``, ``streaming`` and ``cache``."""
