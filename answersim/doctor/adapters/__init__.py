"""Metrics of other libraries as functions, one file per library, which is imported when one of its metrics is used."""
