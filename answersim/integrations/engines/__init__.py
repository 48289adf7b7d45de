"""Columns of scores for data engines: batches of Arrow with columns of texts in, and Ray, Spark and DuckDB use that."""

__all__ = ()
