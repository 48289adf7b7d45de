"""Published answer-selection systems, judged by ranking measures and by answer similarity."""
