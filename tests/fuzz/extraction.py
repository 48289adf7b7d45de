"""Final answers: each rule reads any text without an error, returns a part of it, and needs linear time."""

import random
import time
from collections.abc import Iterator

from answersim.answers.extraction import NAMES, Extractor, attempted
from answersim.answers.extraction.markdown import bare
from tests.fuzz import odd
from tests.fuzz.area import Checked, Round, area

PIECES = (
    "\\boxed{ } { \\boxed \\fbox{ <think> </think> <answer> </answer> <answer #### ##### ** __ ` ``` $ $$ \\[ \\] \\( "
    "\\) (A) (b) B. C) option choice A or and not is wrong correct answer Answer: **Answer:** ANSWER Antwort Ergebnis: "
    '"answer": "x" | |--| the final no proof that whether 1. 2. - * • . , ! ? Dr. U.S. 3.14 -5 1,000 50% <b> </b> ß İ '
    "<|channel|> final<|message|> [THINK] ◁think▷ Ｂ ب 答案： \\langle \\text{ E I a because weil ist die Rome \\{"
).split(" ")
PIECES += ["\n", "\n\n", " ", "\t", "\u2028", ". ", "\\", "\x00"]
LONG = 1_000_000  # characters
SLOWEST = 20.0  # seconds of CPU for such a text; the slowest known one takes 4


def text(rng: random.Random) -> str:
    """Return a text of pieces of outputs; sometimes an odd one."""
    if rng.random() < 0.1:
        return odd.text(rng)
    return rng.choice(("", " ")).join(rng.choice(PIECES) for _ in range(rng.randrange(30)))


def flaw(rule: str, given: str) -> str:
    """Return what is wrong with the result of a rule; "" if nothing is."""
    extraction = Extractor(rule, "empty")(given)
    if extraction.rule is None:
        return (
            ""
            if (extraction.text, extraction.start) == ("", -1)
            else f"no rule applied, but the answer is {extraction.text!r}"
        )
    if not extraction.text.strip():
        return "the answer is blank"
    if extraction.start >= 0:
        part = given[extraction.start : extraction.end]
        is_several = rule == "auto" and all(answer in part for answer in extraction.text.split(", "))  # side by side
        if extraction.text not in (part.strip(), bare(part)) and extraction.text not in part and not is_several:
            return f"{extraction.text!r} is not in its place, {part!r}"
    return "" if Extractor(rule, "empty")(given) == extraction else "two calls differ"


def _area(rule: str) -> None:
    @area(f"extraction: {rule}", "any text is read alike twice, into a part of it; a megabyte takes a few seconds")
    def extraction() -> Iterator[Round]:
        def make_round(rng: random.Random) -> Checked:
            failed = []
            for _ in range(300):
                stated = text(rng)
                if message := flaw(rule, stated):
                    failed.append(f"{rule} of {stated!r}: {message}")
                attempted(stated)
            piece = "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 4))) or " "
            started = time.process_time()
            Extractor(rule)((piece * (LONG // len(piece) + 1))[:LONG])
            if (seconds := time.process_time() - started) > SLOWEST:
                failed.append(f"{rule}: {piece!r} repeated to a megabyte takes {seconds:.0f} s")
            return 301, failed

        yield make_round


for name in NAMES:
    _area(name)
