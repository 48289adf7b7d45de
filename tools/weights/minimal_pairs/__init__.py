"""Rules, word lists and hand-written couples that make the minimal pairs of ``answersim.data.minimal_pairs``."""
