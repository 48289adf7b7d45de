"""From tables and judged answers to pairs, from pairs to small models, and what a training changed: answersim train."""
