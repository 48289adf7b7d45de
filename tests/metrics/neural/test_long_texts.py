"""Texts of any length need bounded memory, and are truncated as the libraries do."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import answersim
from answersim.metrics.neural import bertscore
from answersim.types import Pair

pytest.importorskip("torch")

_LONG = """
    import resource, sys, warnings
    warnings.simplefilter("ignore")
    import answersim

    model, classifier = sys.argv[1:]
    metrics = [answersim.metric("sas", model=classifier), answersim.metric("bi-encoder", model=model),
               answersim.metric("bertscore-trained", model=model, layer=3), answersim.metric("sas"),
               answersim.metric("answersim")]
    words = "in regions of new growth the National Football League eleven cortex".split()
    one = " ".join(words[i % 11] for i in range({n}))
    other = " ".join(words[i * i % 11] for i in range({n}))

    def score(gold, pred):
        return [float(metric([answersim.Pair(gold, pred)])[0]) for metric in metrics]

    short = score("in regions", "of new growth")  # loads the models
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    room = resource.getrlimit(resource.RLIMIT_AS)[1]
    if sys.platform == "linux":
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (2 << 30), room))  # ends it before the machine is in need
    found = score(one, other)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before
    assert grown < 700 << 20, f"memory grew by {{grown >> 20}} MB"
    print(*found)
"""


@pytest.mark.slow
def test_answers_of_100_000_words_are_scored_in_bounded_memory(tiny):
    script = textwrap.dedent(_LONG).format(n=100_000)
    done = subprocess.run(
        [sys.executable, "-c", script, str(tiny()), str(tiny(classifier=True))],
        capture_output=True,
        text=True,
        timeout=300,  # before, it never ended
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.split()) == 5


@pytest.mark.filterwarnings("ignore")  # what the reference library warns of is its own
@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "mpnet"])
def test_long_pairs_have_the_scores_of_sentence_transformers(kind, tiny):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    words = "in regions of new growth the National Football League eleven cortex".split()
    texts = [" ".join(words[i * step % 11] for i in range(n)) for step, n in enumerate((1, 3, 40, 41, 300, 900), 1)]
    pairs = [(one, other) for one in texts for other in texts]
    folder = tiny(kind, classifier=True)
    expected = sentence_transformers.CrossEncoder(str(folder), device="cpu").predict(pairs)
    result = answersim.metric("sas", model=folder)([Pair(*pair) for pair in pairs])
    np.testing.assert_allclose(result, expected, atol=1e-5, rtol=0)


def test_pairs_are_compared_a_few_at_a_time_with_the_same_numbers(tiny, monkeypatch):
    metric = answersim.metric("bertscore-trained", model=tiny(), layer=2)
    pairs = [Pair(f"eleven {i % 7} cortex", f"in regions {i} of") for i in range(60)]
    once = metric(pairs)
    monkeypatch.setattr(bertscore, "_MOST", 1)
    np.testing.assert_allclose(metric(pairs), once, atol=1e-6, rtol=0)
