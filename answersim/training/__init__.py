"""answersim train: from tables and judged answers to pairs, from pairs to small models, and a report of changes."""
