"""Fixtures: tiny models of the architectures of the paper, and data that may be absent."""

import functools
import gc
import json
import os
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import typer.testing
from hypothesis import settings

from tests.integrations.hosts import table

os.environ["HF_HUB_OFFLINE"] = "1"  # no test uses a network; set before the Hugging Face client is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models: more threads only wait for each other
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes of tests read compiled code: a third of a second each

# A runner of the command line builds all commands from their functions at each call: 20 ms.
vars(typer.testing)["_get_command"] = functools.lru_cache(typer.main.get_command)

# Host libraries of answersim.integrations, which have environments of their own: `make test-hosts`.
IN_DEV = {"pytest", "sentence-transformers"}  # these are in the environment of the other tests too
OF_HOSTS = "dask|inspect_ai|openevals|polars|trio"  # what the environments of hosts have besides
HOSTS = "|".join([OF_HOSTS, *(host.name.replace("-", "_") for host in table.HOSTS if host.name not in IN_DEV)])
# By name in ANSWERSIM_REQUIRE: the reasons of skips that become failures.
REQUIRED = {
    "data": r"ANSWERSIM_DATA|reads the corpora",
    "libraries": rf"could not import '(?!tomllib|{HOSTS})|extra '(?!ray)|extra `|all-MiniLM|NLTK 3\.10"
    "|of the profile embedded",
    "wordnet": r"WordNet|wordnet",
}

# How many examples a property is tried on: few between two edits, more in `make test-slow`.
settings.register_profile("default", max_examples=60, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("default")

collect_ignore = ["fuzz"]  # a program, run by `make fuzz`; its modules have no doctests


def pytest_configure(config: pytest.Config) -> None:
    if wrong := [name for name in _required() if name not in REQUIRED]:
        raise pytest.UsageError(f"ANSWERSIM_REQUIRE names {wrong[0]!r}; the names are {', '.join(REQUIRED)}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, and freeze what was collected, so that no test walks through it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _missing_is_a_failure(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _missing_is_a_failure(report)


Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _missing_is_a_failure(report: Report) -> Report:
    """Turn a skip for something that ``ANSWERSIM_REQUIRE`` names into a failure."""
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    if any(re.search(REQUIRED[name], reason) for name in _required()):
        report.outcome = "failed"
        report.longrepr = f"{reason}\nThis may not be missing here: ANSWERSIM_REQUIRE={os.environ['ANSWERSIM_REQUIRE']}"
    return report


def _required() -> list[str]:
    return [name for name in os.environ.get("ANSWERSIM_REQUIRE", "").split(",") if name]


TEXTS = [
    "National Football League",
    "the NFL",
    "eleven",
    "11",
    "Der Eiffelturm steht in Paris.",
    "in regions of new growth",
    "cortex",
    "Old John Feather Merchant, born in 1945",
    "Müller",
    "北京",
    "a",
    "?!",
]


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Return the folder of the sets of the paper, or skip the test if it is absent."""
    home = os.environ.get("ANSWERSIM_DATA")
    if not home or not (Path(home) / "sas").is_dir():
        pytest.skip("needs the paper's sets: set ANSWERSIM_DATA to the folder that contains sas/")
    return Path(home)


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the sets of the paper."""
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)
    monkeypatch.delenv("ANSWERSIM_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function: ``tiny("bert")`` is a folder with a small random model of this architecture and its tokenizer.

    Architectures: bert, electra, mpnet, modernbert (WordPiece), roberta (byte BPE), xlm-roberta (Unigram).
    ``classifier=True`` adds a head for pairs with ``labels`` outputs. ``positions`` is the maximum length of its texts.
    """
    folders: dict[tuple[Any, ...], Path] = {}

    def make(
        kind: str = "bert",
        *,
        classifier: bool = False,
        labels: int = 1,
        seed: int = 0,
        positions: int = 64,
        layers: int = 3,
    ) -> Path:
        key = (kind, classifier, labels, seed, positions, layers)
        if key not in folders:
            folder = tmp_path_factory.mktemp(f"{kind}-")
            _make(folder, kind, classifier, labels, seed, positions, layers)
            folders[key] = folder
        return folders[key]

    return make


def _make(folder: Path, kind: str, classifier: bool, labels: int, seed: int, positions: int, layers: int = 3) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")

    tokenizer = _tokenizer(kind, positions)
    tokenizer.save_pretrained(folder)
    # The positions of these models start after the padding id.
    offset = 2 if kind in ("roberta", "xlm-roberta", "mpnet") else 0
    settings: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": positions + offset,
        "pad_token_id": tokenizer.pad_token_id,
        "num_labels": labels,
    }
    if kind == "roberta":
        settings["type_vocab_size"] = 1
    if kind == "xlm-roberta":
        settings["type_vocab_size"] = 1
    if kind == "electra":
        settings["embedding_size"] = 16
    if kind == "modernbert":  # its defaults are ids of a larger vocabulary
        special = {name: getattr(tokenizer, f"{name}_token_id") for name in ("cls", "sep")}
        settings |= {f"{name}_token_id": number for name, number in special.items()}
        settings |= {"bos_token_id": special["cls"], "eos_token_id": special["sep"]}
    config = transformers.AutoConfig.for_model(kind, **settings)
    torch.manual_seed(seed)
    maker = transformers.AutoModelForSequenceClassification if classifier else transformers.AutoModel
    model = maker.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():  # the default initialization gives nearly equal states
            if parameter.ndim > 1:
                parameter.normal_(0, 0.2)
            elif kind == "modernbert":  # norms without a bias
                parameter.uniform_(0.5, 2)
    model.save_pretrained(folder)


def _tokenizer(kind: str, positions: int) -> Any:
    """Build a tokenizer over the words of TEXTS, some whole and some in pieces, without training if that may vary."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    if kind in ("bert", "electra", "mpnet", "modernbert"):
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        if kind == "mpnet":
            special = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
        normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
        words = [word for text in TEXTS for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))]
        vocabulary = _vocabulary(special, words, inside="##")
        core = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(vocabulary)}, unk_token="[UNK]"))
        core.normalizer, core.pre_tokenizer, core.decoder = normalizer, splitter, decoders.WordPiece()
        single, pair, around = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ("[CLS]", "[SEP]")
        if kind == "modernbert":
            pair = "[CLS] $A [SEP] $B [SEP]"
        names = _names("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
        if kind == "mpnet":
            single, pair, around = "<s> $A </s>", "<s> $A </s> </s> $B </s>", ("<s>", "</s>")
            names = _names("<pad>", "[UNK]", "<s>", "</s>", "<mask>")
    else:
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        if kind == "roberta":
            core = Tokenizer(models.BPE())
            core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            core.decoder = decoders.ByteLevel()
            alphabet = pre_tokenizers.ByteLevel.alphabet()
            trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
            core.train_from_iterator(TEXTS * 3, trainer)
        else:
            words = [f"\u2581{word}" for text in TEXTS for word in text.split()]
            pieces = _vocabulary(special, words, inside="")
            core = Tokenizer(models.Unigram([(piece, -1.0 - i / 100) for i, piece in enumerate(pieces)], unk_id=3))
            core.pre_tokenizer = pre_tokenizers.Metaspace()
            core.decoder = decoders.Metaspace()
        single, pair, around = "<s> $A </s>", "<s> $A </s> </s> $B </s>", ("<s>", "</s>")
        names = _names("<pad>", "<unk>", "<s>", "</s>", "<mask>")
    core.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(token, core.token_to_id(token)) for token in around]
    )
    typed = [] if kind in ("modernbert", "mpnet") else ["token_type_ids"]
    inputs = ["input_ids", *typed, "attention_mask"]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, model_max_length=positions, model_input_names=inputs, **names
    )


