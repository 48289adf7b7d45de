"""The files of a WordNet of a few synsets."""

from pathlib import Path


def small_wordnet(folder: Path) -> Path:
    """Dictionary files in the format of wndb(5WN), of a few invented synsets."""
    head = "  1 The license\n  2  \n  3 WordNet 3.0 Copyright 2006 by nobody.  \n"
    files = {
        "data.noun": (
            "00000010 03 n 02 Tram 0 street_car 0 000 | runs on rails\n"
            "00000020 03 n 01 street_car 0 000 | collocations only, to be dropped\n"
            "00000030 03 n 02 tram 0 axis 1 000 | another\n"
        ),
        "index.noun": (
            "axis n 1 0 1 0 00000030\nstreet_car n 2 0 2 0 00000010 00000020\ntram n 2 1 @ 2 0 00000030 00000010\n"
        ),
        "data.verb": "00000040 30 v 01 go 0 000 01 + 02 00 | move\n",
        "index.verb": "go v 1 0 1 0 00000040\n",
        "data.adj": "00000050 00 s 02 afloat(ip) 0 adrift(p) 0 000 | on water\n",
        "index.adj": "adrift a 1 0 1 0 00000050\nafloat a 1 0 1 0 00000050\n",
        "data.adv": "00000060 02 r 01 soon 0 000 | shortly\n",
        "index.adv": "soon r 1 0 1 0 00000060\n",
    }
    folder.mkdir()
    for name, lines in files.items():
        (folder / name).write_text(head + lines, encoding="ascii")
    exceptions = {"noun": "axes ax\naxes axis\n", "verb": "went go\n", "adj": "odder odd\n", "adv": "sooner soon\n"}
    for part, lines in exceptions.items():
        (folder / f"{part}.exc").write_text(lines, encoding="ascii")
    return folder
