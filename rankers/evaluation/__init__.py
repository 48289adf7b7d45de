"""Evaluation of runs: qrels, ranking measures, ties, semantic scores, comparison of systems."""
