"""How to cite the package and its metrics: BibTeX entries, which the sources in the catalog name by author and year."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from answersim.catalog import lookup
from answersim.official.registry import profile
from answersim.signature import RELEASED, VERSION

_FIELDS = ("title", "author", "booktitle", "year", "pages", "doi", "url", "note")
STUDY = "Mustafazade & Ebbinghaus 2022"  # the paper whose study this package repeats

TITLE = "answersim: semantic answer similarity for question answering, with its uncertainty"


class Paper(NamedTuple):
    """A paper, as BibTeX writes its texts.

    Attributes:
        title: The title, with capitals to keep in braces.
        authors: Each as "Family, Given".
        place: Where it appeared.
        pages: The pages, if it has any.
        address: The DOI, or a web address.
    """

    title: str
    authors: tuple[str, ...]
    place: str
    pages: str
    address: str


PAPERS = {  # author and year as in the source of a metric
    STUDY: Paper(
        "Evaluation of Semantic Answer Similarity Metrics",
        ("Mustafazade, Farida", "Ebbinghaus, Peter F."),
        "arXiv:2206.12664", "", "https://arxiv.org/abs/2206.12664",
    ),
    "Risch et al. 2021": Paper(
        "Semantic Answer Similarity for Evaluating Question Answering Models",
        ("Risch, Julian", "M{\\\"o}ller, Timo", "Gutsch, Julian", "Pietsch, Malte"),
        "Proceedings of the 3rd Workshop on Machine Reading for Question Answering", "149--157",
        "10.18653/v1/2021.mrqa-1.15",
    ),
    "Rajpurkar et al. 2018": Paper(
        "Know What You Don't Know: Unanswerable Questions for {SQuAD}",
        ("Rajpurkar, Pranav", "Jia, Robin", "Liang, Percy"),
        "Proceedings of ACL 2018 (Volume 2: Short Papers)", "784--789", "10.18653/v1/P18-2124",
    ),
    "Papineni et al. 2002": Paper(
        "{BLEU}: a Method for Automatic Evaluation of Machine Translation",
        ("Papineni, Kishore", "Roukos, Salim", "Ward, Todd", "Zhu, Wei-Jing"),
        "Proceedings of ACL 2002", "311--318", "10.3115/1073083.1073135",
    ),
    "Post 2018": Paper(
        "A Call for Clarity in Reporting {BLEU} Scores",
        ("Post, Matt",),
        "Proceedings of the Third Conference on Machine Translation: Research Papers", "186--191",
        "10.18653/v1/W18-6319",
    ),
    "Lin 2004": Paper(
        "{ROUGE}: A Package for Automatic Evaluation of Summaries",
        ("Lin, Chin-Yew",),
        "Text Summarization Branches Out", "74--81", "https://aclanthology.org/W04-1013",
    ),
    "Banerjee & Lavie 2005": Paper(
        "{METEOR}: An Automatic Metric for {MT} Evaluation with Improved Correlation with Human Judgments",
        ("Banerjee, Satanjeev", "Lavie, Alon"),
        "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine Translation and/or "
        "Summarization", "65--72", "https://aclanthology.org/W05-0909",
    ),
    "Lavie & Agarwal 2007": Paper(
        "{METEOR}: An Automatic Metric for {MT} Evaluation with High Levels of Correlation with Human Judgments",
        ("Lavie, Alon", "Agarwal, Abhaya"),
        "Proceedings of the Second Workshop on Statistical Machine Translation", "228--231",
        "https://aclanthology.org/W07-0734",
    ),
    "Reimers & Gurevych 2019": Paper(
        "Sentence-{BERT}: Sentence Embeddings using Siamese {BERT}-Networks",
        ("Reimers, Nils", "Gurevych, Iryna"),
        "Proceedings of EMNLP-IJCNLP 2019", "3982--3992", "10.18653/v1/D19-1410",
    ),
    "Zhang et al. 2020": Paper(
        "{BERTScore}: Evaluating Text Generation with {BERT}",
        ("Zhang, Tianyi", "Kishore, Varsha", "Wu, Felix", "Weinberger, Kilian Q.", "Artzi, Yoav"),
        "International Conference on Learning Representations (ICLR 2020)", "",
        "https://openreview.net/forum?id=SkeHuCVFDr",
    ),
    "Su 2022": Paper(
        "{CoSENT}: a more effective sentence embedding scheme than Sentence-{BERT} (in Chinese)",
        ("Su, Jianlin",),
        "", "", "https://kexue.fm/archives/8847",
    ),
    "Kydlíček 2025": Paper(
        "Math-Verify: Math Verification Library",
        ("Kydl{\\'i}{\\v{c}}ek, Hynek",),
        "", "", "https://github.com/huggingface/Math-Verify",
    ),
}  # fmt: skip


def bibtex(metrics: Iterable[str] = ()) -> str:
    """Return BibTeX entries of the package, of the paper whose study it repeats, and of the papers of these metrics.

    Args:
        metrics: Names of metrics. One made of others has the papers of its parts too, and ``official:NAME`` the code of
            the owner at its commit.

    Raises:
        LookupError: If no metric has one of these names.

    >>> print(bibtex(["rouge-l"]).split("@")[3])
    inproceedings{lin2004,
      title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
      author = {Lin, Chin-Yew},
      booktitle = {Text Summarization Branches Out},
      year = {2004},
      pages = {74--81},
      url = {https://aclanthology.org/W04-1013},
    }
    <BLANKLINE>
    """
    year = RELEASED[:4]
    note = f"Software, version {VERSION}, {RELEASED}"
    entries = {"answersim": _entry("misc", f"answersim{year}", TITLE, ["{The answersim authors}"], year, note=note)}
    for name in (STUDY, *(paper for metric in metrics for paper in papers_of(metric))):
        entries[name] = _paper(name) if name in PAPERS else _code(name)
    return "\n".join(entries.values())


def papers_of(metric: str) -> list[str]:
    """Return the papers of a metric and its parts as in ``PAPERS``, or ``official:NAME``, each once.

    >>> papers_of("typed+f1"), papers_of("official:nq-open")
    (['Rajpurkar et al. 2018'], ['official:nq_open'])
    """
    entry = lookup.entry(metric)
    if entry.name.startswith(lookup.OFFICIAL):
        return [entry.name]
    found = named(entry.source) + [paper for part in entry.parts for paper in papers_of(part)]
    return list(dict.fromkeys(found))


def named(source: str) -> list[str]:
    """Return the papers that a source names by author and year.

    >>> named("ours; as Reimers & Gurevych 2019, with the loss of Su 2022 (CoSENT)")
    ['Reimers & Gurevych 2019', 'Su 2022']
    """
    return [paper for paper in PAPERS if paper in source]


def _paper(name: str) -> str:
    title, authors, place, pages, address = PAPERS[name]
    words = re.findall(r"[a-z]+|\d{4}", _plain(name.lower()))
    key = words[0] + name[-4:]
    link = {"doi" if address.startswith("10.") else "url": address}
    kind = "inproceedings" if pages or "Conference" in place else "misc"
    where = {"booktitle" if kind == "inproceedings" else "note": place}
    return _entry(kind, key, title, authors, name[-4:], pages=pages, **link, **where)


def _code(name: str) -> str:
    """Return the entry of the code of a benchmark, whose rule a metric follows."""
    found = profile(name.removeprefix(lookup.OFFICIAL))
    owner, repository = found.source.split()[0].split("/")[:2]
    return _entry(
        "misc",
        f"official-{found.name.replace('_', '-')}",
        f"Evaluation of {{{found.benchmark}}}",
        [f"{{{owner}}}"],
        "",
        url=f"https://github.com/{owner}/{repository}",
        note=f"{found.source.partition(' ')[2] or repository}, commit {found.commit}".replace("_", r"\_"),
    )


def _entry(kind: str, key: str, title: str, authors: Sequence[str], year: str, **fields: str) -> str:
    content = {"title": title, "author": " and ".join(authors), "year": year, **fields}
    lines = [f"  {name} = {{{content[name]}}}," for name in _FIELDS if content.get(name)]
    return "\n".join([f"@{kind}{{{key},", *lines, "}\n"])


def _plain(text: str) -> str:
    return text.replace("í", "i").replace("č", "c")
