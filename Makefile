# `make demo` runs the main job, `make test` all checks, `make check` a minute of them; they first install what they need
# into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

.PHONY: demo test check lint style durations extras suite mutants docs site pages pictures papers bench playground wheel clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

# Tests run on two workers: BLAS on one thread each, or its threads wait for one another on small matrices.
test check durations suite docs: export OPENBLAS_NUM_THREADS ?= 1
# Processes that tests start find the package's bytecode, whatever the caller's shell says of it.
test check durations extras suite docs: export PYTHONDONTWRITEBYTECODE :=

TEST := $(BIN)/python -m pytest -p tests.running -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart=0

# A line each 10 s says what runs. make test ARGS=tests/motion/planning runs tests of a folder or file alone.
# Types are checked beside the tests: pyright has one thread, and leaves a core idle.
test: $(VENV)/installed-dev $(if $(ARGS),,style)
	$(if $(ARGS),$(TEST) $(ARGS),$(BIN)/pyright & types=$$!; $(TEST) && wait $$types)

lint: style
	$(BIN)/pyright

style: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/codespell

# A minute's tests of every package: which of them are quick and run much of it.
SMOKE := tests/test_first_use.py tests/tape/test_program.py tests/spatial/test_se3.py tests/graph/test_planar_links.py \
  tests/elimination/test_orderings.py tests/compiler/backends/test_operations.py tests/model/formats/meshes/test_visual_shapes.py \
  tests/mechanics/dynamics/test_hybrid.py tests/mechanics/kinematics/test_frames.py tests/optimize/test_inequalities.py \
  tests/motion/simulation/test_simulator.py tests/motion/planning/test_coordinates.py tests/api/queries/test_without_joints.py \
  tests/ui/cli/test_command.py tests/docs/test_glossary.py

check: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(TEST) $(SMOKE)

# Tests that skip in `make test`, for want of packages that .venv does not have; what does not install here is skipped on.
# PyTorch is one version: a newer one is a CUDA build of several GB.
extras: export OPENBLAS_NUM_THREADS ?= 1
extras: $(VENV)/installed-dev
	for package in 'gtsam>=4.3' 'exudyn>=1.8' 'cuda-bindings>=12.6' ziglang pandas polars 'toppra>=0.6' 'gymnasium>=1.1' torch==2.13.0; do \
	  $(PIP) install "$$package" </dev/null || echo "make: $$package does not install here: its tests skip" >&2; \
	done
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "extra and not suite" $$(grep -rl 'mark.extra' tests --include='test_*.py')

# Which tests are slow, into tests/slow.txt: each of them runs one day of two to six in `make test`; and which tables
# of cases are long, into tests/tables.txt: some of their cases run.
durations: export SCREWGRAPH_TEST_SEED := all
durations: $(VENV)/installed-dev
	$(TEST) -p tests.durations

# The long forms of the suites, with every robot of the package example-robot-data, and their tables in docs/suites;
# make suite ARGS=tests/simulation
suite: $(VENV)/installed-dev
	rm -rf out/suites
	SCREWGRAPH_SUITE_ROWS=out/suites $(BIN)/python -m pytest -n 2 -m "suite or not suite" $(ARGS)
	$(BIN)/python -m tests.suites

# Small changes of the sources at random: which of them do the tests of `make test` notice? An hour or more; ARGS=--help
mutants: export OPENBLAS_NUM_THREADS ?= 1
mutants: $(VENV)/installed-dev
	$(BIN)/python -m tests.mutants $(ARGS)

# The site: docs/_build/html/index.html; a warning is an error. `make test` runs the code of some pages, this of the others,
# and tests the playground in a browser.
docs: site $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 2 -m suite tests/docs tests/playground

# The site alone, as a workflow publishes it.
site: $(VENV)/installed-docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

# Pages that are made from the sources: the reference, keys of files, executed notebooks.
pages: $(VENV)/installed-dev
	$(BIN)/python -m tests.docs.reference
	$(BIN)/python -m tests.docs.schema_pages
	SCREWGRAPH_SEARCH_SECONDS=0 $(BIN)/python -m tests.docs.notebooks

# Runs the pages' code and puts the pictures that it makes into docs/pictures; make pictures ARGS=docs/first_robot.md
pictures: $(VENV)/installed-dev
	SCREWGRAPH_SEARCH_SECONDS=0 $(BIN)/python -m tests.docs.pages --long $(ARGS)
	$(BIN)/python -m tests.docs.moving_picture
	$(BIN)/python -m tests.docs.playground_picture

# Every table and figure of the papers that can be made again, into docs/papers, and the pages' long blocks; make papers ARGS="--only chignoli_2023"
papers: $(VENV)/installed-dev
	$(BIN)/python -m examples.papers $(ARGS)
	$(BIN)/python -m tests.docs.pages --only-long

# Figures beside other libraries, in one run, into benchmarks/RESULTS.md; a quiet machine gives quiet figures.
# make bench ARGS="--only ur5,a1 --quick"; ARGS=--help lists more.
bench: $(VENV)/installed-bench .venv-crocoddyl/installed
	$(BIN)/python -m benchmarks $(ARGS)

# The page in which graphs are eliminated in a browser: out/playground.html, and for `screwgraph playground`; npm downloads
# Pyodide. Its tests run from then on.
playground: $(VENV)/installed-playground
	$(BIN)/python -m playground out/playground.html
	cp out/playground.html src/screwgraph/ui/playground.html

# The wheel, with the playground's page in it, checked, and called in an environment of its own outside the source tree.
wheel: $(VENV)/installed-release playground
	rm -rf dist
	$(PIP) wheel --no-deps -w dist . </dev/null
	$(BIN)/twine check --strict dist/*.whl
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python tests/wheel.py dist/*.whl

clean:
	rm -rf $(VENV) .venv-crocoddyl out dist docs/_build .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are as new as the last install: nothing is installed twice until pyproject.toml changes.
$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[draw]' </dev/null
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[dev]' </dev/null
	@touch $@ $(VENV)/installed

$(VENV)/installed-playground: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[playground]' </dev/null
	@touch $@

$(VENV)/installed-docs: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[docs,draw]' </dev/null
	@touch $@ $(VENV)/installed

$(VENV)/installed-release: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[release]' </dev/null
	@touch $@

# Peers that do not install here are not measured; the tables say so.
$(VENV)/installed-bench: $(VENV)/installed-dev
	$(PIP) install -e '.[dev,bench]' </dev/null || echo "make: some peers of extra 'bench' do not install here" >&2
	@touch $@

# Crocoddyl wants another Pinocchio than ours: it gets an environment of its own, where benchmarks look for it.
# Version 3.2.1 is built for Pinocchio 4.0.0; with 4.1 it loses gravity.
.venv-crocoddyl/installed: | $(VENV)/bin/python
	$(PYTHON) -m venv .venv-crocoddyl
	.venv-crocoddyl/bin/python -m pip --disable-pip-version-check --no-input install crocoddyl==3.2.1 pin==4.0.0 </dev/null || \
	  echo "make: crocoddyl does not install here" >&2
	@touch $@

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "make: there is no $(PYTHON): install Python 3.11 or later, or say make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $$($(PYTHON) --version) is too old: install Python 3.11 or later, or say make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "make: $(PYTHON) has no module venv: install it (on Debian: apt-get install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
