"""Threads and processes: one loads, all wait, and nothing is left."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from answersim._base.runtime.concurrency import Gate, load_once
from answersim._base.runtime.line_process import LineProcess
from tests.cases import in_threads

FIRST_IMPORT = """
{before}
import os, sys
from importlib.machinery import ModuleSpec

def end():
    print("policy", os.environ.get("OMP_WAIT_POLICY"), flush=True)
    os._exit(0)

class Torch:  # it can be found, and its import ends the process
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name == "torch" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        end()

sys.meta_path.insert(0, Torch())
{code}
end()
"""


def policy(code: str, before: str = "", **environment: str) -> str:
    """How the threads of OpenMP wait when this code imports torch for the first time, or at its end."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "KMP_"))}
    words = [sys.executable, "-c", FIRST_IMPORT.format(code=code, before=before)]
    run = subprocess.run(words, env=env | environment, capture_output=True, text=True, check=True)
    return run.stdout.rpartition("policy ")[2].strip()


@pytest.mark.parametrize(
    "code",
    [
        "import answersim; answersim.metric('bi-encoder'); import torch",
        pytest.param("import answersim; answersim.metric('answersim'); import torch", marks=pytest.mark.slow),
        pytest.param("import rankers.api; rankers.api.resolve('minilm-maxsim')", marks=pytest.mark.slow),
        "from rankers.systems import fit",
        pytest.param("from rankers.models import store", marks=pytest.mark.slow),
        pytest.param("from answersim.training.bi_encoder import trainer", marks=pytest.mark.slow),
    ],
)
def test_threads_of_torch_wait_passively_unless_the_user_has_chosen(code):
    assert policy(code) == "PASSIVE"


def test_the_policy_of_a_plain_import_is_seen():
    assert policy("import torch") == "None"


@pytest.mark.slow
def test_a_choice_of_the_user_and_an_imported_torch_are_left_as_they_are():
    code = "import answersim; answersim.metric('bi-encoder'); import torch"
    assert policy(code, OMP_WAIT_POLICY="ACTIVE") == "ACTIVE"
    assert policy(code, KMP_BLOCKTIME="200") == "None"
    assert policy(code, before="import torch") == "None"
    lexical = "import answersim, rankers; answersim.score('a', 'b', 'f1')"
    assert policy(lexical) == "None"  # torch is not needed; rankers.names() reads the room of the models, which may


def test_a_model_is_loaded_once_however_many_threads_ask():
    loads: list[int] = []

    @load_once(2)
    def load(number: int) -> object:
        loads.append(number)
        return object()

    result = in_threads([lambda: id(load(1))] * 64)
    assert len(set(result)) == len(loads) == 1
    load(2), load(3), load(1)  # the third takes the place of the first
    assert loads == [1, 2, 3, 1]


def test_loading_waits_for_passes_and_passes_wait_for_loading():
    gate, inside, alone = Gate(), [0], [0]
    mixed: list[str] = []

    def passing() -> None:
        with gate.shared(), gate.shared():
            inside[0] += 1
            if alone[0]:
                mixed.append("a pass began while another thread was alone")
            inside[0] -= 1

    def loading() -> None:
        with gate.alone(), gate.alone(), gate.shared():
            alone[0] += 1
            if alone[0] > 1:
                mixed.append("two threads were alone")
            alone[0] -= 1

    in_threads([*[passing] * 7, loading] * 200)
    assert not mixed


