# `make demo` runs the main job, `make test` all checks; both first install what they need into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input

.PHONY: demo test bench clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2

# Figures beside other libraries, in one run, into benchmarks/RESULTS.md; a quiet machine gives quiet figures.
# make bench ARGS="--only ur5,a1 --quick"; ARGS=--help lists more.
bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) out dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are as new as the last install: nothing is installed twice until pyproject.toml changes.
$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e . </dev/null
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[dev]' </dev/null
	@touch $@ $(VENV)/installed

# Peers that do not install here are not measured; the tables say so.
$(VENV)/installed-bench: $(VENV)/installed-dev
	$(PIP) install -e '.[dev,bench]' </dev/null || echo "make: some peers of extra 'bench' do not install here" >&2
	@touch $@

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "make: there is no $(PYTHON): install Python 3.11 or later, or say make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $$($(PYTHON) --version) is too old: install Python 3.11 or later, or say make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "make: $(PYTHON) has no module venv: install it (on Debian: apt-get install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
