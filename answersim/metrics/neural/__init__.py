"""Encoders of texts and pairs, and the metrics that use them."""
