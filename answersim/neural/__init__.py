"""What reads meaning: encoders of texts and pairs, and the metrics that stand on them."""
