"""Programs for the work on this project: what may not change, and what the tests find."""
