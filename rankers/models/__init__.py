"""Published answer-selection systems, one a file."""
