"""Metrics that compare words: one file per metric, each a pure function of tokens and a frozen class of settings."""
