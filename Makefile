# The two commands of the README: `make correlations` runs the main job, `make test` everything that CI checks.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: correlations test check test-slow wheel clean

correlations: $(VENV)/main.stamp
	$(BIN)/python -m benchmarks.correlations

test: check
	$(BIN)/python -m pytest -m "not slow"

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-slow: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m slow

wheel: $(VENV)/dev.stamp
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) build dist

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("answersim needs Python 3.10 or newer; say PYTHON=python3.11" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)

# An editable install, so that the tree is what runs; it is done again when the dependencies change.
$(VENV)/main.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[embedded]"
	touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[dev]"
	touch $@ $(VENV)/main.stamp
