"""A generator of random numbers, a file of any text, and pairs in either order."""

import numpy as np


def rng(seed=0):
    return np.random.default_rng(seed)


def put(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def sets(*pairs):
    return {frozenset(pair) for pair in pairs}
