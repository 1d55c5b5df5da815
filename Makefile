# Everything runs in .venv, made from the locked requirements on first use. Needs python3, git, make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := vocab artifacts generators validators flows tests benchmarks

.DEFAULT_GOAL := help
.PHONY: help run test check format lock clean

help:  ## Show this list.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(STAMP): requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "expected Python 3.11 or newer, found $$($(PYTHON) --version); set PYTHON=python3.11"; exit 2; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "python's venv module is incomplete: on Debian, apt-get install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: $(STAMP)  ## Build SABER and a small text dataset, validate them, show what came out.
	$(BIN)/saber run

test: $(STAMP)  ## Run the tests.
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(STAMP)  ## Lint, format check, types.
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

format: $(STAMP)  ## Format and fix what can be fixed.
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

lock: $(STAMP)  ## Resolve the requirements anew.
	$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra dev pyproject.toml --output-file requirements/dev.lock
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  pyproject.toml --constraint requirements/dev.lock --output-file requirements/core.lock
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --extra llm pyproject.toml --constraint requirements/dev.lock --output-file requirements/worker.lock

clean:  ## Remove the virtual environment and caches; builds stay.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
