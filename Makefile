# `make test` needs Python 3.11 or newer and make; everything else it brings into .venv itself.
# Another interpreter: make test PYTHON=python3.12 VENV=/tmp/venv312

.DEFAULT_GOAL := test

# The tests start this program some hundred times: compiled anew, each start takes a second longer.
unexport PYTHONDONTWRITEBYTECODE

ifndef PYTHON
PYTHON := $(shell .ci/interpreters | head -n 1 | cut -d ' ' -f 2)
endif
VENV ?= .venv
ROUNDS ?= 200
DEMO ?= demo
BACKUPS ?= 5
SECONDS ?= 120
KILLS ?= 20
SEED ?=
OPENSPEC ?= 1.13.2
AXE ?= 4.14.1

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

LINT := $(VENV)/http

$(LINT)/stamp: $(STAMP)
	$(BIN)/python -m venv $(LINT)
	@$(BIN)/python -c 'import pathlib, tomllib; print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["dependency-groups"]["http"], sep="\n")' > $(LINT)/http.txt
	$(LINT)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(LINT)/http.txt
	@touch $@

PROGRAMS := $(VENV)/programs

$(PROGRAMS)/stamp: $(STAMP)
	$(BIN)/python -m venv $(PROGRAMS)
	@$(BIN)/python -c 'import pathlib, tomllib; print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["dependency-groups"]["programs"], sep="\n")' > $(PROGRAMS)/programs.txt
	$(PROGRAMS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(PROGRAMS)/programs.txt
	@touch $@

.PHONY: test slow lint format spec crash drill soak fuzz http programs browser screens bench demo wheel matrix ci clean

test: $(STAMP)  ## the quick suite, as many tests at a time as there are processors
	$(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile

slow: $(STAMP)  ## the tests that take seconds each
	$(BIN)/python -m pytest -m slow -n auto --dist load tests --ignore tests/abuse --ignore tests/browser --ignore tests/programs

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
	$(BIN)/python -m pytest tests/abuse --rounds $(ROUNDS) -n auto --dist load

drill: $(STAMP)  ## back up a busy service BACKUPS times, restore each backup, compare the digests
	$(BIN)/python -m tests.drill --rounds $(BACKUPS)

soak: $(STAMP)  ## sixteen senders, readers, locks, KILLS kills in SECONDS: one line of counts
	$(BIN)/python -m tests.soak --seconds $(SECONDS) --kills $(KILLS)

fuzz: $(FUZZ)/stamp  ## random questions, by SEED the same, at every address that /openapi.json describes
	$(BIN)/python -m tests.fuzz $(abspath $(FUZZ))/bin/schemathesis $(addprefix --seed ,$(SEED))

http: $(LINT)/stamp  ## every kind of answer under the eyes of a linter for HTTP
	$(BIN)/python -m tests.lint $(abspath $(LINT))/bin/httplint

browser: $(STAMP)  ## the pages in a real browser, with the published rules of accessibility
	.ci/axe $(AXE) $(VENV)/axe-$(AXE)
	AXE_CORE=$(VENV)/axe-$(AXE)/node_modules/axe-core/axe.min.js $(BIN)/python -m pytest tests/browser

screens: $(STAMP)  ## the pictures of the pages in docs/screens, taken anew
	$(BIN)/python -m tests.screens docs/screens

programs: $(PROGRAMS)/stamp  ## other programs reading the log: an MCP client, Datasette, DuckDB
	$(BIN)/python -m pytest tests/programs --programs $(abspath $(PROGRAMS))/bin/python

bench: $(STAMP)  ## every figure beside its floor: a table, and bench.json
	$(BIN)/python -m tests.bench --json build/bench.json

demo:  ## a year of invented data in the folder DEMO, which must be new or empty; needs Python alone
	$(PYTHON) -m tests.demo $(DEMO)

wheel: $(STAMP)  ## build a wheel, install it away from the checkout, run it
	.ci/wheel $(BIN)/python

matrix:  ## the quick suite under every other Python that is installed
	@set -e; .ci/interpreters | while read -r version python; do \
		test "$$version" != "$(VERSION)" || continue; \
		echo "== Python $$version"; \
		$(MAKE) --no-print-directory test PYTHON="$$python" VENV="$(VENV)/matrix/$$version" </dev/null; \
	done

ci: lint spec test  ## everything a change must pass
	$(MAKE) --no-print-directory slow
	$(MAKE) --no-print-directory crash ROUNDS=40
	$(MAKE) --no-print-directory drill BACKUPS=2
	$(MAKE) --no-print-directory soak SECONDS=18 KILLS=8
	$(MAKE) --no-print-directory fuzz SEED=1
	$(MAKE) --no-print-directory http
	$(MAKE) --no-print-directory browser
	$(MAKE) --no-print-directory programs
	$(MAKE) --no-print-directory wheel
	$(MAKE) --no-print-directory matrix

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find healthlog tests -name __pycache__ -type d -prune -exec rm -rf {} +
