"""From scores to decisions: how good a system is, which of two is better, and how few labels suffice."""
