"""Rerank passages
===============

Which passage answers the question? The shipped hybrid of words and an
encoder ranks the candidates of any search.
"""

import rankers

question = "How long may I keep a book from the library?"
passages = [
    "The library opens at nine and closes at six.",
    "A book may be kept for three weeks, and the loan can be renewed.",
    "How to get a card: bring an identity card to the desk.",
    "Fees for late returns are ten cents per day.",
    "The book fair takes place every October in the main hall.",
]
for candidate in rankers.rank(question, passages, "minilm-hybrid"):
    print(f"{candidate.score:.2f}  {candidate.text}")

# %%
# Is it better than words alone? Measure on questions with grades. These are
# of ``toy``, an invented world that ships with the package.
# ``rankers.data`` reads BEIR folders, TREC files and your own tables.

questions = rankers.data.load("toy", "test")
measures = ["nDCG@10", "P@1"]
for system in ("bm25", "minilm-hybrid"):
    run = rankers.run(system, questions)
    found = rankers.evaluate(run, questions, measures=measures)
    for measure in measures:
        low, high = found.interval(measure)
        value = f"{found.mean(measure):.3f} [{low:.3f}, {high:.3f}]"
        print(f"{system:16} {measure:8} {value}")
