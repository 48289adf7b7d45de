"""What tests compare with by hand: a stemmer, and a few synonyms."""

NEAR = {"car": {"auto"}, "auto": {"car"}, "big": {"large", "great"}, "stem": {"root"}}


def stem(word: str) -> str:
    """Drop a final s."""
    return word.removesuffix("s")


def near(word: str) -> set[str]:
    return NEAR.get(word, set())
