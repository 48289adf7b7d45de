"""Seeded fuzzing of the public functions and commands; ``python -m tests.fuzz`` prints a table of figures."""
