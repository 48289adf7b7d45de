"""The systems of four papers: their settings in code, their ablations and sweeps as one CSV of overrides per paper."""
