"""Questions with candidates to rank: corpora by name, tables, BEIR folders, ir_datasets, and texts for any run.

Each name is imported at its first use (PEP 562).
"""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from rankers.data.beir import read_beir as read_beir
    from rankers.data.beir import write_beir as write_beir
    from rankers.data.catalog import corpora as corpora
    from rankers.data.catalog import load as load
    from rankers.data.catalog import trainable as trainable
    from rankers.data.corpus import Corpus as Corpus
    from rankers.data.corpus import Option as Option
    from rankers.data.labeled import questions as questions
    from rankers.data.leaks import Leak as Leak
    from rankers.data.leaks import leak as leak
    from rankers.data.texts import read_documents as read_documents
    from rankers.data.texts import read_queries as read_queries
    from rankers.data.texts import with_texts as with_texts
    from rankers.data.trec import read_ir_dataset as read_ir_dataset
    from rankers.data.trec import read_trec as read_trec

_NAMES = {
    "beir": ("read_beir", "write_beir"),
    "catalog": ("corpora", "load", "trainable"),
    "corpus": ("Corpus", "Option"),
    "labeled": ("questions",),
    "leaks": ("Leak", "leak"),
    "texts": ("read_documents", "read_queries", "with_texts"),
    "trec": ("read_ir_dataset", "read_trec"),
}

_HOMES = {name: home for home, names in _NAMES.items() for name in names}
__all__ = sorted(_HOMES)

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, [], _HOMES)
