"""Metrics inside other libraries: one file per library, imported on first use."""
