"""Names for things that do not exist: a unique stem, and an ending that depends on the kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from rankers.data.pools import share, shuffle

_ONSETS = "b br d dr f fl g gr h j k kr l m n p pl qu r s sk st t tr v vl w z zw".split()
_VOWELS = "a e i o u ai au ei ou".split()
_CODAS = "b d g k l lb ld lm m mb n nd ng nk p r rb rd rk rn rv s sk v x z zz".split()
_ENDINGS = {
    "town": "wick holm stad mouth aven".split(),
    "inventor": "ello inek orsen aska ubel".split(),
    "machine": "ator omat ograph ulex otron".split(),
    "dish": "osh ina elli uk aree".split(),
    "animal": "ock ipe urn oodle ax".split(),
    "herb": "wort bane weed leaf root".split(),
    "feast": "tide mas night fair wake".split(),
    "bridge": "ford beck gate burn shaw".split(),
}
_UNFIT = ("fuk", "kok", "kun", "nig", "nazi", "pis", "rap", "sex", "slut", "tit")


def stems() -> Iterator[str]:
    """Yield syllables in a random order, each once."""
    syllables = ["".join(parts) for parts in product(_ONSETS, _VOWELS, _CODAS)]
    fit = [syllable for syllable in syllables if not syllable.startswith(_UNFIT)]
    yield from shuffle(fit, fit, "toy", "stems")


def name(kind: str, stems: Iterator[str]) -> str:
    """Return a name for a thing of this kind with the next stem. The given name of an inventor takes another stem."""
    stem = next(stems)
    endings = _ENDINGS[kind]
    word = stem + endings[int(share("toy", "ending", stem) * len(endings))]
    if kind in ("machine", "animal", "herb", "dish"):
        return word
    return f"{next(stems).capitalize()} {word.capitalize()}" if kind == "inventor" else word.capitalize()