def test_a_thread_that_wants_to_be_alone_is_not_kept_waiting_by_new_passes():
    gate, stop = Gate(), threading.Event()

    def passes() -> None:
        while not stop.is_set():
            with gate.shared():
                pass

    threads = [threading.Thread(target=passes, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    got_in = threading.Event()

    def wait() -> None:
        for _ in range(20):
            with gate.alone():
                pass
        got_in.set()

    threading.Thread(target=wait, daemon=True).start()
    assert got_in.wait(60)
    stop.set()
    for thread in threads:
        thread.join(60)
    assert not any(entry.is_alive() for entry in threads)


def test_transformers_logs_as_before_after_threads_loaded_at_once(tiny):
    import logging

    transformers = pytest.importorskip("transformers")
    from answersim.metrics.checkpoints.search import find
    from answersim.metrics.neural import tokens

    level = logging.getLogger("transformers").level
    bars = transformers.utils.logging.is_progress_bar_enabled()
    folders = [find(tiny(kind, seed=seed)) for kind in ("bert", "roberta") for seed in (5, 6, 7)]
    result = in_threads([lambda entry=entry: tokens.token_ids(entry) and 0 for entry in folders * 4])
    assert len(result) == 24
    assert logging.getLogger("transformers").level == level
    assert transformers.utils.logging.is_progress_bar_enabled() == bars


_FIRST_CALLS = """
    import sys, threading, warnings
    warnings.simplefilter("ignore")
    import answersim
    sys.setswitchinterval(1e-5)

    def studied():
        labels = {"gold": ["a b"] * 12, "pred": ["a", "b", "c"] * 4, "label": [0, 1, 2] * 4}
        answersim.correlate(labels, ["f1"], bootstrap=answersim.Bootstrap(resamples=5))

    def scored(name, lang="en", **options):
        answersim.score("a b 2", "b ca. 2 million", name, lang=lang, **options)

    calls = [studied, *(lambda lang=lang: scored("meteor", lang) for lang in ("en", "de", "fr")),
             *(lambda lang=lang: scored("bleu", lang) for lang in ("en", "zh", "ja")),
             lambda: scored("bi-encoder", model=sys.argv[1]), lambda: scored("sas", model=sys.argv[2]),
             lambda: scored("bertscore-trained", model=sys.argv[1], layer=1)]
    start, failed = threading.Barrier(len(calls)), []

    def work(call):
        start.wait()
        try:
            call()
        except BaseException as error:
            failed.append(repr(error))

    threads = [threading.Thread(target=work, args=(each,)) for each in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed, failed
"""


def test_the_first_calls_of_a_process_may_be_made_in_threads(tiny):
    pytest.importorskip("torch")
    script = textwrap.dedent(_FIRST_CALLS)
    arguments = [sys.executable, "-c", script, str(tiny()), str(tiny(classifier=True))]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


_FORKS = """
    import os, sys, threading, warnings
    warnings.simplefilter("ignore")
    import numpy as np
    import torch
    torch.set_num_threads(4)
    import answersim

    def threads_of_a_child():
        child = os.fork()
        if not child:
            os._exit(torch.get_num_threads())
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert threads_of_a_child() == 4  # as long as no network ran

    PAIRS = [(f"the {i} eleven", f"in regions {i * i} of new growth " * (i % 7)) for i in range(12)]
    metrics = [answersim.metric(name, model=folder, device=precision)
               for name, folder in zip(("bi-encoder", "bertscore-trained", "sas"), sys.argv[1:2] * 2 + sys.argv[2:])
               for precision in ("fp32", "bf16")]

    def scored(*_):
        return [[float(each) for each in metric([answersim.Pair(*pair) for pair in PAIRS])] for metric in metrics]

    def check(found):
        difference = float(np.abs(np.array(found) - np.array(expected)).max())
        assert difference <= 1e-6, difference

    def fork(times):
        for _ in range(times):
            child = os.fork()
            if not child:
                try:
                    check(scored())
                    os._exit(7)
                finally:
                    os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""

_WAYS = {
    "os.fork, a pool, and a fork while threads score": """
        import multiprocessing
        expected = scored()
        assert threads_of_a_child() == 1  # after it
        assert torch.get_num_threads() == 4
        fork(2)
        check(scored())  # and the parent goes on
        with multiprocessing.get_context("fork").Pool(2) as pool:
            for found in pool.map(scored, range(2)):
                check(found)
        stop = threading.Event()
        def go_on():
            while not stop.is_set():
                scored()
        threads = [threading.Thread(target=go_on, daemon=True) for _ in range(2)]
        for each in threads:
            each.start()
        fork(2)
        stop.set()
        for each in threads:
            each.join()
        print("equal")
    """,
    "datasets.map": """
        import datasets
        datasets.disable_progress_bars()
        expected = scored()
        table = datasets.Dataset.from_dict({"gold": [gold for gold, _ in PAIRS], "pred": [pred for _, pred in PAIRS]})
        def score(batch):
            pairs = list(zip(batch["gold"], batch["pred"]))
            return {str(i): metric([answersim.Pair(*pair) for pair in pairs]) for i, metric in enumerate(metrics)}
        found = table.map(score, batched=True, batch_size=50, num_proc=2)
        for i in range(0, len(metrics), 2):  # bf16 rounds by the batch
            difference = float(np.abs(np.array(found[str(i)]) - np.array(expected[i])).max())
            assert difference <= 1e-6, difference
        print("equal")
    """,
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=pytest.mark.slow if way == "datasets.map" else ()) for way in _WAYS]
)
def test_a_process_that_forks_after_scoring_scores_and_its_children_have_one_thread(way, tiny, tmp_path):
    pytest.importorskip("torch")
    if way == "datasets.map":
        pytest.importorskip("datasets")
    script = textwrap.dedent(_FORKS) + textwrap.dedent(_WAYS[way])
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    environment |= {"OMP_WAIT_POLICY": "PASSIVE", "HF_HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tiny()), str(tiny(classifier=True))],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            printed, errors = process.communicate(timeout=240)  # without the mend it hangs for ever
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the children too
            raise
    assert (process.returncode, printed.strip()[-5:]) == (0, "equal"), errors[-2000:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_inside_a_pass_leaves_the_gate_open_on_both_sides():
    script = """
        import os
        from answersim._base.runtime import concurrency
        with concurrency.forward_pass(), concurrency.alone():
            child = os.fork()
        with concurrency.alone(), concurrency.forward_pass():
            pass
        if child:
            assert os.waitpid(child, 0)[1] == 0
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, timeout=120)


MODULE = """
import os, sys, time
from answersim._base.runtime.line_process import serve

def answers():
    for line in sys.stdin:
        word = line.strip()
        if word == "sleep":
            time.sleep(60)
        if word == "end":
            os._exit(3)
        print("noise that is no answer")
        yield f"{word} {os.getpid()}"

serve(answers())
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "echoing.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "echoing"


def test_lines_are_answered_by_one_other_process(module):
    process = LineProcess(module, 30)
    words = [process.answer(word).split() for word in ("a", "größer")]
    assert [word for word, _ in words] == ["a", "größer"]
    assert len({pid for _, pid in words}) == 1
    assert words[0][1] != str(os.getpid())


def test_a_line_without_end_is_stopped_at_the_limit_and_the_next_one_is_answered(module):
    process = LineProcess(module, 0.5)
    assert process.answer("sleep") is None
    assert process.answer("a").startswith("a ")


def test_a_process_that_ends_by_itself_is_an_error_that_names_the_line(module):
    process = LineProcess(module, 30)
    with pytest.raises(RuntimeError, match="exit code 3 at the line 'end'"):
        process.answer("end")
    assert process.answer("a").startswith("a ")


def test_a_module_that_cannot_start_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("import a_module_that_is_missing")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(RuntimeError, match="python -m broken_module"):
        LineProcess("broken_module", 30).answer("a")
