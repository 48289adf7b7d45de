"""Answers in, numbers out: every metric, the catalog that names them, and the weights that they read."""
