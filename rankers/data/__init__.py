"""Questions with candidates to rank: corpora by name, any table of question, candidate and label, and a shipped toy."""

from rankers.data.catalog import corpora, files, load, present
from rankers.data.corpus import Corpus, Option
from rankers.data.leaks import Leak, leak
from rankers.data.own import Columns, read_csv, read_jsonl
from rankers.data.trainable import trainable

__all__ = [
    "Columns",
    "Corpus",
    "Leak",
    "Option",
    "corpora",
    "files",
    "leak",
    "load",
    "present",
    "read_csv",
    "read_jsonl",
    "trainable",
]