def _vocabulary(special: list[str], words: list[str], inside: str) -> list[str]:
    """Return the special tokens, every letter at the start of a word and inside one, and every second word whole."""
    letters = sorted({letter for word in words for letter in word})
    whole = sorted(set(words))[::2]
    return list(dict.fromkeys([*special, *letters, *(inside + letter for letter in letters), *whole]))


def _names(*special: str) -> dict[str, str]:
    return dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))


@pytest.fixture
def sentence_folder(tiny: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """Return a function that makes a sentence-transformers folder with a pooling mode and a maximum length."""

    def make(mode: str = "mean", limit: int = 16, extra: str | None = None, kind: str = "bert") -> Path:
        import shutil

        folder = tmp_path / f"{kind}-{mode}-{limit}-{extra}"
        shutil.copytree(tiny(kind), folder)
        kinds = ["Transformer", "Pooling", *([extra] if extra else []), "Normalize"]
        paths = ["", "1_Pooling", *([f"2_{extra}"] if extra else []), "9_Normalize"]
        modules = [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
            for i, (name, path) in enumerate(zip(kinds, paths, strict=True))
        ]
        (folder / "modules.json").write_text(json.dumps(modules))
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": limit, "do_lower_case": False}))
        (folder / "1_Pooling").mkdir()
        flags = {
            f"pooling_mode_{pooling}": pooling.startswith(mode)
            for pooling in ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken")
        }
        if mode == "mean":
            flags["pooling_mode_mean_sqrt_len_tokens"] = False
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 32, **flags}))
        (folder / "9_Normalize").mkdir()
        return folder

    return make


@pytest.fixture(autouse=True)
def _as_on_a_new_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the models and the score cache of the user, and issue again the warnings that a process issues once.

    A test that needs a cache names its own folder.
    """
    from answersim._base import errors

    monkeypatch.delenv("ANSWERSIM_MODELS", raising=False)
    monkeypatch.setenv("ANSWERSIM_CACHE", "0")
    monkeypatch.setattr(errors, "_issued", set())


@pytest.fixture
def lacking(tmp_path: Path) -> Callable[[Path, str], Path]:
    """Return a function: ``lacking(folder, "layer.1.")`` copies the model without tensors with this in their name."""

    def make(folder: Path, part: str) -> Path:
        import shutil

        from safetensors.torch import load_file, save_file

        there = tmp_path / f"lacking-{part.strip('.')}"
        shutil.copytree(folder, there)
        tensors = {name: tensor.clone() for name, tensor in load_file(folder / "model.safetensors").items()}
        save_file(
            {name: tensor for name, tensor in tensors.items() if part not in name},
            there / "model.safetensors",
            {"format": "pt"},
        )
        return there

    return make
