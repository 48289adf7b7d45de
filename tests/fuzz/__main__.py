"""Run the fuzz and print its figures as Markdown.

    python -m tests.fuzz --seed 0 --seconds 60 > table.md
    python -m tests.fuzz --area "command lines" --area kills --seconds 300

The exit status is 1 if anything failed. A line of the table of failures names the round, which the same seed repeats.
"""

import argparse
import hashlib
import platform
import random
import sys
from importlib import import_module

from tests.fuzz.area import AREAS, FuzzResult

for name in ("lines", "damage", "trainings", "typed", "extraction", "hostile"):
    import_module(f"tests.fuzz.{name}")


def main() -> int:
    """Run the areas that the command line names, one after another."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Seeded fuzzing, bounded in time.")
    parser.add_argument("--seed", type=int, default=0, help="All that is random follows from it.")
    parser.add_argument("--seconds", type=float, default=60, help="Of each area; a round that has begun is finished.")
    parser.add_argument("--area", action="append", choices=list(AREAS), help="Only this one; may be repeated.")
    stated = parser.parse_args()
    results = []
    for name in stated.area or AREAS:
        result = AREAS[name].run(random.Random(_seed(stated.seed, name)), stated.seconds)
        sys.stderr.write(f"{name}: {result.cases:,} cases, {result.failures:,} failures\n")
        sys.stderr.flush()
        results.append(result)
    sys.stdout.write(table(results, stated.seed) + "\n")
    return int(any(result.failures for result in results))


def table(results: list[FuzzResult], seed: int) -> str:
    """Return the figures and the first failures of each area as Markdown."""
    import answersim

    lines = [
        f"Seed {seed}, answersim {answersim.__version__}, Python {platform.python_version()}, {platform.machine()}.",
        "",
        "| area | promise | cases | failures | rate | seconds |",
        "|---|---|---:|---:|---:|---:|",
        *(
            f"| {result.area} | {AREAS[result.area].promise} | {result.cases:,} | {result.failures:,} "
            f"| {100 * result.failures / max(1, result.cases):.2f} % | {result.seconds:.0f} |"
            for result in results
        ),
        f"| **all** | | **{sum(result.cases for result in results):,}** | "
        f"**{sum(result.failures for result in results):,}** | | **{sum(result.seconds for result in results):.0f}** |",
    ]
    for result in results:
        if result.examples:
            lines += [
                "",
                f"First failures of {result.area}:",
                "",
                *(f"- `{line.replace('`', chr(39))}`" for line in result.examples),
            ]
    return "\n".join(lines)


def _seed(seed: int, name: str) -> int:
    """Return the seed of an area, which does not depend on the other areas."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:8], "big")


if __name__ == "__main__":
    sys.exit(main())
