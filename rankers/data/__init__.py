"""Questions with candidates to rank: corpora by name, tables, BEIR folders, ir_datasets, and texts for any run.

Each name is imported at its first use (PEP 562).
"""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from rankers.data.beir import read_beir, write_beir
    from rankers.data.catalog import corpora, load, trainable
    from rankers.data.corpus import Corpus, Option
    from rankers.data.labeled import questions
    from rankers.data.leaks import Leak, leak
    from rankers.data.texts import read_documents, read_queries, with_texts
    from rankers.data.trec import read_ir_dataset, read_trec

__all__ = [
    "Corpus",
    "Leak",
    "Option",
    "corpora",
    "leak",
    "load",
    "questions",
    "read_beir",
    "read_documents",
    "read_ir_dataset",
    "read_queries",
    "read_trec",
    "trainable",
    "with_texts",
    "write_beir",
]

_NAMES = {
    "beir": ("read_beir", "write_beir"),
    "catalog": ("corpora", "load", "trainable"),
    "corpus": ("Corpus", "Option"),
    "labeled": ("questions",),
    "leaks": ("Leak", "leak"),
    "texts": ("read_documents", "read_queries", "with_texts"),
    "trec": ("read_ir_dataset", "read_trec"),
}

__getattr__ = submodules(__name__, [], {name: home for home, names in _NAMES.items() for name in names})
