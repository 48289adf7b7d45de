"""Programs for the work on this project: what makes what ships, what may not change, and what the tests find."""
