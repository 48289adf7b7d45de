"""Published answer-selection systems, one per file."""
