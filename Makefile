# `make test` needs Python 3.11 or newer and make; everything else it brings into .venv itself.
# Another interpreter: make test PYTHON=python3.12 VENV=/tmp/venv312

.DEFAULT_GOAL := test

ifndef PYTHON
PYTHON := $(shell .ci/interpreters | head -n 1 | cut -d ' ' -f 2)
endif
VENV ?= .venv
ROUNDS ?= 200
OPENSPEC ?= 1.13.2

BIN := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 11) else "")' 2>/dev/null)
STAMP := $(VENV)/stamp-$(VERSION)

# The stamp carries the interpreter's version: an environment made by another one is made anew.
$(STAMP): pyproject.toml
	@test -n "$(VERSION)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3" >&2; exit 1; }
	@test ! -e $(VENV)/pyvenv.cfg || grep -q '^version = $(VERSION)\.' $(VENV)/pyvenv.cfg || rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import pathlib, tomllib; print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["dependency-groups"]["dev"], sep="\n")' > $(VENV)/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $(VENV)/dev.txt
	@rm -f $(VENV)/stamp-*
	@touch $@

FUZZ := $(VENV)/fuzz

# It brings much with it: an environment of its own keeps that from everything else.
$(FUZZ)/stamp: $(STAMP)
	$(BIN)/python -m venv $(FUZZ)
	@$(BIN)/python -c 'import pathlib, tomllib; print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["dependency-groups"]["fuzz"], sep="\n")' > $(FUZZ)/fuzz.txt
	$(FUZZ)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(FUZZ)/fuzz.txt
	@touch $@

.PHONY: test lint format spec crash fuzz bench wheel matrix ci clean

test: $(STAMP)  ## the quick suite
	$(BIN)/python -m pytest -m "not slow"

lint: $(STAMP)  ## ruff (rules and format) and mypy --strict
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(STAMP)  ## rewrite what ruff can put right
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

spec: $(STAMP)  ## openspec validate, where npm is installed; the plain rules are in the quick suite
	.ci/openspec $(OPENSPEC) $(VENV)/openspec-$(OPENSPEC)

crash: $(STAMP)  ## kill, cut and fill: ROUNDS times
	$(BIN)/python -m pytest tests/abuse --rounds $(ROUNDS)

fuzz: $(FUZZ)/stamp  ## random questions at every address that /openapi.json describes
	$(BIN)/python -m tests.fuzz $(abspath $(FUZZ))/bin/schemathesis

bench: $(STAMP)  ## how long an answer takes while the worker folds; how fast an export is imported
	$(BIN)/python -m tests.bench.accept
	$(BIN)/python -m tests.bench.import_apple --fold

wheel: $(STAMP)  ## build a wheel, install it away from the checkout, run it
	.ci/wheel $(BIN)/python

matrix:  ## the quick suite under every other Python that is installed
	@set -e; .ci/interpreters | while read -r version python; do \
		test "$$version" != "$(VERSION)" || continue; \
		echo "== Python $$version"; \
		$(MAKE) --no-print-directory test PYTHON="$$python" VENV="$(VENV)/matrix/$$version" </dev/null; \
	done

ci: lint spec test  ## everything a change must pass
	$(MAKE) --no-print-directory crash ROUNDS=40
	$(MAKE) --no-print-directory fuzz
	$(MAKE) --no-print-directory wheel
	$(MAKE) --no-print-directory matrix

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find healthlog tests -name __pycache__ -type d -prune -exec rm -rf {} +
