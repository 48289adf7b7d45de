"""The names of the composite metrics that take other metrics."""

TYPED = "typed+"  # the prefix of the names of metrics that are overruled by rules
