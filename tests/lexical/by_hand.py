"""What tests compare with by hand: a stemmer, a few synonyms, and n-grams counted by bags."""

from collections import Counter

from answersim.lexical.shared_grams import Shared, numbered, shared_grams

Tokens = list[str]
NEAR = {"car": {"auto"}, "auto": {"car"}, "big": {"large", "great"}, "stem": {"root"}}


def stem(word: str) -> str:
    """Drop a final s."""
    return word.removesuffix("s")


def near(word: str) -> set[str]:
    return NEAR.get(word, set())


def bags(pairs: list[tuple[Tokens, Tokens]], n: int) -> list[int]:
    def grams(words: Tokens) -> Counter[tuple[str, ...]]:
        return Counter(zip(*(words[i:] for i in range(n)), strict=False))

    return [sum((grams(gold) & grams(pred)).values()) for gold, pred in pairs]


def shared_of(pairs: list[tuple[Tokens, Tokens]], orders: int) -> Shared | None:
    return shared_grams(numbered([*(gold for gold, _ in pairs), *(pred for _, pred in pairs)]), orders)
